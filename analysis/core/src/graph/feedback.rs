//! What every cycle of a component has in common: its feedback nodes and feedback edges.
//!
//! Without one of them, no cycle is left. If one dependency closes all cycles, they have it in common.
//!
//! Source: the idea of M. R. Garey and R. E. Tarjan, "A linear-time algorithm for finding all feedback vertices",
//! 1978.

use super::components::Tarjan;
use super::{Direction, EdgeId, NodeId, OrderGraph};

/// No position on the cycle.
const NONE: u32 = u32::MAX;

/// What all cycles among some nodes have in common.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Common {
    /// Nodes that every cycle passes, in the order of the cycle that was given.
    pub(super) nodes: Vec<NodeId>,
    /// Edges that every cycle passes, likewise.
    pub(super) edges: Vec<EdgeId>,
    /// A node on a cycle that shares no node with the one that was given.
    pub(super) elsewhere: Option<NodeId>,
}

/// The tables of the search, reused for the next one.
pub(super) struct Feedback {
    /// By node its position on the cycle.
    position: Vec<u32>,
    /// By node outside of the cycle the first position that it leads to, the last one, and the last one that leads to
    /// it, over such nodes only.
    first: Vec<u32>,
    last: Vec<u32>,
    source: Vec<u32>,
    tarjan: Tarjan,
    edges_looked_at: u64,
}

/// Ways from one position of the cycle to another past those in between.
struct Bypasses {
    /// By position of its start, the farthest end after it.
    forward: Vec<u32>,
    /// Of those that end at or before their start: the first start, and the last end.
    back_from: u32,
    back_to: u32,
}

impl Bypasses {
    fn new(length: usize) -> Self {
        Self {
            forward: vec![0; length],
            back_from: NONE,
            back_to: 0,
        }
    }

    /// Adds the ways from a start to ends between `first` and `last`, which are ends themselves.
    fn add(&mut self, start: u32, first: u32, last: u32) {
        let forward = &mut self.forward[start as usize];
        *forward = (*forward).max(last);
        if first <= start {
            self.back_from = self.back_from.min(start);
        }
    }
}

impl Feedback {
    pub(super) fn new(graph: &OrderGraph) -> Self {
        let nodes = graph.node_count();
        Self {
            position: vec![NONE; nodes],
            first: vec![NONE; nodes],
            last: vec![NONE; nodes],
            source: vec![NONE; nodes],
            tarjan: Tarjan::new(graph),
            edges_looked_at: 0,
        }
    }

    /// Edges looked at in all searches.
    pub(super) fn cost(&self) -> u64 {
        self.tarjan.cost + self.edges_looked_at
    }

    /// What the cycle over `cycle` has in common with all others among `members`, which must be exactly the nodes that
    /// `inside` allows. Edges from a node to itself are ignored.
    ///
    /// A way from one node of the cycle to another over nodes outside of it skips those in between; a cycle avoids a
    /// node exactly if some way skips it, as long as the nodes outside form no cycle among themselves.
    pub(super) fn of_cycle(
        &mut self,
        graph: &OrderGraph,
        members: &[NodeId],
        inside: impl Fn(NodeId) -> bool,
        cycle: &[EdgeId],
    ) -> Common {
        let on_cycle: Vec<NodeId> = cycle.iter().filter_map(|e| Some(graph.edge(*e)?.from)).collect();
        for (position, node) in (0u32..).zip(&on_cycle) {
            self.position[node.index()] = position;
        }
        let common = self.common(graph, members, inside, cycle, &on_cycle);
        for node in &on_cycle {
            self.position[node.index()] = NONE;
        }
        common
    }

    fn common(
        &mut self,
        graph: &OrderGraph,
        members: &[NodeId],
        inside: impl Fn(NodeId) -> bool,
        cycle: &[EdgeId],
        on_cycle: &[NodeId],
    ) -> Common {
        let position = &self.position;
        let outside = |node: NodeId| inside(node) && position[node.index()] == NONE;
        let others = members.iter().copied().filter(|n| outside(*n));
        self.tarjan.run(graph, others.clone(), outside, |_| false);
        // By number of component: what a node waits for comes before it.
        let mut order = vec![NodeId(NONE); self.tarjan.components as usize];
        for node in others {
            let slot = &mut order[self.tarjan.of[node.index()] as usize];
            if slot.0 != NONE {
                let named = [*slot, node].into_iter().find(|n| !graph.is_passed(*n));
                return Common {
                    elsewhere: named,
                    ..Common::default()
                };
            }
            *slot = node;
        }
        self.reach(graph, &inside, &order, on_cycle);
        let mut around_nodes = Bypasses::new(on_cycle.len());
        let mut around_edges = Bypasses::new(on_cycle.len());
        for ((start, node), own) in (0u32..).zip(on_cycle).zip(cycle) {
            for link in graph.links(*node, Direction::Dependencies) {
                self.edges_looked_at += 1;
                if !inside(link.node) || link.node == *node {
                    continue;
                }
                let there = link.node.index();
                match self.position[there] {
                    NONE if self.first[there] == NONE => {}
                    NONE => {
                        around_nodes.add(start, self.first[there], self.last[there]);
                        around_edges.add(start, self.first[there], self.last[there]);
                    }
                    end => {
                        around_nodes.add(start, end, end);
                        if link.edge != *own {
                            around_edges.add(start, end, end);
                        }
                        if end <= start {
                            around_nodes.back_to = around_nodes.back_to.max(end);
                            if link.edge != *own {
                                around_edges.back_to = around_edges.back_to.max(end);
                            }
                        }
                    }
                }
            }
        }
        for node in &order {
            for link in graph.links(*node, Direction::Dependencies) {
                let end = self.position[link.node.index()];
                let source = self.source[node.index()];
                if inside(link.node) && end != NONE && source != NONE && end <= source {
                    around_nodes.back_to = around_nodes.back_to.max(end);
                    around_edges.back_to = around_edges.back_to.max(end);
                }
            }
        }
        Common {
            nodes: not_skipped(&around_nodes, on_cycle, 0),
            edges: not_skipped(&around_edges, cycle, 1),
            elsewhere: None,
        }
    }

    /// Fills the tables for the nodes outside of the cycle, given in an order in which what a node waits for comes
    /// first.
    fn reach(
        &mut self,
        graph: &OrderGraph,
        inside: &impl Fn(NodeId) -> bool,
        order: &[NodeId],
        on_cycle: &[NodeId],
    ) {
        for node in order {
            let (mut first, mut last) = (NONE, 0);
            for link in graph.links(*node, Direction::Dependencies) {
                self.edges_looked_at += 1;
                if !inside(link.node) || link.node == *node {
                    continue;
                }
                let there = link.node.index();
                let (nearest, farthest) = match self.position[there] {
                    NONE if self.first[there] == NONE => continue,
                    NONE => (self.first[there], self.last[there]),
                    end => (end, end),
                };
                first = first.min(nearest);
                last = last.max(farthest);
            }
            self.first[node.index()] = first;
            self.last[node.index()] = last;
            self.source[node.index()] = NONE;
        }
        let later = |old: u32, new: u32| if old == NONE { new } else { old.max(new) };
        for (position, node) in (0u32..).zip(on_cycle) {
            for link in graph.links(*node, Direction::Dependencies) {
                if inside(link.node) && self.position[link.node.index()] == NONE {
                    let source = &mut self.source[link.node.index()];
                    *source = later(*source, position);
                }
            }
        }
        for node in order.iter().rev() {
            let own = self.source[node.index()];
            if own == NONE {
                continue;
            }
            for link in graph.links(*node, Direction::Dependencies) {
                self.edges_looked_at += 1;
                if inside(link.node) && self.position[link.node.index()] == NONE {
                    let source = &mut self.source[link.node.index()];
                    *source = later(*source, own);
                }
            }
        }
    }
}

/// The nodes or edges that no bypass skips. A bypass skips a node strictly between its ends, and an edge from its start
/// on (`from_start` is 1 for edges).
fn not_skipped<T: Copy>(bypasses: &Bypasses, all: &[T], from_start: u32) -> Vec<T> {
    let mut farthest = 0;
    let mut kept = Vec::new();
    for ((position, what), forward) in (0u32..).zip(all).zip(&bypasses.forward) {
        if from_start == 1 {
            farthest = farthest.max(*forward);
        }
        let ahead = farthest > position;
        let behind = position < bypasses.back_to
            || bypasses.back_from != NONE && position + from_start > bypasses.back_from;
        if !ahead && !behind {
            kept.push(*what);
        }
        farthest = farthest.max(*forward);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::GraphBuilder;
    use super::*;
    use proptest::prelude::*;

    /// Whether some nodes are on a cycle without `node` and `edge`; edges from a node to itself do not count.
    fn cyclic(graph: &OrderGraph, node: Option<NodeId>, edge: Option<EdgeId>) -> bool {
        let mut tarjan = Tarjan::new(graph);
        let nodes = graph.nodes().filter(|n| Some(*n) != node);
        tarjan.run(graph, nodes.clone(), |n| Some(n) != node, |e| Some(e) == edge);
        (tarjan.components as usize) < nodes.count()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

        #[test]
        fn what_all_cycles_pass(n in 2u32..9, edges in prop::collection::vec((0u32..9, 0u32..9), 2..18)) {
            let mut builder = GraphBuilder::new();
            for unit in 0..n {
                builder.unit(unit);
            }
            for (from, to) in edges {
                builder.explicit(NodeId(from % n), NodeId(to % n), 0);
            }
            let graph = builder.build();
            let components = graph.components();
            let mut feedback = Feedback::new(&graph);
            for cycle in graph.cycles_of_several(&components, u64::MAX, |_| true) {
                if cycle.path.is_empty() {
                    continue;
                }
                let members = components.members(cycle.component);
                let inside = |node| components.of(node) == Some(cycle.component);
                let found = feedback.of_cycle(&graph, members, inside, cycle.path.edges());
                if components.cyclic().iter().filter(|c| components.members(**c).len() > 1).count() > 1 {
                    continue;
                }
                let nodes: Vec<NodeId> =
                    cycle.path.nodes().iter().skip(1).copied().filter(|n| !cyclic(&graph, Some(*n), None)).collect();
                let edges: Vec<EdgeId> =
                    cycle.path.edges().iter().copied().filter(|e| !cyclic(&graph, None, Some(*e))).collect();
                let mut found_nodes = found.nodes.clone();
                let mut nodes = nodes;
                found_nodes.sort();
                nodes.sort();
                prop_assert_eq!(found_nodes, nodes);
                prop_assert_eq!(&found.edges, &edges);
                if let Some(node) = found.elsewhere {
                    prop_assert!(!cycle.path.nodes().contains(&node));
                }
            }
        }
    }
}
