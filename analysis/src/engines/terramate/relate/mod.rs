//! From what stacks write to which of them are meant, the order that follows, and what a run selects of it.

pub(crate) mod entries;
pub(crate) mod order;
pub(crate) mod select;

use std::sync::Arc;

use self::entries::Entry;
use self::order::Ordering;
use self::select::Selection;
use super::model::Model;
use super::model::stacks::{StackIx, Stacks};
use crate::engines::UnitIx;
use crate::graph::{Direction, NodeId, NodeKind, OrderGraph};

/// More paths than this between the stacks of a project make a subset run take minutes.
const MANY_PATHS: u64 = 10_000_000;

/// How the stacks of a project relate.
pub(crate) struct Related {
    /// The entries of each stack.
    pub(crate) entries: Vec<Arc<Vec<Entry>>>,
    /// The stacks with an entry that Terramate warns of or refuses.
    pub(crate) faulty: Vec<StackIx>,
    pub(crate) selection: Selection,
    /// Which stacks are part of the run.
    pub(crate) selected: Vec<bool>,
    /// The graph of the run, with joins for lists that several entries share.
    pub(crate) graph: OrderGraph,
    /// Terramate's cycle of the ordering graph, and of `wants`.
    pub(crate) cycle: Option<Vec<StackIx>>,
    pub(crate) wants_cycle: Option<Vec<StackIx>>,
    /// The stacks of the whole project that wait for each other, apart from entries that mean their own stack: each
    /// set ascending.
    pub(crate) cyclic: Vec<Vec<StackIx>>,
    /// The stack to which most paths lead, with their number, where there are too many.
    pub(crate) most_paths: Option<(u64, StackIx)>,
}

impl Related {
    /// Whether a run is limited to some stacks.
    pub(crate) fn is_limited(&self) -> bool {
        self.selected.iter().any(|s| !*s)
    }
}

/// Relates the stacks of a project.
pub(crate) fn relate(model: &Model) -> Related {
    let entries = entries::entries(model);
    let stacks = &model.stacks;
    let selection = Selection::of(model, &entries);
    let mut selected = selection.by_flags(stacks);
    if !selection.is_list {
        selection.wants.close(&mut selected);
    }
    let ordering = Ordering {
        stacks,
        entries: &entries,
        first: &[],
        selected: &selected,
    };
    let graph = ordering.joined(&ordering.closure(), |_, _| true);
    let order = graph.fifo_order(|node| node);
    let cycle = order
        .stuck
        .first()
        .and_then(|start| ordering.cycle(start.0, &graph));
    let is_limited = selected.iter().any(|s| !*s);
    let has_cycle = !order.stuck.is_empty();
    let most_paths = if has_cycle || !has_many_paths(&graph, &order.sequence) {
        None
    } else {
        let pairs = ordering.graph(&ordering.closure(), false, |_| true);
        most_paths(&pairs, &pairs.fifo_order(|n| n).sequence)
    };
    let cyclic = if has_cycle || is_limited {
        cyclic(stacks, &entries)
    } else {
        Vec::new()
    };
    Related {
        wants_cycle: selection.wants.cycle(),
        faulty: (0u32..)
            .zip(&entries)
            .filter(|(_, entries)| entries.iter().any(|e| e.is_faulty()))
            .map(|(stack, _)| stack)
            .collect(),
        selection,
        selected,
        graph,
        cycle,
        cyclic,
        most_paths,
        entries,
    }
}

/// Whether an entry does not mean its own stack.
pub(crate) fn is_sound(stack: StackIx, entry: &Entry) -> bool {
    entry.targets.binary_search(&UnitIx(stack)).is_err()
}

fn cyclic(stacks: &Stacks, entries: &[Arc<Vec<Entry>>]) -> Vec<Vec<StackIx>> {
    let whole = vec![true; stacks.len()];
    let ordering = Ordering {
        stacks,
        entries,
        first: &[],
        selected: &whole,
    };
    let graph = ordering.joined(&whole, is_sound);
    let components = graph.components();
    let units = |component: &u32| -> Vec<StackIx> {
        let members = components.members(*component).iter();
        members.filter_map(|node| graph.kind(*node)?.unit()).collect()
    };
    let sets = components.cyclic().iter().map(units);
    sets.filter(|members| members.len() > 1).collect()
}

/// Whether there may be too many paths: through a join, a stack may be counted more than once.
fn has_many_paths(joined: &OrderGraph, sequence: &[NodeId]) -> bool {
    let mut paths = vec![1u64; joined.node_count()];
    let mut most = 0;
    for node in sequence {
        let is_join = matches!(joined.kind(*node), Some(NodeKind::Join(_)));
        let own = joined
            .distinct(*node, Direction::Dependencies)
            .filter_map(|l| paths.get(l.node.index()))
            .fold(u64::from(!is_join), |sum, n| sum.saturating_add(*n));
        most = most.max(own);
        if let Some(slot) = paths.get_mut(node.index()) {
            *slot = own;
        }
    }
    most >= MANY_PATHS
}

/// The stack to which most paths of a graph without cycles lead, with their number, where there are too many.
/// The nodes are given in an order in which each comes after what it waits for.
fn most_paths(graph: &OrderGraph, sequence: &[NodeId]) -> Option<(u64, StackIx)> {
    let mut paths = vec![1u64; graph.node_count()];
    for node in sequence {
        let own = graph
            .distinct(*node, Direction::Dependencies)
            .filter_map(|l| paths.get(l.node.index()))
            .fold(1u64, |sum, n| sum.saturating_add(*n));
        if let Some(slot) = paths.get_mut(node.index()) {
            *slot = own;
        }
    }
    let most = paths.iter().copied().zip(graph.nodes()).max_by_key(|(n, _)| *n);
    let (paths, node) = most.filter(|(paths, _)| *paths >= MANY_PATHS)?;
    Some((paths, node.0))
}
