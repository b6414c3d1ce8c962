//! The search for a shortest cycle of a component.

use super::components::Tarjan;
use super::feedback::{Common, Feedback};
use super::paths::Walk;
use super::{Components, Direction, EdgeId, NodeId, OrderGraph, Path};

/// A shortest cycle as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Shortest {
    length: u32,
    /// The smallest unit on a cycle of this length.
    unit: NodeId,
}

/// The search, with the tables of its walks. Its cost is counted in edges looked at.
pub(super) struct Girth<'a> {
    graph: &'a OrderGraph,
    /// Whether an edge from a unit to itself is a cycle.
    own_count: bool,
    walk: Walk,
    back: Walk,
    /// Free between two searches.
    pub(super) tarjan: Tarjan,
    feedback: Feedback,
    /// By node whether it is left: a unit is taken out once it is known which cycles it is on.
    left: Vec<bool>,
}

/// What is left of a component.
struct Rest {
    /// Its nodes when it was last divided.
    members: Vec<NodeId>,
    /// The units to start from, the next one last; some of them twice.
    units: Vec<NodeId>,
}

impl<'a> Girth<'a> {
    pub(super) fn new(graph: &'a OrderGraph, own_count: bool) -> Self {
        Self {
            graph,
            own_count,
            walk: Walk::new(graph),
            back: Walk::new(graph),
            tarjan: Tarjan::new(graph),
            feedback: Feedback::new(graph),
            left: vec![false; graph.node_count()],
        }
    }

    /// Edges looked at in all searches.
    pub(super) fn cost(&self) -> u64 {
        self.walk.cost + self.back.cost + self.tarjan.cost + self.feedback.cost()
    }

    /// Of the shortest cycles of a component one with the smallest unit, from that unit, and whether none is known to
    /// be shorter. Once the cost of all searches is above `budget`, it is the shortest one found so far; the first
    /// walk, from the smallest unit, always finds one. Without a cycle that counts the path is empty.
    pub(super) fn shortest(&mut self, components: &Components, component: u32, budget: u64) -> (Path, bool) {
        let graph = self.graph;
        let members = components.members(component);
        let mut units: Vec<NodeId> = members.iter().copied().filter(|n| !graph.is_passed(*n)).collect();
        if units.is_empty() {
            units.extend(members.first());
        }
        if self.own_count
            && let Some(own) = units.iter().find_map(|node| graph.own_edge(*node))
        {
            return (own, true);
        }
        units.reverse();
        for node in members {
            self.left[node.index()] = true;
            self.tarjan.of[node.index()] = 0;
        }
        let rest = Rest {
            members: members.to_vec(),
            units,
        };
        let found = self.search(rest, budget);
        for node in members {
            self.left[node.index()] = false;
        }
        let Some((Shortest { length, unit }, certain)) = found else {
            return (Path::default(), true);
        };
        // No cycle of this length has a smaller unit.
        let allowed = |edge: EdgeId, node: NodeId| {
            let alive = node >= unit || graph.is_passed(node);
            alive && components.of(node) == Some(component) && !is_own(graph, edge, node)
        };
        let way = Direction::Dependencies;
        let last = self.walk.run(graph, unit, Some(unit), way, length, allowed);
        let path = last.map(|last| Path::new(graph, unit, &self.walk.edges_to(graph, last)));
        (path.unwrap_or_default(), certain)
    }

    /// What a cycle has in common with all cycles among nodes; see [`Feedback::of_cycle`].
    pub(super) fn in_common(
        &mut self,
        members: &[NodeId],
        inside: impl Fn(NodeId) -> bool,
        cycle: &[EdgeId],
    ) -> Common {
        self.feedback.of_cycle(self.graph, members, inside, cycle)
    }

    /// Starts from every unit that is left, first from those that every cycle passes: without them no cycle is left.
    fn search(&mut self, mut rest: Rest, budget: u64) -> Option<(Shortest, bool)> {
        let mut best: Option<Shortest> = None;
        // What the walks have cost since the last division, and what the next one is going to cost.
        let mut walked = 0;
        let mut worth = rest.members.len() as u64;
        loop {
            if walked >= worth && best.is_some() {
                worth = self.narrow(&mut rest);
                walked = 0;
            }
            let Some(start) = self.next(&mut rest) else {
                return best.map(|best| (best, true));
            };
            if let Some(best) = best
                && self.cost() > budget
            {
                return Some((best, false));
            }
            let before = self.cost();
            let limit = best.map_or(u32::MAX, |best| best.length);
            let found = self.through(start, limit);
            walked += self.cost() - before;
            if let Some((shortest, cycle)) = found {
                best = Some(best.map_or(shortest, |best| best.min(shortest)));
                if walked >= worth && self.prefer(&mut rest, start, &cycle) {
                    walked = 0;
                }
            }
            self.left[start.index()] = false;
        }
    }

    fn next(&self, rest: &mut Rest) -> Option<NodeId> {
        loop {
            let node = rest.units.pop()?;
            if self.left[node.index()] {
                return Some(node);
            }
        }
    }

    /// Divides what is left into its components, and takes out what is on no cycle. The result is the cost.
    fn narrow(&mut self, rest: &mut Rest) -> u64 {
        let before = self.tarjan.cost;
        let left = &self.left;
        let nodes = rest.members.iter().copied().filter(|n| left[n.index()]);
        self.tarjan
            .run(self.graph, nodes.clone(), |n| left[n.index()], |_| false);
        let sizes = self.tarjan.sizes(nodes);
        let (left, of) = (&mut self.left, &self.tarjan.of);
        rest.members.retain(|node| {
            let left = &mut left[node.index()];
            *left = *left && sizes[of[node.index()] as usize] > 1;
            *left
        });
        self.tarjan.cost - before
    }

    /// The shortest cycles through a unit, at most `limit` long, among what is left, and the edges of one.
    fn through(&mut self, start: NodeId, limit: u32) -> Option<(Shortest, Vec<EdgeId>)> {
        let graph = self.graph;
        let beside = beside(start, &self.left, &self.tarjan.of);
        let allowed = |edge: EdgeId, node: NodeId| beside(node) && !is_own(graph, edge, node);
        let (walk, back) = (&mut self.walk, &mut self.back);
        let last = walk.run(graph, start, Some(start), Direction::Dependencies, limit, allowed)?;
        let edges = walk.edges_to(graph, last);
        let length = walk.depth(last.node) + u32::from(!graph.is_passed(start));
        let limit = length.saturating_sub(1);
        back.run(graph, start, None, Direction::Dependents, limit, allowed);
        let on_shortest = |node: &NodeId| {
            !graph.is_passed(*node) && walk.depth(*node).saturating_add(back.depth(*node)) == length
        };
        let unit = back.touched().filter(on_shortest).fold(start, NodeId::min);
        Some((Shortest { length, unit }, edges))
    }

    /// Decides where to start after a cycle through `start`: at a unit that all cycles pass, else on a cycle that
    /// shares no node with this one, else at the units of this one. The result is whether all cycles pass a unit.
    fn prefer(&mut self, rest: &mut Rest, start: NodeId, cycle: &[EdgeId]) -> bool {
        let graph = self.graph;
        let beside = beside(start, &self.left, &self.tarjan.of);
        let nodes: Vec<NodeId> = rest.members.iter().copied().filter(|n| beside(*n)).collect();
        let common = self.feedback.of_cycle(graph, &nodes, beside, cycle);
        let is_unit = |node: &NodeId| !graph.is_passed(*node);
        if common.nodes.contains(&start) {
            return false;
        }
        if let Some(unit) = common.nodes.into_iter().find(is_unit) {
            rest.units.push(unit);
            return true;
        }
        match common.elsewhere {
            Some(unit) => rest.units.push(unit),
            None => {
                let nodes = cycle.iter().filter_map(|e| Some(graph.edge(*e)?.from));
                rest.units.extend(nodes.filter(is_unit));
            }
        }
        false
    }
}

/// Whether a node may be on a cycle with `start`: it is left, in the same component `of` what is left.
fn beside<'t>(start: NodeId, left: &'t [bool], of: &'t [u32]) -> impl Fn(NodeId) -> bool + use<'t> {
    move |node| left[node.index()] && of[node.index()] == of[start.index()]
}

/// Whether an edge to a node is one from the node itself. Where such edges count, no search is needed.
fn is_own(graph: &OrderGraph, edge: EdgeId, node: NodeId) -> bool {
    graph
        .edge(edge)
        .is_some_and(|edge| edge.from == node && edge.to == node)
}
