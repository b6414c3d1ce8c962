//! Findings on the order: cycles, rules that lead nowhere, rules without effect.

use rustc_hash::{FxHashMap, FxHashSet};

use super::opt_out::with_opt_outs;
use super::scope::{Leads, Project, Source, Written};
use crate::META;
use crate::compare::Change;
use crate::grammar::{Op, Order};
use crate::judge;
use crate::model::uses::{RuleUse, Source as Origin};
use crate::relate::Operation;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::engine::{Dependency, UnitIx};
use applyorder_core::layer::{Finding, Sym};
use applyorder_core::rules::{
    cycle, inert_dependency, redundant_dependency, self_dependency, unknown_dependency,
};

/// A command with what it does.
type Rejecting<'a> = (&'static str, &'a Operation);

/// The operations of which cycles are reported, with the command that rejects them.
fn operations<'a>(project: &Project<'a>) -> Vec<Rejecting<'a>> {
    let related = project.related;
    let mut out = vec![(judge::DEPLOY, &related.deploy), (judge::DELETE, &related.delete)];
    out.extend(related.removal.as_ref().map(|r| (judge::REMOVAL, r)));
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

/// What some commands reject because of a cycle.
fn with_commands(project: &Project<'_>, mut d: Diagnostic, commands: &[Rejecting<'_>]) -> Finding {
    if commands.iter().all(|(command, _)| *command != judge::DEPLOY) {
        let which: Vec<&str> = commands.iter().map(|(command, _)| words(command)).collect();
        d = d.note(format!(
            "a deploy is not touched by it: only {} is rejected",
            which.join(" and ")
        ));
    }
    commands
        .iter()
        .fold(Finding::new(d).repeats(), |finding, (command, operation)| {
            let error = operation.kapp_error.as_ref();
            let error = error.filter(|error| std::ptr::eq(error.rule, &cycle::RULE));
            let unit = error.and_then(|error| project.related.name(error.change?));
            let finding = finding.rejected(command, "graph");
            match unit {
                Some(unit) => finding.about_in(command, unit.clone()),
                None => finding,
            }
        })
}

/// Cycles of several resources.
pub(super) fn cycles(project: &Project<'_>, found: &mut Vec<Finding>) {
    let operations = operations(project);
    if operations.is_empty() {
        return;
    }
    let keys = rule_keys(project);
    let remove = |written: &Dependency| keys.get(&written.place).map(|key| FixStep::RemoveKey(*key));
    let mut merged: Vec<(Vec<UnitIx>, Diagnostic, Vec<Rejecting<'_>>)> = Vec::new();
    for rejecting in operations {
        let operation = rejecting.1;
        for finding in cycle::check(&META, project.related.variant(), operation.graph(), remove) {
            let same = merged
                .iter_mut()
                .find(|(members, d, _)| *members == finding.members && d.place == finding.diagnostic.place);
            match same {
                Some((_, _, commands)) => commands.push(rejecting),
                None => {
                    let d = with_opt_outs(project, operation, &finding.members, finding.diagnostic);
                    merged.push((finding.members, d, vec![rejecting]));
                }
            }
        }
    }
    let merged = merged.into_iter();
    found.extend(merged.map(|(_, d, commands)| with_commands(project, d, &commands)));
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
    let mut merged: Vec<(Diagnostic, Vec<Rejecting<'_>>)> = Vec::new();
    let mut at: FxHashMap<Place, usize> = FxHashMap::default();
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
                let others = sizes.get(&(rule.group, rule.target)).copied().unwrap_or(0) > 1;
                let Some(d) = self_finding(project, unit, change, rule, member.source, others) else {
                    continue;
                };
                match at.get(&d.place).and_then(|i| merged.get_mut(*i)) {
                    Some((_, commands)) => {
                        if commands.iter().all(|(known, _)| *known != rejecting.0) {
                            commands.push(rejecting);
                        }
                    }
                    None => {
                        at.insert(d.place, merged.len());
                        merged.push((d, vec![rejecting]));
                    }
                }
            }
        }
    }
    let merged = merged.into_iter();
    found.extend(merged.map(|(d, commands)| with_commands(project, d, &commands)));
}

fn self_finding(
    project: &Project<'_>,
    unit: u32,
    change: &Change,
    rule: &RuleUse,
    member: Origin,
    others: bool,
) -> Option<Diagnostic> {
    let place = project.group_place(change, rule.source)?;
    let name = project.related.name(unit)?;
    let group = project.group_name(rule.group);
    let mut d = Diagnostic::new(
        &self_dependency::RULE,
        place,
        format!("resource `{name}` waits for itself: it is a member of `{group}`"),
    )
    .unit(name.clone());
    if let Some((_, text)) = project.own_text(change, member) {
        d = d.related(
            project.of_change(change, text.place),
            format!("`{name}` joins the group here"),
        );
    }
    if others {
        d = d.note("the group has other members: those it is meant to wait for need a group of their own");
    }
    if let Some((annotation, _)) = project.own_text(change, rule.source) {
        d = d.fix(
            "remove the rule",
            Safety::Unsafe,
            vec![FixStep::RemoveKey(
                project.of_change(change, annotation.name.place),
            )],
        );
    }
    Some(d)
}

/// Rules whose group has no member, only members that are left alone, or only members whose operation
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
            .note("kapp ignores the rule and says nothing")
    };
    Some(match leads {
        Leads::Somewhere => return None,
        Leads::Nowhere(near) => {
            let d = unknown(format!("no resource is in the change group `{name}`"));
            match near {
                Some(near) => d.label(format!("did you mean `{near}`?")).fix(
                    format!("replace by `{near}`"),
                    Safety::Unsafe,
                    vec![FixStep::Replace(place, near.to_string())],
                ),
                None => d,
            }
        }
        Leads::Idle => unknown(format!(
            "every member of `{name}` has `kapp.k14s.io/noop` and is left alone"
        )),
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
                "neither a first deploy nor `kapp delete` acts on this rule",
            )
            .note(format!(
                "it acts in a deploy in which the resource {own} ({when}) and members of `{name}` {other}"
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
                    "another rule of this resource says the same of `{}`",
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
