//! The algorithms against naive ones on small random graphs, and on graphs too large to recurse.

mod difference;
mod large;
mod relations;

use proptest::prelude::*;

use super::*;

const PLENTY: u64 = 1 << 40;

/// A small graph: what each node is, and its edges in order.
#[derive(Clone, Debug)]
struct Small {
    kinds: Vec<NodeKind>,
    edges: Vec<(usize, usize, EdgeKind)>,
}

impl Small {
    fn build(&self) -> OrderGraph {
        let mut builder = GraphBuilder::new();
        for kind in &self.kinds {
            builder.node(*kind);
        }
        for (from, to, kind) in &self.edges {
            builder.edge(Edge::new(node(*from), node(*to), *kind));
        }
        builder.build()
    }

    fn is_passed(&self, node: usize) -> bool {
        self.kinds[node].is_passed()
    }

    /// The fewest steps from node to node over the edges that `with` keeps, at least one edge.
    fn distances(&self, with: impl Fn(usize) -> bool) -> Vec<Vec<Option<u32>>> {
        let n = self.kinds.len();
        let mut far = vec![vec![None; n]; n];
        let edges = self.edges.iter().enumerate().filter(|(e, _)| with(*e));
        for (_, (from, to, _)) in edges {
            far[*from][*to] = Some(u32::from(!self.is_passed(*to)));
        }
        for via in 0..n {
            for from in 0..n {
                for to in 0..n {
                    if let (Some(a), Some(b)) = (far[from][via], far[via][to]) {
                        far[from][to] = Some(far[from][to].map_or(a + b, |c: u32| c.min(a + b)));
                    }
                }
            }
        }
        far
    }

    fn units_on_cycles(&self, among: &[usize], with: impl Fn(usize) -> bool) -> usize {
        let far = self.distances(with);
        among
            .iter()
            .filter(|u| !self.is_passed(**u) && far[**u][**u].is_some())
            .count()
    }
}

fn node(index: usize) -> NodeId {
    NodeId(index as u32)
}

fn small(acyclic: bool) -> impl Strategy<Value = Small> {
    (1usize..=12).prop_flat_map(move |n| {
        let kinds = prop::collection::vec(0u32..8, n).prop_map(|kinds| {
            let kind = |(i, k): (usize, u32)| match k {
                0 => NodeKind::Join(i as u32),
                1 => NodeKind::Outside(i as u32),
                _ => NodeKind::Unit(i as u32),
            };
            kinds.into_iter().enumerate().map(kind).collect::<Vec<_>>()
        });
        let edge = (0..n, 0..n, 0u32..3);
        let edges = prop::collection::vec(edge, 0..30).prop_map(move |edges| {
            let mut out = Vec::new();
            for (dependency, (a, b, k)) in edges.into_iter().enumerate() {
                let (a, b) = if acyclic { (a.max(b), a.min(b)) } else { (a, b) };
                if acyclic && a == b {
                    continue;
                }
                let kind = match k {
                    0 => EdgeKind::Implicit { reason: 0 },
                    1 => EdgeKind::Explicit {
                        dependency: dependency as u32,
                    },
                    _ => EdgeKind::Explicit {
                        dependency: dependency as u32 / 2,
                    },
                };
                out.push((a, b, kind));
            }
            out
        });
        (kinds, edges).prop_map(|(kinds, edges)| Small { kinds, edges })
    })
}

/// Whether the edges of a path are connected, and lead from its first node to its last.
fn is_chain(graph: &OrderGraph, path: &Path) -> bool {
    let mut at = path.nodes()[0];
    for id in path.edges() {
        let edge = graph.edge(*id).unwrap();
        if edge.from != at {
            return false;
        }
        at = edge.to;
    }
    Some(&at) == path.nodes().last() && path.nodes().len() == path.len() + 1
}

fn naive_layers(small: &Small) -> Vec<Option<u32>> {
    let n = small.kinds.len();
    let far = small.distances(|_| true);
    let stuck = |v: usize| (0..n).any(|c| far[c][c].is_some() && (c == v || far[v][c].is_some()));
    let mut depth = vec![0u32; n];
    for _ in 0..=n {
        for v in (0..n).filter(|v| !stuck(*v)) {
            let below = small
                .edges
                .iter()
                .filter(|e| e.0 == v)
                .map(|e| depth[e.1])
                .max()
                .unwrap_or(0);
            depth[v] = below + u32::from(matches!(small.kinds[v], NodeKind::Unit(_)));
        }
    }
    (0..n)
        .map(|v| (!stuck(v) && matches!(small.kinds[v], NodeKind::Unit(_))).then_some(depth[v]))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn layers_are_longest_paths(small in small(false)) {
        let graph = small.build();
        let layers = graph.partial_layers();
        let naive = naive_layers(&small);
        for v in graph.nodes() {
            prop_assert_eq!(layers.of(v), naive[v.index()]);
        }
        let far = small.distances(|_| true);
        let cyclic = (0..small.kinds.len()).any(|v| far[v][v].is_some());
        prop_assert_eq!(graph.layers().is_none(), cyclic);
        for (number, layer) in layers.iter().enumerate() {
            prop_assert!(!layer.is_empty() && layer.is_sorted());
            prop_assert!(layer.iter().all(|v| layers.of(*v) == Some(number as u32 + 1)));
        }
        if let Some(path) = graph.critical_path() {
            let units = path.nodes().iter().filter(|v| layers.of(**v).is_some()).count();
            prop_assert_eq!(units, layers.len());
            prop_assert!(path.nodes().is_empty() || is_chain(&graph, &path));
        }
    }

    #[test]
    fn components_are_mutual_reach(small in small(false)) {
        let graph = small.build();
        let components = graph.components();
        let far = small.distances(|_| true);
        for a in graph.nodes() {
            prop_assert_eq!(components.on_cycle(&graph, a), far[a.index()][a.index()].is_some());
            for b in graph.nodes() {
                let (ab, ba) = (far[a.index()][b.index()].is_some(), far[b.index()][a.index()].is_some());
                prop_assert_eq!(components.of(a) == components.of(b), a == b || ab && ba);
                prop_assert!(!ab || components.of(b) <= components.of(a));
            }
        }
    }

    #[test]
    fn reach_and_shortest_paths(small in small(false)) {
        let graph = small.build();
        let far = small.distances(|_| true);
        for a in graph.nodes() {
            let reach = graph.reach(&[a], Direction::Dependencies);
            let below = graph.reached(a, Direction::Dependencies, u32::MAX);
            prop_assert!(below.is_sorted());
            for b in graph.nodes() {
                let distance = far[a.index()][b.index()];
                prop_assert_eq!(reach[b.index()], a == b || distance.is_some());
                if !small.is_passed(b.index()) {
                    let depth = below.iter().find(|r| r.node == b).map(|r| r.depth);
                    prop_assert_eq!(depth, distance);
                    let up = graph.reached(b, Direction::Dependents, 2);
                    let near = distance.map(|d| d + u32::from(!small.is_passed(a.index())) - 1).filter(|d| *d <= 2);
                    prop_assert_eq!(up.iter().find(|r| r.node == a).map(|r| r.depth),
                        near.filter(|_| !small.is_passed(a.index())));
                    let path = graph.shortest_path(a, b);
                    prop_assert_eq!(path.as_ref().map(|p| p.len() as u32), distance);
                    prop_assert!(path.is_none_or(|p| is_chain(&graph, &p)));
                }
            }
        }
    }

    #[test]
    fn shown_cycles_are_shortest_and_their_cut_is_cheapest(small in small(false)) {
        let graph = small.build();
        let components = graph.components();
        let far = small.distances(|_| true);
        let found = graph.cycles(&components, PLENTY, |_| true);
        prop_assert_eq!(found.len(), components.cyclic().len());
        for cycle in &found {
            let members: Vec<usize> =
                components.members(cycle.component).iter().map(|v| v.index()).collect();
            prop_assert!(is_chain(&graph, &cycle.path) && cycle.shortest);
            prop_assert_eq!(cycle.path.nodes().first(), cycle.path.nodes().last());
            let shortest = members.iter().filter(|v| !small.is_passed(**v)).map(|v| far[*v][*v].unwrap()).min();
            if let Some(shortest) = shortest {
                prop_assert_eq!(cycle.path.len() as u32, shortest);
                prop_assert_eq!(cycle.path.nodes().iter().min(), cycle.path.nodes().first());
            }
            let mut cuts: Vec<(usize, EdgeId)> = Vec::new();
            for id in cycle.path.edges() {
                let EdgeKind::Explicit { .. } = small.edges[id.index()].2 else { continue };
                let left = small.units_on_cycles(&members, |e| {
                    small.edges[e].2 != small.edges[id.index()].2
                });
                cuts.push((left, *id));
            }
            prop_assert_eq!(cycle.cut.map(|c| (c.left as usize, c.edge)), cuts.into_iter().min());
            prop_assert!(cycle.cut.is_none_or(|c| c.compared_all));
        }
        for cycle in graph.cycles(&components, 0, |_| true) {
            prop_assert!(is_chain(&graph, &cycle.path) && !cycle.path.is_empty());
        }
    }

    #[test]
    fn redundant_edges_are_those_a_path_replaces(small in prop_oneof![small(true), small(false)]) {
        let graph = small.build();
        let components = graph.components();
        let all = small.distances(|_| true);
        let found = graph.redundant(&components, PLENTY, |_| true, |_| true);
        prop_assert!(found.searched);
        let is_explicit = |e: usize| small.edges[e].2.is_explicit();
        let judged = |v: usize| !small.is_passed(v) && all[v][v].is_none();
        let naive: Vec<EdgeId> = (0..small.edges.len())
            .filter(|e| {
                let (from, to, _) = small.edges[*e];
                let others = small.distances(|o| {
                    let parallel = small.edges[o].0 == from && small.edges[o].1 == to;
                    o != *e && !(parallel && is_explicit(o) && o > *e)
                });
                is_explicit(*e) && judged(from) && judged(to) && others[from][to].is_some()
            })
            .map(|e| EdgeId(e as u32))
            .collect();
        prop_assert_eq!(found.edges.iter().map(|r| r.edge).collect::<Vec<_>>(), naive.clone());
        for redundant in &found.edges {
            let (from, to, _) = small.edges[redundant.edge.index()];
            prop_assert!(is_chain(&graph, &redundant.path) && !redundant.path.edges().contains(&redundant.edge));
            prop_assert_eq!(redundant.path.nodes().first(), Some(&node(from)));
            prop_assert_eq!(redundant.path.nodes().last(), Some(&node(to)));
        }
        let rest = small.distances(|e| !naive.contains(&EdgeId(e as u32)));
        for from in 0..small.kinds.len() {
            for to in 0..small.kinds.len() {
                prop_assert_eq!(all[from][to].is_some(), rest[from][to].is_some());
            }
        }
    }

    #[test]
    fn a_fifo_order_starts_every_node_after_its_dependencies(small in small(false)) {
        let graph = small.build();
        let order = graph.fifo_order(std::cmp::Reverse);
        let far = small.distances(|_| true);
        let place = |v: NodeId| order.sequence.iter().position(|o| *o == v);
        for v in graph.nodes() {
            let stuck = graph.nodes().any(|c| {
                far[c.index()][c.index()].is_some() && (c == v || far[v.index()][c.index()].is_some())
            });
            let is_join = matches!(graph.kind(v), Some(NodeKind::Join(_)));
            prop_assert_eq!(order.stuck.contains(&v), stuck && !is_join);
            prop_assert_eq!(place(v).is_none(), stuck || is_join);
        }
        let mut expand = Expand::new(&graph, Direction::Dependencies);
        for (at, from) in order.sequence.iter().enumerate() {
            for to in expand.of(*from) {
                prop_assert!(place(to.node).is_none_or(|before| before < at));
            }
        }
    }

    #[test]
    fn a_removed_unit_still_passes_order_on(small in small(true), gone in 0usize..12) {
        let graph = small.build().without(|v| v == node(gone));
        let mut reduced = small.clone();
        if let Some(kind @ NodeKind::Unit(_)) = reduced.kinds.get(gone).copied() {
            reduced.kinds[gone] = NodeKind::Removed(kind.unit().unwrap());
        }
        let naive = naive_layers(&reduced);
        let layers = graph.layers().unwrap();
        for v in graph.nodes() {
            prop_assert_eq!(layers.of(v), naive[v.index()]);
        }
    }
}

/// An independent implementation, so that an error shared by both of ours is noticed.
#[test]
fn components_are_those_of_petgraph() {
    let mut state = 1u64;
    let mut below = |end: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    for _ in 0..500 {
        let (nodes, edges) = (1 + below(14), below(28));
        let pairs: Vec<(u32, u32)> = (0..edges)
            .map(|_| (below(nodes) as u32, below(nodes) as u32))
            .collect();
        let mut builder = GraphBuilder::new();
        for unit in 0..nodes as u32 {
            builder.unit(unit);
        }
        for (from, to) in &pairs {
            builder.explicit(NodeId(*from), NodeId(*to), 0);
        }
        let graph = builder.build();
        let components = graph.components();
        let mut ours: Vec<Vec<u32>> = (0..components.len() as u32)
            .map(|c| components.members(c).iter().map(|n| n.0).collect())
            .collect();
        ours.sort();
        let mut theirs_graph = petgraph::graph::DiGraph::<(), ()>::new();
        for _ in 0..nodes {
            theirs_graph.add_node(());
        }
        for (from, to) in &pairs {
            theirs_graph.add_edge((*from).into(), (*to).into(), ());
        }
        let mut theirs: Vec<Vec<u32>> = petgraph::algo::kosaraju_scc(&theirs_graph)
            .into_iter()
            .map(|c| {
                let mut members: Vec<u32> = c.into_iter().map(|n| n.index() as u32).collect();
                members.sort_unstable();
                members
            })
            .collect();
        theirs.sort();
        assert_eq!(ours, theirs, "{pairs:?}");
    }
}
