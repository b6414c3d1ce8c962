//! kapp's own search for cycles, step by step, so that its text is predicted (kapp, cycles).
//!
//! kapp goes depth first through the changes in their order, following each change's list of awaited changes
//! in the order in which edges were added. The lists are not built: a rule represents all members of its
//! group, and what has been left for good by anyone is skipped by everyone, so that the walk is linear in
//! rules and memberships.

use super::graph::{Pair, key_of};
use crate::compare::Change;
use crate::grammar::{Op, Order};
use crate::model::uses::Uses;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Where the edges of a change's list come from: the position of the rule that made them, and the list.
#[derive(Clone, Copy)]
enum From {
    /// The members of a group, for a rule of its own.
    Members {
        position: usize,
        group: usize,
        at: usize,
    },
    /// The owners of rules that say "before" this group.
    Owners { group: usize, at: usize },
}

struct Frame {
    node: u32,
    from: Vec<From>,
}

/// What the walk needs of the required pairs.
pub(super) struct CycleSearch<'a> {
    pub(super) pairs: &'a [Pair],
    /// Members by group and operation, in change order.
    pub(super) members: &'a [Vec<u32>],
    pub(super) uses: &'a Uses,
    pub(super) changes: &'a [Change],
}

impl CycleSearch<'_> {
    /// The changes on the way to the first repetition, the repeated one last; `None` without a cycle.
    pub(super) fn first_cycle(&self) -> Option<Vec<u32>> {
        let mut own: Vec<Vec<usize>> = vec![Vec::new(); self.changes.len()];
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.members.len()];
        for (position, pair) in self.pairs.iter().enumerate() {
            match pair.order {
                Order::After => own.get_mut(pair.owner as usize)?.push(position),
                Order::Before => before.get_mut(pair.key)?.push(position),
            }
        }
        let mut state = vec![State::New; self.changes.len()];
        let mut skip_members = vec![0usize; self.members.len()];
        let mut skip_owners = vec![0usize; self.members.len()];
        let mut stack: Vec<Frame> = Vec::new();
        for start in 0..u32::try_from(self.changes.len()).unwrap_or(u32::MAX) {
            if state.get(start as usize) != Some(&State::New) {
                continue;
            }
            self.enter(start, &own, &before, &mut state, &mut stack);
            while let Some(frame) = stack.last_mut() {
                let next = self.next(frame, &before, &state, &mut skip_members, &mut skip_owners);
                let Some(next) = next else {
                    if let Some(done) = state.get_mut(frame.node as usize) {
                        *done = State::Done;
                    }
                    stack.pop();
                    continue;
                };
                if state.get(next as usize) == Some(&State::Open) {
                    let mut path: Vec<u32> = stack.iter().map(|f| f.node).collect();
                    path.push(next);
                    return Some(path);
                }
                self.enter(next, &own, &before, &mut state, &mut stack);
            }
        }
        None
    }

    fn enter(
        &self,
        node: u32,
        own: &[Vec<usize>],
        before: &[Vec<usize>],
        state: &mut [State],
        stack: &mut Vec<Frame>,
    ) {
        if let Some(open) = state.get_mut(node as usize) {
            *open = State::Open;
        }
        let mut from: Vec<From> = own
            .get(node as usize)
            .into_iter()
            .flatten()
            .filter_map(|position| {
                Some(From::Members {
                    position: *position,
                    group: self.pairs.get(*position)?.key,
                    at: 0,
                })
            })
            .collect();
        let groups = self.uses.changes.get(node as usize);
        let op = self.changes.get(node as usize).map_or(Op::Noop, |c| c.op);
        // What is unchanged is nobody's target.
        for group in groups
            .iter()
            .flat_map(|own| &own.groups)
            .filter(|_| op != Op::Noop)
        {
            let Some(group) = self.uses.position(group.group) else {
                continue;
            };
            let key = key_of(group, op);
            if before.get(key).is_some_and(|owners| !owners.is_empty()) {
                from.push(From::Owners { group: key, at: 0 });
            }
        }
        stack.push(Frame { node, from });
    }

    /// The next awaited change that is not done, in the order of adding.
    fn next(
        &self,
        frame: &mut Frame,
        before: &[Vec<usize>],
        state: &[State],
        skip_members: &mut [usize],
        skip_owners: &mut [usize],
    ) -> Option<u32> {
        let done = |node: u32| state.get(node as usize) == Some(&State::Done);
        loop {
            let mut best: Option<(usize, usize)> = None;
            for (number, from) in frame.from.iter_mut().enumerate() {
                let position = match from {
                    From::Members { position, group, at } => {
                        let (Some(members), Some(skip)) =
                            (self.members.get(*group), skip_members.get_mut(*group))
                        else {
                            continue;
                        };
                        while members.get(*skip).is_some_and(|m| done(*m)) {
                            *skip += 1;
                        }
                        *at = (*at).max(*skip);
                        if *at >= members.len() {
                            continue;
                        }
                        *position
                    }
                    From::Owners { group, at } => {
                        let (Some(owners), Some(skip)) = (before.get(*group), skip_owners.get_mut(*group))
                        else {
                            continue;
                        };
                        let owner = |p: &usize| self.pairs.get(*p).map_or(0, |pair| pair.owner);
                        while owners.get(*skip).is_some_and(|p| done(owner(p))) {
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
            let next = match frame.from.get_mut(number)? {
                From::Members { group, at, .. } => {
                    let next = self.members.get(*group)?.get(*at).copied()?;
                    *at += 1;
                    next
                }
                From::Owners { group, at } => {
                    let position = before.get(*group)?.get(*at).copied()?;
                    *at += 1;
                    self.pairs.get(position)?.owner
                }
            };
            if !done(next) {
                return Some(next);
            }
        }
    }
}
