//! Edges on demand: which unit waits for which, with the joins between them dissolved.

use super::{Direction, Edge, EdgeId, NodeId, OrderGraph};

/// One node waits for another, directly or through joins only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The node at the other end.
    pub node: NodeId,
    /// The edge at the node asked about.
    pub near: EdgeId,
    /// The edge at the other node; the same as `near` if no join is in between.
    pub far: EdgeId,
}

/// Dissolves joins node by node, in memory proportional to the nodes however many pairs there are.
#[derive(Debug)]
pub struct Expand<'a> {
    graph: &'a OrderGraph,
    direction: Direction,
    seen: Vec<u32>,
    round: u32,
    open: Vec<(u32, EdgeId)>,
    pairs: Vec<Pair>,
}

impl<'a> Expand<'a> {
    /// Prepares queries about the nodes of a graph, one after another, in one direction.
    #[must_use]
    pub fn new(graph: &'a OrderGraph, direction: Direction) -> Self {
        let seen = vec![0; graph.node_count()];
        Self {
            graph,
            direction,
            seen,
            round: 0,
            open: Vec::new(),
            pairs: Vec::new(),
        }
    }

    /// The nodes that `node` waits for (or that wait for it), each once with the first edges that
    /// lead there: direct ones in edge order, then those through joins.
    pub fn of(&mut self, node: NodeId) -> &[Pair] {
        self.pairs.clear();
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.seen.fill(0);
            self.round = 1;
        }
        let graph = self.graph;
        for link in graph.distinct(node, self.direction) {
            self.meet(link.node, link.edge, link.edge);
        }
        let mut at = 0;
        while let Some((join, near)) = self.open.get(at).copied() {
            at += 1;
            for link in graph.distinct(NodeId(join), self.direction) {
                self.meet(link.node, near, link.edge);
            }
        }
        self.open.clear();
        &self.pairs
    }

    fn meet(&mut self, node: NodeId, near: EdgeId, far: EdgeId) {
        let seen = &mut self.seen[node.index()];
        if std::mem::replace(seen, self.round) == self.round {
            return;
        }
        if self.graph.is_passed(node) {
            self.open.push((node.0, near));
        } else {
            self.pairs.push(Pair { node, near, far });
        }
    }
}

impl OrderGraph {
    /// How many different pairs of nodes [`Expand`] yields for all nodes that are not joins.
    /// Takes as many steps as there are pairs.
    #[must_use]
    pub fn pair_count(&self) -> u64 {
        let mut expand = Expand::new(self, Direction::Dependencies);
        self.nodes()
            .zip(self.kinds())
            .filter(|(_, kind)| !kind.is_passed())
            .map(|(node, _)| expand.of(node).len() as u64)
            .sum()
    }
}

impl OrderGraph {
    /// Every edge between named nodes, node by node, with group relations expanded: in memory proportional to
    /// the nodes, however many edges there are.
    pub fn named_edges(&self) -> impl Iterator<Item = Edge> + '_ {
        let mut expand = Expand::new(self, Direction::Dependencies);
        let named = self.nodes().filter(|n| !self.is_passed(*n));
        named.flat_map(move |node| {
            let mut out: Vec<Edge> = self
                .links(node, Direction::Dependencies)
                .filter_map(|link| self.edge(link.edge))
                .filter(|edge| !self.is_passed(edge.from) && !self.is_passed(edge.to))
                .copied()
                .collect();
            for pair in expand.of(node) {
                let direct = self.edge(pair.near).is_some_and(|e| e.to == pair.node);
                if let Some(main_edge) = self.main_edge(&[pair.near, pair.far]).filter(|_| !direct) {
                    out.push(Edge {
                        from: node,
                        to: pair.node,
                        ..*main_edge
                    });
                }
            }
            out
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::GraphBuilder;
    use super::*;

    #[test]
    fn a_pair_is_given_once_however_many_ways_lead_there() {
        let mut b = GraphBuilder::new();
        let [a, c, d] = std::array::from_fn(|i| b.unit(i as u32));
        let (one, two) = (b.join(0), b.join(1));
        let rule = b.explicit(a, one, 0);
        b.explicit(a, two, 1);
        let direct = b.explicit(a, c, 2);
        b.explicit(one, c, 3);
        let member = b.explicit(one, d, 4);
        b.explicit(two, d, 5);
        let g = b.build();
        let pairs = [
            Pair {
                node: c,
                near: direct,
                far: direct,
            },
            Pair {
                node: d,
                near: rule,
                far: member,
            },
        ];
        let mut dependencies = Expand::new(&g, Direction::Dependencies);
        assert_eq!(dependencies.of(a), pairs);
        assert_eq!(dependencies.of(c), []);
        assert_eq!(Expand::new(&g, Direction::Dependents).of(d)[0].node, a);
        assert_eq!(g.pair_count(), 2);
    }
}
