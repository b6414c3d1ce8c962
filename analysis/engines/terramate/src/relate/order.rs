//! The ordering graph of a selection, its sequence, and the one cycle that Terramate reports.
//!
//! Source: Terramate 0.17.2, "The ordering graph" and "Cycles".

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::entries::{Entries, Entry, Meant};
use crate::load::tree::Tree;
use crate::model::stacks::{StackIx, Stacks};
use crate::read::Attribute;
use applyorder_core::engine::{OrderOf, UnitIx};
use applyorder_core::graph::{Direction, Edge, EdgeKind, GraphBuilder, Layers, NodeId, NodeKind, OrderGraph};

/// The reasons of implicit edges, see [`applyorder_core::engine::Variant::reasons`]. Those of [`Shared`] follow.
pub(crate) const REASONS: [&str; 1] = ["nesting"];

/// If entries mean more pairs of stacks than this, those that mean the same stacks share a join.
const MOST_PAIRS: u64 = 1_000_000;

/// The lists that entries share a join for: the reason of being in each, by its number.
#[derive(Default)]
pub(crate) struct Shared {
    numbers: FxHashMap<u32, u32>,
    /// The reasons, after [`REASONS`].
    pub(crate) reasons: Vec<String>,
}

/// The stacks and entries of a project, seen under a selection.
pub(crate) struct Ordering<'a> {
    pub(crate) stacks: &'a Stacks,
    pub(crate) entries: &'a Entries,
    /// Which stacks are selected.
    pub(crate) selected: &'a [bool],
}

impl Ordering<'_> {
    fn is_selected(&self, stack: StackIx) -> bool {
        self.selected.get(stack as usize).copied().unwrap_or(false)
    }

    fn entries_of(&self, stack: StackIx) -> impl Iterator<Item = Entry<'_>> {
        self.entries.of(stack).filter(|e| e.attribute.orders())
    }

    /// The nearest selected stack above; the stack of the root is not above any other.
    fn selected_above(&self, stack: StackIx) -> Option<StackIx> {
        let mut at = self.stacks.parent(stack);
        while let Some(above) = at {
            if self.is_selected(above) {
                // The root is the first directory.
                return Some(above).filter(|a| self.stacks.get(*a).is_some_and(|node| node.dir > 0));
            }
            at = self.stacks.parent(above);
        }
        None
    }

    /// The stack after which another runs only because of nesting: the nearest one, because those above it run
    /// before that one in any case.
    pub(crate) fn implied(&self, stack: StackIx) -> Option<StackIx> {
        let above = self.selected_above(stack)?;
        if self.is_selected(stack) {
            Some(above)
        } else {
            self.selected_above(above)
        }
    }

    /// Every stack after which another runs because of nesting: what Terramate's search for a cycle follows.
    fn all_implied(&self, stack: StackIx, into: &mut Vec<StackIx>) {
        let mut at = self.implied(stack);
        while let Some(above) = at {
            into.push(above);
            at = self.selected_above(above);
        }
    }

    /// The stacks that Terramate's graph reaches from the selected ones.
    pub(crate) fn closure(&self) -> Vec<bool> {
        let mut reached = self.selected.to_vec();
        if reached.iter().all(|r| *r) {
            return reached;
        }
        for (stack, _) in self.stacks.iter() {
            // A selected stack brings in all stacks nested in the selected ones below it.
            if !self.is_selected(stack)
                && self.implied(stack).is_some()
                && let Some(slot) = reached.get_mut(stack as usize)
            {
                *slot = true;
            }
        }
        let mut open: Vec<StackIx> = self
            .stacks
            .iter()
            .map(|(s, _)| s)
            .filter(|s| reached.get(*s as usize) == Some(&true))
            .collect();
        let mut followed = vec![false; self.entries.lists()];
        while let Some(stack) = open.pop() {
            for (_, entry) in self.ordering(stack) {
                let is_new = followed.get_mut(entry.list as usize).filter(|f| !**f);
                let Some(is_followed) = is_new else { continue };
                *is_followed = true;
                for target in self.entries.targets(entry.list) {
                    if let Some(slot) = reached.get_mut(target.0 as usize).filter(|r| !**r) {
                        *slot = true;
                        open.push(target.0);
                    }
                }
            }
        }
        reached
    }

    /// The stacks in the order in which Terramate reaches them: depth first from the selected ones, what a
    /// stack runs after before what runs after it.
    pub(crate) fn visits(&self, tree: &Tree) -> Vec<StackIx> {
        let starts = self
            .stacks
            .iter()
            .map(|(s, _)| s)
            .filter(|s| self.is_selected(*s));
        let targets = |stack: StackIx, attribute: Attribute| {
            let mut found: Vec<StackIx> = self
                .entries_of(stack)
                .filter(|e| e.attribute == attribute)
                .flat_map(|e| e.targets.iter().map(|t| t.0))
                .collect();
            if attribute == Attribute::Before {
                found.extend(self.implied_below(stack, tree));
            }
            found.sort_unstable();
            found.dedup();
            found
        };
        visits(starts, self.stacks.len(), |stack| {
            let mut next = targets(stack, Attribute::After);
            next.extend(targets(stack, Attribute::Before));
            next
        })
    }

    /// What runs after a stack because of nesting: all at and below the selected stacks below it.
    fn implied_below(&self, stack: StackIx, tree: &Tree) -> Vec<StackIx> {
        let Some(node) = self
            .stacks
            .get(stack)
            .filter(|n| self.is_selected(stack) && &*n.path != "/")
        else {
            return Vec::new();
        };
        let end = tree.dirs.get(node.dir as usize).map_or(node.dir, |d| d.end);
        let below = self.stacks.below(node.dir, end);
        let of_selected =
            |s: StackIx| s != stack && (self.is_selected(s) || self.selected_above(s) != Some(stack));
        below.iter().map(|u| u.0).filter(|s| of_selected(*s)).collect()
    }

    /// The lists for which entries share a join: empty if there are not many pairs.
    pub(crate) fn shared(&self, reached: &[bool], most_pairs: u64) -> Shared {
        let mut uses: FxHashMap<u32, u64> = FxHashMap::default();
        let mut pairs = 0;
        for stack in self.reached(reached) {
            for (_, entry) in self.ordering(stack) {
                *uses.entry(entry.list).or_default() += 1;
                pairs += self.entries.targets(entry.list).len() as u64;
            }
        }
        let mut shared = Shared::default();
        if pairs <= most_pairs {
            return shared;
        }
        for stack in self.reached(reached) {
            for (number, entry) in self.ordering(stack) {
                let is_shared = uses.get(&entry.list).is_some_and(|n| *n > 1)
                    && self.entries.targets(entry.list).len() > 1;
                if !is_shared || shared.numbers.contains_key(&entry.list) {
                    continue;
                }
                let Some(written) = self.entries.entry(stack, number) else {
                    continue;
                };
                let reason = REASONS.len() + shared.reasons.len();
                let reason = u32::try_from(reason).unwrap_or(u32::MAX);
                shared.numbers.insert(entry.list, reason);
                shared.reasons.push(format!("meant by `{}`", written.text));
            }
        }
        shared
    }

    fn reached<'a>(&'a self, reached: &'a [bool]) -> impl Iterator<Item = StackIx> + 'a {
        let is_reached = move |stack: &StackIx| reached.get(*stack as usize) == Some(&true);
        (0..self.entries.stacks()).filter(is_reached)
    }

    /// The entries of a stack that affect the order, as numbers.
    fn ordering(&self, stack: StackIx) -> impl Iterator<Item = (u32, Meant)> + '_ {
        self.entries.meant(stack).filter(|(_, e)| e.attribute.orders())
    }

    /// The graph: explicit edges of every reached stack, implicit ones of the nearest stack above. Entries share a join
    /// for each of some lists: those of `after` one, those of `before` another one.
    pub(crate) fn graph(&self, reached: &[bool], reversed: bool, shared: &Shared) -> OrderGraph {
        let count = self.stacks.len();
        let mut builder = GraphBuilder::with_capacity(count, count * 2);
        for (stack, _) in self.stacks.iter() {
            builder.node(if self.is_selected(stack) {
                NodeKind::Unit(stack)
            } else {
                NodeKind::Removed(stack)
            });
        }
        let edge = |builder: &mut GraphBuilder, from: NodeId, to: NodeId, kind: EdgeKind| {
            let (from, to) = if reversed { (to, from) } else { (from, to) };
            builder.edge(Edge::new(from, to, kind));
        };
        let mut joins: FxHashMap<(u32, bool), NodeId> = FxHashMap::default();
        for stack in self.reached(reached) {
            let own = NodeId(stack);
            for (number, entry) in self.ordering(stack) {
                let kind = EdgeKind::Explicit { dependency: number };
                let is_before = entry.attribute == Attribute::Before;
                let relate = |builder: &mut GraphBuilder, here: NodeId, there: NodeId, kind: EdgeKind| {
                    if is_before {
                        edge(builder, there, here, kind);
                    } else {
                        edge(builder, here, there, kind);
                    }
                };
                let targets = self.entries.targets(entry.list).iter().map(|t| NodeId(t.0));
                let Some(reason) = shared.numbers.get(&entry.list) else {
                    targets.for_each(|target| relate(&mut builder, own, target, kind));
                    continue;
                };
                let join = *joins.entry((entry.list, is_before)).or_insert_with(|| {
                    let join = builder.join(entry.list);
                    let member = EdgeKind::Implicit { reason: *reason };
                    targets.for_each(|target| relate(&mut builder, join, target, member));
                    join
                });
                relate(&mut builder, own, join, kind);
            }
            if let Some(above) = self.implied(stack) {
                edge(&mut builder, own, NodeId(above), EdgeKind::Implicit { reason: 0 });
            }
        }
        builder.build()
    }

    /// The same with numbers alone: entries that mean the same stacks share a join, so that the number of edges
    /// is that of entries and of stacks that lists name, never that of pairs. `taken` is called for each entry,
    /// with its stack and its list.
    pub(crate) fn joined(&self, reached: &[bool], taken: impl Fn(StackIx, u32) -> bool) -> OrderGraph {
        let count = self.stacks.len();
        let mut builder = GraphBuilder::with_capacity(count * 2, self.entries.len() * 2 + count);
        for stack in 0..self.entries.stacks() {
            builder.node(if self.is_selected(stack) {
                NodeKind::Unit(stack)
            } else {
                NodeKind::Removed(stack)
            });
        }
        // By list, for `after` and for `before`.
        let mut joins: Vec<[Option<NodeId>; 2]> = vec![[None; 2]; self.entries.lists()];
        for stack in self.reached(reached) {
            let own = NodeId(stack);
            let entries = self.ordering(stack).map(|(_, entry)| entry);
            for entry in entries.filter(|e| taken(stack, e.list)) {
                let is_before = entry.attribute == Attribute::Before;
                let edge = |builder: &mut GraphBuilder, here: NodeId, there: NodeId| {
                    if is_before {
                        builder.implicit(there, here, 0)
                    } else {
                        builder.implicit(here, there, 0)
                    }
                };
                if let Some(one) = self.entries.alone(entry.list) {
                    edge(&mut builder, own, NodeId(one));
                    continue;
                }
                let there = match self.entries.targets(entry.list) {
                    [] => continue,
                    [one] => NodeId(one.0),
                    many => {
                        let of_list = joins.get_mut(entry.list as usize);
                        let Some(slot) = of_list.and_then(|l| l.get_mut(usize::from(is_before))) else {
                            continue;
                        };
                        *slot.get_or_insert_with(|| {
                            let join = builder.join(0);
                            for target in many {
                                edge(&mut builder, join, NodeId(target.0));
                            }
                            join
                        })
                    }
                };
                edge(&mut builder, own, there);
            }
            if let Some(above) = self.implied(stack) {
                builder.implicit(own, NodeId(above), 0);
            }
        }
        builder.build()
    }

    /// The order for applying and for `--reverse`, and the reasons of their implicit edges.
    pub(crate) fn orders(&self, has_cycle: bool) -> (OrderOf, OrderOf, Vec<String>) {
        let reached = self.closure();
        let shared = self.shared(&reached, MOST_PAIRS);
        let apply = self.graph(&reached, false, &shared);
        let delete = self.graph(&reached, true, &shared);
        let mut reasons = REASONS.map(str::to_owned).to_vec();
        reasons.extend(shared.reasons);
        let run: Vec<UnitIx> = apply
            .fifo_order(|node| node)
            .sequence
            .iter()
            .filter(|n| self.is_selected(n.0))
            .map(|n| UnitIx(n.0))
            .collect();
        let because = has_cycle.then(|| "a dependency cycle".to_owned());
        let of = |graph: OrderGraph, sequence: Vec<UnitIx>| {
            let ok = because.is_none();
            OrderOf {
                layers: if ok {
                    graph.layers().map(|l| in_layers(&l).into())
                } else {
                    None
                },
                graph: Arc::new(graph),
                sequence: ok.then_some(sequence),
                guaranteed: true,
                because: because.clone(),
                open: Vec::new(),
            }
        };
        let back = run.iter().rev().copied().collect();
        (of(apply, run), of(delete, back), reasons)
    }

    /// Terramate's own path: depth first over what a stack runs after, from the smallest stack that could not
    /// be ordered, until a stack of the branch occurs again.
    pub(super) fn cycle(&self, start: StackIx, joined: &OrderGraph) -> Option<Vec<StackIx>> {
        let after = |stack: StackIx| {
            let mut found: Vec<StackIx> = awaited(joined, NodeId(stack)).map(|n| n.0).collect();
            self.all_implied(stack, &mut found);
            found.sort_unstable();
            found.dedup();
            found
        };
        walk(start, self.stacks.len(), after)
    }
}

/// What a node waits for, joins expanded: a node may occur several times.
pub(super) fn awaited(graph: &OrderGraph, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let of = |node: NodeId| {
        graph
            .distinct(node, Direction::Dependencies)
            .map(|link| link.node)
    };
    of(node).flat_map(move |node| {
        let is_join = matches!(graph.kind(node), Some(NodeKind::Join(_)));
        let alone = (!is_join).then_some(node);
        alone.into_iter().chain(of(node).filter(move |_| is_join))
    })
}

/// Nodes in the order of a depth-first walk.
pub(super) fn visits(
    starts: impl Iterator<Item = u32>,
    count: usize,
    next: impl Fn(u32) -> Vec<u32>,
) -> Vec<u32> {
    let mut seen = vec![false; count];
    let mut order = Vec::new();
    let mut open: Vec<std::vec::IntoIter<u32>> = Vec::new();
    for start in starts {
        open.push(vec![start].into_iter());
        while let Some(top) = open.last_mut() {
            match top.next() {
                Some(node) => {
                    if let Some(seen) = seen.get_mut(node as usize).filter(|s| !**s) {
                        *seen = true;
                        order.push(node);
                        open.push(next(node).into_iter());
                    }
                }
                None => {
                    open.pop();
                }
            }
        }
    }
    order
}

/// The branch of a depth-first walk when it meets a node of the branch again, with that node at its end. Nodes
/// from which no such node was reached are not walked twice.
pub(super) fn walk(start: u32, count: usize, next: impl Fn(u32) -> Vec<u32>) -> Option<Vec<u32>> {
    let mut done = vec![false; count];
    let mut branch: Vec<u32> = vec![start];
    let mut open: Vec<std::vec::IntoIter<u32>> = Vec::new();
    let mut entering = true;
    loop {
        if entering {
            let found = next(*branch.last()?);
            if let Some(again) = branch.iter().find(|b| found.binary_search(b).is_ok()) {
                let again = *again;
                branch.push(again);
                return Some(branch);
            }
            open.push(found.into_iter());
            entering = false;
        }
        match open.last_mut()?.next() {
            Some(node) if done.get(node as usize) == Some(&false) => {
                branch.push(node);
                entering = true;
            }
            Some(_) => {}
            None => {
                open.pop();
                if let Some(slot) = branch.pop().and_then(|node| done.get_mut(node as usize)) {
                    *slot = true;
                }
                if branch.is_empty() {
                    return None;
                }
            }
        }
    }
}

fn in_layers(layers: &Layers) -> Vec<Vec<UnitIx>> {
    layers
        .iter()
        .map(|layer| layer.iter().map(|n| UnitIx(n.0)).collect())
        .collect()
}
