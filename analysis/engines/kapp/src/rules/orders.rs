//! Findings on the order: cycles, rules that lead nowhere, rules without effect.

use rustc_hash::{FxHashMap, FxHashSet};

use super::opt_out::with_opt_outs;
use super::{group_place, own_text};
use crate::META;
use crate::grammar::{Op, Order};
use crate::resolve::changes::Change;
use crate::resolve::order::key_of;
use crate::resolve::uses::{RuleUse, Source};
use crate::resolve::{Operation, View};
use crate::verdict;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::engine::{Dependency, UnitIx, Verdict};
use applyorder_core::rules::{
    cycle, inert_dependency, nearest, redundant_dependency, self_dependency, unknown_dependency,
};

pub(super) fn check(view: &View<'_>, verdicts: &[Verdict]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    cycles(view, verdicts, &mut found);
    selves(view, verdicts, &mut found);
    leading_nowhere(view, &mut found);
    repeated(view, &mut found);
    found
}

/// The operations of which cycles are reported, with the command that rejects them.
fn operations<'a>(view: &View<'a>) -> Vec<(&'static str, &'a Operation)> {
    let mut out = vec![(verdict::DEPLOY, view.deploy), (verdict::DELETE, view.delete)];
    out.extend(view.removal.map(|r| (verdict::REMOVAL, r)));
    out
}

fn words(command: &str) -> &'static str {
    match command {
        verdict::DEPLOY => "kapp deploy",
        verdict::DELETE => "kapp delete",
        _ => "a deploy that removes them",
    }
}

/// Whether a command's verdict names a cycle first.
fn says_cycle(verdicts: &[Verdict], command: &str) -> bool {
    verdicts
        .iter()
        .find(|v| v.command == command)
        .and_then(|v| v.errors.first())
        .is_some_and(|e| e.rule == cycle::RULE.id)
}

fn message_of(verdicts: &[Verdict], command: &str) -> Option<String> {
    let verdict = verdicts.iter().find(|v| v.command == command)?;
    Some(verdict.errors.first()?.message.clone())
}

fn with_commands(mut d: Diagnostic, commands: &[&'static str], verdicts: &[Verdict]) -> Diagnostic {
    for command in commands {
        d = d.enforced(command, "graph", says_cycle(verdicts, command));
    }
    if let Some(text) = commands.first().filter(|c| says_cycle(verdicts, c)) {
        d.engine_message = message_of(verdicts, text);
    }
    if !commands.contains(&verdict::DEPLOY) {
        let which: Vec<&str> = commands.iter().map(|c| words(c)).collect();
        d = d.note(format!(
            "a deploy is not touched by it: only {} is rejected",
            which.join(" and ")
        ));
    }
    d
}

fn cycles(view: &View<'_>, verdicts: &[Verdict], found: &mut Vec<Diagnostic>) {
    let keys = rule_keys(view);
    let remove = |written: &Dependency| keys.get(&written.place).map(|key| FixStep::RemoveKey(*key));
    let mut merged: Vec<(Vec<UnitIx>, Diagnostic, Vec<&'static str>)> = Vec::new();
    for (command, operation) in operations(view) {
        if !operation.is_cyclic() {
            continue;
        }
        for finding in cycle::check(&META, view.variant, operation.graph(), remove) {
            let same = merged
                .iter_mut()
                .find(|(members, d, _)| *members == finding.members && d.place == finding.diagnostic.place);
            match same {
                Some((_, _, commands)) => commands.push(command),
                None => {
                    let d = with_opt_outs(view, operation, &finding.members, finding.diagnostic);
                    merged.push((finding.members, d, vec![command]));
                }
            }
        }
    }
    found.extend(
        merged
            .into_iter()
            .map(|(_, d, commands)| with_commands(d, &commands, verdicts)),
    );
}

/// The key of the annotation behind the place of each written rule.
fn rule_keys(view: &View<'_>) -> FxHashMap<Place, Place> {
    let mut keys = FxHashMap::default();
    if !operations(view).iter().any(|(_, o)| o.is_cyclic()) {
        return keys;
    }
    for (change, own) in view.deploy.changes.iter().zip(&view.deploy.uses.changes) {
        for rule in &own.rules {
            if let Some((annotation, _)) = own_text(view, change, rule.source)
                && let Some(place) = group_place(view, change, rule.source)
            {
                keys.insert(place, view.of_change(change, annotation.name.place));
            }
        }
    }
    keys
}

/// Rules whose own resource is in their group.
fn selves(view: &View<'_>, verdicts: &[Verdict], found: &mut Vec<Diagnostic>) {
    let mut merged: Vec<(Place, Diagnostic, Vec<&'static str>)> = Vec::new();
    let mut at: FxHashMap<Place, usize> = FxHashMap::default();
    for (command, operation) in operations(view) {
        if !operation.is_cyclic() {
            continue;
        }
        let mut sizes: FxHashMap<usize, u32> = FxHashMap::default();
        for (change, own) in operation.changes.iter().zip(&operation.uses.changes) {
            for group in &own.groups {
                *sizes.entry(key_of(group.group, change.op)).or_default() += 1;
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
                let others = sizes.get(&key_of(rule.group, rule.target)).copied().unwrap_or(0) > 1;
                let Some(d) = self_finding(view, unit, change, rule, member.source, others) else {
                    continue;
                };
                match at.get(&d.place).and_then(|i| merged.get_mut(*i)) {
                    Some((_, _, commands)) => {
                        if !commands.contains(&command) {
                            commands.push(command);
                        }
                    }
                    None => {
                        at.insert(d.place, merged.len());
                        merged.push((d.place, d, vec![command]));
                    }
                }
            }
        }
    }
    found.extend(
        merged
            .into_iter()
            .map(|(_, d, commands)| with_commands(d, &commands, verdicts)),
    );
}

fn self_finding(
    view: &View<'_>,
    unit: u32,
    change: &Change,
    rule: &RuleUse,
    member: Source,
    others: bool,
) -> Option<Diagnostic> {
    let place = group_place(view, change, rule.source)?;
    let name = &view.variant.units.get(unit as usize)?.name;
    let group = view.deploy.uses.name(rule.group);
    let mut d = Diagnostic::new(
        &self_dependency::RULE,
        place,
        format!("resource `{name}` waits for itself: it is a member of `{group}`"),
    )
    .unit(name.clone());
    if let Some((annotation, text)) = own_text(view, change, member) {
        d = d.related(
            view.of_change(change, text.place),
            format!("`{name}` joins the group here"),
        );
        let _ = annotation;
    }
    if others {
        d = d.note("the group has other members: those it is meant to wait for need a group of their own");
    }
    if let Some((annotation, _)) = own_text(view, change, rule.source) {
        d = d.fix(
            "remove the rule",
            Safety::Unsafe,
            vec![FixStep::RemoveKey(view.of_change(change, annotation.name.place))],
        );
    }
    Some(d)
}

/// Rules whose group has no member, only members that are left alone, or only members whose operation
/// never meets theirs.
fn leading_nowhere(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let uses = &view.deploy.uses;
    let members = view.members();
    let known: Vec<&str> = uses
        .names
        .iter()
        .zip(&members)
        .filter(|(_, m)| !m.is_empty())
        .map(|(n, _)| &**n)
        .collect();
    let update = view.sets.state.is_some();
    // A rule of a Config speaks for many resources; it leads somewhere if it does for one of them.
    let mut of_config: FxHashMap<Source, (bool, Diagnostic)> = FxHashMap::default();
    let mut order: Vec<Source> = Vec::new();
    for (change, own) in view.deploy.changes.iter().zip(&uses.changes) {
        for rule in &own.rules {
            if matches!(rule.source, Source::Default(..)) {
                continue;
            }
            let targets = members.get(rule.group as usize).map_or(&[][..], Vec::as_slice);
            let Some(d) = nowhere(view, change, rule, targets, &known, update) else {
                if let Some((leads, _)) = of_config.get_mut(&rule.source) {
                    *leads = true;
                }
                if let Source::Config(..) = rule.source {
                    of_config.entry(rule.source).or_insert_with(|| {
                        (
                            true,
                            Diagnostic::new(&unknown_dependency::RULE, view.of_change(change, 0), ""),
                        )
                    });
                }
                continue;
            };
            if let Source::Config(..) = rule.source {
                of_config.entry(rule.source).or_insert_with(|| {
                    order.push(rule.source);
                    (false, d)
                });
            } else {
                found.push(d);
            }
        }
    }
    for source in order {
        if let Some((false, d)) = of_config.remove(&source) {
            found.push(d);
        }
    }
}

fn nowhere(
    view: &View<'_>,
    change: &Change,
    rule: &RuleUse,
    targets: &[u32],
    known: &[&str],
    update: bool,
) -> Option<Diagnostic> {
    let name = view.deploy.uses.name(rule.group);
    let noop = |unit: &u32| {
        let change = view.deploy.changes.get(*unit as usize);
        change
            .and_then(|c| view.sets.resource(c))
            .is_some_and(|r| r.has(crate::facts::Key::Noop))
    };
    // What is to be deleted need not be among the files any more.
    let removed = rule.target == Op::Delete && rule.action == Op::Upsert;
    if targets.is_empty() {
        if view.open || removed {
            return None;
        }
        let place = group_place(view, change, rule.source)?;
        let d = Diagnostic::new(
            &unknown_dependency::RULE,
            place,
            format!("no resource is in the change group `{name}`"),
        )
        .severity(Severity::Warning)
        .unit(name.into())
        .note("kapp ignores the rule and says nothing");
        let plain = own_text(view, change, rule.source).is_some_and(|(_, t)| t.placeholders.is_empty());
        return Some(match nearest(name, known.iter().copied()).filter(|_| plain) {
            Some(near) => d.label(format!("did you mean `{near}`?")).fix(
                format!("replace by `{near}`"),
                Safety::Unsafe,
                vec![FixStep::Replace(place, near.to_owned())],
            ),
            None => d,
        });
    }
    if targets.iter().all(noop) {
        let place = group_place(view, change, rule.source)?;
        return Some(
            Diagnostic::new(
                &unknown_dependency::RULE,
                place,
                format!("every member of `{name}` has `kapp.k14s.io/noop` and is left alone"),
            )
            .severity(Severity::Warning)
            .unit(name.into())
            .note("kapp ignores the rule and says nothing"),
        );
    }
    if rule.action != rule.target && !update {
        let place = group_place(view, change, rule.source)?;
        let (own, other) = match rule.action {
            Op::Upsert => ("is applied", "are deleted"),
            _ => ("is deleted", "are applied"),
        };
        let when = match rule.order {
            Order::After => "after",
            Order::Before => "before",
        };
        return Some(
            Diagnostic::new(
                &inert_dependency::RULE,
                place,
                "neither a first deploy nor `kapp delete` acts on this rule",
            )
            .note(format!(
                "it acts in a deploy in which the resource {own} ({when}) and members of `{name}` {other}"
            )),
        );
    }
    None
}

/// Rules that say the same as another of the same resource.
fn repeated(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for (change, own) in view.deploy.changes.iter().zip(&view.deploy.uses.changes) {
        let mut seen: FxHashSet<(Op, Order, Op, u32)> = FxHashSet::default();
        // What is required comes first: an optional rule implies nothing.
        for rule in own.rules.iter().filter(|r| !r.optional) {
            if let Source::Default(..) = rule.source {
                seen.insert((rule.action, rule.order, rule.target, rule.group));
            }
        }
        for rule in &own.rules {
            let Some((annotation, _)) = own_text(view, change, rule.source) else {
                continue;
            };
            if seen.insert((rule.action, rule.order, rule.target, rule.group)) {
                continue;
            }
            let Some(place) = group_place(view, change, rule.source) else {
                continue;
            };
            found.push(
                Diagnostic::new(
                    &redundant_dependency::RULE,
                    place,
                    format!(
                        "another rule of this resource says the same of `{}`",
                        view.deploy.uses.name(rule.group)
                    ),
                )
                .fix(
                    "remove the rule",
                    Safety::Unsafe,
                    vec![FixStep::RemoveKey(view.of_change(change, annotation.name.place))],
                ),
            );
        }
    }
}
