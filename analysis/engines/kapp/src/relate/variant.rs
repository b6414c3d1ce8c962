//! Changes as units, rules as dependencies, default bindings as reasons.

use std::sync::Arc;

use super::Operation;
use crate::compare::Change;
use crate::defaults::Defaults;
use crate::grammar::Op;
use crate::model::Model;
use crate::model::error::KappError;
use crate::model::uses::Source;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Dependency, Open, OrderOf, Unit, UnitIx, Variant, rejection};

/// The numbers of reasons: of each rule of each default binding, of what is kept of the applied state, of
/// memberships.
pub(super) struct Numbers {
    first: Vec<u32>,
    pub(super) kept: u32,
}

impl Numbers {
    pub(super) fn new(defaults: &Defaults) -> Self {
        let mut kept = 0;
        let first = defaults.rules.iter().map(|binding| {
            let first = kept;
            kept += u32::try_from(binding.rules.len()).unwrap_or(u32::MAX);
            first
        });
        Self {
            first: first.collect(),
            kept,
        }
    }

    /// The reason of a rule of a default binding.
    pub(super) fn default_rule(&self, binding: u32, rule: u32) -> u32 {
        self.first.get(binding as usize).map_or(0, |first| first + rule)
    }

    /// The reason of being a member of a group, by its position.
    pub(super) fn member(&self, group: usize) -> u32 {
        self.kept
            .saturating_add(1)
            .saturating_add(u32::try_from(group).unwrap_or(u32::MAX))
    }
}

/// Whether a rule with such a source is a dependency that a user wrote: neither kapp's own, nor in an
/// annotation of the applied state.
pub(super) fn is_written(source: Source) -> bool {
    match source {
        Source::Default(..) => false,
        Source::Annotation(number) => number != u32::MAX,
        Source::Config(..) => true,
    }
}

fn reasons(model: &Model, names: &[Arc<str>]) -> Vec<String> {
    let mut reasons = Vec::new();
    for binding in &model.bindings.defaults.rules {
        let rules = binding.rules.iter();
        reasons.extend(rules.map(|rule| format!("kapp's default rule `{rule}`: {}", binding.words)));
    }
    reasons.push("an annotation on the cluster that a rebase rule keeps".to_owned());
    let members = names.iter();
    reasons.extend(members.map(|name| format!("member of change group `{name}`")));
    reasons
}

/// The variant, with the orders of both operations.
pub(super) fn variant(
    model: &Model,
    deploy: &Operation,
    delete: &Operation,
    names: &[Arc<str>],
    failed: Option<&KappError>,
    not_known: Option<&str>,
) -> Variant {
    let changes = &deploy.changes;
    let no_tags: Arc<[Arc<str>]> = Arc::new([]);
    let units = changes.iter().zip(names).map(|(change, name)| {
        let place = |local: u32| model.place(change.set, change.item, local);
        let resource = model.resource(change);
        Unit {
            name: name.clone(),
            header: resource
                .and_then(|r| place(r.header))
                .unwrap_or(Place::file(FileId(0))),
            name_place: resource.and_then(|r| place(r.name.place?)),
            tags: no_tags.clone(),
        }
    });
    let selected = changes.iter().any(|c| c.op == Op::Noop).then(|| {
        (0u32..)
            .zip(changes.iter())
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
        units: units.collect(),
        dependencies: dependencies(model, deploy),
        reasons: reasons(model, &deploy.uses.names),
        conditions: Vec::new(),
        apply: order_of("deploy", deploy, failed, not_known),
        delete: order_of("delete", delete, failed, None),
        selected,
        properties,
        actions,
    }
}

/// What invalid rules may order.
fn open(operation: &Operation) -> Vec<Open> {
    let all = (0u32..).map(UnitIx).zip(&operation.uses.changes);
    all.flat_map(|(unit, own)| {
        let ends = [
            own.may_order.waits.then(|| Open::after(unit)),
            own.may_order.is_waited_for.then(|| Open::before(unit)),
        ];
        ends.into_iter().flatten()
    })
    .collect()
}

fn dependencies(model: &Model, deploy: &Operation) -> Vec<Dependency> {
    let uses = &deploy.uses;
    let mut members: Vec<Vec<UnitIx>> = vec![Vec::new(); uses.names.len()];
    for (unit, own) in (0u32..).zip(&uses.changes) {
        for group in &own.groups {
            let list = uses.position(group.group).and_then(|at| members.get_mut(at));
            if let Some(list) = list
                && list.last() != Some(&UnitIx(unit))
            {
                list.push(UnitIx(unit));
            }
        }
    }
    let members: Vec<Arc<[UnitIx]>> = members.into_iter().map(Into::into).collect();
    let mut dependencies = Vec::new();
    for ((unit, change), own) in (0u32..).zip(deploy.changes.iter()).zip(&uses.changes) {
        for rule in own.own_rules.iter().filter(|rule| is_written(rule.source)) {
            let (place, attribute) =
                rule_place(model, change, rule.source).unwrap_or((Place::file(FileId(0)), "change-rule"));
            let group = uses.position(rule.group);
            dependencies.push(Dependency {
                unit: UnitIx(unit),
                place,
                attribute,
                text: group
                    .and_then(|at| uses.names.get(at))
                    .cloned()
                    .unwrap_or_default(),
                targets: group.and_then(|at| members.get(at)).cloned().unwrap_or_default(),
                unknown: false,
            });
        }
    }
    dependencies
}

/// Where a written rule is: the group in it, if its place is known, else all of it.
fn rule_place(model: &Model, change: &Change, source: Source) -> Option<(Place, &'static str)> {
    match source {
        Source::Default(..) => None,
        Source::Annotation(number) => {
            let resource = model.resource(change)?;
            let annotation = resource.annotations().get(number as usize)?;
            let text = annotation.text.as_ref()?;
            let local = text.words.map_or(text.place, |w| w[3]);
            Some((model.place(change.set, change.item, local)?, "change-rule"))
        }
        Source::Config(config, binding, rule) => {
            let in_force = model.bindings.configs.get(config as usize)?;
            let binding = in_force.config.rules.get(binding as usize)?;
            let text = binding.rules.get(rule as usize)?;
            let local = text.words.map_or(text.place, |w| w[3]);
            let place = model.place(crate::model::Set::New, in_force.item, local)?;
            Some((place, "changeRuleBindings"))
        }
    }
}

fn order_of(
    command: &str,
    operation: &Operation,
    failed: Option<&KappError>,
    not_known: Option<&str>,
) -> OrderOf {
    let built = &operation.built;
    let rejected = failed.or(operation.kapp_error.as_ref());
    let because = match rejected {
        Some(error) if error.is_ours() => Some("a limit was reached".to_owned()),
        Some(error) => Some(rejection(command, error.stage)),
        None if not_known.is_some() => not_known.map(str::to_owned),
        None if built.unresolved => {
            Some("limit reached: too many optional edges could close cycles".to_owned())
        }
        None => None,
    };
    let layers = if because.is_some() {
        None
    } else {
        built.graph().layers().map(|layers| {
            layers
                .iter()
                .map(|l| l.iter().map(|n| UnitIx(n.0)).collect())
                .collect()
        })
    };
    OrderOf {
        graph: Arc::clone(built.graph()),
        layers,
        sequence: None,
        guaranteed: because.is_none(),
        because,
        open: open(operation),
    }
}
