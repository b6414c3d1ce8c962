//! Written edges that other edges already imply.

use super::order_graph::count;
use super::paths::Walk;
use super::{Components, Direction, Edge, EdgeId, NodeId, NodeKind, OrderGraph, Path};

/// A written edge without which its two ends are ordered all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redundant {
    /// The edge.
    pub edge: EdgeId,
    /// A shortest path of other edges between its ends.
    pub path: Path,
}

/// What [`OrderGraph::redundant`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redundancy {
    /// The redundant edges in edge order. All of them can go at once.
    pub edges: Vec<Redundant>,
    /// Whether the search came to its end within the budget; else there may be more.
    pub searched: bool,
}

/// How many targets are searched at once, as bits.
type Mask = [u64; 4];
const MASK_BITS: usize = 256;

impl OrderGraph {
    /// The explicit edges that other edges imply, within `budget` steps.
    ///
    /// `judged` says which explicit edges are asked about, `implies` which edges of any kind can
    /// make another superfluous (an edge with a condition may not). An edge at a unit on a cycle is
    /// never redundant, nor one at a join. Of parallel edges the first written one stays, or an
    /// implicit one.
    #[must_use]
    pub fn redundant(
        &self,
        components: &Components,
        budget: u64,
        judged: impl Fn(EdgeId) -> bool,
        implies: impl Fn(EdgeId) -> bool,
    ) -> Redundancy {
        let mut edges: Vec<Redundant> = Vec::new();
        let candidates = self.candidates(components, &judged, &implies, &mut edges);
        let condensed = Condensed::new(self, components, &implies);
        let mut tables = Tables::new(components.len());
        let mut walk = Walk::new(self);
        let mut searched = true;
        let mut cost = 0;
        for chunk in chunks(&candidates) {
            if cost + walk.cost > budget {
                searched = false;
                break;
            }
            cost += tables.fill(&condensed, chunk);
            for candidate in chunk.iter().filter(|c| tables.is_behind(c)) {
                if cost + walk.cost > budget {
                    searched = false;
                    break;
                }
                let bit = tables.bit[candidate.target as usize];
                let leads = |component: u32| {
                    component == candidate.target
                        || component > candidate.target && has(&tables.reached[component as usize], bit)
                };
                let path = self.path_beside(&mut walk, candidate.edge, |edge, node| {
                    implies(edge) && components.of(node).is_some_and(leads)
                });
                edges.extend(path.map(|path| Redundant {
                    edge: candidate.edge,
                    path,
                }));
            }
        }
        edges.sort_unstable_by_key(|redundant| redundant.edge);
        Redundancy { edges, searched }
    }

    /// The edges worth a search, sorted by target; what a parallel edge implies goes to `found`.
    fn candidates(
        &self,
        components: &Components,
        judged: &impl Fn(EdgeId) -> bool,
        implies: &impl Fn(EdgeId) -> bool,
        found: &mut Vec<Redundant>,
    ) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let mut stays: Vec<Option<EdgeId>> = vec![None; self.node_count()];
        for from in self
            .nodes()
            .filter(|node| self.is_shown_off_cycle(components, *node))
        {
            let links = self.links(from, Direction::Dependencies);
            let is_explicit = |edge: EdgeId| self.edge(edge).is_some_and(|e| e.kind.is_explicit());
            for link in links.clone().filter(|link| implies(link.edge)) {
                let kept = &mut stays[link.node.index()];
                if kept.is_none_or(|kept| is_explicit(kept) && !is_explicit(link.edge)) {
                    *kept = Some(link.edge);
                }
            }
            let alone = self.distinct(from, Direction::Dependencies).nth(1).is_none();
            for link in links
                .clone()
                .filter(|link| is_explicit(link.edge) && judged(link.edge))
            {
                let kept = stays[link.node.index()];
                if !self.is_shown_off_cycle(components, link.node) {
                    continue;
                }
                if let Some(kept) = kept.filter(|k| *k < link.edge || !is_explicit(*k)) {
                    found.push(Redundant {
                        edge: link.edge,
                        path: Path::new(self, from, &[kept]),
                    });
                } else if !alone
                    && self.distinct(link.node, Direction::Dependents).nth(1).is_some()
                    && let (Some(waiter), Some(target)) = (components.of(from), components.of(link.node))
                {
                    candidates.push(Candidate {
                        target,
                        waiter,
                        edge: link.edge,
                    });
                }
            }
            for link in links {
                stays[link.node.index()] = None;
            }
        }
        candidates.sort_unstable();
        candidates
    }

    fn is_shown_off_cycle(&self, components: &Components, node: NodeId) -> bool {
        !self.kind(node).is_some_and(NodeKind::is_passed) && !components.on_cycle(self, node)
    }

    /// A shortest path between the ends of an edge that takes another way.
    fn path_beside(
        &self,
        walk: &mut Walk,
        edge: EdgeId,
        allowed: impl Fn(EdgeId, NodeId) -> bool,
    ) -> Option<Path> {
        let Edge { from, to, .. } = *self.edge(edge)?;
        let last = walk.run(
            self,
            from,
            Some(to),
            Direction::Dependencies,
            u32::MAX,
            |id, node| allowed(id, node) && !(node == to && self.edge(id).is_some_and(|e| e.from == from)),
        )?;
        Some(Path::new(self, from, &walk.edges_to(self, last)))
    }
}

/// An edge between two components of one node each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    target: u32,
    waiter: u32,
    edge: EdgeId,
}

/// Splits candidates, sorted by target, where another set of [`MASK_BITS`] targets begins.
fn chunks(candidates: &[Candidate]) -> impl Iterator<Item = &[Candidate]> {
    let mut rest = candidates;
    std::iter::from_fn(move || {
        let mut last = rest.first()?.target;
        let mut targets = 1;
        let end = rest.iter().position(|c| {
            if c.target != last {
                last = c.target;
                targets += 1;
            }
            targets > MASK_BITS
        });
        let (chunk, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(chunk)
    })
}

/// The edges that can imply others, between components; parallels and inner edges left out.
struct Condensed {
    starts: Vec<u32>,
    to: Vec<u32>,
}

impl Condensed {
    fn new(graph: &OrderGraph, components: &Components, implies: &impl Fn(EdgeId) -> bool) -> Self {
        let mut starts = Vec::with_capacity(components.len() + 1);
        let mut to = Vec::new();
        let mut seen = vec![u32::MAX; components.len()];
        for component in 0..count(components.len()) {
            starts.push(count(to.len()));
            for link in components
                .members(component)
                .iter()
                .flat_map(|n| graph.links(*n, Direction::Dependencies))
            {
                let Some(target) = components.of(link.node) else {
                    continue;
                };
                if target != component && implies(link.edge) && seen[target as usize] != component {
                    seen[target as usize] = component;
                    to.push(target);
                }
            }
        }
        starts.push(count(to.len()));
        Self { starts, to }
    }
}

/// Which targets of a chunk each component reaches: over at least one edge, over at least two.
struct Tables {
    bit: Vec<u16>,
    reached: Vec<Mask>,
    behind: Vec<Mask>,
}

const NO_BIT: u16 = u16::MAX;

impl Tables {
    fn new(len: usize) -> Self {
        Self {
            bit: vec![NO_BIT; len],
            reached: vec![[0; 4]; len],
            behind: vec![[0; 4]; len],
        }
    }

    /// Fills the tables for a chunk; returns how many edges were looked at.
    fn fill(&mut self, condensed: &Condensed, chunk: &[Candidate]) -> u64 {
        let (Some(first), Some(last)) = (chunk.first(), chunk.last()) else {
            return 0;
        };
        let highest = chunk.iter().map(|c| c.waiter).max().unwrap_or(0) as usize;
        let lowest = first.target as usize;
        self.bit[lowest..=last.target as usize].fill(NO_BIT);
        let mut bits = 0;
        for c in chunk {
            let bit = &mut self.bit[c.target as usize];
            if *bit == NO_BIT {
                *bit = bits;
                bits += 1;
            }
        }
        let mut cost = 0;
        for component in lowest..=highest {
            let mut reached = [0; 4];
            let mut behind = [0; 4];
            let targets =
                &condensed.to[condensed.starts[component] as usize..condensed.starts[component + 1] as usize];
            for target in targets.iter().map(|t| *t as usize).filter(|t| *t >= lowest) {
                for (word, more) in behind.iter_mut().zip(self.reached[target]) {
                    *word |= more;
                }
                let bit = if target <= last.target as usize {
                    self.bit[target]
                } else {
                    NO_BIT
                };
                if let Some(word) = reached.get_mut(usize::from(bit / 64)) {
                    *word |= 1u64 << (bit % 64);
                }
            }
            for (word, more) in reached.iter_mut().zip(behind) {
                *word |= more;
            }
            cost += targets.len() as u64 + 1;
            self.reached[component] = reached;
            self.behind[component] = behind;
        }
        cost
    }

    /// Whether the waiting end reaches the target over other edges than its own.
    fn is_behind(&self, candidate: &Candidate) -> bool {
        has(
            &self.behind[candidate.waiter as usize],
            self.bit[candidate.target as usize],
        )
    }
}

fn has(mask: &Mask, bit: u16) -> bool {
    mask.get(usize::from(bit / 64))
        .is_some_and(|word| word >> (bit % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::super::{BUDGET, GraphBuilder};
    use super::*;

    fn redundant(graph: &OrderGraph) -> Vec<(u32, Vec<NodeId>)> {
        let found = graph.redundant(&graph.components(), BUDGET, |_| true, |_| true);
        assert!(found.searched);
        found
            .edges
            .iter()
            .map(|r| (r.edge.0, r.path.nodes().to_vec()))
            .collect()
    }

    #[test]
    fn an_edge_that_a_chain_implies_is_redundant_and_the_chain_is_named() {
        let mut b = GraphBuilder::new();
        let [a, c, d] = std::array::from_fn(|i| b.unit(i as u32));
        let short = b.explicit(a, d, 0);
        let first = b.explicit(a, c, 1);
        b.implicit(c, d, 0);
        let g = b.build();
        assert_eq!(redundant(&g), [(short.0, vec![a, c, d])]);
        let kept = g.redundant(&g.components(), BUDGET, |_| true, |edge| edge != first);
        assert_eq!(kept.edges, []);
        let unasked = g.redundant(&g.components(), BUDGET, |edge| edge != short, |_| true);
        assert_eq!(unasked.edges, []);
    }

    #[test]
    fn of_parallel_edges_the_first_written_or_the_implicit_one_stays() {
        let mut b = GraphBuilder::new();
        let [a, c, d] = std::array::from_fn(|i| b.unit(i as u32));
        b.explicit(a, c, 0);
        let twice = b.explicit(a, c, 1);
        let written = b.explicit(c, d, 2);
        b.implicit(c, d, 0);
        assert_eq!(
            redundant(&b.build()),
            [(twice.0, vec![a, c]), (written.0, vec![c, d])]
        );
    }

    #[test]
    fn edges_at_a_cycle_imply_each_other_and_none_is_called_redundant() {
        let mut b = GraphBuilder::new();
        let [x, y, z, w] = std::array::from_fn(|i| b.unit(i as u32));
        b.explicit(x, y, 0);
        b.explicit(y, x, 1);
        b.explicit(x, z, 2);
        b.explicit(y, z, 3);
        b.explicit(w, x, 4);
        let over = b.explicit(w, z, 5);
        assert_eq!(redundant(&b.build()), [(over.0, vec![w, x, z])]);
    }

    #[test]
    fn a_path_through_a_group_implies_too() {
        let mut b = GraphBuilder::new();
        let [a, c] = std::array::from_fn(|i| b.unit(i as u32));
        let join = b.join(0);
        let written = b.explicit(a, c, 0);
        b.implicit(a, join, 0);
        b.implicit(join, c, 0);
        assert_eq!(redundant(&b.build()), [(written.0, vec![a, c])]);
    }

    #[test]
    fn past_the_budget_the_answer_says_that_it_was_not_searched() {
        let mut b = GraphBuilder::new();
        let nodes: Vec<NodeId> = (0..300).map(|i| b.unit(i)).collect();
        for (i, from) in nodes.iter().enumerate() {
            for to in nodes.iter().take(i) {
                b.explicit(*from, *to, 0);
            }
        }
        let g = b.build();
        let all = g.redundant(&g.components(), 1 << 40, |_| true, |_| true);
        assert_eq!((all.edges.len(), all.searched), (300 * 299 / 2 - 299, true));
        assert!(!g.redundant(&g.components(), 1000, |_| true, |_| true).searched);
    }
}
