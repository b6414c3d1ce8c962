//! What causes the cycle that Terramate reports.

use super::entries::{Entries, Entry};
use super::is_sound;
use crate::model::refs::Meaning;
use crate::model::stacks::{StackIx, Stacks};
use crate::read::Attribute;
use applyorder_core::engine::UnitIx;
use applyorder_core::rules::{Rule, cycle, self_dependency};

/// What causes the cycle that Terramate reports, as it is reported to users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cause {
    /// A set of stacks that wait for each other, by its number.
    Set(usize),
    /// An entry that means its own stack, by its stack and its number among all.
    Entry(StackIx, u32),
}

impl Cause {
    /// The cause of a path that ends at a stack that it has met before.
    pub(super) fn of(path: &[StackIx], sets: &[Vec<StackIx>], entries: &Entries) -> Option<Self> {
        let (last, before) = path.split_last()?;
        let start = before.iter().position(|s| s == last)?;
        let tied = before.get(start..)?;
        let is_in = |set: &Vec<StackIx>| tied.iter().all(|s| set.binary_search(s).is_ok());
        if let Some(set) = sets.iter().position(is_in).filter(|_| tied.len() > 1) {
            return Some(Self::Set(set));
        }
        let pairs = tied.iter().zip(tied.iter().cycle().skip(1));
        let mut found = pairs.flat_map(|(later, earlier)| {
            let own = |stack: StackIx, attribute: Attribute, other: StackIx| {
                let of_attribute = entries.of(stack).filter(move |e| e.attribute == attribute);
                let by = of_attribute
                    .filter(move |e| !is_sound(stack, e) && e.targets.binary_search(&UnitIx(other)).is_ok());
                by.map(move |e| Self::Entry(stack, e.number))
            };
            own(*later, Attribute::After, *earlier).chain(own(*earlier, Attribute::Before, *later))
        });
        found.next()
    }

    /// Whether it is an entry.
    pub(crate) fn is(self, stack: StackIx, entry: &Entry<'_>) -> bool {
        self == Self::Entry(stack, entry.number)
    }

    /// The rule of the finding that reports it.
    pub(crate) fn rule(self, stacks: &Stacks, entries: &Entries) -> &'static Rule {
        let Self::Entry(stack, number) = self else {
            return &cycle::RULE;
        };
        let Some(entry) = entries.of(stack).find(|e| e.number == number) else {
            return &self_dependency::RULE;
        };
        match (&entry.meaning, stacks.get(stack)) {
            (Meaning::Directory { path, .. }, Some(node)) if *path != node.path => &cycle::RULE,
            _ => &self_dependency::RULE,
        }
    }
}
