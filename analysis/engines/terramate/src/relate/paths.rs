//! How many paths lead to a stack: a run of some stacks goes through each of them.

use applyorder_core::graph::{Direction, NodeId, NodeKind, OrderGraph};

use super::order::awaited;
use crate::model::stacks::StackIx;

/// More paths than this between the stacks of a project make a subset run take minutes.
const MANY: u64 = 10_000_000;

/// The maximum number of pairs of stacks that are checked to count the paths exactly.
const MOST_PAIRS: u64 = 50_000_000;

/// The stack of a graph without cycles with the most paths to it, with their number, if there are too many.
/// `None` also if it takes too long to count them. The stacks are given in an order in which each comes after
/// what it waits for.
pub(super) fn most(graph: &OrderGraph, sequence: &[NodeId]) -> Option<(u64, StackIx)> {
    let mut counted = Counted::new(graph);
    let mut most = 0;
    for node in sequence {
        // Through several joins, a stack may be counted more than once.
        let links = graph.distinct(*node, Direction::Dependencies);
        let paths = links.fold(1u64, |sum, link| sum.saturating_add(counted.to(link.node)));
        counted.set(*node, paths);
        most = most.max(paths);
    }
    if most < MANY {
        return None;
    }
    let mut counted = Counted::new(graph);
    let mut seen = vec![None; graph.node_count()];
    let mut pairs = 0;
    for node in sequence {
        let mut links = graph.distinct(*node, Direction::Dependencies);
        let paths = match (links.next(), links.next()) {
            (None, _) => 1,
            (Some(only), None) => counted.to(only.node).saturating_add(1),
            _ => awaited(graph, *node).fold(1u64, |sum, other| {
                let first = seen.get_mut(other.index());
                pairs += 1;
                if first.is_none_or(|first| first.replace(*node) == Some(*node)) {
                    return sum;
                }
                sum.saturating_add(counted.to(other))
            }),
        };
        if pairs > MOST_PAIRS {
            return None;
        }
        counted.set(*node, paths);
    }
    let all = sequence.iter().map(|node| (counted.to(*node), *node));
    let (paths, node) = all.max().filter(|(paths, _)| *paths >= MANY)?;
    Some((paths, node.0))
}

/// The paths to each node that was counted.
struct Counted<'a> {
    graph: &'a OrderGraph,
    paths: Vec<u64>,
}

impl<'a> Counted<'a> {
    fn new(graph: &'a OrderGraph) -> Self {
        Self {
            graph,
            paths: vec![0; graph.node_count()],
        }
    }

    fn set(&mut self, node: NodeId, paths: u64) {
        if let Some(slot) = self.paths.get_mut(node.index()) {
            *slot = paths;
        }
    }

    /// The paths to a node; for a join, those to all its members, added up on first use.
    fn to(&mut self, node: NodeId) -> u64 {
        let known = self.paths.get(node.index()).copied().unwrap_or_default();
        if known > 0 || !matches!(self.graph.kind(node), Some(NodeKind::Join(_))) {
            return known;
        }
        let of = |at: NodeId| self.paths.get(at.index()).copied().unwrap_or_default();
        let members = self.graph.distinct(node, Direction::Dependencies);
        let sum = members.fold(0u64, |sum, link| sum.saturating_add(of(link.node)));
        self.set(node, sum);
        sum
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::graph::GraphBuilder;

    use super::*;

    /// Each of a rank waits for each of the rank before, and for one of them by an entry of its own. Stacks
    /// that are not part of the run are on the paths as well.
    #[test]
    fn what_is_not_selected_and_what_is_meant_twice_counts_once() {
        let mut b = GraphBuilder::new();
        let ranks: Vec<Vec<NodeId>> = (0..13u32)
            .map(|rank| {
                let kind = if rank % 2 == 0 {
                    NodeKind::Removed
                } else {
                    NodeKind::Unit
                };
                (0..4).map(|n| b.node(kind(rank * 4 + n))).collect()
            })
            .collect();
        for (number, pair) in (0u32..).zip(ranks.windows(2)) {
            let join = b.join(number);
            for below in &pair[0] {
                b.implicit(join, *below, 0);
            }
            for own in &pair[1] {
                b.implicit(*own, join, 0);
                b.implicit(*own, pair[0][0], 0);
            }
        }
        let graph = b.build();
        let sequence = graph.fifo_order(|node| node).sequence;
        // 1 + 4 + 16 + ...
        assert_eq!(most(&graph, &sequence), Some(((4u64.pow(13) - 1) / 3, 51)));
    }
}
