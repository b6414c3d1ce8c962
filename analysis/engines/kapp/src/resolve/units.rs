//! Changes as units, rules as dependencies, default bindings as reasons.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::bindings::Sets;
use super::changes::Change;
use super::counts;
use super::load::Item;
use super::order::Kinds;
use super::uses::{RuleUse, Source, Uses};
use crate::defaults::Defaults;
use crate::facts::Config;
use crate::grammar::Op;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Cx, Dependency, OrderOf, Unit, UnitIx, Variant};
use applyorder_core::graph::EdgeKind;

/// The names of changes: kind and name, the namespace unless it is none or `default`, the API group where two
/// would be alike.
pub(crate) fn names(sets: Sets<'_>, changes: &[Change]) -> Vec<Arc<str>> {
    let mut name = String::new();
    let plain: Vec<Arc<str>> = changes
        .iter()
        .map(|c| {
            name.clear();
            name.push_str(sets.resource(c).map_or("", |r| &r.kind.value));
            name.push('/');
            name.push_str(&c.name);
            if !matches!(&*c.namespace, "" | "default") {
                name.push('@');
                name.push_str(&c.namespace);
            }
            name.as_str().into()
        })
        .collect();
    let counts = counts(plain.iter().map(|name| &**name));
    let names = changes
        .iter()
        .zip(&plain)
        .map(|(c, name)| {
            if counts.get(&**name).copied().unwrap_or(0) < 2 {
                return Arc::clone(name);
            }
            let group = sets.resource(c).map_or("", |r| r.group());
            format!("{name}#{group}").into()
        })
        .collect();
    drop(counts);
    names
}

/// Dependencies and reasons, made before the graphs that count into them.
pub(crate) struct Tables {
    dependencies: Vec<Dependency>,
    reasons: Vec<String>,
    by_rule: FxHashMap<(u32, Source), u32>,
    /// The reason of each rule of each default binding.
    default_reasons: FxHashMap<(u32, u32), u32>,
    /// The reason of rules that nobody wrote into the manifests.
    kept_reason: u32,
    /// The reason of being a member of each group.
    member_reasons: u32,
}

impl Tables {
    pub(crate) fn new(
        cx: &Cx<'_>,
        sets: Sets<'_>,
        changes: &[Change],
        uses: &Uses,
        configs: &[(Item, &Config)],
        defaults: &Defaults,
    ) -> Self {
        let mut reasons = Vec::new();
        let mut default_reasons = FxHashMap::default();
        for (i, binding) in (0u32..).zip(&defaults.rules) {
            for (n, rule) in (0u32..).zip(binding.rules) {
                default_reasons.insert((i, n), u32::try_from(reasons.len()).unwrap_or(u32::MAX));
                reasons.push(format!("kapp's default rule `{rule}`: {}", binding.words));
            }
        }
        let kept_reason = u32::try_from(reasons.len()).unwrap_or(u32::MAX);
        reasons.push("an annotation of what is applied, which a rebase rule keeps".to_owned());
        let member_reasons = u32::try_from(reasons.len()).unwrap_or(u32::MAX);
        reasons.extend(
            uses.names
                .iter()
                .map(|name| format!("member of change group `{name}`")),
        );
        let mut out = Self {
            dependencies: Vec::new(),
            reasons,
            by_rule: FxHashMap::default(),
            default_reasons,
            kept_reason,
            member_reasons,
        };
        out.collect(cx, sets, changes, uses, configs);
        out
    }

    fn collect(
        &mut self,
        cx: &Cx<'_>,
        sets: Sets<'_>,
        changes: &[Change],
        uses: &Uses,
        configs: &[(Item, &Config)],
    ) {
        let mut members: Vec<Vec<UnitIx>> = vec![Vec::new(); uses.names.len()];
        for (unit, own) in (0u32..).zip(&uses.changes) {
            for group in &own.groups {
                if let Some(list) = members.get_mut(group.group as usize)
                    && list.last() != Some(&UnitIx(unit))
                {
                    list.push(UnitIx(unit));
                }
            }
        }
        let members: Vec<Arc<[UnitIx]>> = members.into_iter().map(Into::into).collect();
        let texts: Vec<Arc<str>> = uses.names.iter().map(|n| Arc::from(&**n)).collect();
        for ((unit, change), own) in (0u32..).zip(changes).zip(&uses.changes) {
            for rule in &own.rules {
                let Some((place, attribute)) = rule_place(cx, sets, change, configs, rule.source) else {
                    continue;
                };
                let number = u32::try_from(self.dependencies.len()).unwrap_or(u32::MAX);
                self.by_rule.insert((unit, rule.source), number);
                self.dependencies.push(Dependency {
                    unit: UnitIx(unit),
                    place,
                    attribute,
                    text: texts
                        .get(rule.group as usize)
                        .cloned()
                        .unwrap_or_else(|| "".into()),
                    targets: members.get(rule.group as usize).cloned().unwrap_or_default(),
                    unknown: false,
                });
            }
        }
    }

    /// The variant, with the orders of both operations.
    pub(crate) fn variant(
        self,
        cx: &Cx<'_>,
        sets: Sets<'_>,
        changes: &[Change],
        names: &[Arc<str>],
        apply: OrderOf,
        delete: OrderOf,
    ) -> Variant {
        let no_tags: Arc<[Arc<str>]> = Arc::new([]);
        let units = changes
            .iter()
            .zip(names)
            .map(|(change, name)| {
                let place = |local: u32| place(cx, sets, change, local);
                let resource = sets.resource(change);
                Unit {
                    name: name.clone(),
                    header: resource
                        .and_then(|r| place(r.header))
                        .unwrap_or(Place::file(FileId(0))),
                    name_place: resource.and_then(|r| place(r.name.place?)),
                    tags: no_tags.clone(),
                }
            })
            .collect();
        let selected = changes.iter().any(|c| c.op == Op::Noop).then(|| {
            (0u32..)
                .zip(changes)
                .filter(|(_, c)| c.op != Op::Noop)
                .map(|(i, _)| UnitIx(i))
                .collect()
        });
        let deletes = changes.iter().filter(|c| c.op == Op::Delete).count();
        let mut properties = Vec::new();
        if deletes > 0 {
            let upserts = changes.iter().filter(|c| c.op == Op::Upsert).count();
            properties.push(("upserts", upserts.to_string()));
            properties.push(("deletes", deletes.to_string()));
        }
        let first = changes.first().map(|c| c.op);
        let actions = if changes.iter().any(|c| Some(c.op) != first) {
            changes.iter().map(|c| c.op.as_str()).collect()
        } else {
            Vec::new()
        };
        Variant {
            environments: vec![None],
            units,
            dependencies: self.dependencies,
            reasons: self.reasons,
            conditions: Vec::new(),
            apply,
            delete,
            selected,
            properties,
            actions,
        }
    }
}

/// A place of a change's resource.
pub(crate) fn place(cx: &Cx<'_>, sets: Sets<'_>, change: &Change, local: u32) -> Option<Place> {
    let (file, index) = sets.of(change.set)?.place(change.item, local)?;
    Some(cx.place(file, index))
}

/// Where a rule stands that somebody wrote: the group in it, where that can be told, else all of it.
fn rule_place(
    cx: &Cx<'_>,
    sets: Sets<'_>,
    change: &Change,
    configs: &[(Item, &Config)],
    source: Source,
) -> Option<(Place, &'static str)> {
    match source {
        Source::Default(..) => None,
        Source::Annotation(number) => {
            let resource = sets.resource(change)?;
            let annotation = resource.annotations().get(number as usize)?;
            let text = annotation.text.as_ref()?;
            let local = text.words.map_or(text.place, |w| w[3]);
            Some((place(cx, sets, change, local)?, "change-rule"))
        }
        Source::Config(config, binding, rule) => {
            let (item, config) = configs.get(config as usize)?;
            let text = config.rules.get(binding as usize)?.rules.get(rule as usize)?;
            let local = text.words.map_or(text.place, |w| w[3]);
            let (file, index) = sets.new.place(*item, local)?;
            Some((cx.place(file, index), "changeRuleBindings"))
        }
    }
}

impl Kinds for Tables {
    fn rule(&self, change: u32, rule: &RuleUse) -> EdgeKind {
        if let Source::Default(binding, number) = rule.source {
            let reason = self.default_reasons.get(&(binding, number)).copied().unwrap_or(0);
            return EdgeKind::Implicit { reason };
        }
        match self.by_rule.get(&(change, rule.source)) {
            Some(dependency) => EdgeKind::Explicit {
                dependency: *dependency,
            },
            None => EdgeKind::Implicit {
                reason: self.kept_reason,
            },
        }
    }

    fn member(&self, _: u32, group: u32, _: Source) -> EdgeKind {
        EdgeKind::Implicit {
            reason: self.member_reasons + group,
        }
    }
}
