//! What an edit of one file changes in a project: found anew for the files that it concerns, and
//! taken over for all others.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::cache::{FileUnit, FileUnits, Include, Sym};
use super::index::NOBODY;
use super::parts::{Expansion, Part};
use super::settled::Settled;
use super::slot::{self, Slot};
use super::{Run, refine, resolution};
use crate::diagnostic::{Diagnostic, FileId};
use crate::engines::Resolution;
use crate::engines::tazuna::facts::{TazunaFacts, rebased};
use crate::engines::tazuna::verdict::Found;
use crate::rules::keep_most_specific;

/// The steps that a search for a cycle may take before the whole project is looked at instead.
const STEPS: usize = 4_000;

/// The resolution after an edit, where it can be told from the one before; else `None`, and the project has
/// to be resolved whole.
pub(super) fn after(run: &Run<'_, '_>, edited: &[FileId], previous: &Resolution) -> Option<Resolution> {
    let mut settled = run.cache.take_settled()?;
    let changed = settled.take_over(run, edited)?;
    let found = settled.loud();
    let resolution = resolution::after(run, &settled, found, &changed, previous);
    run.cache.settle(Some(settled));
    Some(resolution)
}

/// What an edit concerns.
#[derive(Default)]
struct Concerned {
    slots: BTreeSet<u32>,
    /// Names whose owner may be another, or reads otherwise.
    names: FxHashSet<Sym>,
    /// Units whose `dependsOn` may mean something else.
    waiting: Vec<u32>,
    gone: FxHashSet<Arc<str>>,
    new: FxHashSet<Arc<str>>,
}

impl Settled {
    /// Takes over the new facts of one file; `None` where more were edited, or the edit concerns too much. Gives
    /// the files whose findings may be others.
    fn take_over(&mut self, run: &Run<'_, '_>, edited: &[FileId]) -> Option<FxHashSet<FileId>> {
        // The positions of one edit would move with those of another.
        let [file] = edited else { return None };
        let mut files: FxHashSet<FileId> = FxHashSet::default();
        self.files_across(&mut files);
        for number in &self.marks.loud {
            slot::files(self.slots.get(*number as usize)?.all(), &mut files);
        }
        let before = (self.dag(), self.marks.switch);
        self.index.note_references(&self.plan.expansion);
        let mut concerned = Concerned::default();
        self.replace(run, *file, &mut concerned)?;
        if run.cache.is_untidy(self.index.names().len() + self.index.entries) {
            return None;
        }
        self.plan.waiting = None;
        self.plan.names = run.cache.name_count();
        let expansion = self.plan.expansion.clone();
        self.marks.switch = slot::switch(&expansion, &self.index);
        if before != (self.dag(), self.marks.switch) {
            return None;
        }
        self.nearest.renamed(&concerned.gone, &concerned.new);
        for name in &concerned.names {
            for part in self.index.referring(*name) {
                concerned.slots.insert(*self.marks.slot_of.get(*part as usize)?);
            }
        }
        if self.raise(&expansion, &concerned).is_none() {
            self.order_anew(run);
        }
        concerned.slots.extend(&self.marks.dangling);
        for number in concerned.slots {
            let slot = Slot::of(&self.scene(run), number as usize);
            let old = self.slots.get_mut(number as usize)?;
            let found = old.expand.iter().chain(&slot.expand);
            if found.map(|f| &f.diagnostic).any(refine::is_needed) {
                return None;
            }
            slot::files(old.all().chain(slot.all()), &mut files);
            self.marks.forget(number, old);
            self.marks.note(number, &slot);
            *old = slot;
        }
        self.check_across(run);
        self.files_across(&mut files);
        Some(files)
    }

    /// Puts the new state of a file in the place of the old one.
    fn replace(&mut self, run: &Run<'_, '_>, file: FileId, concerned: &mut Concerned) -> Option<()> {
        let [slot] = *self.marks.by_file.get(&file)?.as_slice() else {
            return None;
        };
        let number = self.marks.slot_of.binary_search(&slot).ok()?;
        let expansion = self.plan.expansion.clone();
        let old = expansion.parts.get(number)?;
        let facts = run.cx.facts_again::<TazunaFacts>(file).ok()?;
        if facts.is_templated() {
            return None;
        }
        let view = facts.view(&match number {
            0 => run.root_reading(""),
            _ => run.included_reading(),
        });
        let part = Part {
            units: run.cache.units(file, &view, run.generation),
            facts,
            view,
            ..Part::clone(old)
        };
        let (was, is) = (&old.units, &part.units);
        if number == 0 && !includes_alike(&expansion, old, &part) {
            return None;
        }
        if number > 0 && !(was.groups.is_empty() && is.groups.is_empty()) {
            return None;
        }
        let names = run.cache.name_count();
        let first = *expansion.starts.get(number)?;
        let mut ends = Vec::new();
        if was.units.len() == is.units.len() {
            let positions = expansion.positions(number);
            for (position, (a, b)) in positions.iter().zip(was.units.iter().zip(&is.units)) {
                self.index.replace(*position, a, b, names);
                let same = concerned.compare((was, a), (is, b));
                if number == 0
                    && !(same && a.needs.is_empty() == b.needs.is_empty() && a.says_needs == b.says_needs)
                {
                    ends.push(position + 1);
                }
            }
            concerned.waiting.extend(positions);
        } else {
            self.index.splice(first, &was.units, &is.units, names);
            concerned.gone(&was.units);
            concerned.come(&is.units);
            self.shift(first, was.units.len(), is.units.len());
            // What is said there may name units by their position.
            concerned.slots.extend(&self.marks.loud);
            concerned
                .waiting
                .extend(first..first + super::cache::count(is.units.len()));
        }
        if number > 0 {
            ends.push(first + super::cache::count(is.units.len()));
        }
        let part_number = super::cache::count(number);
        self.index.refer(part_number, old, &part);
        concerned.slots.insert(slot);
        self.marks.broken.retain(|p| *p != part_number);
        if part.view.head.broken {
            self.marks.broken.push(part_number);
            self.marks.broken.sort_unstable();
        }
        if part.is_whole() {
            self.marks.doubtful.remove(&part_number);
        } else {
            self.marks.doubtful.insert(part_number);
        }
        let expansion = expansion.with(number, part);
        // What comes next in the list may say what it no longer waits for.
        for end in ends {
            if let Some(next) = self.index.after(end).and_then(|p| expansion.part_at(p)) {
                concerned.slots.insert(*self.marks.slot_of.get(next as usize)?);
            }
        }
        self.plan.expansion = Arc::new(expansion);
        Some(())
    }

    /// Moves everything that stands behind some units, of which there are more or fewer now.
    fn shift(&mut self, first: u32, was: usize, is: usize) {
        let behind = first + super::cache::count(was);
        let delta = super::cache::count(is).wrapping_sub(super::cache::count(was));
        if self.levels.len() >= behind as usize {
            let own = first as usize..behind as usize;
            self.levels.splice(own, std::iter::repeat_n(0, is));
        }
        for slot in &mut self.slots {
            if let Some(position) = slot.backward.as_mut().filter(|p| **p >= behind) {
                *position = position.wrapping_add(delta);
            }
        }
        let backward = std::mem::take(&mut self.marks.backward);
        let moved = |(position, slot): (u32, u32)| match position {
            p if p >= behind => (p.wrapping_add(delta), slot),
            p => (p, slot),
        };
        self.marks.backward = backward.into_iter().map(moved).collect();
    }

    /// Brings the levels up to what is waited for now. `None` where that is much, or there is a cycle: then they
    /// are to be made anew.
    fn raise(&mut self, expansion: &Expansion, concerned: &Concerned) -> Option<()> {
        if !self.dag() {
            return Some(());
        }
        if self.levels.len() != expansion.list.len() {
            return None;
        }
        let mut open = concerned.waiting.clone();
        for name in &concerned.names {
            open.extend(self.waiting_for(expansion, *name)?);
        }
        let mut steps = 0;
        while let Some(position) = open.pop() {
            steps += 1;
            if steps > STEPS {
                return None;
            }
            let (unit, part) = expansion.at(position as usize)?;
            let mut least = 0;
            for need in part.needs_of(unit).iter().filter(|_| !unit.broken) {
                let target = self.index.owner(need.name);
                if target == position {
                    // It waits for itself, which is a cycle of one.
                    return None;
                }
                if target != NOBODY {
                    least = least.max(*self.levels.get(target as usize)? + 1);
                }
            }
            let level = self.levels.get_mut(position as usize)?;
            if *level < least {
                *level = least;
                if least as usize > expansion.list.len() {
                    return None;
                }
                if self.index.owner(unit.name) == position {
                    open.extend(self.waiting_for(expansion, unit.name)?);
                }
            }
        }
        Some(())
    }

    /// The units that refer to a name.
    fn waiting_for(&self, expansion: &Expansion, name: Sym) -> Option<Vec<u32>> {
        let mut parts: Vec<u32> = self.index.referring(name).to_vec();
        parts.sort_unstable();
        parts.dedup();
        let mut units = Vec::new();
        for number in parts {
            let part = expansion.parts.get(number as usize)?;
            let positions = expansion.positions(number as usize);
            for (position, unit) in slot::placed(part, &positions) {
                if part.needs_of(unit).iter().any(|n| n.name == name) {
                    units.push(position);
                }
            }
        }
        Some(units)
    }
}

impl Concerned {
    fn gone(&mut self, units: &[FileUnit]) {
        self.names.extend(units.iter().map(|u| u.name));
        self.gone.extend(units.iter().map(|u| u.unit.name.clone()));
    }

    fn come(&mut self, units: &[FileUnit]) {
        self.names.extend(units.iter().map(|u| u.name));
        self.new.extend(units.iter().map(|u| u.unit.name.clone()));
    }

    /// Notes what a unit is called, and whether it reads otherwise to those that refer to it.
    fn compare(&mut self, (was, old): (&FileUnits, &FileUnit), (is, new): (&FileUnits, &FileUnit)) -> bool {
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
            self.gone.insert(old.unit.name.clone());
            self.new.insert(new.unit.name.clone());
        }
        same
    }
}

/// Whether a root includes the same files at the same places as before, between as many manifests, and declares
/// the same environments: then the list has the same positions.
fn includes_alike(expansion: &Expansion, old: &Part, new: &Part) -> bool {
    let items = |part: &Part| part.units.units.iter().map(|u| u.item).collect::<Vec<_>>();
    let include = |include: &Include| {
        let index = include.item as usize;
        let written = new
            .view
            .item(index)
            .and_then(|i| i.manifest.includes.get(include.index as usize));
        written.is_some_and(|w| {
            w.text == include.text && rebased(w.place, new.view.base(index)) == include.place
        })
    };
    let number = |part: &Part| {
        let groups = part
            .units
            .groups
            .iter()
            .filter_map(|g| part.view.item(*g as usize));
        groups.map(|item| item.manifest.includes.len()).sum::<usize>()
    };
    old.view.is_certain()
        && new.view.is_certain()
        && old.view.head.environments == new.view.head.environments
        && old.units.groups == new.units.groups
        && items(old) == items(new)
        && number(old) == number(new)
        && expansion.includes.all.iter().all(include)
}

/// The findings of a file, given those that verdicts hang on.
pub(super) fn of_file(settled: &Settled, loud: &[Found], file: FileId) -> Vec<Diagnostic> {
    let loud = loud
        .iter()
        .map(|f| &f.diagnostic)
        .filter(|d| d.place.file == file);
    let mut found: Vec<Diagnostic> = loud.cloned().collect();
    found.extend(settled.quiet_of(file));
    keep_most_specific(&mut found);
    found
}
