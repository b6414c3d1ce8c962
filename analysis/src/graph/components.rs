//! Strongly connected components: sets of nodes that all wait for each other.

use super::order_graph::count;
use super::{Direction, NodeId, OrderGraph};

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

    /// The components that hold a cycle, in the order of their smallest nodes. A node that waits
    /// for itself is one.
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
    /// Whether an edge leads from the node straight back to it.
    #[must_use]
    pub fn waits_for_itself(&self, node: NodeId) -> bool {
        self.slots(node, Direction::Dependencies)
            .iter()
            .any(|slot| slot.node == node.0)
    }

    /// The strongly connected components of all nodes.
    #[must_use]
    pub fn components(&self) -> Components {
        let of = self.components_without(|_| false);
        let components = of.iter().max().map_or(0, |last| *last as usize + 1);
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

    /// Tarjan's algorithm with a stack of its own: per node the number of its component, where the
    /// edges that `cut` names count as absent.
    pub(super) fn components_without(&self, cut: impl Fn(u32) -> bool) -> Vec<u32> {
        const NEW: u32 = u32::MAX;
        let nodes = self.node_count();
        let mut found = vec![NEW; nodes];
        let mut low = vec![0u32; nodes];
        let mut of = vec![NEW; nodes];
        let mut open: Vec<u32> = Vec::new();
        let mut calls: Vec<(u32, u32)> = Vec::new();
        let mut clock = 0u32;
        let mut components = 0u32;
        for root in self.nodes() {
            if found[root.index()] != NEW {
                continue;
            }
            calls.push((root.0, 0));
            while let Some((node, at)) = calls.last_mut() {
                let here = *node as usize;
                if *at == 0 {
                    found[here] = clock;
                    low[here] = clock;
                    clock += 1;
                    open.push(*node);
                }
                let slots = self.slots(NodeId(*node), Direction::Dependencies);
                let mut into = None;
                while let Some(slot) = slots.get(*at as usize) {
                    *at += 1;
                    if cut(slot.edge()) {
                        continue;
                    }
                    let there = slot.node as usize;
                    if found[there] == NEW {
                        into = Some(slot.node);
                        break;
                    }
                    if of[there] == NEW {
                        low[here] = low[here].min(found[there]);
                    }
                }
                if let Some(next) = into {
                    calls.push((next, 0));
                    continue;
                }
                if low[here] == found[here] {
                    while let Some(member) = open.pop() {
                        of[member as usize] = components;
                        if member as usize == here {
                            break;
                        }
                    }
                    components += 1;
                }
                calls.pop();
                if let Some((caller, _)) = calls.last() {
                    let caller = *caller as usize;
                    low[caller] = low[caller].min(low[here]);
                }
            }
        }
        of
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
