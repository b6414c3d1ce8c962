//! What differs between two states of a project.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use applyorder_analysis::engine::{Operation, Render, UnitIx, Variant, Verdict};
use applyorder_analysis::graph::{BUDGET, COMPARE, Components, NodeId, NodeKind, OrderGraph, Wait};
use applyorder_analysis::workspace::{Project, ProjectIx};

use super::renames;
use crate::formats::json::diff::{
    ChainChange, ConditionChange, CycleChange, Extent, Moved, Otherwise, Placed, ProjectDiff, PropertyChange,
    Renamed, RunDiff, There, VerdictChange, WaitChange,
};
use crate::formats::json::{self, model};
use crate::session::Session;
use crate::units;

/// A project in one of the two states.
#[derive(Clone, Copy)]
pub(super) struct State<'a> {
    pub(super) session: &'a Session,
    pub(super) ix: ProjectIx,
    pub(super) project: &'a Project,
}

/// What differs in a project that is there in one state at least.
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

/// A variant before and one after, by their numbers, where there are both.
type Pair = (Option<usize>, Option<usize>);

/// The orders, compared where an environment has them on both sides. Environments alike in everything are one.
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
        // Nothing has its environments yet: what is compared is all else.
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

/// What a run makes of a project in one state; empty where there is none.
pub(super) struct Side<'a> {
    /// `None` where there is no project.
    pub(super) of: Option<(&'a Session, &'a Project, &'a Variant)>,
    /// Without the units that the run leaves out.
    graph: Arc<OrderGraph>,
    is_selected: Vec<bool>,
    /// Per unit, from 1.
    layer: Vec<Option<u32>>,
    extent: Option<Extent>,
    sequence: Option<Vec<UnitIx>>,
    is_unknown: bool,
    barrier: bool,
}

impl<'a> Side<'a> {
    fn new(of: Option<(&'a Session, &'a Project, &'a Variant)>, operation: Operation) -> Self {
        let Some((session, project, variant)) = of else {
            return Self {
                of: None,
                graph: Arc::default(),
                is_selected: Vec::new(),
                layer: Vec::new(),
                extent: None,
                sequence: None,
                is_unknown: false,
                barrier: false,
            };
        };
        let order = units::order_of(variant, operation);
        let mut is_selected = vec![variant.selected.is_none(); variant.units.len()];
        for unit in variant.selected.iter().flatten() {
            if let Some(is_selected) = is_selected.get_mut(unit.0 as usize) {
                *is_selected = true;
            }
        }
        let mut layer = vec![None; variant.units.len()];
        for (units, number) in order.layers.iter().flat_map(|l| l.iter()).zip(1..) {
            for unit in units {
                if let Some(layer) = layer.get_mut(unit.0 as usize) {
                    *layer = Some(number);
                }
            }
        }
        let graph = if variant.selected.is_none() {
            order.graph.clone()
        } else {
            let left_out = |n: NodeId| is_selected.get(n.index()).is_some_and(|selected| !selected);
            Arc::new(order.graph.without(left_out))
        };
        Self {
            of,
            graph,
            layer,
            extent: Some(Extent {
                units: is_selected.iter().filter(|s| **s).count(),
                layers: order.layers.as_ref().map(|layers| layers.len()),
                widest: order
                    .layers
                    .as_ref()
                    .and_then(|layers| layers.iter().map(Vec::len).max()),
            }),
            is_selected,
            sequence: order.sequence.clone(),
            is_unknown: project.unresolved().next().is_some() || unrendered(session, project).is_some(),
            barrier: project.engine().layer_meaning(variant, operation).barrier,
        }
    }

    /// The units that the run includes.
    pub(super) fn units(&self) -> impl Iterator<Item = usize> + '_ {
        let selected = self.is_selected.iter().enumerate();
        selected.filter(|(_, selected)| **selected).map(|(ix, _)| ix)
    }

    pub(super) fn variant(&self) -> Option<&'a Variant> {
        self.of.map(|(_, _, variant)| variant)
    }

    pub(super) fn name(&self, unit: usize) -> &'a str {
        self.variant()
            .and_then(|v| v.units.get(unit))
            .map_or("", |u| &*u.name)
    }

    fn layer(&self, unit: NodeId) -> Option<u32> {
        self.layer.get(unit.index()).copied().flatten()
    }

    fn place(&self, place: Option<applyorder_analysis::diagnostic::Place>) -> Option<model::Place> {
        let (session, _, _) = self.of?;
        Some(json::place(session, place?))
    }

    fn placed(&self, unit: usize) -> Option<Placed> {
        let header = self.variant()?.units.get(unit)?.header;
        Some(Placed {
            unit: self.name(unit).to_owned(),
            layer: self.layer.get(unit).copied().flatten(),
            place: self.place(Some(header))?,
        })
    }

    /// The names of the units of a path, the first to run first.
    fn chain(&self) -> Option<Vec<String>> {
        let path = self.graph.critical_path()?;
        let units = path.nodes().iter().rev();
        let units = units.filter(|n| matches!(self.graph.kind(**n), Some(NodeKind::Unit(_))));
        Some(units.map(|n| self.name(n.index()).to_owned()).collect())
    }
}

/// Which units of two states are the same.
struct Same {
    /// By unit before.
    there: Vec<Option<NodeId>>,
    /// By unit after.
    back: Vec<Option<NodeId>>,
}

impl Same {
    fn of(before: &Side<'_>, after: &Side<'_>) -> (Self, Vec<(usize, usize)>) {
        let mut same = Self {
            there: vec![None; before.is_selected.len()],
            back: vec![None; after.is_selected.len()],
        };
        // A name that several units have is theirs in their order.
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for unit in after.units() {
            by_name.entry(after.name(unit)).or_default().push(unit);
        }
        by_name.values_mut().for_each(|units| units.reverse());
        for unit in before.units() {
            if let Some(other) = by_name.get_mut(before.name(unit)).and_then(Vec::pop) {
                same.set(unit, other);
            }
        }
        let gone: Vec<usize> = before.units().filter(|u| same.there(*u).is_none()).collect();
        let new: Vec<usize> = after.units().filter(|u| same.back(*u).is_none()).collect();
        let renamed = renames::find(before, &gone, after, &new);
        for (one, other) in &renamed {
            same.set(*one, *other);
        }
        (same, renamed)
    }

    fn set(&mut self, before: usize, after: usize) {
        if let (Some(there), Some(back)) = (self.there.get_mut(before), self.back.get_mut(after)) {
            *there = node(after);
            *back = node(before);
        }
    }

    fn there(&self, unit: usize) -> Option<NodeId> {
        self.there.get(unit).copied().flatten()
    }

    fn back(&self, unit: usize) -> Option<NodeId> {
        self.back.get(unit).copied().flatten()
    }
}

fn node(unit: usize) -> Option<NodeId> {
    u32::try_from(unit).ok().map(NodeId)
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

/// Pairs that are ordered here and not there.
fn waits<'a>(
    here: &Side<'a>,
    there: &Side<'_>,
    waits: &[Wait],
    components: &Components,
    same: impl Fn(NodeId) -> Option<NodeId>,
    name: impl Fn(&Side<'a>, NodeId) -> &'a str,
) -> Vec<WaitChange> {
    let Some(variant) = here.variant() else {
        return Vec::new();
    };
    // Whether the other way round is ordered there.
    let turned: Vec<(NodeId, NodeId)> = waits
        .iter()
        .filter_map(|w| Some((same(w.to)?, same(w.from)?)))
        .collect();
    let turned = there.graph.reaches_all(components, &turned, &mut { COMPARE });
    let graph = &*here.graph;
    let change = |(wait, turned): (&Wait, Option<bool>)| {
        let telling = graph
            .telling(&[wait.near, wait.far])
            .or_else(|| graph.edge(wait.near))?;
        let (kind, reason, place) = json::origin(variant, telling.kind);
        let between = graph.edge(wait.near).map(|e| e.to).filter(|n| *n != wait.to);
        let via = between.and_then(|n| variant.units.get(n.index()));
        let layers = [wait.from, wait.to].map(|n| there.layer(same(n)?));
        Some(WaitChange {
            from: name(here, wait.from).to_owned(),
            to: name(here, wait.to).to_owned(),
            via: via.map(|unit| (*unit.name).to_owned()),
            kind,
            reason: reason.map(str::to_owned),
            place: here.place(place),
            otherwise: match (turned, layers) {
                (Some(true), _) => Otherwise::Reversed,
                (_, [Some(from), Some(to)]) => match from.cmp(&to) {
                    std::cmp::Ordering::Less => Otherwise::Earlier,
                    std::cmp::Ordering::Equal => Otherwise::Beside,
                    std::cmp::Ordering::Greater => Otherwise::Later,
                },
                _ => Otherwise::Unknown,
            },
            layers: match layers {
                [Some(from), Some(to)] => Some([from, to]),
                _ => None,
            },
            certain: !there.is_unknown,
        })
    };
    waits.iter().zip(turned).filter_map(change).collect()
}

/// The cycles here that are not a part of one there.
fn cycles(
    side: &Side<'_>,
    components: &Components,
    others: &Components,
    same: impl Fn(NodeId) -> Option<NodeId>,
) -> Vec<CycleChange> {
    if components.cyclic().is_empty() {
        return Vec::new();
    }
    let Some(variant) = side.variant() else {
        return Vec::new();
    };
    let graph = &*side.graph;
    let is_unit = |n: &NodeId| matches!(graph.kind(*n), Some(NodeKind::Unit(_)));
    let cyclic: BTreeSet<u32> = others.cyclic().iter().copied().collect();
    let known = |component: u32| {
        let mut of = components.members(component).iter().filter(|n| is_unit(n));
        let of_other = |n: &NodeId| {
            let component = others.of(same(*n)?)?;
            cyclic.contains(&component).then_some(component)
        };
        let Some(first) = of.next().map(of_other) else {
            return true;
        };
        first.is_some() && of.all(|n| of_other(n) == first)
    };
    let found = graph.cycles(components, BUDGET, |_| true).into_iter();
    let change = |cycle: applyorder_analysis::graph::Cycle| {
        let nodes = cycle.path.nodes();
        let units: Vec<String> = nodes
            .iter()
            .take(nodes.len().saturating_sub(1))
            .map(|n| json::node_name(variant, graph, *n).into_owned())
            .collect();
        let first = cycle.path.steps().next();
        let telling = first.and_then(|step| graph.telling(step.edges));
        CycleChange {
            units,
            place: side.place(telling.and_then(|edge| json::origin(variant, edge.kind).2)),
        }
    };
    found
        .filter(|cycle| !known(cycle.component))
        .map(change)
        .collect()
}

/// Direct dependencies that are there in both states under another condition.
fn conditions(before: &Side<'_>, after: &Side<'_>, same: &Same) -> Vec<ConditionChange> {
    let (Some(old), Some(new)) = (before.variant(), after.variant()) else {
        return Vec::new();
    };
    if old.conditions.is_empty() && new.conditions.is_empty() {
        return Vec::new();
    }
    let text =
        |variant: &Variant, condition: Option<u32>| variant.conditions.get(condition? as usize).cloned();
    let known: HashMap<(NodeId, NodeId), Option<String>> = before
        .graph
        .edges()
        .iter()
        .filter_map(|e| {
            let ends = (same.there(e.from.index())?, same.there(e.to.index())?);
            Some((ends, text(old, e.condition)))
        })
        .collect();
    let mut seen = BTreeSet::new();
    let change = |e: &applyorder_analysis::graph::Edge| {
        let was = known.get(&(e.from, e.to))?;
        let is = text(new, e.condition);
        if *was == is || !seen.insert((e.from, e.to)) {
            return None;
        }
        Some(ConditionChange {
            from: after.name(e.from.index()).to_owned(),
            to: after.name(e.to.index()).to_owned(),
            before: was.clone(),
            after: is,
            place: after.place(json::origin(new, e.kind).2),
        })
    };
    after.graph.edges().iter().filter_map(change).collect()
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

/// Units in another layer, those that ran first first.
fn moved(before: &Side<'_>, after: &Side<'_>, same: &Same) -> Vec<Moved> {
    let mut moved: Vec<(u32, usize, Moved)> = Vec::new();
    for unit in before.units() {
        let Some(there) = same.there(unit) else { continue };
        let old = before.layer.get(unit).copied().flatten();
        if let (Some(old), Some(new)) = (old, after.layer(there))
            && old != new
        {
            let moved_unit = Moved {
                unit: after.name(there.index()).to_owned(),
                before: old,
                after: new,
            };
            moved.push((old, unit, moved_unit));
        }
    }
    moved.sort_by_key(|(layer, unit, _)| (*layer, *unit));
    moved.into_iter().map(|(_, _, moved)| moved).collect()
}

/// Units that stay in their layers and change places in the engine's own sequence: those outside of a longest row
/// that keeps its order.
fn resequenced(before: &Side<'_>, after: &Side<'_>, same: &Same) -> Vec<String> {
    let (Some(old), Some(new)) = (&before.sequence, &after.sequence) else {
        return Vec::new();
    };
    let mut place = vec![None; after.is_selected.len()];
    for (unit, at) in new.iter().zip(0usize..) {
        if let Some(place) = place.get_mut(unit.0 as usize) {
            *place = Some(at);
        }
    }
    let row: Vec<(usize, usize, usize)> = old
        .iter()
        .filter_map(|unit| {
            let there = same.there(unit.0 as usize)?.index();
            Some((place.get(there).copied().flatten()?, unit.0 as usize, there))
        })
        .collect();
    let kept = longest_rising(&row.iter().map(|(at, _, _)| *at).collect::<Vec<_>>());
    let layers = |unit: usize, there: usize| {
        let of = |side: &Side<'_>, unit: usize| side.layer.get(unit).copied().flatten();
        (of(before, unit), of(after, there))
    };
    let mut out = Vec::new();
    for ((_, unit, there), kept) in row.iter().zip(kept) {
        let (old, new) = layers(*unit, *there);
        if !kept && old == new {
            out.push(after.name(*there).to_owned());
        }
    }
    out
}

/// Which numbers belong to a longest rising row of them.
fn longest_rising(numbers: &[usize]) -> Vec<bool> {
    // Where the best row of each length ends, and what stood before each number.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(numbers.len());
    for (at, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|end| numbers.get(*end).is_some_and(|n| n < number));
        before.push(length.checked_sub(1).and_then(|l| ends.get(l)).copied());
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut kept = vec![false; numbers.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        if let Some(kept) = kept.get_mut(at) {
            *kept = true;
        }
        next = before.get(at).copied().flatten();
    }
    kept
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

/// What cannot be known of a project: what its engine says, and what a command would make of it that is not run.
fn unknown(state: Option<State<'_>>) -> Vec<String> {
    let unresolved = state.iter().flat_map(|s| s.project.unresolved());
    let mut texts: Vec<String> = unresolved.map(|(_, text)| text.to_owned()).collect();
    texts.extend(state.and_then(|s| {
        let render = unrendered(s.session, s.project)?;
        Some(format!("what `{}` renders", render.argv.join(" ")))
    }));
    texts.sort();
    texts
}

/// The command that renders a project and was not run.
fn unrendered<'a>(session: &'a Session, project: &Project) -> Option<&'a Render> {
    let seed = &project.seed;
    let mut all = session.unrendered.iter();
    all.find(|render| render.cwd == seed.root && seed.name.as_deref() == Some(&*render.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longest_rising_row_is_kept() {
        for numbers in [
            &[][..],
            &[3, 1, 2],
            &[0, 1, 2],
            &[5, 4, 3],
            &[1, 0, 3, 2, 4],
            &[2, 0, 1, 4, 3],
        ] {
            let kept = longest_rising(numbers);
            let row: Vec<usize> = numbers
                .iter()
                .zip(&kept)
                .filter(|(_, k)| **k)
                .map(|(n, _)| *n)
                .collect();
            assert!(row.is_sorted(), "{numbers:?}");
            let all = (0u32..1 << numbers.len()).map(|set| {
                let row: Vec<_> = numbers
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| (set >> i) & 1 == 1)
                    .collect();
                if row.is_sorted_by_key(|(_, n)| **n) {
                    row.len()
                } else {
                    0
                }
            });
            assert_eq!(row.len(), all.max().unwrap(), "{numbers:?}");
        }
    }
}
