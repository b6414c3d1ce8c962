//! The groups and rules of every change: annotations, then default bindings, then those of Configs.

use rustc_hash::FxHashMap;

use super::changes::{Change, Set};
use super::load::{Item, Loaded};
use super::uses::{ChangeUses, GroupUse, RuleUse, Source, UseError, Uses, Wrong};
use crate::defaults::Defaults;
use crate::facts::{Annotation, Config, GroupBinding, Key, Resource, RuleBinding};
use crate::grammar::{self, Values};
use crate::matcher::{KindOnly, Matcher, Panics, PathPart, Subject};
use crate::names;

/// The sets of files that changes are of.
#[derive(Clone, Copy)]
pub(crate) struct Sets<'a> {
    pub(crate) new: &'a Loaded,
    pub(crate) state: Option<&'a Loaded>,
}

impl<'a> Sets<'a> {
    pub(crate) fn of(self, set: Set) -> Option<&'a Loaded> {
        match set {
            Set::New => Some(self.new),
            Set::State => self.state,
        }
    }

    pub(crate) fn resource(self, change: &Change) -> Option<&'a Resource> {
        self.of(change.set)?.resource(change.item)
    }
}

/// A change as matchers see it.
struct Whole<'a> {
    change: &'a Change,
    /// As it stands in its file.
    written: &'a Resource,
    /// As the graph sees it.
    resource: &'a Resource,
    loaded: &'a Loaded,
}

impl Whole<'_> {
    /// The number of an annotation among those that are written; none has the last one, for what is kept of
    /// what is there.
    fn written(&self, number: u32) -> u32 {
        if self.change.rebased.is_none() {
            return number;
        }
        let seen = self.resource.annotations().get(number as usize);
        let same = |a: &Annotation| {
            seen.is_some_and(|s| s.name.value == a.name.value && s.value.value == a.value.value)
        };
        let found = self.written.annotations().iter().position(same);
        found.and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX)
    }
}

impl Subject for Whole<'_> {
    fn api_version(&self) -> &str {
        &self.resource.api_version.value
    }
    fn kind(&self) -> &str {
        &self.resource.kind.value
    }
    fn name(&self) -> Option<&str> {
        Some(&self.change.name)
    }
    fn namespace(&self) -> Option<&str> {
        Some(&self.change.namespace)
    }
    fn has_annotation(&self, key: &str) -> Option<bool> {
        Some(self.resource.has_annotation(key))
    }
    fn is_empty_at(&self, path: &[PathPart]) -> Option<Option<bool>> {
        // kapp takes the status out before it orders anything.
        if let Some(PathPart::Key(key)) = path.first()
            && **key == *"status"
        {
            return Some(Some(true));
        }
        if let Some(rebased) = &self.change.rebased {
            return Some(rebased.content(0).is_empty_at(path));
        }
        let Item { piece, resource, .. } = self.change.item;
        let input = self.loaded.input(self.change.item)?;
        let piece = &input.facts.pieces.get(piece as usize)?.piece;
        Some(piece.content(resource as usize).is_empty_at(path))
    }
}

/// A binding, whoever wrote it.
struct GroupRow<'a> {
    name: &'a str,
    matchers: &'a [Matcher],
    unknown: bool,
    source: Source,
}

struct RuleRow<'a> {
    rules: Vec<&'a str>,
    matchers: &'a [Matcher],
    unknown: bool,
    optional: bool,
    weight: i32,
    source: Source,
}

/// All bindings in their order.
pub(crate) struct Bindings<'a> {
    groups: Vec<GroupRow<'a>>,
    rules: Vec<RuleRow<'a>>,
    configs: &'a [(Item, &'a Config)],
}

/// How many rules a change usually has.
const USUAL_RULES: usize = 8;

/// The weight of the first binding.
const FIRST_WEIGHT: i32 = 100;

fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl<'a> Bindings<'a> {
    /// The default bindings, then those of Configs.
    pub(crate) fn new(defaults: &'a Defaults, configs: &'a [(Item, &'a Config)]) -> Self {
        let mut groups: Vec<GroupRow<'a>> = defaults
            .groups
            .iter()
            .enumerate()
            .map(|(i, g)| GroupRow {
                name: g.name,
                matchers: &g.matchers,
                unknown: false,
                source: Source::Default(small(i), 0),
            })
            .collect();
        let mut rules: Vec<RuleRow<'a>> = defaults
            .rules
            .iter()
            .enumerate()
            .map(|(i, r)| RuleRow {
                rules: r.rules.to_vec(),
                matchers: &r.matchers,
                unknown: false,
                optional: r.optional,
                weight: 0,
                source: Source::Default(small(i), 0),
            })
            .collect();
        for (c, (_, config)) in configs.iter().enumerate() {
            groups.extend(
                config
                    .groups
                    .iter()
                    .enumerate()
                    .map(|(i, g): (usize, &GroupBinding)| GroupRow {
                        name: &g.name.value,
                        matchers: &g.matchers,
                        unknown: g.matchers.iter().any(Matcher::is_unknown),
                        source: Source::Config(small(c), small(i), 0),
                    }),
            );
            rules.extend(
                config
                    .rules
                    .iter()
                    .enumerate()
                    .map(|(i, r): (usize, &RuleBinding)| RuleRow {
                        rules: r.rules.iter().map(|r| &*r.value).collect(),
                        matchers: &r.matchers,
                        unknown: r.matchers.iter().any(Matcher::is_unknown),
                        optional: r.optional,
                        weight: 0,
                        source: Source::Config(small(c), small(i), 0),
                    }),
            );
        }
        for (weight, row) in (FIRST_WEIGHT..).zip(&mut rules) {
            row.weight = weight;
        }
        Self {
            groups,
            rules,
            configs,
        }
    }

    /// Whether there are others than the default ones.
    pub(crate) fn has_own(&self) -> bool {
        self.configs
            .iter()
            .any(|(_, c)| !c.groups.is_empty() || !c.rules.is_empty())
    }

    /// The rules of every row whose text is the same for all changes.
    fn fixed(&self, uses: &mut Uses) -> Vec<Option<Vec<RuleUse>>> {
        let mut out = Vec::with_capacity(self.rules.len());
        for row in &self.rules {
            let plain = |text: &&str| !text.contains('{');
            let parsed: Option<Vec<_>> = match row.rules.iter().all(plain) {
                true => row.rules.iter().map(|text| grammar::parse(text).ok()).collect(),
                false => None,
            };
            let mut use_of = |n: u32, parsed: &grammar::Parsed<'_>| RuleUse {
                action: parsed.action,
                order: parsed.order,
                target: parsed.target,
                group: uses.number(parsed.group),
                optional: row.optional,
                weight: row.weight,
                source: row.source.rule(n),
            };
            out.push(parsed.map(|p| (0u32..).zip(&p).map(|(n, p)| use_of(n, p)).collect()));
        }
        out
    }

    /// The groups and rules of all changes.
    pub(crate) fn uses(&self, sets: Sets<'a>, changes: &[Change]) -> Uses {
        let configs = self.configs.iter().map(|(_, c)| c);
        let mut uses = Uses {
            matched_groups: configs.clone().map(|c| vec![false; c.groups.len()]).collect(),
            matched_rules: configs.map(|c| vec![false; c.rules.len()]).collect(),
            ..Uses::default()
        };
        let fixed = self.fixed(&mut uses);
        let mut kinds: FxHashMap<(&str, &str), KindRows> = FxHashMap::default();
        uses.changes.reserve(changes.len());
        for change in changes {
            let (Some(loaded), Some(written)) = (sets.of(change.set), sets.resource(change)) else {
                uses.changes.push(ChangeUses::default());
                continue;
            };
            let resource = change.seen(written);
            let (version, kind) = (&*resource.api_version.value, &*resource.kind.value);
            let rows = kinds
                .entry((version, kind))
                .or_insert_with(|| self.of_kind(version, kind));
            let whole = Whole {
                change,
                written,
                resource,
                loaded,
            };
            let own = self.of_change(&whole, rows, &fixed, &mut uses);
            uses.changes.push(own);
        }
        uses
    }

    /// The bindings that can apply to a kind.
    fn of_kind(&self, api_version: &str, kind: &str) -> KindRows {
        let subject = KindOnly { api_version, kind };
        let decide = |matchers: &[Matcher], unknown: bool, at: usize| {
            if unknown {
                return Some((at, Decision::Panics));
            }
            match crate::matcher::any(matchers, &subject) {
                Ok(Some(true)) => Some((at, Decision::Applies)),
                Ok(Some(false)) => None,
                Ok(None) | Err(Panics) => Some((at, Decision::Asks)),
            }
        };
        KindRows {
            groups: self
                .groups
                .iter()
                .enumerate()
                .filter_map(|(i, g)| decide(g.matchers, g.unknown, i))
                .collect(),
            rules: self
                .rules
                .iter()
                .enumerate()
                .filter_map(|(i, r)| decide(r.matchers, r.unknown, i))
                .collect(),
        }
    }

    fn of_change(
        &self,
        whole: &Whole<'_>,
        rows: &KindRows,
        fixed: &[Option<Vec<RuleUse>>],
        uses: &mut Uses,
    ) -> ChangeUses {
        let mut own = ChangeUses::default();
        own.rules.reserve(USUAL_RULES);
        let r = whole.resource;
        let (crd_kind, crd_group) = r.crd.as_ref().map_or(("", ""), |crd| (&*crd.kind, &*crd.group));
        let values = Values([
            r.group(),
            &r.kind.value,
            &whole.change.name,
            &whole.change.namespace,
            crd_kind,
            crd_group,
        ]);
        // kapp goes through annotations in the order of a Go map; that of the text is one of them.
        let mut annotations: Vec<(u32, &Annotation)> = (0u32..)
            .zip(r.annotations())
            .filter(|(_, a)| matches!(a.key, Key::Group | Key::Rule))
            .collect();
        annotations.sort_by(|a, b| a.1.name.value.cmp(&b.1.name.value));
        for (number, annotation) in &annotations {
            let source = Source::Annotation(whole.written(*number));
            if annotation.key == Key::Group {
                own.group(&annotation.value.value, &values, source, uses);
            } else {
                let how = Weighted {
                    optional: false,
                    weight: 0,
                    source,
                };
                own.rule(&annotation.value.value, &values, how, whole, uses);
            }
        }
        for (at, decision) in &rows.groups {
            let Some(row) = self.groups.get(*at) else { continue };
            match decision.of(row.matchers, whole) {
                Err(Panics) => own.panics_on_group(row.source),
                Ok(false) => {}
                Ok(true) => {
                    if let Source::Config(c, i, _) = row.source {
                        mark(&mut uses.matched_groups, c, i);
                    }
                    own.group(row.name, &values, row.source, uses);
                }
            }
        }
        for (at, decision) in &rows.rules {
            let Some(row) = self.rules.get(*at) else { continue };
            match decision.of(row.matchers, whole) {
                Err(Panics) => own.panics_on_rule(row.source),
                Ok(false) => {}
                Ok(true) => {
                    if let Source::Config(c, i, _) = row.source {
                        mark(&mut uses.matched_rules, c, i);
                    }
                    if let Some(Some(fixed)) = fixed.get(*at) {
                        own.rules.extend_from_slice(fixed);
                        continue;
                    }
                    for (n, text) in (0u32..).zip(&row.rules) {
                        let source = row.source.rule(n);
                        let how = Weighted {
                            optional: row.optional,
                            weight: row.weight,
                            source,
                        };
                        own.rule(text, &values, how, whole, uses);
                    }
                }
            }
        }
        own
    }
}

fn mark(table: &mut [Vec<bool>], config: u32, binding: u32) {
    if let Some(cell) = table
        .get_mut(config as usize)
        .and_then(|t| t.get_mut(binding as usize))
    {
        *cell = true;
    }
}

/// The bindings that can apply to one kind.
struct KindRows {
    groups: Vec<(usize, Decision)>,
    rules: Vec<(usize, Decision)>,
}

/// What the kind alone says of a binding.
#[derive(Clone, Copy)]
enum Decision {
    Applies,
    Asks,
    Panics,
}

impl Decision {
    fn of(self, matchers: &[Matcher], whole: &Whole<'_>) -> Result<bool, Panics> {
        match self {
            Self::Applies => Ok(true),
            Self::Panics => Err(Panics),
            Self::Asks => crate::matcher::any(matchers, whole).map(|m| m.unwrap_or(false)),
        }
    }
}

struct Weighted {
    optional: bool,
    weight: i32,
    source: Source,
}

impl ChangeUses {
    fn group(&mut self, text: &str, values: &Values<'_>, source: Source, uses: &mut Uses) {
        let fail = |own: &mut Self, message: String, what: Wrong| {
            let error = UseError {
                message,
                panics: false,
                source,
                what,
            };
            own.group_error.get_or_insert_with(|| Box::new(error.clone()));
            own.errors.push(error);
        };
        let replaced = match grammar::replace(text, values) {
            Ok(replaced) => replaced,
            Err(message) => return fail(self, message, Wrong::Placeholder),
        };
        let name = replaced.as_deref().unwrap_or(text);
        if let Some(group) = uses.group(name) {
            self.groups.push(GroupUse { group, source });
            return;
        }
        match names::check(name) {
            Ok(()) => {
                let group = uses.number(name);
                self.groups.push(GroupUse { group, source });
            }
            Err((message, _)) => fail(self, message, Wrong::Group),
        }
    }

    fn rule(&mut self, text: &str, values: &Values<'_>, how: Weighted, whole: &Whole<'_>, uses: &mut Uses) {
        let fail = |own: &mut Self, message: String, what: Wrong| {
            let error = UseError {
                message,
                panics: false,
                source: how.source,
                what,
            };
            own.rule_error.get_or_insert_with(|| Box::new(error.clone()));
            own.errors.push(error);
        };
        let replaced = match grammar::replace(text, values) {
            Ok(replaced) => replaced,
            Err(message) => return fail(self, message, Wrong::Placeholder),
        };
        let text = replaced.as_deref().unwrap_or(text);
        match grammar::parse_knowing(text, |group| uses.group(group).is_some()) {
            Ok(parsed) => {
                let group = uses.number(parsed.group);
                self.rules.push(RuleUse {
                    action: parsed.action,
                    order: parsed.order,
                    target: parsed.target,
                    group,
                    optional: how.optional,
                    weight: how.weight,
                    source: how.source,
                });
            }
            Err(fault) => {
                let message = format!(
                    "Resource {}: {}",
                    whole.change.describe(whole.resource),
                    fault.message(text)
                );
                fail(self, message, Wrong::Rule(fault));
            }
        }
    }

    fn panics_on_group(&mut self, source: Source) {
        self.group_error
            .get_or_insert_with(|| Box::new(panic_error(source)));
    }

    fn panics_on_rule(&mut self, source: Source) {
        self.rule_error
            .get_or_insert_with(|| Box::new(panic_error(source)));
    }
}

fn panic_error(source: Source) -> UseError {
    UseError {
        message: "panic: Unknown resource matcher specified: config.ResourceMatcher".to_owned(),
        panics: true,
        source,
        what: Wrong::Matcher,
    }
}
