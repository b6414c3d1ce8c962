//! Changed dependencies: pairs that are ordered in one state only, cycles, conditions.

use std::collections::{BTreeSet, HashMap};

use applyorder_analysis::engine::Variant;
use applyorder_analysis::graph::{BUDGET, COMPARE, Components, NodeId, NodeKind, Wait};

use super::sides::{Same, Side};
use crate::formats::json;
use crate::formats::json::diff::{ConditionChange, CycleChange, Otherwise, WaitChange};

/// Pairs that are ordered here and not in the other state.
pub(super) fn waits<'a>(
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
    // Checks whether the reverse pair is ordered in the other state.
    let turned: Vec<(NodeId, NodeId)> = waits
        .iter()
        .filter_map(|w| Some((same(w.to)?, same(w.from)?)))
        .collect();
    let turned = there.graph.reaches_all(components, &turned, &mut { COMPARE });
    let graph = &*here.graph;
    let change = |(wait, turned): (&Wait, Option<bool>)| {
        let main_edge = graph
            .main_edge(&[wait.near, wait.far])
            .or_else(|| graph.edge(wait.near))?;
        let (kind, reason, place) = json::origin(variant, main_edge.kind);
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

/// The cycles here that are not part of a cycle in the other state.
pub(super) fn cycles(
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
    let found = graph.rings(components, BUDGET, |_| true).into_iter();
    let change = |cycle: applyorder_analysis::graph::Cycle| {
        let nodes = cycle.path.nodes();
        let units: Vec<String> = nodes
            .iter()
            .take(nodes.len().saturating_sub(1))
            .map(|n| variant.name_of(graph, *n).into_owned())
            .collect();
        let first = cycle.path.steps().next();
        let main_edge = first.and_then(|step| graph.main_edge(step.edges));
        CycleChange {
            units,
            place: side.place(main_edge.and_then(|edge| json::origin(variant, edge.kind).2)),
        }
    };
    found
        .filter(|cycle| !known(cycle.component))
        .map(change)
        .collect()
}

/// Direct dependencies that exist in both states with different conditions.
pub(super) fn conditions(before: &Side<'_>, after: &Side<'_>, same: &Same) -> Vec<ConditionChange> {
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
