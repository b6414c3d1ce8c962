//! The part of a graph that is on cycles, with its own numbering: results for it remain valid while the rest of
//! the graph changes.

use super::{Components, Cut, Cycle, Direction, EdgeId, NodeId, OrderGraph, Path};
use crate::memo::{Fingerprint, Mix};
use rustc_hash::FxHashMap;

/// The number of nodes outside the part.
const OUTSIDE: u32 = u32::MAX;

/// The components of a graph that contain a cycle, one after another.
pub struct CyclicPart<'a> {
    graph: &'a OrderGraph,
    components: &'a Components,
    nodes: Vec<NodeId>,
    /// Ascending.
    edges: Vec<EdgeId>,
    /// By node, its number in `nodes`.
    numbers: Vec<u32>,
}

/// Cycles by the numbers of their [`CyclicPart`].
pub struct KeptCycles(Vec<KeptCycle>);

struct KeptCycle {
    start: Option<u32>,
    edges: Box<[u32]>,
    shortest: bool,
    /// The edge, and the rest of [`Cut`].
    cut: Option<(u32, u32, bool)>,
}

impl<'a> CyclicPart<'a> {
    /// The part of a graph with these components.
    #[must_use]
    pub fn new(graph: &'a OrderGraph, components: &'a Components) -> Self {
        let cyclic = components.cyclic().iter();
        let nodes: Vec<NodeId> = cyclic
            .flat_map(|component| components.members(*component))
            .copied()
            .collect();
        let mut numbers = vec![OUTSIDE; graph.node_count()];
        for (number, node) in (0u32..).zip(&nodes) {
            numbers[node.index()] = number;
        }
        let inner = |node: &NodeId| {
            let own = components.of(*node);
            let links = graph.links(*node, Direction::Dependencies);
            links.filter(move |link| components.of(link.node) == own)
        };
        let mut edges: Vec<EdgeId> = nodes.iter().flat_map(inner).map(|link| link.edge).collect();
        edges.sort_unstable();
        Self {
            graph,
            components,
            nodes,
            edges,
            numbers,
        }
    }

    /// Covers everything that a search for cycles looks at, if it may cut every explicit edge.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let mut mix = Mix::default();
        for component in self.components.cyclic() {
            mix.add(&self.components.members(*component).len());
        }
        for node in &self.nodes {
            mix.add(&self.graph.is_passed(*node));
            let links = self.graph.links(*node, Direction::Dependencies);
            mix.add(&links.len());
            for link in links {
                mix.add(&self.numbers.get(link.node.index()));
            }
        }
        let mut dependencies: FxHashMap<u32, usize> = FxHashMap::default();
        for id in &self.edges {
            let Some(edge) = self.graph.edge(*id) else {
                continue;
            };
            let next = dependencies.len();
            let dependency = edge.kind.dependency();
            let dependency = dependency.map(|d| *dependencies.entry(d).or_insert(next));
            let from = self.numbers.get(edge.from.index());
            mix.add(&(from, dependency));
        }
        mix.finish()
    }

    /// Keeps cycles that were found in this part.
    #[must_use]
    pub fn keep(&self, cycles: &[Cycle]) -> KeptCycles {
        let edge = |id: &EdgeId| {
            let at = self.edges.binary_search(id);
            at.map_or(OUTSIDE, |at| u32::try_from(at).unwrap_or(OUTSIDE))
        };
        let kept = cycles.iter().map(|cycle| KeptCycle {
            start: cycle
                .path
                .nodes()
                .first()
                .and_then(|node| self.numbers.get(node.index()).copied()),
            edges: cycle.path.edges().iter().map(edge).collect(),
            shortest: cycle.shortest,
            cut: cycle.cut.map(|cut| (edge(&cut.edge), cut.left, cut.compared_all)),
        });
        KeptCycles(kept.collect())
    }

    /// Restores cycles that were found in a part with the same fingerprint.
    #[must_use]
    pub fn cycles(&self, kept: &KeptCycles) -> Vec<Cycle> {
        let edge = |number: &u32| self.edges.get(*number as usize).copied();
        let cycles = kept.0.iter().zip(self.components.cyclic());
        let cycles = cycles.map(|(kept, component)| {
            let start = kept.start.and_then(|n| self.nodes.get(n as usize));
            let edges: Vec<EdgeId> = kept.edges.iter().filter_map(edge).collect();
            Cycle {
                component: *component,
                path: start.map_or_else(Path::default, |start| Path::new(self.graph, *start, &edges)),
                shortest: kept.shortest,
                cut: kept.cut.and_then(|(number, left, compared_all)| {
                    Some(Cut {
                        edge: edge(&number)?,
                        left,
                        compared_all,
                    })
                }),
            }
        });
        cycles.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GraphBuilder, OrderGraph};
    use super::*;

    const PLENTY: u64 = 1 << 40;

    /// Two cycles after `before` units that are on none.
    fn graph(before: u32, second: bool) -> OrderGraph {
        let mut b = GraphBuilder::new();
        let first: Vec<NodeId> = (0..before).map(|unit| b.unit(unit)).collect();
        let [x, y, z, own] = std::array::from_fn(|i| b.unit(before + i as u32));
        let mut dependency = 0;
        let mut edge = |from, to| {
            b.explicit(from, to, dependency);
            dependency += 1;
        };
        first.windows(2).for_each(|pair| edge(pair[0], pair[1]));
        for (from, to) in [(x, y), (y, z), (z, x), (z, y), (own, own)] {
            edge(from, to);
        }
        if second {
            edge(y, x);
        }
        b.build()
    }

    fn look(graph: &OrderGraph, of: impl Fn(&CyclicPart<'_>, Vec<Cycle>)) {
        let components = graph.components();
        let found = graph.cycles(&components, PLENTY, |_| true);
        of(&CyclicPart::new(graph, &components), found);
    }

    #[test]
    fn what_was_found_is_true_of_the_same_part_in_another_graph() {
        look(&graph(0, false), |small, found| {
            let kept = small.keep(&found);
            assert_eq!(small.cycles(&kept), found);
            look(&graph(5, false), |large, found| {
                assert_eq!(large.fingerprint(), small.fingerprint());
                assert_eq!(large.cycles(&kept), found);
            });
        });
    }

    #[test]
    fn another_edge_makes_another_part() {
        look(&graph(0, false), |part, _| {
            let own = part.fingerprint();
            look(&graph(0, true), |other, _| {
                assert_ne!(other.fingerprint(), own);
            });
        });
    }
}
