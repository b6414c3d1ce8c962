//! What can start, and why the rest cannot.

use std::sync::Arc;

use applyorder_core::engine::{UnitIx, Variant};
use applyorder_core::graph::{Direction, Layers, NodeId, OrderGraph};
use applyorder_core::markdown;

use super::{Wait, need};
use crate::model::{Block, Model};

/// The layers of what can start at all.
pub(super) fn startable(layers: &Layers, blocked: &[Option<Block>]) -> Arc<[Vec<UnitIx>]> {
    let is_free = |node: &NodeId| blocked.get(node.index()).is_some_and(Option::is_none);
    layers
        .iter()
        .map(|layer| {
            layer
                .iter()
                .filter(|n| is_free(n))
                .map(|n| UnitIx(n.0))
                .collect::<Vec<_>>()
        })
        .filter(|layer| !layer.is_empty())
        .collect()
}

/// Why some workloads are in no layer. One whose dependencies `ank apply` drops starts there, and nothing else
/// is started anywhere.
pub(super) fn never_started(model: &Model, variant: &Variant, blocked: &[Option<Block>]) -> Option<String> {
    let waits = |unit: UnitIx| model.workload(unit).is_none_or(|(_, w)| !w.loses("dependencies"));
    let units = (0..).map(UnitIx).zip(&variant.units).zip(blocked);
    let never: Vec<&str> = units
        .filter(|((ix, _), block)| block.is_some() && waits(*ix))
        .map(|((_, unit), _)| &*unit.name)
        .collect();
    let names = markdown::names(never.iter().copied(), MOST_NAMED);
    match never.len() {
        0 => None,
        1 => Some(format!("{names} never starts")),
        _ => Some(format!("{names} never start")),
    }
}

/// The maximum number of workloads that are named as never starting.
const MOST_NAMED: usize = 5;

/// What cannot start: workloads without an agent, those that wait for a name that no workload has, and those
/// that wait for them.
pub(super) fn blocked(
    model: &Model,
    graph: &OrderGraph,
    waits: &[Wait],
    starts: &[u32],
) -> Vec<Option<Block>> {
    let mut blocked: Vec<Option<Block>> = model
        .stated_units()
        .map(|(unit, stated)| model.is_unscheduled(unit, stated).then_some(Block::Unscheduled))
        .collect();
    let in_cluster = |unit: UnitIx, number: u32| {
        let snapshot = model.snapshot.as_ref();
        let need = snapshot.and_then(|s| Some((s, need(model, starts, unit, number)?)));
        need.is_some_and(|(snapshot, need)| snapshot.has_workload(&need.text))
    };
    for (number, written) in (0u32..).zip(waits) {
        if written.target.is_none()
            && !written.unknown
            && !in_cluster(written.unit, number)
            && let Some(slot @ None) = blocked.get_mut(written.unit.0 as usize)
        {
            *slot = Some(Block::Dangling(number));
        }
    }
    let mut open: Vec<u32> = (0u32..)
        .zip(&blocked)
        .filter(|(_, b)| b.is_some())
        .map(|(n, _)| n)
        .collect();
    while let Some(unit) = open.pop() {
        for link in graph.links(NodeId(unit), Direction::Dependents) {
            let Some(slot @ None) = blocked.get_mut(link.node.index()) else {
                continue;
            };
            let dependency = graph.edge(link.edge).and_then(|e| e.kind.dependency());
            *slot = Some(Block::Behind(dependency.unwrap_or(0)));
            open.push(link.node.0);
        }
    }
    blocked
}
