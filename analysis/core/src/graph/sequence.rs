//! One exact sequence out of the partial order.

use super::order_graph::count;
use super::{Direction, NodeId, NodeKind, OrderGraph};

/// The result of [`OrderGraph::fifo_order`]. Joins are in neither list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FifoOrder {
    /// Nodes in the order of starting.
    pub sequence: Vec<NodeId>,
    /// Nodes on a cycle or waiting for one, sorted by the key; empty without a cycle.
    pub stuck: Vec<NodeId>,
}

impl OrderGraph {
    /// Kahn's algorithm with a queue (Terramate, "The ordering graph"): the nodes that wait for nothing, sorted
    /// by `key`, form the queue; the front is taken; the nodes whose last dependency it was are sorted among
    /// themselves and appended. Ties are broken by node number. What waits for a join is released together with
    /// it, as if it waited for all that the join waits for.
    #[must_use]
    pub fn fifo_order<K: Ord>(&self, key: impl Fn(NodeId) -> K) -> FifoOrder {
        let sort = |nodes: &mut [NodeId]| nodes.sort_unstable_by_key(|node| (key(*node), *node));
        let is_join = |node: NodeId| matches!(self.kind(node), Some(NodeKind::Join(_)));
        let mut waits: Vec<u32> = self
            .nodes()
            .map(|node| count(self.slots(node, Direction::Dependencies).len()))
            .collect();
        let free = self.nodes().filter(|node| waits[node.index()] == 0);
        let (mut passed, mut sequence): (Vec<NodeId>, Vec<NodeId>) = free.partition(|node| is_join(*node));
        let mut pass = |passed: &mut Vec<NodeId>, sequence: &mut Vec<NodeId>| {
            while let Some(from) = passed.pop() {
                for slot in self.slots(from, Direction::Dependents) {
                    let left = &mut waits[slot.node as usize];
                    *left -= 1;
                    if *left == 0 {
                        let freed = NodeId(slot.node);
                        if is_join(freed) {
                            &mut *passed
                        } else {
                            &mut *sequence
                        }
                        .push(freed);
                    }
                }
            }
        };
        pass(&mut passed, &mut sequence);
        sort(&mut sequence);
        let mut at = 0;
        while let Some(&node) = sequence.get(at) {
            at += 1;
            let freed = sequence.len();
            passed.push(node);
            pass(&mut passed, &mut sequence);
            sort(sequence.get_mut(freed..).unwrap_or_default());
        }
        let mut stuck: Vec<NodeId> = self.nodes().filter(|node| waits[node.index()] > 0).collect();
        stuck.retain(|node| !is_join(*node));
        sort(&mut stuck);
        FifoOrder { sequence, stuck }
    }
}

#[cfg(test)]
mod tests {
    use super::super::GraphBuilder;

    /// From the Terramate spec: `z after a`, `c after b` gives `a b z c`, which is neither the
    /// smallest topological order nor layers sorted by name.
    #[test]
    fn freed_nodes_are_sorted_among_themselves_only() {
        let names = ["z", "c", "b", "a"];
        let mut b = GraphBuilder::new();
        let [z, c, bb, a] = std::array::from_fn(|i| b.unit(i as u32));
        b.explicit(z, a, 0);
        b.explicit(c, bb, 1);
        let order = b.build().fifo_order(|n| names[n.index()]);
        assert_eq!(order.sequence, [a, bb, z, c]);
        assert!(order.stuck.is_empty());
    }

    #[test]
    fn what_waits_for_a_join_is_freed_with_it() {
        // One graph with pairs, and one with a join of what `c` and `z` wait for.
        let pairs = {
            let mut b = GraphBuilder::new();
            let [one, two, z, c, last] = std::array::from_fn(|i| b.unit(i as u32));
            for (from, to) in [(z, one), (z, two), (c, one), (c, two), (last, one)] {
                b.explicit(from, to, 0);
            }
            b.build()
        };
        let joined = {
            let mut b = GraphBuilder::new();
            let [one, two, z, c, last] = std::array::from_fn(|i| b.unit(i as u32));
            let [join, empty] = std::array::from_fn(|i| b.join(i as u32));
            for (from, to) in [
                (join, one),
                (join, two),
                (z, join),
                (c, join),
                (last, one),
                (one, empty),
            ] {
                b.explicit(from, to, 0);
            }
            b.build()
        };
        assert_eq!(pairs.fifo_order(|n| n), joined.fifo_order(|n| n));
    }

    #[test]
    fn what_waits_for_a_cycle_is_stuck() {
        let mut b = GraphBuilder::new();
        let [x, y, behind, free] = std::array::from_fn(|i| b.unit(i as u32));
        for (from, to) in [(x, y), (y, x), (behind, y), (behind, free)] {
            b.explicit(from, to, 0);
        }
        let order = b.build().fifo_order(|n| n);
        assert_eq!((order.sequence, order.stuck), (vec![free], vec![x, y, behind]));
    }
}
