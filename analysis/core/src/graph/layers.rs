//! Layers: which units may start together, by the longest path to what they wait for.

use super::order_graph::count;
use super::{Direction, EdgeId, NodeId, NodeKind, OrderGraph, Path};

const UNPLACED: u32 = u32::MAX;

/// Units by the earliest round in which they can start. Rounds are counted from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// Per node, the number of layers that must finish for the node to be done, including its own.
    depth: Vec<u32>,
    takes_place: Vec<bool>,
    members: Vec<NodeId>,
    starts: Vec<u32>,
    stuck: Vec<NodeId>,
}

impl Layers {
    /// Number of layers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether no unit has a layer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The layer of a unit, from 1; `None` for a node that takes no place, and on or after a cycle.
    #[must_use]
    pub fn of(&self, node: NodeId) -> Option<u32> {
        let depth = *self.depth.get(node.index())?;
        (depth != UNPLACED && *self.takes_place.get(node.index())?).then_some(depth)
    }

    /// The units of one layer, from 1, ascending; empty if the layer does not exist.
    #[must_use]
    pub fn layer(&self, number: u32) -> &[NodeId] {
        let at = number as usize;
        match (
            at.checked_sub(1).and_then(|before| self.starts.get(before)),
            self.starts.get(at),
        ) {
            (Some(start), Some(end)) => self.members.get(*start as usize..*end as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    /// Every layer, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[NodeId]> + '_ {
        (1..=count(self.len())).map(|number| self.layer(number))
    }

    /// Nodes that can never start: on a cycle or waiting for one. Ascending, of every kind.
    #[must_use]
    pub fn stuck(&self) -> &[NodeId] {
        &self.stuck
    }
}

impl OrderGraph {
    /// The layers of all units; `None` when there is a cycle.
    #[must_use]
    pub fn layers(&self) -> Option<Layers> {
        Some(self.partial_layers()).filter(|layers| layers.stuck.is_empty())
    }

    /// The layers of the units that are neither on a cycle nor wait for one.
    #[must_use]
    pub fn partial_layers(&self) -> Layers {
        self.layers_counting(|_, kind| matches!(kind, NodeKind::Unit(_)))
    }

    /// Like [`OrderGraph::partial_layers`], where the caller decides which nodes take a place in a layer. The
    /// others are passed through.
    #[must_use]
    pub fn layers_counting(&self, takes_place: impl Fn(NodeId, NodeKind) -> bool) -> Layers {
        let takes_place: Vec<bool> = self
            .nodes()
            .zip(self.kinds())
            .map(|(node, kind)| takes_place(node, *kind))
            .collect();
        let mut waits: Vec<u32> = self
            .nodes()
            .map(|node| count(self.slots(node, Direction::Dependencies).len()))
            .collect();
        let mut over = vec![0u32; waits.len()];
        let mut ready: Vec<NodeId> = self.nodes().filter(|node| waits[node.index()] == 0).collect();
        let mut depth = vec![UNPLACED; waits.len()];
        let mut last = 0;
        let mut at = 0;
        while let Some(&node) = ready.get(at) {
            at += 1;
            let own = over[node.index()] + u32::from(takes_place[node.index()]);
            depth[node.index()] = own;
            last = last.max(own);
            for slot in self.slots(node, Direction::Dependents) {
                let waiter = slot.node as usize;
                over[waiter] = over[waiter].max(own);
                waits[waiter] -= 1;
                if waits[waiter] == 0 {
                    ready.push(NodeId(slot.node));
                }
            }
        }
        let stuck = if ready.len() == depth.len() {
            Vec::new()
        } else {
            self.nodes()
                .filter(|node| depth[node.index()] == UNPLACED)
                .collect()
        };
        let (starts, members) = group(&depth, &takes_place, last);
        Layers {
            depth,
            takes_place,
            members,
            starts,
            stuck,
        }
    }

    /// The longest chain of units, the last one to run first; empty without units. Of several equally long
    /// ones, the one with the smallest nodes from its start. `None` on a cycle.
    #[must_use]
    pub fn critical_path(&self) -> Option<Path> {
        let layers = self.layers()?;
        let Some(&first) = layers.layer(count(layers.len())).first() else {
            return Some(Path::default());
        };
        let mut edges: Vec<EdgeId> = Vec::new();
        let mut at = first;
        while let Some(next) = self.deepest_dependency(&layers, at) {
            edges.push(next.edge);
            at = next.node;
        }
        Some(Path::new(self, first, &edges))
    }

    /// The units on some longest chain, ascending: those that prolong the whole run if they take longer. Empty
    /// on a cycle.
    #[must_use]
    pub fn critical_units(&self) -> Vec<NodeId> {
        let Some(layers) = self.layers() else {
            return Vec::new();
        };
        let mut order: Vec<NodeId> = self.nodes().collect();
        // A node that takes no place is as deep as what it waits for, and comes after it.
        let mut waits: Vec<u32> = self
            .nodes()
            .map(|node| count(self.slots(node, Direction::Dependents).len()))
            .collect();
        order.retain(|node| waits.get(node.index()) == Some(&0));
        let mut behind = vec![0u32; waits.len()];
        let mut at = 0;
        while let Some(&node) = order.get(at) {
            at += 1;
            let own = behind[node.index()] + u32::from(layers.of(node).is_some());
            for slot in self.slots(node, Direction::Dependencies) {
                let there = slot.node as usize;
                behind[there] = behind[there].max(own);
                waits[there] -= 1;
                if waits[there] == 0 {
                    order.push(NodeId(slot.node));
                }
            }
        }
        let all = count(layers.len());
        self.nodes()
            .filter(|node| {
                layers
                    .of(*node)
                    .is_some_and(|layer| layer + behind[node.index()] == all)
            })
            .collect()
    }

    fn deepest_dependency(&self, layers: &Layers, node: NodeId) -> Option<super::Link> {
        let depth = |n: NodeId| layers.depth.get(n.index()).copied().unwrap_or(0);
        let want = depth(node) - u32::from(layers.of(node).is_some());
        self.distinct(node, Direction::Dependencies)
            .filter(|link| want > 0 && depth(link.node) == want)
            .min_by_key(|link| link.node)
    }
}

fn group(depth: &[u32], takes_place: &[bool], last: u32) -> (Vec<u32>, Vec<NodeId>) {
    let placed = || {
        depth
            .iter()
            .zip(takes_place)
            .enumerate()
            .filter(|(_, (depth, takes))| **takes && **depth != UNPLACED)
            .map(|(node, (depth, _))| (*depth as usize, NodeId(count(node))))
    };
    let mut starts = vec![0u32; last as usize + 1];
    for (depth, _) in placed() {
        starts[depth] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut next = starts.clone();
    let mut members = vec![NodeId(0); sum as usize];
    for (depth, node) in placed() {
        let at = &mut next[depth - 1];
        members[*at as usize] = node;
        *at += 1;
    }
    (starts, members)
}

#[cfg(test)]
mod tests {
    use super::super::GraphBuilder;
    use super::*;

    fn numbers(layers: &Layers) -> Vec<Vec<u32>> {
        layers.iter().map(|l| l.iter().map(|n| n.0).collect()).collect()
    }

    #[test]
    fn a_unit_starts_one_layer_after_the_last_it_waits_for() {
        let mut b = GraphBuilder::new();
        let [a, c, d, e] = std::array::from_fn(|i| b.unit(i as u32));
        b.explicit(c, a, 0);
        b.explicit(d, c, 1);
        b.explicit(d, a, 2);
        let g = b.build();
        let layers = g.layers().unwrap();
        assert_eq!(numbers(&layers), [vec![a.0, e.0], vec![c.0], vec![d.0]]);
        assert_eq!((layers.of(d), layers.len()), (Some(3), 3));
        assert_eq!(g.critical_path().unwrap().nodes(), [d, c, a]);
    }

    #[test]
    fn what_has_no_slack_is_on_some_longest_chain() {
        let mut b = GraphBuilder::new();
        let [a, c, d, e, f] = std::array::from_fn(|i| b.unit(i as u32));
        b.explicit(c, a, 0);
        b.explicit(d, a, 1);
        let join = b.join(0);
        b.explicit(e, join, 2);
        b.explicit(join, c, 3);
        b.explicit(join, d, 4);
        b.explicit(f, a, 5);
        let g = b.build();
        assert_eq!(g.critical_units(), [a, c, d, e]);
        assert_eq!(g.critical_path().unwrap().nodes().len(), 3);
    }

    #[test]
    fn joins_and_outside_nodes_pass_order_on_and_add_no_layer() {
        let mut b = GraphBuilder::new();
        let [a, c] = std::array::from_fn(|i| b.unit(i as u32));
        let (join, outside) = (b.join(0), b.outside(0));
        b.explicit(c, join, 0);
        b.explicit(join, outside, 0);
        b.explicit(outside, a, 0);
        let g = b.build();
        let layers = g.layers().unwrap();
        assert_eq!(numbers(&layers), [vec![a.0], vec![c.0]]);
        assert_eq!((layers.of(join), layers.of(outside)), (None, None));
        assert_eq!(g.critical_path().unwrap().nodes(), [c, outside, a]);
        let counted = g.layers_counting(|_, kind| !kind.is_passed());
        assert_eq!(numbers(&counted), [vec![a.0], vec![outside.0], vec![c.0]]);
    }

    #[test]
    fn a_cycle_leaves_layers_only_to_what_does_not_wait_for_it() {
        let mut b = GraphBuilder::new();
        let [free, x, y, behind, before] = std::array::from_fn(|i| b.unit(i as u32));
        b.explicit(x, y, 0);
        b.explicit(y, x, 1);
        b.explicit(behind, x, 2);
        b.explicit(x, before, 3);
        let g = b.build();
        assert_eq!(g.layers(), None);
        assert!(g.critical_path().is_none());
        let part = g.partial_layers();
        assert_eq!(numbers(&part), [vec![free.0, before.0]]);
        assert_eq!(part.stuck(), [x, y, behind]);
    }

    #[test]
    fn no_units_no_layers() {
        let layers = GraphBuilder::new().build().layers().unwrap();
        assert!(layers.is_empty() && layers.layer(0).is_empty());
        assert_eq!(GraphBuilder::new().build().critical_path(), Some(Path::default()));
    }
}
