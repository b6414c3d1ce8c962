//! Paths between units, and what comes before and after a unit.

use super::order_graph::count;
use super::{Direction, Edge, EdgeId, Link, NodeId, OrderGraph};

/// A chain of nodes, each waiting for the next. Joins on the way are passed through: they are part
/// of the edges of a step, not nodes of the path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    nodes: Vec<NodeId>,
    edges: Vec<EdgeId>,
    ends: Vec<u32>,
}

/// From one node of a [`Path`] to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// The node that waits.
    pub from: NodeId,
    /// The node it waits for.
    pub to: NodeId,
    /// The edge between them, or several if joins are in between; never empty.
    pub edges: &'a [EdgeId],
}

impl Path {
    /// The path that starts at `start` and follows `edges`, each starting where the one before
    /// ends. The last node is named even when it is a join.
    #[must_use]
    pub fn new(graph: &OrderGraph, start: NodeId, edges: &[EdgeId]) -> Self {
        let mut path = Self {
            nodes: vec![start],
            edges: Vec::with_capacity(edges.len()),
            ends: Vec::new(),
        };
        for (at, id) in edges.iter().enumerate() {
            let Some(edge) = graph.edge(*id) else { break };
            path.edges.push(*id);
            if at + 1 == edges.len() || !graph.is_passed(edge.to) {
                path.nodes.push(edge.to);
                path.ends.push(count(path.edges.len()));
            }
        }
        path
    }

    /// The nodes; on a cycle the first is repeated at the end.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// All edges in order.
    #[must_use]
    pub fn edges(&self) -> &[EdgeId] {
        &self.edges
    }

    /// Number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no step.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The steps in order.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        self.nodes
            .windows(2)
            .zip(starts.zip(&self.ends))
            .map(|(pair, (start, end))| Step {
                from: pair[0],
                to: pair[1],
                edges: self.edges.get(start as usize..*end as usize).unwrap_or(&[]),
            })
    }
}

/// A node met on a walk, and over how many steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reached {
    /// The fewest steps to it; joins cost none.
    pub depth: u32,
    /// The node.
    pub node: NodeId,
}

impl OrderGraph {
    /// The edge of a step that explains the order: a written one, else the heaviest, the first of several equal
    /// ones. An edge that makes a node a member of a group has no weight, so that a step through a join is
    /// explained by the relation.
    #[must_use]
    pub fn main_edge(&self, edges: &[EdgeId]) -> Option<&Edge> {
        let mut best: Option<&Edge> = None;
        for edge in edges.iter().filter_map(|id| self.edge(*id)) {
            let worth = |e: &Edge| (e.kind.is_explicit(), e.weight);
            if best.is_none_or(|b| worth(edge) > worth(b)) {
                best = Some(edge);
            }
        }
        best
    }

    /// A shortest path on which `from` waits for `to`; from a node to itself a shortest cycle. `None` if no
    /// path exists.
    #[must_use]
    pub fn shortest_path(&self, from: NodeId, to: NodeId) -> Option<Path> {
        let mut walk = Walk::new(self);
        let last = walk.run(self, from, Some(to), Direction::Dependencies, u32::MAX, |_, _| {
            true
        })?;
        Some(Path::new(self, from, &walk.edges_to(self, last)))
    }

    /// The dependencies of a unit, or its dependents, over at most `depth` steps: nearest first, ascending
    /// within a depth, joins omitted. The start is part of it only if it is on a cycle.
    #[must_use]
    pub fn reached(&self, start: NodeId, direction: Direction, depth: u32) -> Vec<Reached> {
        let mut walk = Walk::new(self);
        walk.run(self, start, None, direction, depth, |_, _| true);
        let mut reached: Vec<Reached> = walk
            .touched
            .iter()
            .map(|node| Reached {
                depth: walk.depth[*node as usize],
                node: NodeId(*node),
            })
            .filter(|r| r.node != start && !self.is_passed(r.node))
            .collect();
        if let Some(depth) = walk.closed {
            reached.push(Reached { depth, node: start });
        }
        reached.sort_unstable();
        reached
    }

    /// Per node whether it is one of `starts` or reachable from one.
    #[must_use]
    pub fn reach(&self, starts: &[NodeId], direction: Direction) -> Vec<bool> {
        let mut seen = vec![false; self.node_count()];
        let mut open: Vec<NodeId> = Vec::new();
        for start in starts.iter().filter(|s| self.has(**s)) {
            if !std::mem::replace(&mut seen[start.index()], true) {
                open.push(*start);
            }
        }
        while let Some(node) = open.pop() {
            for slot in self.slots(node, direction) {
                if !std::mem::replace(&mut seen[slot.node as usize], true) {
                    open.push(NodeId(slot.node));
                }
            }
        }
        seen
    }
}

/// The depth of a node that was not reached, and the parent of a node without one.
const FAR: u32 = u32::MAX;

/// A breadth-first walk whose tables are reused for the next one.
pub(super) struct Walk {
    depth: Vec<u32>,
    parent: Vec<u32>,
    touched: Vec<u32>,
    level: Vec<u32>,
    next: Vec<u32>,
    /// The number of steps after which the walk came back to its start.
    closed: Option<u32>,
    /// Edges looked at since the walk was made.
    pub(super) cost: u64,
}

impl Walk {
    pub(super) fn new(graph: &OrderGraph) -> Self {
        Self {
            depth: vec![FAR; graph.node_count()],
            parent: vec![FAR; graph.node_count()],
            touched: Vec::new(),
            level: Vec::new(),
            next: Vec::new(),
            closed: None,
            cost: 0,
        }
    }

    /// Walks from `start` over edges that `allowed` lets pass (given with the node they lead to), at
    /// most `limit` steps far, until an edge leads to `goal`; that edge is the result. A step into a
    /// join costs nothing.
    pub(super) fn run(
        &mut self,
        graph: &OrderGraph,
        start: NodeId,
        goal: Option<NodeId>,
        direction: Direction,
        limit: u32,
        allowed: impl Fn(EdgeId, NodeId) -> bool,
    ) -> Option<Link> {
        for node in self.touched.drain(..) {
            self.depth[node as usize] = FAR;
            self.parent[node as usize] = FAR;
        }
        self.closed = None;
        self.next.clear();
        self.level.clear();
        if graph.has(start) {
            self.depth[start.index()] = 0;
            self.touched.push(start.0);
            self.level.push(start.0);
        }
        // Only joins come after the last step, and they are not the end of a path between units.
        let ends_in_join = graph.is_passed(goal.unwrap_or(start));
        let mut depth = 0;
        while !self.level.is_empty() && (depth < limit || ends_in_join) {
            let mut at = 0;
            while let Some(&node) = self.level.get(at) {
                at += 1;
                for slot in graph.slots(NodeId(node), direction) {
                    self.cost += 1;
                    let there = NodeId(slot.node);
                    if !allowed(EdgeId(slot.edge()), there) {
                        continue;
                    }
                    let passed = graph.is_passed(there);
                    let far = depth + u32::from(!passed);
                    if far > limit {
                        continue;
                    }
                    if goal == Some(there) {
                        return Some(Link {
                            edge: EdgeId(slot.edge()),
                            node: NodeId(node),
                        });
                    }
                    if self.depth[there.index()] != FAR {
                        if there == start && self.closed.is_none() {
                            self.closed = Some(far);
                        }
                        continue;
                    }
                    self.depth[there.index()] = far;
                    self.parent[there.index()] = slot.edge();
                    self.touched.push(there.0);
                    if passed {
                        self.level.push(there.0)
                    } else {
                        self.next.push(there.0)
                    }
                }
            }
            self.level.clear();
            std::mem::swap(&mut self.level, &mut self.next);
            depth += 1;
        }
        None
    }

    /// The number of steps to a node on the last walk; more than any number of nodes if it was not reached.
    pub(super) fn depth(&self, node: NodeId) -> u32 {
        self.depth[node.index()]
    }

    /// The nodes that the last walk reached.
    pub(super) fn touched(&self) -> impl Iterator<Item = NodeId> {
        self.touched.iter().copied().map(NodeId)
    }

    /// The edges from the start of the last walk (towards dependencies) to the found edge, with it.
    pub(super) fn edges_to(&self, graph: &OrderGraph, last: Link) -> Vec<EdgeId> {
        let mut edges = vec![last.edge];
        let mut node = last.node;
        while let Some(edge) = self
            .parent
            .get(node.index())
            .copied()
            .filter(|p| *p != FAR)
            .and_then(|p| graph.edge(EdgeId(p)))
        {
            edges.push(EdgeId(self.parent[node.index()]));
            node = edge.from;
        }
        edges.reverse();
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::super::GraphBuilder;
    use super::*;

    #[test]
    fn a_step_through_a_join_names_all_its_edges() {
        let mut b = GraphBuilder::new();
        let [a, c, d] = std::array::from_fn(|i| b.unit(i as u32));
        let join = b.join(0);
        let rule = b.explicit(a, join, 0);
        let member = b.explicit(join, c, 1);
        let last = b.implicit(c, d, 0);
        let g = b.build();
        let path = g.shortest_path(a, d).unwrap();
        assert_eq!(path.nodes(), [a, c, d]);
        let steps: Vec<Step<'_>> = path.steps().collect();
        assert_eq!(
            steps[0],
            Step {
                from: a,
                to: c,
                edges: &[rule, member]
            }
        );
        assert_eq!(
            steps[1],
            Step {
                from: c,
                to: d,
                edges: &[last]
            }
        );
        assert_eq!(g.shortest_path(d, a), None);
    }

    #[test]
    fn dependents_come_nearest_first_and_without_the_joins() {
        let mut b = GraphBuilder::new();
        let [a, c, d] = std::array::from_fn(|i| b.unit(i as u32));
        let join = b.join(0);
        b.explicit(d, c, 0);
        b.explicit(c, join, 0);
        b.explicit(join, a, 0);
        let g = b.build();
        let near = Reached { depth: 1, node: c };
        assert_eq!(
            g.reached(a, Direction::Dependents, u32::MAX),
            [near, Reached { depth: 2, node: d }]
        );
        assert_eq!(g.reached(a, Direction::Dependents, 1), [near]);
        assert_eq!(g.reached(a, Direction::Dependencies, u32::MAX), []);
        assert_eq!(g.reach(&[c], Direction::Dependencies), [true, true, false, true]);
    }

    #[test]
    fn a_walk_visits_nothing_after_its_last_step() {
        let mut b = GraphBuilder::new();
        let start = b.unit(0);
        let join = b.join(0);
        b.explicit(start, join, 0);
        for unit in 1..=10 {
            let member = b.unit(unit);
            b.explicit(join, member, 1);
            b.explicit(member, start, 2);
        }
        let g = b.build();
        let mut walk = Walk::new(&g);
        let mut closes = |limit| {
            let before = walk.cost;
            let last = walk.run(&g, start, Some(start), Direction::Dependencies, limit, |_, _| {
                true
            });
            (last.is_some(), walk.cost - before)
        };
        assert_eq!((closes(1), closes(2)), ((false, 11), (true, 12)));
        // A join takes no step.
        let last = walk.run(&g, NodeId(2), Some(join), Direction::Dependencies, 1, |_, _| true);
        assert_eq!(last.map(|last| last.node), Some(start));
    }

    #[test]
    fn on_a_cycle_a_unit_reaches_itself() {
        let mut b = GraphBuilder::new();
        let [a, c] = std::array::from_fn(|i| b.unit(i as u32));
        b.explicit(a, c, 0);
        b.explicit(c, a, 1);
        let g = b.build();
        let all = g.reached(a, Direction::Dependencies, u32::MAX);
        assert_eq!(
            all,
            [Reached { depth: 1, node: c }, Reached { depth: 2, node: a }]
        );
        assert_eq!(g.shortest_path(a, a).unwrap().nodes(), [a, c, a]);
    }
}
