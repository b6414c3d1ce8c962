//! An edit of the root by which it includes other files, or lists more or fewer manifests of its own: found anew is
//! what comes and goes, and all else is moved.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Run;
use super::cache::{FileUnit, Include, count};
use super::concerned::Concerned;
use super::edit::Edited;
use super::expand::{self, find_includes, read_include};
use super::parts::{Expansion, Outcome, Part};
use super::settled::{Marks, Settled};
use super::slot::{self, Slot};
use crate::facts::Reading;
use applyorder_core::diagnostic::FileId;

/// The manifests that may come and go with one edit before the whole project is looked at instead.
const MOST: usize = 2_000;

/// Two states of a list: how many of its entries stayed the same in the beginning, and how many in the end.
#[derive(Clone, Copy)]
struct Same {
    first: usize,
    last: usize,
    was: usize,
    is: usize,
}

impl Same {
    fn of<A, B>(was: &[A], is: &[B], same: impl Fn(&A, &B) -> bool) -> Self {
        let least = was.len().min(is.len());
        let first = was.iter().zip(is).take_while(|(a, b)| same(a, b)).count();
        let ends = was.iter().rev().zip(is.iter().rev()).take(least - first);
        Self {
            first,
            last: ends.take_while(|(a, b)| same(a, b)).count(),
            was: was.len(),
            is: is.len(),
        }
    }

    /// What an entry of the new list was in the old one.
    fn before(self, index: usize) -> Option<usize> {
        if index < self.first {
            return Some(index);
        }
        (index >= self.is - self.last).then(|| index + self.was - self.is)
    }

    /// The entries of the old list that are gone.
    fn gone(self) -> std::ops::Range<usize> {
        self.first..self.was - self.last
    }

    /// The entries of the new list that came.
    fn come(self) -> std::ops::Range<usize> {
        self.first..self.is - self.last
    }
}

/// What the old list and the new one share.
struct Shared {
    includes: Same,
    own: Same,
    list: Same,
    /// Per old part its new number.
    parts: Vec<Option<u32>>,
}

impl Shared {
    fn of(old: &Expansion, new: &Expansion, includes: Same) -> Option<Self> {
        let (old_root, new_root) = (old.parts.root()?, new.parts.root()?);
        let by_name = |a: &FileUnit, b: &FileUnit| a.name == b.name;
        let own = Same::of(&old_root.units.units, &new_root.units.units, by_name);
        let mut parts = vec![None; old.parts.len()];
        for (index, outcome) in new.outcomes.iter().enumerate() {
            let before = includes.before(index).and_then(|i| old.outcomes.get(i));
            if let (Outcome::Read(is), Some(Outcome::Read(was))) = (outcome, before) {
                *parts.get_mut(*was as usize)? = Some(*is);
            }
        }
        let of_root: Vec<Option<u32>> = (0..new_root.units.units.len())
            .map(|unit| own.before(unit).map(count))
            .collect();
        let same = |was: &(u32, u32), is: &(u32, u32)| match (was.0, is.0) {
            (0, 0) => of_root.get(is.1 as usize) == Some(&Some(was.1)),
            (a, b) => a > 0 && was.1 == is.1 && parts.get(a as usize) == Some(&Some(b)),
        };
        let list = Same::of(&old.list, &new.list, same);
        Some(Self {
            includes,
            own,
            list,
            parts,
        })
    }

    /// What a slot of the new list was in the old one.
    fn slot(&self, slot: usize) -> Option<usize> {
        match slot.checked_sub(1) {
            None => Some(0),
            Some(include) => Some(self.includes.before(include)? + 1),
        }
    }
}

impl Settled {
    /// Takes over a root whose list is another.
    pub(super) fn relist(
        &mut self,
        run: &Run<'_, '_>,
        edited: &Edited,
        root: Part,
        concerned: &mut Concerned,
        files: &mut FxHashSet<FileId>,
    ) -> Option<()> {
        let old = self.plan.expansion.clone();
        let (new, includes) = expanded(run, &old, root, &edited.included)?;
        let shared = Shared::of(&old, &new, includes)?;
        let (gone, come) = (shared.list.gone(), shared.list.come());
        if gone.len() + come.len() > MOST {
            return None;
        }
        let (old_root, new_root) = (old.parts.root()?, new.parts.root()?);
        let names = run.cache.name_count();
        let mut ends = Vec::new();
        for (number, unit) in new_root.units.units.iter().enumerate() {
            let (Some(before), position) = (shared.own.before(number), *new.own.get(number)?) else {
                continue;
            };
            let was = old_root.units.units.get(before)?;
            let at = *old.own.get(before)?;
            if !gone.contains(&(at as usize)) {
                self.index.replace(at, was, unit, names);
            }
            let same = concerned.compare((&old_root.units, was), (&new_root.units, unit));
            if !(same && was.needs.is_empty() == unit.needs.is_empty() && was.says_needs == unit.says_needs) {
                ends.push(position + 1);
            }
        }
        let gone_units: Vec<&FileUnit> = gone.clone().filter_map(|p| Some(old.at(p)?.0)).collect();
        let come_units: Vec<&FileUnit> = come.clone().filter_map(|p| Some(new.at(p)?.0)).collect();
        let first = count(gone.start);
        self.index.splice(first, &gone_units, &come_units, names);
        concerned.exchange(&gone_units, &come_units);
        self.shift(first, gone_units.len(), come_units.len());
        self.renumber(&old, &new, &shared);
        self.move_slots(&old, &new, &shared, concerned, files);
        let positions = (count(come.start)..count(come.end)).chain(new.own.iter().copied());
        concerned.waiting.extend(positions.clone());
        concerned.tied.extend(positions);
        concerned.rewritten.insert(0);
        let of_root = old_root.units.needs.iter();
        concerned.lost.extend(of_root.map(|n| n.place));
        // What is said there may name units by their position.
        concerned.slots.extend(&self.marks.loud);
        concerned.slots.insert(0);
        ends.push(count(come.end));
        self.reach_behind(&new, &ends, concerned)?;
        self.plan.expansion = Arc::new(new);
        self.is_relisted = true;
        Some(())
    }

    /// Parts have other numbers where others come or go before them.
    fn renumber(&mut self, old: &Expansion, new: &Expansion, shared: &Shared) {
        let number = |part: u32| shared.parts.get(part as usize).copied().flatten();
        let known: FxHashSet<u32> = (0..count(old.parts.len())).filter_map(number).collect();
        let parts = (0u32..).zip(new.parts.iter().map(|p| &**p));
        self.index
            .renumber(number, parts.filter(|(part, _)| !known.contains(part)));
    }

    /// What was found of includes goes with them.
    fn move_slots(
        &mut self,
        old: &Expansion,
        new: &Expansion,
        shared: &Shared,
        concerned: &mut Concerned,
        files: &mut FxHashSet<FileId>,
    ) {
        let mut was: Vec<Option<Slot>> = std::mem::take(&mut self.slots).into_iter().map(Some).collect();
        for include in shared.includes.gone() {
            let slot = was.get(include + 1).and_then(Option::as_ref);
            slot::files(
                slot.into_iter()
                    .flat_map(Slot::all)
                    .chain(self.hints.of(include + 1)),
                files,
            );
            concerned
                .gone_files
                .extend(old.includes.all.get(include).map(|i| i.file));
        }
        let count_of_slots = new.outcomes.len() + 1;
        let slot = |slot: usize| shared.slot(slot).and_then(|s| was.get_mut(s)?.take());
        self.slots = (0..count_of_slots)
            .map(slot)
            .map(Option::unwrap_or_default)
            .collect();
        self.hints
            .relisted((0..count_of_slots).map(|slot| shared.slot(slot)));
        let switch = self.marks.switch;
        self.marks = Marks::of(new, &self.index);
        self.marks.switch = switch;
        for (number, slot) in (0u32..).zip(&self.slots) {
            self.marks.note(number, slot);
        }
        for (number, outcome) in (1u32..).zip(new.outcomes.iter()) {
            let is_new = shared.slot(number as usize).is_none();
            let part = match outcome {
                Outcome::Read(part) => new.parts.get(*part as usize),
                _ => None,
            };
            if is_new && part.is_some() {
                concerned.rewritten.insert(number);
            }
            // What was found up to the expansion, and of values, tells where the file is included.
            let tells = |slot: &Slot| !slot.expand.is_empty() || !slot.values.is_empty();
            let was = shared
                .includes
                .before(number as usize - 1)
                .and_then(|i| old.outcomes.get(i));
            let was = match was {
                Some(Outcome::Read(part)) => old.parts.get(*part as usize),
                _ => None,
            };
            let is_other = match (was, part) {
                (Some(was), Some(is)) => {
                    was.again != is.again
                        || was.via != is.via && self.slots.get(number as usize).is_some_and(tells)
                }
                _ => true,
            };
            if is_new || is_other {
                concerned.slots.insert(number);
            }
        }
    }
}

/// The list that another state of the root expands to, and which of its includes were there before.
fn expanded(
    run: &Run<'_, '_>,
    old: &Expansion,
    root: Part,
    readings: &[Reading],
) -> Option<(Expansion, Same)> {
    let known: FxHashMap<&str, &Include> = old.includes.all.iter().map(|i| (&*i.text, i)).collect();
    let includes = run
        .cache
        .includes(&root.view, || find_includes(run, &root.view, &known));
    let same = Same::of(&old.includes.all, &includes.all, |a, b| a.text == b.text);
    let mut seen: FxHashSet<FileId> = FxHashSet::default();
    seen.insert(root.file);
    let mut parts = vec![root];
    let mut outcomes = Vec::with_capacity(includes.all.len());
    for (index, include) in includes.all.iter().enumerate() {
        let before = same.before(index).and_then(|i| old.outcomes.get(i));
        let mut part = match before {
            Some(Outcome::Read(number)) => Part {
                via: Some(include.place),
                ..Part::clone(old.parts.get(*number as usize)?)
            },
            _ => match read_include(run, include) {
                Ok(facts) => {
                    let view = facts.view(readings.first()?);
                    if readings.iter().any(|r| !Arc::ptr_eq(&view, &facts.view(r))) {
                        // The environments no longer read alike.
                        return None;
                    }
                    expand::part(run, include.file, &facts, view, Some(include), false)
                }
                Err(outcome) => {
                    outcomes.push(outcome);
                    continue;
                }
            },
        };
        part.again = !seen.insert(include.file);
        outcomes.push(Outcome::Read(count(parts.len())));
        parts.push(part);
    }
    Some((expand::put_together(run, parts, includes, outcomes), same))
}
