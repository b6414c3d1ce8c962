//! Which stacks a command works on.
//!
//! Source: Terramate 0.17.2, "Selection".

use std::collections::VecDeque;
use std::sync::Arc;

use super::entries::Entries;
use super::order::{visits, walk};
use crate::model::Model;
use crate::model::flags::{FlagError, Flags};
use crate::model::stacks::{StackIx, Stacks};
use crate::read::Attribute;

/// What a run works on.
pub(crate) struct Selection {
    pub(crate) flags: Arc<Result<Flags, FlagError>>,
    pub(crate) wants: Wants,
    /// The command is `list`, which never reads `wants`.
    pub(crate) is_list: bool,
}

impl Selection {
    /// Reads the options of a run.
    pub(super) fn of(model: &Model, entries: &Entries) -> Self {
        Self {
            flags: model.flags.clone(),
            wants: Wants::of(entries),
            is_list: model.command.as_deref() == Some("list"),
        }
    }

    /// Whether no flag limits the run.
    pub(crate) fn is_whole(&self) -> bool {
        (*self.flags).as_ref().is_ok_and(Flags::is_empty)
    }

    /// The stacks that the flags select, before `wants`: all if the flags are rejected.
    pub(crate) fn by_flags(&self, stacks: &Stacks) -> Vec<bool> {
        match &*self.flags {
            Ok(flags) if !flags.is_empty() => stacks.iter().map(|(i, s)| flags.select(i, s)).collect(),
            _ => vec![true; stacks.len()],
        }
    }
}

/// Which stacks want which: by `wants` of the one and `wanted_by` of the other, ascending.
pub(crate) struct Wants {
    /// Empty if no stack wants another.
    of: Vec<Vec<StackIx>>,
}

impl Wants {
    pub(super) fn of(entries: &Entries) -> Self {
        if !entries.has(|attribute| !attribute.orders()) {
            return Self { of: Vec::new() };
        }
        let mut of: Vec<Vec<StackIx>> = vec![Vec::new(); entries.stacks() as usize];
        let all = (0..entries.stacks()).flat_map(|stack| entries.meant(stack).map(move |(_, e)| (stack, e)));
        for (stack, entry) in all.filter(|(_, e)| !e.attribute.orders()) {
            for target in entries.targets(entry.list) {
                let (from, to) = match entry.attribute {
                    Attribute::WantedBy => (target.0, stack),
                    _ => (stack, target.0),
                };
                if let Some(wanted) = of.get_mut(from as usize) {
                    wanted.push(to);
                }
            }
        }
        for wanted in &mut of {
            wanted.sort_unstable();
            wanted.dedup();
        }
        Self { of }
    }

    pub(crate) fn wanted_by(&self, stack: StackIx) -> &[StackIx] {
        self.of.get(stack as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of.iter().all(Vec::is_empty)
    }

    /// The stacks in the order in which Terramate reaches them: all, depth first, what a stack wants before
    /// what wants it.
    pub(crate) fn visits(entries: &Entries) -> Vec<StackIx> {
        let targets = |stack: StackIx, attribute: Attribute| {
            let mut found: Vec<StackIx> = entries
                .of(stack)
                .filter(|e| e.attribute == attribute)
                .flat_map(|e| e.targets.iter().map(|t| t.0))
                .collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        visits(0..entries.stacks(), entries.stacks() as usize, |stack| {
            let mut next = targets(stack, Attribute::Wants);
            next.extend(targets(stack, Attribute::WantedBy));
            next
        })
    }

    /// Adds everything that the selected ones want, and what that wants.
    pub(crate) fn close(&self, selected: &mut [bool]) {
        if self.is_empty() {
            return;
        }
        let mut open: VecDeque<StackIx> = (0u32..)
            .zip(selected.iter())
            .filter(|(_, s)| **s)
            .map(|(i, _)| i)
            .collect();
        while let Some(stack) = open.pop_front() {
            for wanted in self.wanted_by(stack) {
                if let Some(slot) = selected.get_mut(*wanted as usize).filter(|s| !**s) {
                    *slot = true;
                    open.push_back(*wanted);
                }
            }
        }
    }

    /// The cycle that Terramate warns about.
    pub(super) fn cycle(&self) -> Option<Vec<StackIx>> {
        if self.is_empty() {
            return None;
        }
        // Terramate begins at the smallest stack that its sorting could not place.
        let count = self.of.len();
        let mut waits: Vec<u32> = self
            .of
            .iter()
            .map(|w| u32::try_from(w.len()).unwrap_or(u32::MAX))
            .collect();
        let mut wanting: Vec<Vec<StackIx>> = vec![Vec::new(); count];
        for (stack, wanted) in (0u32..).zip(&self.of) {
            for target in wanted {
                if let Some(list) = wanting.get_mut(*target as usize) {
                    list.push(stack);
                }
            }
        }
        let mut open: Vec<StackIx> = (0u32..)
            .zip(&waits)
            .filter(|(_, w)| **w == 0)
            .map(|(i, _)| i)
            .collect();
        while let Some(stack) = open.pop() {
            for above in wanting.get(stack as usize).into_iter().flatten() {
                if let Some(left) = waits.get_mut(*above as usize) {
                    *left = left.saturating_sub(1);
                    if *left == 0 {
                        open.push(*above);
                    }
                }
            }
        }
        let start = (0u32..).zip(&waits).find(|(_, w)| **w > 0).map(|(i, _)| i)?;
        walk(start, count, |stack| self.wanted_by(stack).to_vec())
    }
}
