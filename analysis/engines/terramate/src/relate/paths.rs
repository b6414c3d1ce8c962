//! How many ways lead to a stack: a run of some stacks goes through each of them.

use applyorder_core::graph::{Direction, Expand, NodeId, NodeKind, OrderGraph};

use crate::model::stacks::StackIx;

/// More paths than this between the stacks of a project make a subset run take minutes.
const MANY: u64 = 10_000_000;

/// So many pairs of stacks are looked at to count the paths exactly.
const MOST_PAIRS: u64 = 50_000_000;

/// The stack to which most paths of a graph without cycles lead, with their number, where there are too many. `None`
/// also where it takes too long to count them. The stacks are given in an order in which each comes after what it
/// waits for.
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
    let mut expand = Expand::new(graph, Direction::Dependencies);
    let mut pairs = 0;
    for node in sequence {
        let mut links = graph.distinct(*node, Direction::Dependencies);
        let paths = match (links.next(), links.next()) {
            (None, _) => 1,
            (Some(only), None) => counted.to(only.node).saturating_add(1),
            _ => {
                let awaited = expand.of(*node);
                pairs += awaited.len() as u64;
                awaited
                    .iter()
                    .fold(1u64, |sum, pair| sum.saturating_add(counted.to(pair.node)))
            }
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

    /// Those to a node; to a join, those to all that it stands for, added up when first asked.
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
