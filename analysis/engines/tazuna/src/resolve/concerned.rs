//! What an edit concerns, noted while the new state of a file takes the place of the old one.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cache::{FileUnit, FileUnits, Sym};
use super::parts::Part;
use applyorder_core::diagnostic::{FileId, Place};

/// What an edit concerns.
#[derive(Default)]
pub(super) struct Concerned {
    pub(super) slots: BTreeSet<u32>,
    /// Whether it is all of them.
    pub(super) everything: bool,
    /// Names whose owner may be another, or reads otherwise.
    pub(super) names: FxHashSet<Sym>,
    /// Those of them whose owner may be another.
    pub(super) owners: FxHashSet<Sym>,
    /// Units whose `dependsOn` may mean something else.
    pub(super) waiting: Vec<u32>,
    pub(super) gone: FxHashSet<Arc<str>>,
    pub(super) new: FxHashSet<Arc<str>>,
    /// Units that may wait for something that they did not wait for.
    pub(super) tied: Vec<u32>,
    /// Units whose names or entries read otherwise, or stand elsewhere.
    pub(super) retold: Vec<u32>,
    /// The slots whose units are others.
    pub(super) rewritten: BTreeSet<u32>,
    /// The places of entries that are no longer there, or read otherwise; and files that are no longer included.
    pub(super) lost: FxHashSet<Place>,
    pub(super) gone_files: Vec<FileId>,
}

impl Concerned {
    /// Notes that some units stand in the place of others.
    pub(super) fn exchange(&mut self, gone: &[&FileUnit], come: &[&FileUnit]) {
        let mut times: FxHashMap<Sym, i32> = FxHashMap::default();
        for unit in gone {
            *times.entry(unit.name).or_default() -= 1;
            self.gone.insert(unit.unit.name.clone());
        }
        for unit in come {
            *times.entry(unit.name).or_default() += 1;
            self.new.insert(unit.unit.name.clone());
        }
        self.names.extend(times.keys());
        // One that is there as before may own its name by another of the same name that stands elsewhere now.
        let mut seen: FxHashSet<Sym> = FxHashSet::default();
        let repeated = gone.iter().filter(|u| !seen.insert(u.name)).map(|u| u.name);
        self.owners.extend(repeated.collect::<Vec<_>>());
        let others = times.into_iter().filter(|(_, n)| *n != 0);
        self.owners.extend(others.map(|(name, _)| name));
    }

    /// Notes which of the units that take the place of others wait for something that one of its name did not wait
    /// for; the new ones with their positions.
    pub(super) fn compare_ties<'a>(
        &mut self,
        (was, gone): (&Part, &[&FileUnit]),
        (is, come): (&Part, impl Iterator<Item = (u32, &'a &'a FileUnit)>),
    ) {
        let mut before: FxHashMap<Sym, Option<&FileUnit>> = FxHashMap::default();
        for unit in gone {
            let first = before.entry(unit.name).or_insert(Some(unit));
            *first = first.filter(|first| std::ptr::eq(*first, *unit));
        }
        for (position, unit) in come {
            let known = before.get(&unit.name).copied().flatten();
            let same = |known: &FileUnit| {
                let (old, new) = (was.needs_of(known), is.needs_of(unit));
                known.broken == unit.broken
                    && old.len() == new.len()
                    && old.iter().zip(new).all(|(a, b)| a.name == b.name)
            };
            if !known.is_some_and(same) {
                self.tied.push(position);
            }
        }
    }

    /// Notes what a unit is called, and whether it reads otherwise to those that refer to it.
    pub(super) fn compare(
        &mut self,
        (was, old): (&FileUnits, &FileUnit),
        (is, new): (&FileUnits, &FileUnit),
    ) -> bool {
        let tags = |units: &FileUnits, unit: &FileUnit| units.tags.get(unit.tags.start as usize).copied();
        let same = old.name == new.name
            && old.tag_list == new.tag_list
            && (old.tags.is_empty() || tags(was, old) == tags(is, new))
            && old.broken == new.broken
            && old.unit.header == new.unit.header
            && old.unit.name_place == new.unit.name_place;
        if !same {
            self.names.extend([old.name, new.name]);
        }
        if old.name != new.name {
            self.owners.extend([old.name, new.name]);
            self.gone.insert(old.unit.name.clone());
            self.new.insert(new.unit.name.clone());
        }
        same
    }

    /// Notes whether a unit's entries tell something else, or stand elsewhere.
    pub(super) fn compare_needs(
        &mut self,
        position: u32,
        (was, old): (&Part, &FileUnit),
        (is, new): (&Part, &FileUnit),
    ) {
        let (before, now) = (was.needs_of(old), is.needs_of(new));
        let alike = before.len() == now.len() && old.broken == new.broken;
        if alike
            && old.name == new.name
            && before
                .iter()
                .zip(now)
                .all(|(a, b)| a.name == b.name && a.place == b.place)
        {
            return;
        }
        self.retold.push(position);
        self.lost.extend(before.iter().map(|n| n.place));
        if !(alike && before.iter().zip(now).all(|(a, b)| a.name == b.name)) {
            self.tied.push(position);
        }
    }
}
