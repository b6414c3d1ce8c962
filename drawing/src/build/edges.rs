//! The lines of a picture, and the nodes that represent many-to-many relations.

use applyorder_analysis::graph::{Direction, EdgeId, EdgeKind, NodeId, NodeKind as GraphNode};

use super::{Builder, NOWHERE, empty_edge, empty_node};
use crate::model::{Edge, Node, NodeKind};

impl Builder<'_> {
    /// A many-to-many relation becomes one node; a relation with few pairs becomes plain edges.
    pub(super) fn add_joins(&mut self) {
        for node in self.graph.nodes() {
            if !self.is_passed(node) {
                continue;
            }
            let ends = |direction| {
                let links = self.graph.distinct(node, direction);
                let named = links.filter(|l| self.at(l.node).is_some() || self.is_passed(l.node));
                named.map(|l| l.node).collect::<Vec<NodeId>>()
            };
            let (waiting, awaited) = (ends(Direction::Dependents), ends(Direction::Dependencies));
            let pairs = waiting.len().saturating_mul(awaited.len());
            let passes_on = waiting.iter().chain(&awaited).any(|n| self.is_passed(*n));
            let few = waiting.len() + awaited.len() + 1;
            if pairs <= few && !(passes_on && pairs > 1) {
                continue;
            }
            let columns = waiting
                .iter()
                .filter_map(|n| Some(self.nodes.get(self.at(*n)?)?.column));
            let column = columns.min().unwrap_or(self.columns.len().saturating_sub(1));
            if let Some(drawn) = self.drawn.get_mut(node.index()) {
                *drawn = self.nodes.len();
            }
            self.nodes.push(Node {
                kind: NodeKind::Join {
                    waiting: waiting.len(),
                    awaited: awaited.len(),
                },
                name: format!("{} × {}", waiting.len(), awaited.len()),
                column,
                cycle: self.components.on_cycle(self.graph, node),
                ..empty_node()
            });
        }
    }

    pub(super) fn at(&self, node: NodeId) -> Option<usize> {
        self.drawn.get(node.index()).copied().filter(|at| *at != NOWHERE)
    }

    fn is_passed(&self, node: NodeId) -> bool {
        self.graph.kind(node).is_some_and(GraphNode::is_passed)
    }

    pub(super) fn add_edges(&mut self) {
        let mut seen: Vec<u32> = vec![u32::MAX; self.graph.node_count()];
        let mut open: Vec<(NodeId, EdgeId)> = Vec::new();
        for from in self.graph.nodes() {
            let Some(after) = self.at(from) else { continue };
            for link in self.graph.links(from, Direction::Dependencies) {
                self.meet(after, link.node, &[link.edge], &mut open);
            }
            while let Some((join, near)) = open.pop() {
                match seen.get_mut(join.index()) {
                    Some(seen) if *seen != from.0 => *seen = from.0,
                    _ => continue,
                }
                for link in self.graph.distinct(join, Direction::Dependencies) {
                    self.meet(after, link.node, &[near, link.edge], &mut open);
                }
            }
        }
        for (written, name) in self.dangling() {
            let Some(after) = self.at(NodeId(written.unit.0)) else {
                continue;
            };
            let Some(before) = self.unknown.get(&name).copied() else {
                continue;
            };
            let spot = Some((self.source.spot)(written.place));
            self.add(Edge {
                explicit: true,
                reason: Some(written.attribute.to_owned()),
                spot,
                ..empty_edge(before, after)
            });
        }
    }

    fn meet(&mut self, after: usize, to: NodeId, edges: &[EdgeId], open: &mut Vec<(NodeId, EdgeId)>) {
        match self.at(to) {
            Some(before) => {
                let edge = self.edge(before, after, edges);
                self.add(edge);
            }
            None if self.is_passed(to) => open.extend(edges.first().map(|near| (to, *near))),
            None => {}
        }
    }

    /// Adds an edge unless one with the same ends exists; an explicit edge takes precedence.
    pub(super) fn add(&mut self, edge: Edge) -> usize {
        let ends = (edge.before, edge.after);
        if let Some(at) = self.between.get(&ends).copied() {
            if let Some(there) = self.edges.get_mut(at)
                && edge.explicit
                && !there.explicit
            {
                *there = edge;
            }
            return at;
        }
        self.between.insert(ends, self.edges.len());
        self.edges.push(edge);
        self.edges.len() - 1
    }

    pub(super) fn edge(&self, before: usize, after: usize, edges: &[EdgeId]) -> Edge {
        let mut out = empty_edge(before, after);
        let Some(edge) = self.graph.main_edge(edges) else {
            return out;
        };
        let variant = self.source.variant;
        match edge.kind {
            EdgeKind::Explicit { dependency } => {
                out.explicit = true;
                if let Some(written) = variant.dependencies.get(dependency as usize) {
                    out.reason = Some(written.attribute.to_owned());
                    out.spot = Some((self.source.spot)(written.place));
                }
            }
            EdgeKind::Implicit { reason } => {
                let reason = variant.reasons.get(reason as usize);
                out.reason = reason.map(|r| (self.source.visible)(r));
            }
        }
        let condition = edge.condition.and_then(|c| variant.conditions.get(c as usize));
        out.condition = condition.map(|c| (self.source.visible)(c));
        let column = |at: usize| self.nodes.get(at).map_or(0, |n| n.column);
        out.dropped = !edge.required && column(before) >= column(after) && !self.is_cyclic(before, after);
        out.cycle = self.is_cyclic(before, after);
        out
    }

    fn is_cyclic(&self, before: usize, after: usize) -> bool {
        let on = |at: usize| self.nodes.get(at).is_some_and(|n| n.cycle);
        on(before) && on(after)
    }
}
