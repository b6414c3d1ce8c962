//! Which order of one graph another one no longer guarantees.

use siphasher::sip128::{Hasher128 as _, SipHasher13};

use super::order_graph::count;
use super::{Components, Direction, EdgeId, NodeId, NodeKind, OrderGraph};

/// One unit waits for another, directly or through nodes that only one of two graphs has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The unit that waits.
    pub from: NodeId,
    /// The unit it waits for.
    pub to: NodeId,
    /// The first edge on the way.
    pub near: EdgeId,
    /// The last edge on the way; the same as `near` if nothing is in between.
    pub far: EdgeId,
}

/// How the orders of two graphs differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// What waits in the first graph and is ordered by no path of the second; nodes and edges of the first.
    pub lost: Vec<Wait>,
    /// What waits in the second graph and is ordered by no path of the first; nodes and edges of the second.
    pub gained: Vec<Wait>,
    /// How many units were not compared because the budget was exhausted first.
    pub uncompared: usize,
}

impl OrderGraph {
    /// What is lost and gained from this graph to another one. `there` says, by [`NodeId::index`], which node
    /// of the other graph is the same unit; no two nodes share one. Nodes that are in only one graph are passed
    /// through: a unit that waited for a removed unit still waits for what that one waited for.
    ///
    /// Takes n log n steps in addition to the differences, and at most `budget` (edges looked at) for those.
    #[must_use]
    pub fn difference(&self, other: &Self, there: &[Option<NodeId>], budget: u64) -> Difference {
        let mut of_other = vec![None; other.node_count()];
        for node in self.nodes() {
            if let Some(there) = there.get(node.index()).copied().flatten()
                && let Some(slot) = of_other.get_mut(there.index())
            {
                *slot = Some(there);
            }
        }
        let mut before = Side::new(self, 0, |node| there.get(node.index()).copied().flatten());
        let mut after = Side::new(other, 1, |node| of_other.get(node.index()).copied().flatten());
        let mut left = budget;
        let mut difference = Difference::default();
        let (mut lost, mut gained) = (Vec::new(), Vec::new());
        for here in self.nodes() {
            let Some(there) = before.same(here) else { continue };
            if before.signature(here) == after.signature(there) {
                continue;
            }
            if left == 0 {
                difference.uncompared += 1;
                continue;
            }
            before.awaited(here, &mut left);
            after.awaited(there, &mut left);
            missing(&before.found, &after.found, here, &mut lost);
            missing(&after.found, &before.found, there, &mut gained);
        }
        let asked = lost.iter().map(|(wait, to)| (before.same(wait.from), Some(*to)));
        let asked: Vec<_> = asked.filter_map(|(a, b)| Some((a?, b?))).collect();
        let kept = other.reaches_all(&after.components, &asked, &mut left);
        let mut uncompared: Vec<NodeId> = Vec::new();
        keep(lost, &kept, &mut difference.lost, &mut uncompared);
        let mut back = vec![None; other.node_count()];
        for (node, there) in self.nodes().filter_map(|n| Some((n, before.same(n)?))) {
            if let Some(slot) = back.get_mut(there.index()) {
                *slot = Some(node);
            }
        }
        let node = |node: NodeId| back.get(node.index()).copied().flatten();
        let asked = gained.iter().map(|(wait, to)| (node(wait.from), node(*to)));
        let asked: Vec<_> = asked.filter_map(|(a, b)| Some((a?, b?))).collect();
        let kept = self.reaches_all(&before.components, &asked, &mut left);
        let mut others: Vec<NodeId> = Vec::new();
        keep(gained, &kept, &mut difference.gained, &mut others);
        uncompared.extend(others.into_iter().filter_map(node));
        uncompared.sort_unstable();
        uncompared.dedup();
        difference.uncompared += uncompared.len();
        difference
    }

    /// For each pair whether the first waits for the second over any path; `None` once `left`, in edges looked
    /// at, is spent. `components` are this graph's. 64 pairs with different starts, or different ends, share
    /// one walk over the graph.
    #[must_use]
    pub fn reaches_all(
        &self,
        components: &Components,
        pairs: &[(NodeId, NodeId)],
        left: &mut u64,
    ) -> Vec<Option<bool>> {
        let distinct = |of: fn(&(NodeId, NodeId)) -> NodeId| {
            let mut nodes: Vec<NodeId> = pairs.iter().map(of).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let (starts, ends) = (distinct(|p| p.0), distinct(|p| p.1));
        let from_starts = starts.len() <= ends.len();
        let marked = if from_starts { &starts } else { &ends };
        let ask = |pair: &(NodeId, NodeId)| if from_starts { *pair } else { (pair.1, pair.0) };
        let mut by_mark: Vec<(NodeId, NodeId, usize)> = pairs
            .iter()
            .map(ask)
            .zip(0..)
            .map(|((m, o), i)| (m, o, i))
            .collect();
        by_mark.sort_unstable();
        let mut answers = vec![None; pairs.len()];
        let mut bits = vec![0u64; components.len()];
        let mut rest = &by_mark[..];
        let cost = self.node_count() as u64 + self.edges().len() as u64;
        for batch in marked.chunks(64) {
            let end = batch
                .last()
                .map_or(0, |last| rest.partition_point(|(m, _, _)| m <= last));
            let (now, later) = rest.split_at(end);
            rest = later;
            if *left < cost {
                *left = 0;
                break;
            }
            *left -= cost;
            bits.fill(0);
            for (bit, node) in batch.iter().enumerate() {
                if let Some(bits) = components.of(*node).and_then(|c| bits.get_mut(c as usize)) {
                    *bits |= 1 << bit;
                }
            }
            self.spread(components, &mut bits, from_starts);
            for (mark, other, pair) in now {
                let bit = batch.partition_point(|node| node < mark);
                let of = components.of(*other).and_then(|c| bits.get(c as usize));
                if let Some(answer) = answers.get_mut(*pair) {
                    *answer = Some(of.is_some_and(|bits| (bits >> bit) & 1 == 1));
                }
            }
        }
        answers
    }

    /// Propagates the marks of each component to all its dependencies, or those of all its dependencies to it.
    fn spread(&self, components: &Components, bits: &mut [u64], to_dependencies: bool) {
        let last = count(components.len());
        for at in 0..last {
            // The dependencies of a component have smaller numbers.
            let component = if to_dependencies { last - 1 - at } else { at };
            let mut own = bits.get(component as usize).copied().unwrap_or(0);
            for member in components.members(component) {
                for slot in self.slots(*member, Direction::Dependencies) {
                    let there = components
                        .of(NodeId(slot.node))
                        .filter(|there| *there != component);
                    let Some(there) = there.and_then(|there| bits.get_mut(there as usize)) else {
                        continue;
                    };
                    if to_dependencies {
                        *there |= own;
                    } else {
                        own |= *there;
                    }
                }
            }
            if let Some(bits) = bits.get_mut(component as usize) {
                *bits = own;
            }
        }
    }
}

/// What is in the first list and not in the second, with the other end's number in both graphs.
fn missing(these: &[Awaited], those: &[Awaited], from: NodeId, out: &mut Vec<(Wait, NodeId)>) {
    for one in these {
        if those.binary_search_by_key(&one.same, |other| other.same).is_err() {
            let wait = Wait {
                from,
                to: one.node,
                near: one.near,
                far: one.far,
            };
            out.push((wait, one.same));
        }
    }
}

/// Splits the waits that have no edge by whether a path keeps them.
fn keep(
    candidates: Vec<(Wait, NodeId)>,
    kept: &[Option<bool>],
    gone: &mut Vec<Wait>,
    uncompared: &mut Vec<NodeId>,
) {
    for ((wait, _), kept) in candidates.into_iter().zip(kept) {
        match kept {
            Some(true) => {}
            Some(false) => gone.push(wait),
            None => uncompared.push(wait.from),
        }
    }
}

/// What a unit waits for.
#[derive(Clone, Copy)]
struct Awaited {
    /// Its number in the other graph, or in this one if this is the second.
    same: NodeId,
    node: NodeId,
    near: EdgeId,
    far: EdgeId,
}

/// One of two graphs: which of its nodes are compared, and what each node waits for as a number.
struct Side<'a> {
    graph: &'a OrderGraph,
    same: Vec<Option<NodeId>>,
    components: Components,
    signatures: Vec<u128>,
    seen: Vec<u32>,
    round: u32,
    open: Vec<(NodeId, EdgeId)>,
    found: Vec<Awaited>,
}

impl<'a> Side<'a> {
    fn new(graph: &'a OrderGraph, which: u8, same: impl Fn(NodeId) -> Option<NodeId>) -> Self {
        let is_unit = |node: NodeId| matches!(graph.kind(node), Some(NodeKind::Unit(_)));
        let same = graph
            .nodes()
            .map(|node| same(node).filter(|_| is_unit(node)))
            .collect();
        let mut side = Self {
            graph,
            same,
            components: graph.components(),
            signatures: vec![0; graph.node_count()],
            seen: vec![0; graph.node_count()],
            round: 0,
            open: Vec::new(),
            found: Vec::new(),
        };
        side.sign(which);
        side
    }

    fn same(&self, node: NodeId) -> Option<NodeId> {
        self.same.get(node.index()).copied().flatten()
    }

    fn signature(&self, node: NodeId) -> u128 {
        self.signatures.get(node.index()).copied().unwrap_or(0)
    }

    /// Gives each node a number that represents what it waits for: equal numbers, equal units. Groups that are
    /// equal in both graphs need not be expanded.
    fn sign(&mut self, which: u8) {
        for component in 0..count(self.components.len()) {
            for node in self.components.members(component) {
                let mut sum = 0u128;
                for link in self.graph.distinct(*node, Direction::Dependencies) {
                    let there = link.node;
                    sum = sum.wrapping_add(match self.same(there) {
                        Some(same) => hash(&(0u8, same.0)),
                        // Within a cycle nothing has a signature yet: such a node equals no other.
                        None if self.components.of(there) == Some(component) => hash(&(1u8, there.0, which)),
                        None => hash(&(2u8, self.signature(there))),
                    });
                }
                if let Some(signature) = self.signatures.get_mut(node.index()) {
                    *signature = sum;
                }
            }
        }
    }

    /// Finds what a unit waits for, by its number in the second graph, without itself.
    fn awaited(&mut self, node: NodeId, left: &mut u64) {
        self.found.clear();
        self.open.clear();
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.seen.fill(0);
            self.round = 1;
        }
        self.meet_all(node, None, left);
        let mut at = 0;
        while let Some((passed, near)) = self.open.get(at).copied() {
            at += 1;
            self.meet_all(passed, Some(near), left);
        }
        self.found.retain(|found| found.node != node);
        self.found.sort_unstable_by_key(|found| found.same);
    }

    fn meet_all(&mut self, node: NodeId, near: Option<EdgeId>, left: &mut u64) {
        let graph = self.graph;
        for link in graph.distinct(node, Direction::Dependencies) {
            *left = left.saturating_sub(1);
            let Some(seen) = self.seen.get_mut(link.node.index()) else {
                continue;
            };
            if std::mem::replace(seen, self.round) == self.round {
                continue;
            }
            let near = near.unwrap_or(link.edge);
            match self.same(link.node) {
                Some(same) => self.found.push(Awaited {
                    same,
                    node: link.node,
                    near,
                    far: link.edge,
                }),
                None => self.open.push((link.node, near)),
            }
        }
    }
}

fn hash(value: &impl std::hash::Hash) -> u128 {
    let mut hasher = SipHasher13::new();
    value.hash(&mut hasher);
    hasher.finish128().as_u128()
}

#[cfg(test)]
mod tests {
    use super::super::GraphBuilder;
    use super::*;

    const PLENTY: u64 = 1 << 40;

    /// Graphs over the same units, in the same order.
    fn graphs<const N: usize>(edges: [&[(u32, u32)]; N]) -> [OrderGraph; N] {
        edges.map(|edges| {
            let mut b = GraphBuilder::new();
            for unit in 0..5 {
                b.unit(unit);
            }
            for (from, to) in edges {
                b.explicit(NodeId(*from), NodeId(*to), 0);
            }
            b.build()
        })
    }

    fn all() -> Vec<Option<NodeId>> {
        (0..5).map(|n| Some(NodeId(n))).collect()
    }

    fn pairs(waits: &[Wait]) -> Vec<(u32, u32)> {
        waits.iter().map(|w| (w.from.0, w.to.0)).collect()
    }

    #[test]
    fn what_another_path_orders_is_not_lost() {
        let [before, after] = graphs([&[(2, 1), (1, 0), (2, 0), (3, 0)], &[(2, 1), (1, 0), (3, 2)]]);
        let difference = before.difference(&after, &all(), PLENTY);
        assert_eq!(pairs(&difference.lost), []);
        assert_eq!(pairs(&difference.gained), [(3, 2)]);
        assert_eq!(difference.uncompared, 0);
    }

    #[test]
    fn a_unit_that_is_gone_takes_the_order_of_its_neighbours_with_it() {
        let [before, after] = graphs([&[(2, 1), (1, 0)], &[]]);
        let mut there = all();
        there[1] = None;
        let difference = before.difference(&after, &there, PLENTY);
        assert_eq!(pairs(&difference.lost), [(2, 0)]);
        let kept = graphs([&[(2, 0)]]);
        assert_eq!(before.difference(&kept[0], &there, PLENTY), Difference::default());
    }

    #[test]
    fn a_spent_budget_is_reported() {
        let [before, after] = graphs([&[(1, 0), (2, 0)], &[]]);
        let difference = before.difference(&after, &all(), 1);
        assert_eq!(difference.lost, []);
        assert_eq!(difference.uncompared, 2);
    }

    #[test]
    fn a_group_that_loses_a_member_is_lost_by_all_its_dependents() {
        let build = |members: &[u32]| {
            let mut b = GraphBuilder::new();
            for unit in 0..5 {
                b.unit(unit);
            }
            let join = b.join(0);
            b.explicit(NodeId(3), join, 0);
            b.explicit(NodeId(4), join, 1);
            for member in members {
                b.explicit(join, NodeId(*member), 2);
            }
            b.build()
        };
        let (before, after) = (build(&[0, 1, 2]), build(&[2, 0]));
        let mut there = all();
        there.push(None);
        let difference = before.difference(&after, &there, PLENTY);
        assert_eq!(pairs(&difference.lost), [(3, 1), (4, 1)]);
        assert_eq!(
            before.difference(&build(&[2, 1, 0]), &there, PLENTY),
            Difference::default()
        );
    }
}
