//! Relations of groups to groups without their product, and optional relations added edge by edge.
//!
//! A relation says: one node (its owner) waits for every member of a group, or every member waits
//! for it. Two joins per group carry them: `owner -> join -> members` and `members -> join ->
//! owner`, so that thousands of owners and members cost the sum of both and not the product.
//!
//! Optional relations follow kapp ("Building the graph", the optional pass): of the edges a relation
//! represents, in order, `X -> Y` is dropped if X is Y or if Y already waits for X,
//! directly or through others. [`Relations::add_optional`] gets the same result without trying
//! each pair. Let W be the nodes that would wait and A those that would be awaited, of a batch of
//! relations. New edges lead from W to A only. So if Y of A reaches no node of W when the batch
//! begins, it never will, and every edge to Y is accepted; likewise every edge from an X of W that
//! no node of A reaches. Only pairs with both ends left over are tried one by one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::order_graph::count;
use super::relations_closure::Closure;
use super::{Edge, EdgeId, EdgeKind, GraphBuilder, NodeId, NodeKind, OrderGraph};

/// A node's membership in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The node.
    pub node: NodeId,
    /// The edge that makes it a member.
    pub kind: EdgeKind,
}

/// Which side of a [`Relation`] waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The owner waits for every member of the group.
    OwnerWaits,
    /// Every member of the group waits for the owner.
    GroupWaits,
}

/// One node and a group of nodes, one waiting for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The node.
    pub owner: NodeId,
    /// Index into the groups.
    pub group: u32,
    /// Which side waits.
    pub side: Side,
    /// What makes the relation.
    pub kind: EdgeKind,
    /// Its weight, kept on its edges.
    pub weight: i32,
}

/// An edge of an optional relation that was dropped because it would have closed a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Index of the relation in its batch.
    pub relation: u32,
    /// The node that would have waited.
    pub from: NodeId,
    /// The node that already waits for it.
    pub to: NodeId,
}

/// The budget was exhausted before all optional edges were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unresolved;

/// Builds an [`OrderGraph`] out of units, groups and their relations.
#[derive(Clone, Debug, Default)]
pub struct Relations {
    builder: GraphBuilder,
    groups: Vec<Vec<Member>>,
    joins: FxHashMap<(u32, Side), NodeId>,
    outgoing: Lists,
    incoming: Lists,
    tried: FxHashSet<(NodeId, NodeId)>,
}

impl Relations {
    /// Starts from a builder that contains the nodes and possibly edges, and the members of each group in the
    /// order in which the engine visits them.
    #[must_use]
    pub fn new(builder: GraphBuilder, groups: Vec<Vec<Member>>) -> Self {
        let mut relations = Self {
            groups,
            ..Self::default()
        };
        for edge in builder.edges() {
            relations.outgoing.push(edge.from, edge.to);
            relations.incoming.push(edge.to, edge.from);
        }
        relations.builder = builder;
        relations
    }

    /// The graph of everything added so far. Node and edge numbers stay the same when more is added.
    #[must_use]
    pub fn graph(&self) -> OrderGraph {
        self.builder.clone().build()
    }

    /// The graph of everything that was added.
    #[must_use]
    pub fn finish(self) -> OrderGraph {
        self.into_builder().build()
    }

    /// The builder with everything that was added.
    #[must_use]
    pub fn into_builder(self) -> GraphBuilder {
        self.builder
    }

    /// Adds a relation with all its edges, even if they form cycles. Returns the edge between its owner and the
    /// group's join; `None` if the group does not exist.
    pub fn require(&mut self, relation: &Relation) -> Option<EdgeId> {
        let join = self.join(relation.group, relation.side)?;
        Some(self.relate(relation, join, true))
    }

    /// Adds the edges of optional relations that close no cycle, in order: relation by relation,
    /// and in each through the members of its group. The graph so far must have no cycle.
    ///
    /// Relations may be split into batches anywhere; a batch whose waiting and awaited nodes are of few kinds
    /// (those of one binding) needs the fewest pairs tried. `dropped` receives the dropped edges, in order,
    /// except those from a node to itself. `budget` is decreased by the steps taken.
    ///
    /// # Errors
    /// [`Unresolved`] if the budget is exhausted; which optional edges apply is then unknown, and the graph has
    /// some of them.
    pub fn add_optional(
        &mut self,
        batch: &[Relation],
        budget: &mut u64,
        mut dropped: impl FnMut(Dropped),
    ) -> Result<(), Unresolved> {
        let open = self.undecided(batch, budget)?;
        let mut sure: FxHashMap<(u32, Side), Option<NodeId>> = FxHashMap::default();
        let mut rest: FxHashMap<(u32, Side), Vec<NodeId>> = FxHashMap::default();
        let mut closure = if open.is_empty() {
            None
        } else {
            Some(self.closure(&open, budget)?)
        };
        for (number, relation) in batch.iter().enumerate() {
            let key = (relation.group, relation.side);
            let doubtful = match relation.side {
                Side::OwnerWaits => open.waiter(relation.owner).is_some(),
                Side::GroupWaits => open.awaited(relation.owner).is_some(),
            };
            let Some(closure) = closure.as_mut().filter(|_| doubtful) else {
                if let Some(join) = self.join(relation.group, relation.side) {
                    self.relate(relation, join, false);
                }
                continue;
            };
            let join = match sure.get(&key) {
                Some(join) => *join,
                None => {
                    let join = self.join_of_the_sure(key, &open);
                    sure.insert(key, join);
                    rest.insert(key, self.doubtful_members(key, &open));
                    join
                }
            };
            if let Some(join) = join {
                self.relate(relation, join, false);
            }
            for member in rest.get(&key).into_iter().flatten() {
                let (from, to) = match relation.side {
                    Side::OwnerWaits => (relation.owner, *member),
                    Side::GroupWaits => (*member, relation.owner),
                };
                spend(budget, 1)?;
                let (Some(waiter), Some(awaited)) = (open.waiter(from), open.awaited(to)) else {
                    continue;
                };
                if from == to {
                    continue;
                }
                if closure.closes_cycle(waiter, awaited) {
                    dropped(Dropped {
                        relation: count(number),
                        from,
                        to,
                    });
                    continue;
                }
                if self.tried.insert((from, to)) {
                    spend(budget, closure.add(waiter, awaited))?;
                    self.connect(relation, from, to, false);
                }
            }
        }
        Ok(())
    }

    /// The nodes that may be part of a cycle once the batch is added.
    fn undecided(&self, batch: &[Relation], budget: &mut u64) -> Result<Undecided, Unresolved> {
        let mut waiting = Marks::default();
        let mut awaited = Marks::default();
        let mut groups: FxHashSet<(u32, Side)> = FxHashSet::default();
        for relation in batch {
            let (owners, members) = match relation.side {
                Side::OwnerWaits => (&mut waiting, &mut awaited),
                Side::GroupWaits => (&mut awaited, &mut waiting),
            };
            owners.add(relation.owner);
            if groups.insert((relation.group, relation.side)) {
                for member in self.members(relation.group) {
                    members.add(member.node);
                }
            }
        }
        let below = self.outgoing.reach(&awaited.list, |_| true, budget)?;
        let waiters: Vec<NodeId> = waiting
            .list
            .iter()
            .copied()
            .filter(|node| below.has(*node))
            .collect();
        if waiters.is_empty() {
            return Ok(Undecided::default());
        }
        let between = self.incoming.reach(&waiters, |node| below.has(node), budget)?;
        let awaited = awaited
            .list
            .iter()
            .copied()
            .filter(|node| between.has(*node))
            .collect();
        Ok(Undecided::new(waiters, awaited, between))
    }

    /// Which undecided awaited nodes reach which undecided waiting ones before the batch.
    fn closure(&self, open: &Undecided, budget: &mut u64) -> Result<Closure, Unresolved> {
        let order = self
            .outgoing
            .postorder(&open.awaited, |node| open.between.has(node));
        spend(budget, Closure::words(open.waiters.len(), open.awaited.len()))?;
        let mut closure = Closure::new(open.waiters.len(), open.awaited.len());
        let place = Numbers::new(&order);
        let mut reached = vec![[0u64; 4]; order.len()];
        for (chunk, waiters) in open.waiters.chunks(256).enumerate() {
            for (at, node) in order.iter().enumerate() {
                let mut mask = [0u64; 4];
                for next in self.outgoing.of(*node).filter_map(|next| place.of(next)) {
                    spend(budget, 1)?;
                    mask.iter_mut()
                        .zip(reached[next as usize])
                        .for_each(|(word, more)| *word |= more);
                }
                if let Some(bit) = open
                    .waiter(*node)
                    .and_then(|w| (w as usize).checked_sub(chunk * 256))
                    && bit < waiters.len()
                {
                    mask[bit / 64] |= 1 << (bit % 64);
                }
                reached[at] = mask;
            }
            for (awaited, node) in open.awaited.iter().enumerate() {
                let Some(at) = place.of(*node) else { continue };
                for (word, bits) in reached[at as usize].iter().enumerate() {
                    let mut bits = *bits;
                    while bits != 0 {
                        let waiter = chunk * 256 + word * 64 + bits.trailing_zeros() as usize;
                        closure.set_reaches(count(awaited), count(waiter));
                        bits &= bits - 1;
                    }
                }
            }
        }
        Ok(closure)
    }

    fn members(&self, group: u32) -> &[Member] {
        self.groups.get(group as usize).map_or(&[], Vec::as_slice)
    }

    /// The join of all members of a group, created on first use.
    fn join(&mut self, group: u32, side: Side) -> Option<NodeId> {
        if let Some(join) = self.joins.get(&(group, side)) {
            return Some(*join);
        }
        self.groups.get(group as usize)?;
        let join = self.join_some(group, side, |_| true);
        self.joins.insert((group, side), join);
        Some(join)
    }

    fn join_of_the_sure(&mut self, (group, side): (u32, Side), open: &Undecided) -> Option<NodeId> {
        let sure = |node: NodeId| !open.doubts(side, node);
        let any = self.members(group).iter().any(|m| sure(m.node));
        any.then(|| self.join_some(group, side, sure))
    }

    fn doubtful_members(&self, (group, side): (u32, Side), open: &Undecided) -> Vec<NodeId> {
        self.members(group)
            .iter()
            .map(|m| m.node)
            .filter(|node| open.doubts(side, *node))
            .collect()
    }

    fn join_some(&mut self, group: u32, side: Side, which: impl Fn(NodeId) -> bool) -> NodeId {
        let join = self.builder.node(NodeKind::Join(group));
        let members: Vec<Member> = self
            .members(group)
            .iter()
            .copied()
            .filter(|m| which(m.node))
            .collect();
        for member in members {
            let (from, to) = match side {
                Side::OwnerWaits => (join, member.node),
                Side::GroupWaits => (member.node, join),
            };
            self.add(Edge::new(from, to, member.kind));
        }
        join
    }

    fn relate(&mut self, relation: &Relation, join: NodeId, required: bool) -> EdgeId {
        match relation.side {
            Side::OwnerWaits => self.connect(relation, relation.owner, join, required),
            Side::GroupWaits => self.connect(relation, join, relation.owner, required),
        }
    }

    fn connect(&mut self, relation: &Relation, from: NodeId, to: NodeId, required: bool) -> EdgeId {
        self.add(Edge {
            required,
            weight: relation.weight,
            ..Edge::new(from, to, relation.kind)
        })
    }

    fn add(&mut self, edge: Edge) -> EdgeId {
        self.outgoing.push(edge.from, edge.to);
        self.incoming.push(edge.to, edge.from);
        self.builder.edge(edge)
    }
}

fn spend(budget: &mut u64, steps: u64) -> Result<(), Unresolved> {
    *budget = budget.checked_sub(steps).ok_or(Unresolved)?;
    Ok(())
}

/// The nodes of a batch that are left over on both sides, and everything between them.
#[derive(Default)]
struct Undecided {
    waiters: Vec<NodeId>,
    awaited: Vec<NodeId>,
    waiter_number: Numbers,
    awaited_number: Numbers,
    between: Marks,
}

impl Undecided {
    fn new(waiters: Vec<NodeId>, awaited: Vec<NodeId>, between: Marks) -> Self {
        Self {
            waiter_number: Numbers::new(&waiters),
            awaited_number: Numbers::new(&awaited),
            waiters,
            awaited,
            between,
        }
    }

    fn is_empty(&self) -> bool {
        self.waiters.is_empty()
    }

    fn waiter(&self, node: NodeId) -> Option<u32> {
        self.waiter_number.of(node)
    }

    fn awaited(&self, node: NodeId) -> Option<u32> {
        self.awaited_number.of(node)
    }

    /// Whether a member of a group on this side must be tried.
    fn doubts(&self, side: Side, member: NodeId) -> bool {
        match side {
            Side::OwnerWaits => self.awaited(member).is_some(),
            Side::GroupWaits => self.waiter(member).is_some(),
        }
    }
}

/// The positions of nodes in a list.
#[derive(Default)]
struct Numbers(Vec<u32>);

impl Numbers {
    fn new(list: &[NodeId]) -> Self {
        let mut numbers = vec![END; list.iter().map(|node| node.index() + 1).max().unwrap_or(0)];
        for (number, node) in (0..).zip(list) {
            numbers[node.index()] = number;
        }
        Self(numbers)
    }

    fn of(&self, node: NodeId) -> Option<u32> {
        self.0.get(node.index()).copied().filter(|number| *number != END)
    }
}

/// A set of nodes in insertion order.
#[derive(Clone, Debug, Default)]
struct Marks {
    list: Vec<NodeId>,
    has: Vec<bool>,
}

impl Marks {
    fn add(&mut self, node: NodeId) -> bool {
        if self.has.len() <= node.index() {
            self.has.resize(node.index() + 1, false);
        }
        let new = !std::mem::replace(&mut self.has[node.index()], true);
        if new {
            self.list.push(node);
        }
        new
    }

    fn has(&self, node: NodeId) -> bool {
        self.has.get(node.index()).copied().unwrap_or(false)
    }
}

const END: u32 = u32::MAX;

/// A growable adjacency: per node a linked list through one flat array.
#[derive(Clone, Debug, Default)]
struct Lists {
    first: Vec<u32>,
    links: Vec<(u32, NodeId)>,
}

impl Lists {
    fn push(&mut self, at: NodeId, to: NodeId) {
        if self.first.len() <= at.index() {
            self.first.resize(at.index() + 1, END);
        }
        let number = count(self.links.len());
        let before = std::mem::replace(&mut self.first[at.index()], number);
        self.links.push((before, to));
    }

    fn head(&self, node: NodeId) -> u32 {
        self.first.get(node.index()).copied().unwrap_or(END)
    }

    fn of(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut at = self.head(node);
        std::iter::from_fn(move || {
            let (next, node) = *self.links.get(at as usize)?;
            at = next;
            Some(node)
        })
    }

    /// The starts and everything reachable from them that `inside` allows.
    fn reach(
        &self,
        starts: &[NodeId],
        inside: impl Fn(NodeId) -> bool,
        budget: &mut u64,
    ) -> Result<Marks, Unresolved> {
        let mut marks = Marks::default();
        for start in starts {
            marks.add(*start);
        }
        let mut at = 0;
        while let Some(node) = marks.list.get(at).copied() {
            at += 1;
            for next in self.of(node) {
                spend(budget, 1)?;
                if inside(next) {
                    marks.add(next);
                }
            }
        }
        Ok(marks)
    }

    /// Everything reachable from the starts that `inside` allows, each node after all that it leads to.
    fn postorder(&self, starts: &[NodeId], inside: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
        let mut seen = Marks::default();
        let mut order = Vec::new();
        let mut stack: Vec<(NodeId, u32)> = Vec::new();
        for start in starts {
            if seen.add(*start) {
                stack.push((*start, self.head(*start)));
            }
            while let Some((node, at)) = stack.last_mut() {
                let Some((next, to)) = self.links.get(*at as usize).copied() else {
                    order.push(*node);
                    stack.pop();
                    continue;
                };
                *at = next;
                if inside(to) && seen.add(to) {
                    stack.push((to, self.head(to)));
                }
            }
        }
        order
    }
}
