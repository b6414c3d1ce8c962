//! The differences between two states of a project.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use applyorder_analysis::engine::{Operation, Variant, Verdict};
use applyorder_analysis::graph::{COMPARE, NodeId};
use applyorder_analysis::workspace::Project;

use super::edges::{conditions, cycles, waits};
use super::moves::{moved, resequenced};
use super::sides::{Same, Side, State};
use crate::formats::json::diff::{
    ChainChange, Moved, Placed, ProjectDiff, PropertyChange, Renamed, RunDiff, There, VerdictChange,
};
use crate::session::Session;

/// The differences of a project that exists in at least one state.
pub(super) fn project(
    before: Option<State<'_>>,
    after: Option<State<'_>>,
    operation: Operation,
) -> Option<ProjectDiff> {
    let shown = after.or(before)?;
    let meta = shown.project.engine().meta();
    let seed = &shown.project.seed;
    let environments = |state: Option<State<'_>>| -> Vec<(Option<Arc<str>>, usize)> {
        let variants = state
            .into_iter()
            .flat_map(|s| s.project.resolution.variants.iter().enumerate());
        variants
            .flat_map(|(ix, v)| v.environments.iter().cloned().map(move |e| (e, ix)))
            .collect()
    };
    let (old, new) = (environments(before), environments(after));
    let only = |these: &[(Option<Arc<str>>, usize)], those: &[(Option<Arc<str>>, usize)]| {
        let known: BTreeSet<_> = those.iter().map(|(e, _)| e).collect();
        let only = these.iter().filter(|(e, _)| !known.contains(e));
        only.map(|(e, _)| e.as_deref().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let is_both = before.is_some() && after.is_some();
    let mut diff = ProjectDiff {
        engine: meta.id,
        key: shown.session.key(shown.ix),
        name: seed.name.clone(),
        root: shown.session.paths.show(&seed.root),
        there: match (before, after) {
            (Some(_), None) => There::Before,
            (None, _) => There::After,
            _ => There::Both,
        },
        changed: false,
        runs: runs(before, after, &old, &new, operation),
        environments_added: if is_both { only(&new, &old) } else { Vec::new() },
        environments_removed: if is_both { only(&old, &new) } else { Vec::new() },
        verdicts: verdicts(before, after),
        unknown_before: unknown(before),
        unknown_after: unknown(after),
        words: [meta.unit, meta.units],
    };
    diff.changed = !is_both
        || diff.runs.iter().any(|run| !run.is_empty())
        || !diff.environments_added.is_empty()
        || !diff.environments_removed.is_empty()
        || !diff.verdicts.is_empty()
        || diff.unknown_before != diff.unknown_after;
    Some(diff)
}

/// Indices of a variant before and a variant after, if they exist.
type Pair = (Option<usize>, Option<usize>);

/// The orders, compared for environments that both sides have. Environments with identical results are merged.
fn runs(
    before: Option<State<'_>>,
    after: Option<State<'_>>,
    old: &[(Option<Arc<str>>, usize)],
    new: &[(Option<Arc<str>>, usize)],
    operation: Operation,
) -> Vec<RunDiff> {
    let mut pairs: BTreeMap<Pair, Vec<Option<String>>> = BTreeMap::new();
    let is_both = before.is_some() && after.is_some();
    let old_of: HashMap<_, _> = old.iter().cloned().collect();
    for (environment, ix) in new {
        let other = old_of.get(environment).copied();
        if other.is_some() || !is_both {
            let name = environment.as_deref().map(str::to_owned);
            pairs.entry((other, Some(*ix))).or_default().push(name);
        }
    }
    if after.is_none() {
        for (environment, ix) in old {
            let name = environment.as_deref().map(str::to_owned);
            pairs.entry((Some(*ix), None)).or_default().push(name);
        }
    }
    let mut runs: Vec<RunDiff> = Vec::new();
    let mut named: Vec<Vec<Option<String>>> = Vec::new();
    for ((one, other), environments) in pairs {
        let before = Side::new(variant(before, one), operation);
        let after = Side::new(variant(after, other), operation);
        let mut run = run(&before, &after);
        // No run has its environments set yet, so this compares everything else.
        match runs.iter().position(|known| *known == run) {
            Some(at) => named
                .get_mut(at)
                .into_iter()
                .for_each(|e: &mut Vec<_>| e.extend(environments.clone())),
            None => {
                runs.push(std::mem::take(&mut run));
                named.push(environments);
            }
        }
    }
    for (run, environments) in runs.iter_mut().zip(named) {
        run.environments = environments;
    }
    runs
}

fn variant<'a>(
    state: Option<State<'a>>,
    ix: Option<usize>,
) -> Option<(&'a Session, &'a Project, &'a Variant)> {
    let state = state?;
    Some((
        state.session,
        state.project,
        state.project.resolution.variants.get(ix?)?,
    ))
}

fn run(before: &Side<'_>, after: &Side<'_>) -> RunDiff {
    let (same, renamed) = Same::of(before, after);
    let difference = before.graph.difference(&after.graph, &same.there, COMPARE);
    let old = before.graph.components();
    let new = after.graph.components();
    let there = |n: NodeId| same.there(n.index());
    let back = |n: NodeId| same.back(n.index());
    let moved: Vec<Moved> = moved(before, after, &same);
    RunDiff {
        environments: Vec::new(),
        before: before.extent.clone(),
        after: after.extent.clone(),
        cycles: cycles(after, &new, &old, back),
        cycles_gone: cycles(before, &old, &new, there),
        lost: waits(
            before,
            after,
            &difference.lost,
            &new,
            there,
            |side, n| match there(n) {
                Some(n) => after.name(n.index()),
                None => side.name(n.index()),
            },
        ),
        gained: waits(after, before, &difference.gained, &old, back, |side, n| {
            side.name(n.index())
        }),
        conditions: conditions(before, after, &same),
        properties: properties(before.variant(), after.variant()),
        resequenced: resequenced(before, after, &same),
        moved,
        added: only(after, |unit| same.back(unit).is_none()),
        removed: only(before, |unit| same.there(unit).is_none()),
        renamed: renamed
            .iter()
            .map(|(one, other)| Renamed {
                before: before.name(*one).to_owned(),
                after: after.name(*other).to_owned(),
            })
            .collect(),
        chain: chain(before, after),
        uncompared: difference.uncompared,
        barrier: after.barrier,
    }
}

fn only(side: &Side<'_>, is_wanted: impl Fn(usize) -> bool) -> Vec<Placed> {
    let units = side.units().filter(|unit| is_wanted(*unit));
    units.filter_map(|unit| side.placed(unit)).collect()
}

fn properties(before: Option<&Variant>, after: Option<&Variant>) -> Vec<PropertyChange> {
    let (Some(before), Some(after)) = (before, after) else {
        return Vec::new();
    };
    let of = |variant: &Variant| -> BTreeMap<&'static str, String> {
        variant.properties.iter().cloned().collect()
    };
    let (old, new) = (of(before), of(after));
    let names: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let change = |name: &str| PropertyChange {
        name: name.to_owned(),
        before: old.get(name).cloned(),
        after: new.get(name).cloned(),
    };
    let changes = names.into_iter().map(change);
    changes.filter(|change| change.before != change.after).collect()
}

fn chain(before: &Side<'_>, after: &Side<'_>) -> Option<ChainChange> {
    let (old, new) = (before.chain()?, after.chain()?);
    let is_both = before.of.is_some() && after.of.is_some();
    (is_both && old.len() != new.len()).then_some(ChainChange {
        before: old,
        after: new,
    })
}

fn verdicts(before: Option<State<'_>>, after: Option<State<'_>>) -> Vec<VerdictChange> {
    let Some(after) = after else {
        return Vec::new();
    };
    let key = |v: &Verdict| (v.command, v.environment.clone());
    let old: BTreeMap<_, &Verdict> = before
        .iter()
        .flat_map(|s| &s.project.resolution.verdicts)
        .map(|v| (key(v), v))
        .collect();
    let meta = after.project.engine().meta();
    let change = |v: &Verdict| {
        let was = old.get(&key(v));
        let is_other = match was {
            Some(was) => was.ok != v.ok,
            None => v.ok != Some(true),
        };
        let message = v
            .errors
            .first()
            .map(|e| e.message.clone())
            .or_else(|| v.because.clone());
        is_other.then(|| VerdictChange {
            command: meta.command_line(v.command),
            environment: v.environment.as_deref().map(str::to_owned),
            before: was.and_then(|was| was.ok),
            after: v.ok,
            message: message.filter(|_| v.ok != Some(true)),
        })
    };
    after
        .project
        .resolution
        .verdicts
        .iter()
        .filter_map(change)
        .collect()
}

/// What cannot be known of a project.
fn unknown(state: Option<State<'_>>) -> Vec<String> {
    let unresolved = state.iter().flat_map(|s| s.project.unresolved());
    let mut texts: Vec<String> = unresolved.map(|(_, text)| text.to_owned()).collect();
    texts.sort();
    texts
}
