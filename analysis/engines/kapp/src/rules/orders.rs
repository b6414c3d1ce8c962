//! Findings on the order: cycles, rules that lead nowhere, rules without effect.

use rustc_hash::{FxHashMap, FxHashSet};

use super::opt_out::with_opt_outs;
use super::scope::{By, Leads, Project, Source, Written};
use super::{Told, rejected};
use crate::META;
use crate::compare::Change;
use crate::grammar::{Op, Order};
use crate::judge;
use crate::model::uses::{RuleUse, Source as Origin};
use crate::relate::Operation;
use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Place, Safety, Severity};
use applyorder_core::engine::{Dependency, UnitIx};
use applyorder_core::layer::{Finding, Sym};
use applyorder_core::rules::{
    cycle, inert_dependency, redundant_dependency, self_dependency, unknown_dependency,
};

/// A command with what it does.
type Rejecting<'a> = (&'static str, &'a Operation);

/// The operations of which cycles are reported, with the command that rejects them.
fn operations<'a>(project: &Project<'a>) -> Vec<Rejecting<'a>> {
    let mut out = judge::operations(project.related);
    out.retain(|(_, operation)| operation.is_cyclic());
    out
}

fn words(command: &str) -> &'static str {
    match command {
        judge::DEPLOY => "kapp deploy",
        judge::DELETE => "kapp delete",
        _ => "a deploy that removes them",
    }
}

/// What a command makes of a cycle; `is_reported` says of the cycle that kapp reports whether this is it.
fn by(project: &Project<'_>, rejecting: Rejecting<'_>, is_reported: impl Fn(&[u32]) -> bool) -> By {
    let (command, operation) = rejecting;
    let reported = operation.reported_cycle();
    let about = reported
        .filter(|cycle| project.related.failed.is_none() && is_reported(cycle))
        .and_then(|cycle| project.related.name(*cycle.first()?));
    (command, "graph", about.cloned())
}

/// What some commands reject because of a cycle.
fn with_commands(mut d: Diagnostic, commands: Vec<By>) -> Finding {
    if commands.iter().all(|(command, ..)| *command != judge::DEPLOY) {
        let which: Vec<&str> = commands.iter().map(|(command, ..)| words(command)).collect();
        d = d.note(format!(
            "a deploy is not affected: only {} is rejected",
            which.join(" and ")
        ));
    }
    rejected(d, commands)
}

/// Whether a cycle, as kapp reports it, is of one change alone.
fn is_own(cycle: &[u32]) -> bool {
    matches!(cycle, [.., a, b] if a == b)
}

/// Cycles of several resources.
pub(super) fn cycles(project: &Project<'_>, found: &mut Vec<Finding>) {
    let operations = operations(project);
    if operations.is_empty() {
        return;
    }
    let keys = rule_keys(project);
    let remove = |written: &Dependency| keys.get(&written.place).map(|key| FixStep::RemoveKey(*key));
    let mut merged: Vec<(Vec<UnitIx>, Diagnostic, Vec<By>)> = Vec::new();
    for rejecting in operations {
        let operation = rejecting.1;
        for finding in cycle::check(&META, project.related.variant(), operation.graph(), remove) {
            // A resource among them that waits for itself is told as that, and to be fixed first.
            if finding.path.len() == 1 {
                continue;
            }
            let is_reported = |cycle: &[u32]| {
                let last = cycle
                    .last()
                    .is_some_and(|unit| finding.members.contains(&UnitIx(*unit)));
                last && !is_own(cycle)
            };
            let by = by(project, rejecting, is_reported);
            let same = merged
                .iter_mut()
                .find(|(members, d, _)| *members == finding.members && d.place == finding.diagnostic.place);
            match same {
                Some((_, _, commands)) => commands.push(by),
                None => {
                    let d = with_opt_outs(project, operation, &finding.members, finding.diagnostic);
                    merged.push((finding.members, d, vec![by]));
                }
            }
        }
    }
    let merged = merged.into_iter();
    found.extend(merged.map(|(_, d, commands)| with_commands(d, commands)));
}

/// The key of the annotation behind the place of each written rule.
fn rule_keys(project: &Project<'_>) -> FxHashMap<Place, Place> {
    let mut keys = FxHashMap::default();
    for unit in project.units() {
        for rule in &unit.own.rules {
            if let Some((annotation, _)) = project.own_text(unit.change, rule.source)
                && let Some(place) = project.group_place(unit.change, rule.source)
            {
                keys.insert(place, project.of_change(unit.change, annotation.name.place));
            }
        }
    }
    keys
}

/// Rules whose own resource is in their group.
pub(super) fn selves(project: &Project<'_>, found: &mut Vec<Finding>) {
    let mut told = Told::default();
    for rejecting in operations(project) {
        let operation = rejecting.1;
        let mut sizes: FxHashMap<(Sym, Op), u32> = FxHashMap::default();
        for (change, own) in operation.changes.iter().zip(&operation.uses.changes) {
            for group in &own.groups {
                *sizes.entry((group.group, change.op)).or_default() += 1;
            }
        }
        for ((unit, change), own) in (0u32..)
            .zip(operation.changes.iter())
            .zip(&operation.uses.changes)
        {
            for rule in own.rules.iter().filter(|r| r.action == change.op && !r.optional) {
                let member = own.groups.iter().find(|g| g.group == rule.group);
                let (Some(member), true) = (member, rule.target == change.op) else {
                    continue;
                };
                let own = Own {
                    unit,
                    change,
                    rule,
                    member: member.source,
                    has_others: sizes.get(&(rule.group, rule.target)).copied().unwrap_or(0) > 1,
                };
                let place = own.place(project);
                let is_reported = |cycle: &[u32]| is_own(cycle) && cycle.last() == Some(&unit);
                let by = by(project, rejecting, is_reported);
                told.add(place, vec![by], || own.finding(project, operation, place));
            }
        }
    }
    found.extend(told.found.into_iter().map(|(d, by)| with_commands(d, by)));
}

/// A change that waits for itself.
struct Own<'a> {
    unit: u32,
    change: &'a Change,
    rule: &'a RuleUse,
    /// What makes it a member of the rule's group.
    member: Origin,
    /// Whether the group has other members.
    has_others: bool,
}

impl Own<'_> {
    /// Where it is told: at the rule, or where kapp gives that at the membership.
    fn place(&self, project: &Project<'_>) -> Place {
        let member = || project.member_place(self.change, self.member);
        let name = || project.name_place(self.unit);
        let place = project.group_place(self.change, self.rule.source);
        place
            .or_else(member)
            .or_else(name)
            .unwrap_or(Place::file(FileId(0)))
    }

    fn finding(&self, project: &Project<'_>, operation: &Operation, place: Place) -> Diagnostic {
        let name = project.name(self.unit);
        let group = project.group_name(self.rule.group);
        let text = format!("resource `{name}` depends on itself through change group `{group}`");
        let mut d = Diagnostic::new(&self_dependency::RULE, place, text).unit(name.clone());
        if let Some(joins) = project
            .member_place(self.change, self.member)
            .filter(|joins| *joins != place)
        {
            d = d.related(joins, format!("`{name}` joins the group here"));
        }
        if self.has_others {
            d = d.note("the group has other members: those to wait for need a group of their own");
        }
        if let Origin::Default(binding, number) = self.rule.source {
            let rule = project.default_rule(binding, number);
            d = d.note(format!(
                "kapp's default rule `{rule}` makes the resource wait for the group"
            ));
            if let Some((annotation, _)) = project.own_text(self.change, self.member) {
                let key = project.of_change(self.change, annotation.name.place);
                let step = FixStep::RemoveKey(key);
                d = d.fix("remove the group", Safety::Unsafe, vec![step]);
            }
            return with_opt_outs(project, operation, &[UnitIx(self.unit)], d);
        }
        match project.own_text(self.change, self.rule.source) {
            Some((annotation, _)) => {
                let key = project.of_change(self.change, annotation.name.place);
                d.fix("remove the rule", Safety::Unsafe, vec![FixStep::RemoveKey(key)])
            }
            None => d,
        }
    }
}

/// Rules whose group has no member, only members that are `noop`, or only members whose operation
/// never meets theirs.
pub(super) fn leading_nowhere(source: &Source<'_>, found: &mut Vec<Finding>) {
    for written in source.written_rules() {
        let Written { rule, .. } = written;
        let place = source.group_place(&written);
        let d = nowhere(
            &source.leads(&written),
            rule,
            source.group_name(rule.group),
            place,
        );
        found.extend(d.map(Finding::new));
    }
}

/// The same of the rules of Configs, which speak for many resources: they lead somewhere if they do for one of them.
pub(super) fn configs_leading_nowhere(project: &Project<'_>, found: &mut Vec<Finding>) {
    if project.model.bindings.configs.is_empty() {
        return;
    }
    let mut first: FxHashMap<Origin, usize> = FxHashMap::default();
    let mut told: Vec<Option<Diagnostic>> = Vec::new();
    for unit in project.units() {
        for rule in unit
            .own
            .rules
            .iter()
            .filter(|r| matches!(r.source, Origin::Config(..)))
        {
            let Some(place) = project.group_place(unit.change, rule.source) else {
                continue;
            };
            let leads = project.leads(unit.change, rule);
            let d = nowhere(&leads, rule, project.group_name(rule.group), place);
            match first.get(&rule.source).and_then(|at| told.get_mut(*at)) {
                Some(known) if d.is_none() => *known = None,
                Some(_) => {}
                None => {
                    first.insert(rule.source, told.len());
                    told.push(d);
                }
            }
        }
    }
    found.extend(told.into_iter().flatten().map(Finding::new));
}

fn nowhere(leads: &Leads, rule: &RuleUse, name: &str, place: Place) -> Option<Diagnostic> {
    let unknown = |text: String| {
        Diagnostic::new(&unknown_dependency::RULE, place, text)
            .severity(Severity::Warning)
            .unit(name.into())
            .note("kapp ignores the rule")
    };
    Some(match leads {
        Leads::Somewhere => return None,
        Leads::Nowhere(near) => {
            let d = unknown(format!("change group `{name}` has no members"));
            match near {
                Some(near) => d.label(format!("did you mean `{near}`?")).fix(
                    format!("replace with `{near}`"),
                    Safety::Unsafe,
                    vec![FixStep::Replace(place, near.to_string())],
                ),
                None => d,
            }
        }
        Leads::Idle => unknown(format!("all members of change group `{name}` are `noop`")),
        Leads::Inert => {
            let (own, other) = match rule.action {
                Op::Upsert => ("is applied", "are deleted"),
                _ => ("is deleted", "are applied"),
            };
            let when = match rule.order {
                Order::After => "after",
                Order::Before => "before",
            };
            Diagnostic::new(
                &inert_dependency::RULE,
                place,
                "rule has no effect on a first deploy or `kapp delete`",
            )
            .note(format!(
                "applies only when the resource {own} ({when}) and members of `{name}` {other} in the same deploy"
            ))
        }
    })
}

/// Rules that say the same as another of the same resource.
pub(super) fn repeated(source: &Source<'_>, found: &mut Vec<Finding>) {
    for unit in source.units() {
        let key = |rule: &RuleUse| (rule.action, rule.order, rule.target, rule.group);
        // What is required comes first: an optional rule implies nothing.
        let required = unit.own.rules.iter().filter(|r| !r.optional);
        let default = required.filter(|r| matches!(r.source, Origin::Default(..)));
        let mut seen: FxHashSet<(Op, Order, Op, Sym)> = default.map(key).collect();
        for rule in &unit.own.rules {
            let Some((annotation, text)) = source.own_text(&unit, rule.source) else {
                continue;
            };
            if seen.insert(key(rule)) {
                continue;
            }
            let place = source.of_change(&unit, text.words.map_or(text.place, |w| w[3]));
            let d = Diagnostic::new(
                &redundant_dependency::RULE,
                place,
                format!(
                    "another rule of this resource already orders it against `{}`",
                    source.group_name(rule.group)
                ),
            )
            .fix(
                "remove the rule",
                Safety::Unsafe,
                vec![FixStep::RemoveKey(source.of_change(&unit, annotation.name.place))],
            );
            found.push(Finding::new(d));
        }
    }
}
