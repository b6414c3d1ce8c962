//! kapp's own search for cycles, step by step, so that its message is predicted (kapp, cycles).
//!
//! kapp visits the changes depth first in their order, following each change's list of dependencies in the
//! order in which edges were added. The lists are not built: a rule represents all members of its group, and
//! what was finished once is skipped by everything else, so that the walk is linear in rules and memberships.

use super::graph::{Pair, key_of};
use crate::compare::Change;
use crate::grammar::{Op, Order};
use crate::model::uses::Uses;
use applyorder_core::graph::Member;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Where the edges of a change's list come from: the position of the rule that caused them, and the list.
#[derive(Clone, Copy)]
enum From {
    /// The members of a group, for a rule of its own.
    Members { position: u32, group: usize, at: usize },
    /// The owners of rules that say "before" this group.
    Owners { group: usize, at: usize },
}

struct Frame {
    node: u32,
    /// Where its part of [`Walk::from`] starts, which is the last one.
    from: usize,
}

/// What the walk needs of the required pairs.
pub(super) struct CycleSearch<'a> {
    pub(super) pairs: &'a [Pair],
    /// Members by group and operation, in change order.
    pub(super) members: &'a [Vec<Member>],
    pub(super) uses: &'a Uses,
    pub(super) changes: &'a [Change],
}

/// The positions of rules by the numbers that they belong to.
struct Positions {
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl Positions {
    fn new(count: usize, all: impl Iterator<Item = (usize, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; count + 1];
        for (at, _) in all.clone() {
            if let Some(start) = starts.get_mut(at + 1) {
                *start += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut positions = vec![0u32; sum as usize];
        for (at, position) in all {
            if let Some(next) = next.get_mut(at)
                && let Some(slot) = positions.get_mut(*next as usize)
            {
                *slot = position;
                *next += 1;
            }
        }
        Self { starts, positions }
    }

    fn of(&self, at: usize) -> &[u32] {
        let start = self.starts.get(at).copied().unwrap_or(0) as usize;
        let end = self.starts.get(at + 1).copied().unwrap_or(0) as usize;
        self.positions.get(start..end).unwrap_or_default()
    }
}

/// The state of the walk.
struct Walk {
    /// The rules of each change that say "after".
    own: Positions,
    /// The rules that say "before" each group.
    before: Positions,
    state: Vec<State>,
    skip_members: Vec<usize>,
    skip_owners: Vec<usize>,
    stack: Vec<Frame>,
    /// The remaining edges, those of one frame after those of the other.
    from: Vec<From>,
}

impl CycleSearch<'_> {
    /// The changes on the path to the first repetition, the repeated one last; `None` without a cycle.
    pub(super) fn first_cycle(&self) -> Option<Vec<u32>> {
        if self.pairs.is_empty() {
            return None;
        }
        let pairs = || (0u32..).zip(self.pairs);
        let after = pairs().filter(|(_, pair)| pair.order == Order::After);
        let before = pairs().filter(|(_, pair)| pair.order == Order::Before);
        let mut walk = Walk {
            own: Positions::new(
                self.changes.len(),
                after.map(|(position, pair)| (pair.owner as usize, position)),
            ),
            before: Positions::new(
                self.members.len(),
                before.map(|(position, pair)| (pair.key, position)),
            ),
            state: vec![State::New; self.changes.len()],
            skip_members: vec![0; self.members.len()],
            skip_owners: vec![0; self.members.len()],
            stack: Vec::new(),
            from: Vec::new(),
        };
        for start in 0..u32::try_from(self.changes.len()).unwrap_or(u32::MAX) {
            if walk.state.get(start as usize) != Some(&State::New) {
                continue;
            }
            self.enter(&mut walk, start);
            while let Some(frame) = walk.stack.last() {
                let (node, from) = (frame.node, frame.from);
                let Some(next) = self.next(&mut walk, from) else {
                    if let Some(done) = walk.state.get_mut(node as usize) {
                        *done = State::Done;
                    }
                    walk.from.truncate(from);
                    walk.stack.pop();
                    continue;
                };
                if walk.state.get(next as usize) == Some(&State::Open) {
                    let mut path: Vec<u32> = walk.stack.iter().map(|f| f.node).collect();
                    path.push(next);
                    return Some(path);
                }
                self.enter(&mut walk, next);
            }
        }
        None
    }

    fn enter(&self, walk: &mut Walk, node: u32) {
        if let Some(open) = walk.state.get_mut(node as usize) {
            *open = State::Open;
        }
        let start = walk.from.len();
        walk.stack.push(Frame { node, from: start });
        for position in walk.own.of(node as usize) {
            if let Some(pair) = self.pairs.get(*position as usize) {
                walk.from.push(From::Members {
                    position: *position,
                    group: pair.key,
                    at: 0,
                });
            }
        }
        let op = self.changes.get(node as usize).map_or(Op::Noop, |c| c.op);
        // An unchanged one is not a target.
        if op == Op::Noop || walk.before.positions.is_empty() {
            return;
        }
        let groups = self.uses.changes.get(node as usize);
        for group in groups.iter().flat_map(|own| &own.groups) {
            let Some(group) = self.uses.position(group.group) else {
                continue;
            };
            let key = key_of(group, op);
            if !walk.before.of(key).is_empty() {
                walk.from.push(From::Owners { group: key, at: 0 });
            }
        }
    }

    /// The next unfinished dependency, in insertion order; `from` is where the edges of the last frame start.
    fn next(&self, walk: &mut Walk, from: usize) -> Option<u32> {
        let Walk {
            before,
            state,
            skip_members,
            skip_owners,
            from: edges,
            ..
        } = walk;
        let frame = edges.get_mut(from..)?;
        let done = |node: u32| state.get(node as usize) == Some(&State::Done);
        let owner = |position: u32| self.pairs.get(position as usize).map_or(0, |pair| pair.owner);
        loop {
            let mut best: Option<(u32, usize)> = None;
            for (number, from) in frame.iter_mut().enumerate() {
                let position = match from {
                    From::Members { position, group, at } => {
                        let (Some(members), Some(skip)) =
                            (self.members.get(*group), skip_members.get_mut(*group))
                        else {
                            continue;
                        };
                        while members.get(*skip).is_some_and(|m| done(m.node.0)) {
                            *skip += 1;
                        }
                        *at = (*at).max(*skip);
                        if *at >= members.len() {
                            continue;
                        }
                        *position
                    }
                    From::Owners { group, at } => {
                        let Some(skip) = skip_owners.get_mut(*group) else {
                            continue;
                        };
                        let owners = before.of(*group);
                        while owners.get(*skip).is_some_and(|p| done(owner(*p))) {
                            *skip += 1;
                        }
                        *at = (*at).max(*skip);
                        match owners.get(*at) {
                            Some(position) => *position,
                            None => continue,
                        }
                    }
                };
                if best.is_none_or(|(p, _)| position < p) {
                    best = Some((position, number));
                }
            }
            let (_, number) = best?;
            let next = match frame.get_mut(number)? {
                From::Members { group, at, .. } => {
                    let next = self.members.get(*group)?.get(*at)?.node.0;
                    *at += 1;
                    next
                }
                From::Owners { group, at } => {
                    let position = before.of(*group).get(*at).copied()?;
                    *at += 1;
                    self.pairs.get(position as usize)?.owner
                }
            };
            if !done(next) {
                return Some(next);
            }
        }
    }
}
