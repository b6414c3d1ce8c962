//! Strongly connected components: sets of nodes that all wait for each other.

use super::order_graph::count;
use super::{Direction, EdgeId, NodeId, OrderGraph};

/// The components of a graph, numbered so that what a component waits for has smaller numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    of: Vec<u32>,
    starts: Vec<u32>,
    members: Vec<NodeId>,
    cyclic: Vec<u32>,
}

impl Components {
    /// Number of components.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether the graph has no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The number of a node's component; `None` for a node of another graph.
    #[must_use]
    pub fn of(&self, node: NodeId) -> Option<u32> {
        self.of.get(node.index()).copied()
    }

    /// The nodes of a component, ascending.
    #[must_use]
    pub fn members(&self, component: u32) -> &[NodeId] {
        let at = component as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(start), Some(end)) => self.members.get(*start as usize..*end as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    /// The components that contain a cycle, in the order of their smallest nodes. This includes a node that
    /// waits for itself.
    #[must_use]
    pub fn cyclic(&self) -> &[u32] {
        &self.cyclic
    }

    /// Whether the node waits for itself, directly or through others.
    #[must_use]
    pub fn on_cycle(&self, graph: &OrderGraph, node: NodeId) -> bool {
        self.of(node)
            .is_some_and(|component| self.members(component).len() > 1 || graph.waits_for_itself(node))
    }
}

impl OrderGraph {
    /// Whether an edge leads from the node directly back to it.
    #[must_use]
    pub fn waits_for_itself(&self, node: NodeId) -> bool {
        self.slots(node, Direction::Dependencies)
            .iter()
            .any(|slot| slot.node == node.0)
    }

    /// The strongly connected components of all nodes.
    #[must_use]
    pub fn components(&self) -> Components {
        let mut tarjan = Tarjan::new(self);
        tarjan.run(self, self.nodes(), |_| true, |_| false);
        let (of, components) = (tarjan.of, tarjan.components as usize);
        let mut starts = vec![0u32; components + 1];
        for component in &of {
            starts[*component as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut members = vec![NodeId(0); of.len()];
        for node in self.nodes() {
            let at = &mut next[of[node.index()] as usize];
            members[*at as usize] = node;
            *at += 1;
        }
        let mut found = Components {
            of,
            starts,
            members,
            cyclic: Vec::new(),
        };
        let mut cyclic: Vec<u32> = (0..count(components))
            .filter(|component| match found.members(*component) {
                [node] => self.waits_for_itself(*node),
                _ => true,
            })
            .collect();
        cyclic.sort_by_key(|component| found.members(*component).first().copied());
        found.cyclic = cyclic;
        found
    }
}

const NEW: u32 = u32::MAX;

/// Tarjan's algorithm with an explicit stack, over all of a graph or a part of it.
pub(super) struct Tarjan {
    found: Vec<u32>,
    low: Vec<u32>,
    /// By node the number of its component; dependencies have smaller numbers.
    pub(super) of: Vec<u32>,
    open: Vec<u32>,
    calls: Vec<(u32, u32)>,
    clock: u32,
    /// Number of components the last run found.
    pub(super) components: u32,
    /// Edges looked at in all runs.
    pub(super) cost: u64,
}

impl Tarjan {
    pub(super) fn new(graph: &OrderGraph) -> Self {
        let nodes = graph.node_count();
        Self {
            found: vec![NEW; nodes],
            low: vec![0; nodes],
            of: vec![NEW; nodes],
            open: Vec::new(),
            calls: Vec::new(),
            clock: 0,
            components: 0,
            cost: 0,
        }
    }

    /// Finds the components among `nodes`, which must be exactly those that `inside` allows; edges for which
    /// `cut` is true are ignored.
    pub(super) fn run(
        &mut self,
        graph: &OrderGraph,
        nodes: impl Iterator<Item = NodeId> + Clone,
        inside: impl Fn(NodeId) -> bool,
        cut: impl Fn(EdgeId) -> bool,
    ) {
        for node in nodes.clone() {
            self.found[node.index()] = NEW;
            self.of[node.index()] = NEW;
        }
        self.clock = 0;
        self.components = 0;
        for root in nodes {
            if self.found[root.index()] != NEW {
                continue;
            }
            self.calls.push((root.0, 0));
            while let Some((node, at)) = self.calls.last_mut() {
                let here = *node as usize;
                if *at == 0 {
                    self.found[here] = self.clock;
                    self.low[here] = self.clock;
                    self.clock += 1;
                    self.open.push(*node);
                }
                let slots = graph.slots(NodeId(*node), Direction::Dependencies);
                let mut into = None;
                let before = *at;
                while let Some(slot) = slots.get(*at as usize) {
                    *at += 1;
                    if cut(EdgeId(slot.edge())) || !inside(NodeId(slot.node)) {
                        continue;
                    }
                    let there = slot.node as usize;
                    if self.found[there] == NEW {
                        into = Some(slot.node);
                        break;
                    }
                    if self.of[there] == NEW {
                        self.low[here] = self.low[here].min(self.found[there]);
                    }
                }
                self.cost += u64::from(*at - before) + 1;
                if let Some(next) = into {
                    self.calls.push((next, 0));
                } else {
                    self.close(here);
                }
            }
        }
    }

    /// How many of the nodes of the last run are in each of its components.
    pub(super) fn sizes(&self, nodes: impl Iterator<Item = NodeId>) -> Vec<u32> {
        let mut sizes = vec![0u32; self.components as usize];
        for node in nodes {
            sizes[self.of[node.index()] as usize] += 1;
        }
        sizes
    }

    /// Ends the visit of a node, and its component if it was the first node of that.
    fn close(&mut self, here: usize) {
        if self.low[here] == self.found[here] {
            while let Some(member) = self.open.pop() {
                self.of[member as usize] = self.components;
                if member as usize == here {
                    break;
                }
            }
            self.components += 1;
        }
        self.calls.pop();
        if let Some((caller, _)) = self.calls.last() {
            let caller = *caller as usize;
            self.low[caller] = self.low[caller].min(self.low[here]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::GraphBuilder;
    use super::*;

    #[test]
    fn components_are_numbered_from_what_is_awaited() {
        let mut b = GraphBuilder::new();
        let [a, c, d, own, last] = std::array::from_fn(|i| b.unit(i as u32));
        for (from, to) in [(a, c), (c, a), (c, d), (own, own), (last, own)] {
            b.explicit(from, to, 0);
        }
        let g = b.build();
        let found = g.components();
        assert_eq!(found.of(a), found.of(c));
        assert!(found.of(d) < found.of(a) && found.of(own) < found.of(last));
        let cyclic: Vec<&[NodeId]> = found.cyclic().iter().map(|c| found.members(*c)).collect();
        assert_eq!(cyclic, [&[a, c][..], &[own]]);
        assert!(found.on_cycle(&g, own) && !found.on_cycle(&g, last));
    }
}
