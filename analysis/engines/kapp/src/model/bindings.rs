//! The groups and rules of a resource: annotations, then default bindings, then those of Configs.

use std::sync::Arc;

use super::config::InForce;
use super::prepare::describe;
use super::sym;
use super::uses::{ChangeUses, Fixed, GroupUse, RuleUse, Source, UseError, UseErrorKind};
use crate::defaults::Defaults;
use crate::grammar::{self, MayOrder, Values};
use crate::matcher::{self, KindOnly, Matcher, Panics, PathPart};
use crate::names;
use crate::read::{Annotation, Document, Key, Resource};
use applyorder_core::layer::{Fingerprint, Memo, Names, Sym};

/// A resource as matchers see it.
pub(crate) struct Subject<'a> {
    /// Its name, as it is when the graph is built.
    pub(crate) name: &'a str,
    /// Its namespace, as it is when the graph is built.
    pub(crate) namespace: &'a str,
    /// As it is in its file.
    pub(crate) written: &'a Resource,
    /// As the graph sees it.
    pub(crate) seen: &'a Resource,
    /// Whether the two differ.
    pub(crate) rebased: bool,
    /// Contains what the graph sees, under this number.
    pub(crate) document: &'a Document,
    pub(crate) number: usize,
}

impl Subject<'_> {
    /// The number of an annotation among the written ones; an annotation kept from the existing object gets the
    /// last number.
    fn written(&self, number: u32) -> u32 {
        if !self.rebased {
            return number;
        }
        let seen = self.seen.annotations().get(number as usize);
        let same = |a: &Annotation| {
            seen.is_some_and(|s| s.name.value == a.name.value && s.value.value == a.value.value)
        };
        let found = self.written.annotations().iter().position(same);
        found.and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX)
    }
}

impl matcher::Subject for Subject<'_> {
    fn api_version(&self) -> &str {
        &self.seen.api_version.value
    }
    fn kind(&self) -> &str {
        &self.seen.kind.value
    }
    fn name(&self) -> Option<&str> {
        Some(self.name)
    }
    fn namespace(&self) -> Option<&str> {
        Some(self.namespace)
    }
    fn has_annotation(&self, key: &str) -> Option<bool> {
        Some(self.seen.has_annotation(key))
    }
    fn is_empty_at(&self, path: &[PathPart]) -> Result<Option<bool>, Panics> {
        // kapp removes the status before it orders anything.
        if let Some(PathPart::Key(key)) = path.first()
            && **key == *"status"
        {
            return Ok(Some(true));
        }
        self.document.content(self.number).is_empty_at(path)
    }
}

/// A binding of groups.
struct GroupRow {
    source: Source,
    unknown: bool,
}

/// A binding of rules.
struct RuleRow {
    source: Source,
    unknown: bool,
    optional: bool,
    weight: i32,
    /// The rules, if their texts are the same for all resources.
    fixed: Option<Vec<RuleUse>>,
}

/// All bindings in their order: the default ones, then those of Configs.
pub(crate) struct Bindings {
    pub(crate) defaults: Defaults,
    pub(crate) configs: Vec<InForce>,
    groups: Vec<GroupRow>,
    rules: Vec<RuleRow>,
    /// The groups of the rules that are the same for all resources, in their order.
    pub(crate) fixed_groups: Vec<Sym>,
    fingerprint: Fingerprint,
}

/// The bindings that can apply to a kind.
#[derive(PartialEq, Eq, Hash)]
struct KindKey(Fingerprint, Sym);

/// The fixed rules of the default bindings of a bit mask.
#[derive(PartialEq, Eq, Hash)]
struct FixedKey(Fingerprint, u64);

/// How many own rules a change usually has.
const USUAL_RULES: usize = 4;

/// The weight of the first binding.
const FIRST_WEIGHT: i32 = 100;

fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl Bindings {
    /// `fingerprint`: of the version and all Configs.
    pub(crate) fn new(
        defaults: Defaults,
        configs: Vec<InForce>,
        names: &Names,
        fingerprint: Fingerprint,
    ) -> Self {
        let mut out = Self {
            defaults,
            configs,
            groups: Vec::new(),
            rules: Vec::new(),
            fixed_groups: Vec::new(),
            fingerprint,
        };
        for i in 0..out.defaults.groups.len() {
            out.add_group(Source::Default(small(i), 0));
        }
        for i in 0..out.defaults.rules.len() {
            let optional = out.defaults.rules.get(i).is_some_and(|r| r.optional);
            out.add_rule(Source::Default(small(i), 0), optional, names);
        }
        for (c, in_force) in out.configs.clone().iter().enumerate() {
            for i in 0..in_force.config.groups.len() {
                out.add_group(Source::Config(small(c), small(i), 0));
            }
            for (i, rule) in in_force.config.rules.iter().enumerate() {
                out.add_rule(Source::Config(small(c), small(i), 0), rule.optional, names);
            }
        }
        out
    }

    fn add_group(&mut self, source: Source) {
        let unknown = self.group_matchers(source).iter().any(Matcher::is_unknown);
        self.groups.push(GroupRow { source, unknown });
    }

    fn add_rule(&mut self, source: Source, optional: bool, names: &Names) {
        let weight = FIRST_WEIGHT.saturating_add(i32::try_from(self.rules.len()).unwrap_or(i32::MAX));
        let mut row = RuleRow {
            source,
            unknown: self.rule_matchers(source).iter().any(Matcher::is_unknown),
            optional,
            weight,
            fixed: None,
        };
        let texts = self.rule_texts(source);
        let plain = |text: &&str| !text.contains('{');
        let parsed: Option<Vec<_>> = match texts.iter().all(plain) {
            true => texts.iter().map(|text| grammar::parse(text).ok()).collect(),
            false => None,
        };
        row.fixed = parsed.map(|parsed| {
            let rules = (0u32..).zip(&parsed);
            let rules = rules.map(|(n, parsed)| row.rule(n, parsed, sym(names, parsed.group)));
            rules.collect()
        });
        let groups = row.fixed.iter().flatten().map(|rule| rule.group);
        self.fixed_groups.extend(groups);
        self.rules.push(row);
    }

    fn group_name(&self, source: Source) -> &str {
        match source {
            Source::Default(i, _) => self.defaults.groups.get(i as usize).map_or("", |g| g.name),
            Source::Config(c, i, _) => self.config_group(c, i).map_or("", |g| &g.name.value),
            Source::Annotation(_) => "",
        }
    }

    fn config_group(&self, config: u32, i: u32) -> Option<&crate::read::GroupBinding> {
        self.configs.get(config as usize)?.config.groups.get(i as usize)
    }

    fn config_rule(&self, config: u32, i: u32) -> Option<&crate::read::RuleBinding> {
        self.configs.get(config as usize)?.config.rules.get(i as usize)
    }

    fn group_matchers(&self, source: Source) -> &[Matcher] {
        match source {
            Source::Default(i, _) => self.defaults.groups.get(i as usize).map_or(&[], |g| &g.matchers),
            Source::Config(c, i, _) => self.config_group(c, i).map_or(&[], |g| &g.matchers),
            Source::Annotation(_) => &[],
        }
    }

    fn rule_matchers(&self, source: Source) -> &[Matcher] {
        match source {
            Source::Default(i, _) => self.defaults.rules.get(i as usize).map_or(&[], |r| &r.matchers),
            Source::Config(c, i, _) => self.config_rule(c, i).map_or(&[], |r| &r.matchers),
            Source::Annotation(_) => &[],
        }
    }

    fn rule_texts(&self, source: Source) -> Vec<&str> {
        match source {
            Source::Default(i, _) => {
                let rule = self.defaults.rules.get(i as usize);
                rule.map_or_else(Vec::new, |r| r.rules.to_vec())
            }
            Source::Config(c, i, _) => {
                let rule = self.config_rule(c, i);
                rule.map_or_else(Vec::new, |r| r.rules.iter().map(|r| &*r.value).collect())
            }
            Source::Annotation(_) => Vec::new(),
        }
    }

    /// The faulty text with placeholders of a default binding.
    pub(crate) fn default_text(&self, error: &UseError) -> &'static str {
        let Source::Default(binding, number) = error.source else {
            return "";
        };
        let at = binding as usize;
        if error.of_rule {
            let rule = self
                .defaults
                .rules
                .get(at)
                .and_then(|r| r.rules.get(number as usize));
            rule.copied().unwrap_or("")
        } else {
            self.defaults.groups.get(at).map_or("", |group| group.name)
        }
    }

    /// Whether there are others than the default ones.
    pub(crate) fn has_own(&self) -> bool {
        let mut configs = self.configs.iter().map(|c| &c.config);
        configs.any(|c| !c.groups.is_empty() || !c.rules.is_empty())
    }

    /// The bindings that can apply to a kind.
    fn of_kind(&self, api_version: &str, kind: &str) -> KindRows {
        let subject = KindOnly { api_version, kind };
        let decide = |matchers: &[Matcher], unknown: bool, at: usize| {
            if unknown {
                return Some((at, Decision::Panics));
            }
            match matcher::any(matchers, &subject) {
                Ok(Some(true)) => Some((at, Decision::Applies)),
                Ok(Some(false)) => None,
                Ok(None) | Err(_) => Some((at, Decision::Asks)),
            }
        };
        let groups = self.groups.iter().enumerate();
        let rules = self.rules.iter().enumerate();
        KindRows {
            groups: groups
                .filter_map(|(i, g)| decide(self.group_matchers(g.source), g.unknown, i))
                .collect(),
            rules: rules
                .filter_map(|(i, r)| decide(self.rule_matchers(r.source), r.unknown, i))
                .collect(),
        }
    }

    /// The groups and rules of a resource, and the same without those that Configs bind. `kind` is the name of
    /// its kind.
    pub(crate) fn uses(
        &self,
        subject: &Subject<'_>,
        kind: Sym,
        memo: &Memo,
    ) -> (Arc<ChangeUses>, Arc<ChangeUses>) {
        let rows = memo.get(KindKey(self.fingerprint, kind), || {
            self.of_kind(&subject.seen.api_version.value, &subject.seen.kind.value)
        });
        let all = Arc::new(self.collect(subject, &rows, memo, true));
        let of_config = |source: &Source| matches!(source, Source::Config(..));
        let own = all.groups.iter().any(|g| of_config(&g.source))
            || all.own_rules.iter().any(|r| of_config(&r.source))
            || all.errors.iter().any(|e| of_config(&e.source));
        let default = if own {
            Arc::new(self.collect(subject, &rows, memo, false))
        } else {
            Arc::clone(&all)
        };
        (all, default)
    }

    fn collect(&self, subject: &Subject<'_>, rows: &KindRows, memo: &Memo, configs: bool) -> ChangeUses {
        let names = memo.names();
        let mut own = ChangeUses::default();
        own.own_rules.reserve(USUAL_RULES);
        let mut shared = 0u64;
        let r = subject.seen;
        let (crd_kind, crd_group) = r.crd.as_ref().map_or(("", ""), |crd| (&*crd.kind, &*crd.group));
        let values = Values([
            r.group(),
            &r.kind.value,
            subject.name,
            subject.namespace,
            crd_kind,
            crd_group,
        ]);
        let counts = |source: Source| configs || !matches!(source, Source::Config(..));
        // kapp iterates over annotations in the order of a Go map; the text order is one possible order.
        let mut annotations: Vec<(u32, &Annotation)> = (0u32..)
            .zip(r.annotations())
            .filter(|(_, a)| matches!(a.key, Key::Group | Key::Rule))
            .collect();
        annotations.sort_by(|a, b| a.1.name.value.cmp(&b.1.name.value));
        for (number, annotation) in &annotations {
            let source = Source::Annotation(subject.written(*number));
            if annotation.key == Key::Group {
                own.group(&annotation.value.value, &values, source, names);
            } else {
                if annotation.not_a_string.is_some() {
                    own.may_order = MayOrder::ALL;
                }
                let how = Weighted {
                    optional: false,
                    weight: 0,
                    source,
                };
                own.rule(&annotation.value.value, &values, how, subject, names);
            }
        }
        for (at, decision) in &rows.groups {
            let Some(row) = self.groups.get(*at).filter(|row| counts(row.source)) else {
                continue;
            };
            match decision.of(self.group_matchers(row.source), subject) {
                Err(panics) => own.panic(&panics, row.source, false),
                Ok(false) => {}
                Ok(true) => {
                    if let Source::Config(c, i, _) = row.source {
                        own.applied.push((c, i, false));
                    }
                    own.group(self.group_name(row.source), &values, row.source, names);
                }
            }
        }
        for (at, decision) in &rows.rules {
            let Some(row) = self.rules.get(*at).filter(|row| counts(row.source)) else {
                continue;
            };
            match decision.of(self.rule_matchers(row.source), subject) {
                Err(panics) => own.panic(&panics, row.source, true),
                Ok(false) => {}
                Ok(true) => {
                    if let Source::Config(c, i, _) = row.source {
                        own.applied.push((c, i, true));
                    }
                    let is_default = matches!(row.source, Source::Default(..));
                    match &row.fixed {
                        Some(_) if is_default && *at < SHARED => {
                            shared |= 1 << at;
                            continue;
                        }
                        Some(fixed) => {
                            own.own_rules.extend_from_slice(fixed);
                            continue;
                        }
                        None => {}
                    }
                    for (n, text) in (0u32..).zip(self.rule_texts(row.source)) {
                        let how = Weighted {
                            optional: row.optional,
                            weight: row.weight,
                            source: row.source.rule(n),
                        };
                        own.rule(text, &values, how, subject, names);
                    }
                }
            }
        }
        let fixed = || Fixed::new(shared, self.fixed(shared));
        own.fixed = memo.get(FixedKey(self.fingerprint, shared), fixed);
        own.seal();
        own
    }

    /// The rules of default bindings, given as bits.
    fn fixed(&self, shared: u64) -> Vec<RuleUse> {
        let rows = self.rules.iter().take(SHARED).enumerate();
        let rows = rows.filter(|(at, _)| shared >> at & 1 == 1);
        rows.flat_map(|(_, row)| row.fixed.iter().flatten().copied())
            .collect()
    }
}

/// The bits of [`Fixed::mask`].
const SHARED: usize = 64;

impl RuleRow {
    fn rule(&self, n: u32, parsed: &grammar::Parsed<'_>, group: Sym) -> RuleUse {
        RuleUse {
            action: parsed.action,
            order: parsed.order,
            target: parsed.target,
            group,
            optional: self.optional,
            weight: self.weight,
            source: self.source.rule(n),
        }
    }
}

/// The bindings that can apply to one kind.
struct KindRows {
    groups: Vec<(usize, Decision)>,
    rules: Vec<(usize, Decision)>,
}

/// What follows for a binding from the kind alone.
#[derive(Clone, Copy)]
enum Decision {
    Applies,
    Asks,
    Panics,
}

impl Decision {
    fn of(self, matchers: &[Matcher], subject: &Subject<'_>) -> Result<bool, Panics> {
        match self {
            Self::Applies => Ok(true),
            Self::Panics => Err(Panics::UNKNOWN),
            Self::Asks => matcher::any(matchers, subject).map(|m| m.unwrap_or(false)),
        }
    }
}

struct Weighted {
    optional: bool,
    weight: i32,
    source: Source,
}

impl ChangeUses {
    fn group(&mut self, text: &str, values: &Values<'_>, source: Source, names: &Names) {
        let fail = |own: &mut Self, message: String, what: UseErrorKind| {
            own.fail(UseError {
                message,
                panics: false,
                source,
                of_rule: false,
                what,
            });
        };
        let replaced = match grammar::replace(text, values) {
            Ok(replaced) => replaced,
            Err(message) => return fail(self, message, UseErrorKind::Placeholder),
        };
        let name = replaced.as_deref().unwrap_or(text);
        match names::check(name) {
            Ok(()) => {
                let group = sym(names, name);
                self.mention(group);
                self.groups.push(GroupUse { group, source });
            }
            Err((message, _)) => fail(self, message, UseErrorKind::Group),
        }
    }

    fn rule(&mut self, text: &str, values: &Values<'_>, how: Weighted, subject: &Subject<'_>, names: &Names) {
        let fail = |own: &mut Self, message: String, what: UseErrorKind| {
            own.may_order = own.may_order.and(grammar::may_order(text));
            own.fail(UseError {
                message,
                panics: false,
                source: how.source,
                of_rule: true,
                what,
            });
        };
        let replaced = match grammar::replace(text, values) {
            Ok(replaced) => replaced,
            Err(message) => return fail(self, message, UseErrorKind::Placeholder),
        };
        let text = replaced.as_deref().unwrap_or(text);
        match grammar::parse(text) {
            Ok(parsed) => {
                let group = sym(names, parsed.group);
                self.mention(group);
                self.own_rules.push(RuleUse {
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
                let seen = subject.seen;
                let description = describe(
                    &seen.kind.value,
                    subject.name,
                    &seen.api_version.value,
                    subject.namespace,
                );
                let message = format!("Resource {description}: {}", fault.message(text));
                fail(self, message, UseErrorKind::Rule(fault));
            }
        }
    }

    /// kapp checks no further group or rule; users see all errors.
    fn fail(&mut self, error: UseError) {
        let first = if error.of_rule {
            &mut self.rule_error
        } else {
            &mut self.group_error
        };
        first.get_or_insert_with(|| Box::new(error.clone()));
        self.errors.push(error);
    }

    fn panic(&mut self, panics: &Panics, source: Source, of_rule: bool) {
        if of_rule {
            self.may_order = MayOrder::ALL;
        }
        self.fail(UseError {
            message: format!("panic: {}", panics.0),
            panics: true,
            source,
            of_rule,
            what: UseErrorKind::Matcher,
        });
    }
}
