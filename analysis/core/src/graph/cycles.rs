//! What to show of a cycle: one short one per component, and the cheapest edge to cut.

use super::girth::Girth;
use super::{Components, Direction, EdgeId, NodeId, OrderGraph, Path};

/// The finding about one cyclic component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The component's number in the [`Components`] that were asked about.
    pub component: u32,
    /// A cycle through the component; its first node, the smallest, is repeated at the end.
    pub path: Path,
    /// Whether no cycle in the component is known to be shorter. False if the budget was exhausted first.
    pub shortest: bool,
    /// The written edge to cut, where the cycle has one.
    pub cut: Option<Cut>,
}

/// A written edge of a shown cycle whose removal leaves the fewest units in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The edge. All edges of its written dependency go with it.
    pub edge: EdgeId,
    /// Units of the component that are still on cycles without it.
    pub left: u32,
    /// Whether every written edge of the cycle was compared. False if the budget was exhausted first.
    pub compared_all: bool,
}

impl OrderGraph {
    /// One finding per cyclic component, in the order of [`Components::cyclic`].
    ///
    /// A shortest cycle is searched from each unit of the component within `budget` steps (edges
    /// looked at, for all components together); past it the shortest one found so far is shown,
    /// which the first search from the smallest unit always gives. `may_cut` can keep explicit
    /// edges from being proposed as cut; implicit ones never are.
    #[must_use]
    pub fn cycles(
        &self,
        components: &Components,
        budget: u64,
        may_cut: impl Fn(EdgeId) -> bool,
    ) -> Vec<Cycle> {
        self.cycles_with(components, budget, may_cut, true)
    }

    /// The same, but ignores edges from a unit to itself: cycles of several units each. For a component of one
    /// unit the path is empty.
    #[must_use]
    pub fn cycles_of_several(
        &self,
        components: &Components,
        budget: u64,
        may_cut: impl Fn(EdgeId) -> bool,
    ) -> Vec<Cycle> {
        self.cycles_with(components, budget, may_cut, false)
    }

    /// Every cycle to show: for each component one of several units, if it has one, then one for each of its
    /// units that waits for itself. If the budget is exhausted first, the cut of such a unit is not evaluated.
    #[must_use]
    pub fn rings(
        &self,
        components: &Components,
        budget: u64,
        may_cut: impl Fn(EdgeId) -> bool,
    ) -> Vec<Cycle> {
        let mut search = Search::new(self, budget, true);
        let mut rings = Vec::new();
        for cycle in self.cycles_of_several(components, budget, &may_cut) {
            let component = cycle.component;
            if !cycle.path.is_empty() {
                rings.push(cycle);
            }
            let members = components.members(component);
            for path in members.iter().filter_map(|node| self.own_edge(*node)) {
                let cut = if search.spent() {
                    let edge = path.edges().first().copied();
                    let edge = edge.filter(|e| search.dependency(*e).is_some() && may_cut(*e));
                    edge.map(|edge| Cut {
                        edge,
                        left: super::order_graph::count(members.len()),
                        compared_all: false,
                    })
                } else {
                    search.cut(components, component, members, &path, &may_cut)
                };
                rings.push(Cycle {
                    component,
                    path,
                    shortest: true,
                    cut,
                });
            }
        }
        rings
    }

    fn cycles_with(
        &self,
        components: &Components,
        budget: u64,
        may_cut: impl Fn(EdgeId) -> bool,
        own_count: bool,
    ) -> Vec<Cycle> {
        if components.cyclic().is_empty() {
            return Vec::new();
        }
        let mut search = Search::new(self, budget, own_count);
        components
            .cyclic()
            .iter()
            .map(|component| {
                let members = components.members(*component);
                let (path, shortest) = search.shortest(components, *component);
                let cut = search.cut(components, *component, members, &path, &may_cut);
                Cycle {
                    component: *component,
                    path,
                    shortest,
                    cut,
                }
            })
            .collect()
    }

    /// The path from a node to itself over one edge.
    pub(super) fn own_edge(&self, node: NodeId) -> Option<Path> {
        let mut links = self.distinct(node, Direction::Dependencies);
        let own = links.find(|link| link.node == node)?;
        Some(Path::new(self, node, &[own.edge]))
    }
}

struct Search<'a> {
    graph: &'a OrderGraph,
    girth: Girth<'a>,
    budget: u64,
}

impl<'a> Search<'a> {
    fn new(graph: &'a OrderGraph, budget: u64, own_count: bool) -> Self {
        Self {
            graph,
            girth: Girth::new(graph, own_count),
            budget,
        }
    }

    fn spent(&self) -> bool {
        self.girth.cost() > self.budget
    }

    fn shortest(&mut self, components: &Components, component: u32) -> (Path, bool) {
        self.girth.shortest(components, component, self.budget)
    }

    fn cut(
        &mut self,
        components: &Components,
        component: u32,
        members: &[NodeId],
        path: &Path,
        may_cut: &impl Fn(EdgeId) -> bool,
    ) -> Option<Cut> {
        let mut candidates: Vec<EdgeId> = path
            .edges()
            .iter()
            .copied()
            .filter(|edge| self.dependency(*edge).is_some() && may_cut(*edge))
            .collect();
        if candidates.is_empty() {
            return None;
        }
        candidates.sort_unstable();
        let on_all = self.on_every_cycle(components, component, members, path);
        if let Some(first) = candidates.iter().position(|e| on_all.binary_search(e).is_ok()) {
            // If one before it is the only edge of its dependency, some cycle is left without that dependency.
            let whole = self.whole_dependencies(components, component, members, &candidates[..first]);
            candidates.truncate(first + 1);
            candidates.retain(|edge| whole.binary_search(edge).is_err());
        }
        let mut best: Option<Cut> = None;
        for edge in candidates {
            if let Some(best) = &mut best
                && self.spent()
            {
                best.compared_all = false;
                break;
            }
            let left = match on_all.binary_search(&edge) {
                Ok(_) => 0,
                Err(_) => self.left_on_cycles(components, component, members, self.dependency(edge)),
            };
            if best.is_none_or(|best| left < best.left) {
                best = Some(Cut {
                    edge,
                    left,
                    compared_all: true,
                });
            }
            if left == 0 {
                break;
            }
        }
        best
    }

    /// The edges of a cycle, ascending, without any one of which no unit of the component is on a cycle. None if the
    /// budget is exhausted.
    fn on_every_cycle(
        &mut self,
        components: &Components,
        component: u32,
        members: &[NodeId],
        path: &Path,
    ) -> Vec<EdgeId> {
        let inside = |node: NodeId| components.of(node) == Some(component);
        // A node's edge to itself is not compared, and a cycle of joins only has no unit.
        let apart = |node: &NodeId| {
            let graph = self.graph;
            let mut links = graph.links(*node, Direction::Dependencies);
            links.any(|link| {
                link.node == *node
                    || inside(link.node) && graph.is_passed(*node) && graph.is_passed(link.node)
            })
        };
        if self.spent() || members.iter().any(apart) {
            return Vec::new();
        }
        let mut edges = self.girth.in_common(members, inside, path.edges()).edges;
        edges.sort_unstable();
        edges
    }

    /// Those of `edges`, ascending, whose written dependency has no other edge in the component.
    fn whole_dependencies(
        &self,
        components: &Components,
        component: u32,
        members: &[NodeId],
        edges: &[EdgeId],
    ) -> Vec<EdgeId> {
        let numbers = edges
            .iter()
            .filter_map(|edge| Some((self.dependency(*edge)?, *edge)));
        let mut numbers: Vec<(u32, EdgeId)> = numbers.collect();
        numbers.sort_unstable();
        let one = numbers
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|chunk| chunk.len() == 1);
        let numbers: Vec<(u32, EdgeId)> = one.flatten().copied().collect();
        if numbers.is_empty() {
            return Vec::new();
        }
        let mut whole = vec![true; numbers.len()];
        let links = members
            .iter()
            .flat_map(|n| self.graph.links(*n, Direction::Dependencies));
        for link in links.filter(|link| components.of(link.node) == Some(component)) {
            if let Some(dependency) = self.dependency(link.edge)
                && let Ok(at) = numbers.binary_search_by_key(&dependency, |(number, _)| *number)
            {
                whole[at] &= numbers[at].1 == link.edge;
            }
        }
        let whole = numbers.iter().zip(whole).filter(|(_, whole)| *whole);
        let mut whole: Vec<EdgeId> = whole.map(|((_, edge), _)| *edge).collect();
        whole.sort_unstable();
        whole
    }

    fn dependency(&self, edge: EdgeId) -> Option<u32> {
        self.graph.edge(edge)?.kind.dependency()
    }

    /// How many units of the component remain on cycles without the edges of a written dependency.
    fn left_on_cycles(
        &mut self,
        components: &Components,
        component: u32,
        members: &[NodeId],
        dependency: Option<u32>,
    ) -> u32 {
        let graph = self.graph;
        let is_cut = |edge: EdgeId| graph.edge(edge).and_then(|e| e.kind.dependency()) == dependency;
        let inside = |node: NodeId| components.of(node) == Some(component);
        let tarjan = &mut self.girth.tarjan;
        tarjan.run(graph, members.iter().copied(), inside, is_cut);
        let sizes = tarjan.sizes(members.iter().copied());
        let stays = |node: NodeId| {
            sizes[tarjan.of[node.index()] as usize] > 1
                || graph
                    .links(node, Direction::Dependencies)
                    .any(|l| l.node == node && !is_cut(l.edge))
        };
        let units = members
            .iter()
            .filter(|node| !graph.is_passed(**node) && stays(**node));
        super::order_graph::count(units.count())
    }
}

#[cfg(test)]
mod tests {
    use super::super::GraphBuilder;
    use super::*;

    const PLENTY: u64 = 1 << 40;

    fn cycles(graph: &OrderGraph, budget: u64) -> Vec<Cycle> {
        graph.cycles(&graph.components(), budget, |_| true)
    }

    #[test]
    fn the_shortest_cycle_is_shown_from_its_smallest_unit() {
        let mut b = GraphBuilder::new();
        let [n0, n1, n2, n3] = std::array::from_fn(|i| b.unit(i as u32));
        for (dependency, (from, to)) in [(n0, n1), (n1, n2), (n2, n3), (n3, n0), (n3, n2)]
            .iter()
            .enumerate()
        {
            b.explicit(*from, *to, dependency as u32);
        }
        let g = b.build();
        let [cycle] = &cycles(&g, PLENTY)[..] else {
            panic!("one component")
        };
        assert_eq!(cycle.path.nodes(), [n2, n3, n2]);
        assert!(cycle.shortest);
        // Cutting 2 -> 3 ends both cycles, 3 -> 2 only the short one.
        assert_eq!(
            cycle.cut,
            Some(Cut {
                edge: EdgeId(2),
                left: 0,
                compared_all: true
            })
        );
    }

    #[test]
    fn where_several_are_requested_a_node_that_waits_for_itself_is_not_a_cycle() {
        let mut b = GraphBuilder::new();
        let [n0, n1, n2] = std::array::from_fn(|i| b.unit(i as u32));
        for (dependency, (from, to)) in [(n0, n1), (n1, n0), (n1, n1), (n2, n2)].iter().enumerate() {
            b.explicit(*from, *to, dependency as u32);
        }
        let g = b.build();
        let ways = |cycles: Vec<Cycle>| {
            let mut ways: Vec<Vec<NodeId>> = cycles.iter().map(|c| c.path.nodes().to_vec()).collect();
            ways.sort();
            ways
        };
        assert_eq!(ways(cycles(&g, PLENTY)), [[n1, n1], [n2, n2]]);
        let mut several = g.cycles_of_several(&g.components(), PLENTY, |_| true);
        several.retain(|cycle| !cycle.path.is_empty());
        assert_eq!(ways(several), [[n0, n1, n0]]);
        for budget in [PLENTY, 0] {
            let rings = g.rings(&g.components(), budget, |_| true);
            assert!(rings.iter().all(|ring| ring.cut.is_some()));
            let all: [&[NodeId]; 3] = [&[n0, n1, n0], &[n1, n1], &[n2, n2]];
            assert_eq!(ways(rings), all);
        }
    }

    #[test]
    fn past_the_budget_a_longer_cycle_and_a_first_cut_are_marked_as_such() {
        let mut b = GraphBuilder::new();
        let [n0, n1, n2, n3] = std::array::from_fn(|i| b.unit(i as u32));
        for (dependency, (from, to)) in [(n0, n1), (n1, n2), (n2, n3), (n3, n0), (n3, n2)]
            .iter()
            .enumerate()
        {
            b.explicit(*from, *to, dependency as u32);
        }
        let g = b.build();
        let [cycle] = &cycles(&g, 0)[..] else {
            panic!("one component")
        };
        assert_eq!(cycle.path.nodes(), [n0, n1, n2, n3, n0]);
        assert!(!cycle.shortest);
        assert_eq!(
            cycle.cut,
            Some(Cut {
                edge: EdgeId(0),
                left: 2,
                compared_all: false
            })
        );
    }

    #[test]
    fn an_implicit_edge_is_never_the_one_to_cut() {
        let mut b = GraphBuilder::new();
        let [x, y] = std::array::from_fn(|i| b.unit(i as u32));
        b.implicit(x, y, 0);
        let written = b.explicit(y, x, 0);
        b.implicit(y, y, 1);
        let g = b.build();
        let [cycle] = &cycles(&g, PLENTY)[..] else {
            panic!("one component")
        };
        assert_eq!((cycle.path.nodes(), cycle.cut), (&[y, y][..], None));
        let mut b = GraphBuilder::new();
        let [x, y] = std::array::from_fn(|i| b.unit(i as u32));
        b.implicit(x, y, 0);
        b.explicit(y, x, 0);
        let g = b.build();
        assert_eq!(cycles(&g, PLENTY)[0].cut.unwrap().edge, written);
    }

    #[test]
    fn a_cycle_through_a_group_is_one_step_of_two_edges() {
        let mut b = GraphBuilder::new();
        let [x, y] = std::array::from_fn(|i| b.unit(i as u32));
        let join = b.join(0);
        let rule = b.explicit(x, join, 0);
        let member = b.explicit(join, y, 1);
        let own = b.explicit(join, x, 2);
        let g = b.build();
        let [cycle] = &cycles(&g, PLENTY)[..] else {
            panic!("one component")
        };
        assert_eq!(cycle.path.nodes(), [x, x]);
        assert_eq!(cycle.path.steps().next().unwrap().edges, [rule, own]);
        let _ = member;
        let only = g.cycles(&g.components(), PLENTY, |edge| edge != rule);
        assert_eq!(
            only[0].cut,
            Some(Cut {
                edge: own,
                left: 0,
                compared_all: true
            })
        );
    }

    #[test]
    fn all_edges_of_a_written_dependency_go_with_a_cut() {
        let mut b = GraphBuilder::new();
        let [x, y, z] = std::array::from_fn(|i| b.unit(i as u32));
        b.explicit(x, y, 0);
        b.explicit(x, z, 0);
        b.explicit(y, x, 1);
        b.explicit(z, x, 2);
        let g = b.build();
        let cut = cycles(&g, PLENTY)[0].cut.unwrap();
        assert_eq!((cut.edge, cut.left), (EdgeId(0), 0));
    }

    #[test]
    fn a_large_ring_is_known_to_be_the_only_cycle_after_one_round() {
        let mut b = GraphBuilder::new();
        let ring: Vec<NodeId> = (0..10_000).map(|i| b.unit(i)).collect();
        for (i, node) in ring.iter().enumerate() {
            b.explicit(*node, ring[(i + 1) % ring.len()], i as u32);
        }
        let g = b.build();
        let found = cycles(&g, 200_000);
        assert_eq!((found[0].path.len(), found[0].shortest), (10_000, true));
        assert_eq!(
            found[0].cut,
            Some(Cut {
                edge: EdgeId(0),
                left: 0,
                compared_all: true
            })
        );
    }
}
