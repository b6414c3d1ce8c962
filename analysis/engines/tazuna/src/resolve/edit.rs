//! What an edit of one file changes in a project: found anew for the files that it concerns, and
//! taken over for all others.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::cache::{FileUnit, Include, count};
use super::concerned::Concerned;
use super::index::NOBODY;
use super::parts::{Expansion, Part};
use super::settled::Settled;
use super::slot::{self, Slot};
use super::{Outcome, Run, reads_the_same, refine, resolution};
use crate::facts::{Reading, TazunaFacts, View, rebased};
use crate::rules::implicit_order_lost;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Resolution;

/// The steps that a search for a cycle may take before the whole project is looked at instead.
const STEPS: usize = 4_000;

/// What the next edit starts from: the distinct results, and which environment has which.
pub(super) struct Kept {
    pub(super) distinct: Vec<Settled>,
    pub(super) outcomes: Vec<Outcome>,
}

/// The most files that are taken over one after the other.
const FILES: usize = 8;

/// The resolution after an edit, where it can be told from the one before; else `None`, and the project has
/// to be resolved whole.
pub(super) fn after(run: &Run<'_, '_>, edited: &[FileId], previous: &Resolution) -> Option<Resolution> {
    let mut kept = run.cache.take_kept()?;
    if edited.len() > FILES {
        return None;
    }
    for settled in &mut kept.distinct {
        settled.is_relisted = false;
    }
    let mut changed = FxHashSet::default();
    let mut is_grouped_anew = false;
    for file in edited {
        let before = kept.distinct.len();
        kept = kept.take_over(run, *file, &mut changed)?;
        let apart = kept.distinct.len();
        kept.join();
        is_grouped_anew |= (before, apart) != (apart, kept.distinct.len());
    }
    Some(if is_grouped_anew {
        resolution::assemble(run, kept.distinct, kept.outcomes)
    } else {
        resolution::after(run, kept, &changed, previous)
    })
}

impl Kept {
    /// Takes over the new state of a file, and adds the files whose findings may be others. `None` where the edit
    /// concerns too much.
    fn take_over(self, run: &Run<'_, '_>, file: FileId, changed: &mut FxHashSet<FileId>) -> Option<Self> {
        let facts = run.cx.read::<TazunaFacts>(file).ok()?.facts;
        let is_root = self.distinct.first()?.plan.expansion.parts.root()?.file == file;
        let environments = self.outcomes.iter().map(|o| &o.environment);
        if is_root && !super::environments(run, &facts).iter().eq(environments) {
            return None;
        }
        let (mut kept, read) = self.apart(run, file, &facts, is_root);
        for (settled, edited) in kept.distinct.iter_mut().zip(&read) {
            changed.extend(settled.take_over(run, edited)?);
        }
        Some(kept)
    }

    /// The results of environments that read a file differently now, apart from each other; with what each reads.
    fn apart(
        mut self,
        run: &Run<'_, '_>,
        file: FileId,
        facts: &Arc<TazunaFacts>,
        is_root: bool,
    ) -> (Self, Vec<Edited>) {
        let mut read: Vec<(usize, Edited)> = Vec::new();
        for outcome in &mut self.outcomes {
            let environment = outcome.environment.as_deref().unwrap_or("");
            let view = facts.view(&if is_root {
                run.root_reading(environment)
            } else {
                run.reading(environment)
            });
            let is_same = |(result, known): &(usize, Edited)| {
                *result == outcome.result && Arc::ptr_eq(&known.view, &view)
            };
            let known = read.iter().position(is_same);
            let result = known.unwrap_or(read.len());
            if known.is_none() {
                let edited = Edited {
                    file,
                    facts: facts.clone(),
                    view,
                    included: Vec::new(),
                };
                read.push((outcome.result, edited));
            }
            outcome.result = result;
            if let Some((_, edited)) = read.get_mut(result) {
                edited.included.push(run.reading(environment));
            }
        }
        let mut own: Vec<Option<Settled>> = self.distinct.into_iter().map(Some).collect();
        let mut distinct = Vec::with_capacity(read.len());
        for (at, (result, _)) in read.iter().enumerate() {
            let rest = read.get(at + 1..).unwrap_or_default();
            let is_wanted_again = rest.iter().any(|(later, _)| later == result);
            let settled = own.get_mut(*result);
            distinct.extend(settled.and_then(|s| if is_wanted_again { s.clone() } else { s.take() }));
        }
        self.distinct = distinct;
        (self, read.into_iter().map(|(_, edited)| edited).collect())
    }

    /// Makes one of results that read the same now.
    fn join(&mut self) {
        let mut distinct: Vec<Settled> = Vec::with_capacity(self.distinct.len());
        let mut number: Vec<usize> = Vec::with_capacity(self.distinct.len());
        for settled in std::mem::take(&mut self.distinct) {
            let same = |known: &Settled| reads_the_same(&known.plan.expansion, &settled.plan.expansion);
            let known = distinct.iter().position(same);
            number.push(known.unwrap_or(distinct.len()));
            if known.is_none() {
                distinct.push(settled);
            }
        }
        self.distinct = distinct;
        for outcome in &mut self.outcomes {
            outcome.result = number.get(outcome.result).copied().unwrap_or(0);
        }
    }
}

/// The new state of a file, as some environments read it alike.
pub(super) struct Edited {
    file: FileId,
    facts: Arc<TazunaFacts>,
    view: Arc<View>,
    /// How the environments read included files.
    pub(super) included: Vec<Reading>,
}

impl Settled {
    /// Takes over the new state of one file; `None` where the edit concerns too much. Gives the files whose
    /// findings may be others.
    fn take_over(&mut self, run: &Run<'_, '_>, edited: &Edited) -> Option<FxHashSet<FileId>> {
        let mut files: FxHashSet<FileId> = FxHashSet::default();
        let Some(slots) = self.marks.by_file.get(&edited.file) else {
            // It may be read for other reasons than that it is included.
            return self.reads_included_only().then_some(files);
        };
        let [slot] = *slots.as_slice() else {
            return None;
        };
        self.files_across(&mut files);
        for number in &self.marks.loud {
            slot::files(self.slots.get(*number as usize)?.all(), &mut files);
        }
        let (dag, switch) = (self.dag(), self.marks.switch);
        self.index.note_references(&self.plan.expansion);
        let mut concerned = Concerned::default();
        self.replace(run, edited, slot, &mut concerned, &mut files)?;
        if run.cache.is_untidy(self.index.names().len() + self.index.entries) {
            return None;
        }
        self.plan.waiting = None;
        self.plan.names = run.cache.name_count();
        let expansion = self.plan.expansion.clone();
        self.marks.switch = slot::switch(&expansion, &self.index);
        if dag != self.dag() {
            return None;
        }
        if switch != self.marks.switch {
            // Whoever lost the order of the list tells where.
            let tells = |slot: &Slot| slot.lints.iter().any(|d| d.rule == &implicit_order_lost::RULE);
            let all = (0u32..).zip(&self.slots);
            concerned
                .slots
                .extend(all.filter(|(_, slot)| tells(slot)).map(|(number, _)| number));
        }
        self.nearest.renamed(&concerned.gone, &concerned.new);
        for name in &concerned.names {
            for (part, _) in self.index.referring(*name) {
                concerned.slots.insert(*self.marks.slot_of.get(*part as usize)?);
            }
        }
        if self.raise(&expansion, &concerned).is_none() {
            self.order_anew(run);
        }
        concerned.slots.extend(&self.marks.dangling);
        concerned.slots.extend(&self.marks.entangled);
        if concerned.everything {
            concerned.slots.extend(0..count(self.slots.len()));
        }
        let scene = self.scene(run);
        let slots = concerned.slots.iter();
        let mut anew: Vec<(u32, Slot)> = slots.map(|n| (*n, Slot::of(&scene, *n as usize))).collect();
        let found = anew.iter_mut().flat_map(|(_, slot)| &mut slot.expand);
        refine::refine(&expansion, found.map(|f| &mut f.diagnostic));
        for (number, slot) in anew {
            let old = self.slots.get_mut(number as usize)?;
            slot::files(old.all().chain(slot.all()), &mut files);
            self.marks.forget(number, old);
            self.marks.note(number, &slot);
            *old = slot;
        }
        self.check_across(run);
        self.follow_hints(run, &concerned, &mut files);
        self.files_across(&mut files);
        Some(files)
    }

    /// Whether no file is read but the root and what it includes: no secrets, no includes of included files.
    fn reads_included_only(&self) -> bool {
        let mut parts = self.plan.expansion.parts.iter();
        parts.all(|p| p.units.secrets.is_empty() && (p.via.is_none() || p.units.groups.is_empty()))
    }

    /// Puts the new state of a file in the place of the old one.
    fn replace(
        &mut self,
        run: &Run<'_, '_>,
        edited: &Edited,
        slot: u32,
        concerned: &mut Concerned,
        files: &mut FxHashSet<FileId>,
    ) -> Option<()> {
        let number = self.marks.slot_of.binary_search(&slot).ok()?;
        let expansion = self.plan.expansion.clone();
        let old = expansion.parts.get(number)?;
        let part = Part {
            units: run.cache.units(edited.file, &edited.view, run.generation),
            facts: edited.facts.clone(),
            view: edited.view.clone(),
            ..Part::clone(old)
        };
        if old.facts.is_templated() != part.facts.is_templated() {
            // What can be mended there, from wherever, can no longer be, or can be now.
            self.files(files);
        }
        let (was, is) = (&old.units, &part.units);
        if number == 0 {
            if old.view.head.environments != part.view.head.environments {
                return None;
            }
            if old.view.is_certain() != part.view.is_certain() {
                // Little is said of any file where it is open what the root says.
                concerned.everything = true;
                self.marks.root_is_certain = part.view.is_certain();
            }
            if !includes_alike(&expansion, old, &part) {
                return self.relist(run, edited, part, concerned, files);
            }
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
                concerned.compare_needs(*position, (old, a), (&part, b));
            }
            concerned.waiting.extend(positions);
        } else {
            let [gone, come]: [Vec<&FileUnit>; 2] = [was, is].map(|u| u.units.iter().collect());
            self.index.splice(first, &gone, &come, names);
            concerned.exchange(&gone, &come);
            self.shift(first, gone.len(), come.len());
            // What is said there may name units by their position.
            concerned.slots.extend(&self.marks.loud);
            let positions = first..first + count(come.len());
            concerned.waiting.extend(positions.clone());
            concerned.compare_ties((old, &gone), (&part, positions.zip(&come)));
            concerned.rewritten.insert(slot);
            concerned.lost.extend(was.needs.iter().map(|n| n.place));
        }
        if number > 0 {
            ends.push(first + count(is.units.len()));
        }
        let part_number = count(number);
        self.index.refer(part_number, old, &part);
        concerned.slots.insert(slot);
        self.marks.note_part(part_number, &part);
        let expansion = expansion.with(number, part);
        self.reach_behind(&expansion, &ends, concerned)?;
        self.plan.expansion = Arc::new(expansion);
        Some(())
    }

    /// What comes next in the list may say what it no longer waits for.
    pub(super) fn reach_behind(
        &self,
        expansion: &Expansion,
        ends: &[u32],
        concerned: &mut Concerned,
    ) -> Option<()> {
        for end in ends {
            if let Some(next) = self.index.after(*end).and_then(|p| expansion.part_at(p)) {
                concerned.slots.insert(*self.marks.slot_of.get(next as usize)?);
            }
        }
        Some(())
    }

    /// Moves everything that stands behind some units, of which there are more or fewer now.
    pub(super) fn shift(&mut self, first: u32, was: usize, is: usize) {
        let behind = first + count(was);
        let delta = count(is).wrapping_sub(count(was));
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
            open.extend(self.ties().referring(*name));
        }
        let mut steps = 0;
        while let Some(position) = open.pop() {
            steps += 1;
            if steps > STEPS {
                return None;
            }
            let (unit, part) = expansion.at(position as usize)?;
            let (mut least, mut lowest) = (0, u32::MAX);
            for need in part.needs_of(unit).iter().filter(|_| !unit.broken) {
                let target = self.index.owner(need.name);
                if target == position {
                    // It waits for itself, which is a cycle of one.
                    return None;
                }
                if target != NOBODY {
                    let level = *self.levels.get(target as usize)?;
                    least = least.max(level + 1);
                    lowest = lowest.min(level);
                }
            }
            let level = self.levels.get_mut(position as usize)?;
            let further = least.max(*level).saturating_sub(lowest);
            self.span = self.span.map(|span| span.max(further));
            if *level < least {
                *level = least;
                if least as usize > expansion.list.len() {
                    return None;
                }
                if self.index.owner(unit.name) == position {
                    open.extend(self.ties().referring(unit.name));
                }
            }
        }
        Some(())
    }
}

/// Whether a root includes the same files at the same places as before, between as many manifests: then the list
/// has the same positions.
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
    old.units.groups == new.units.groups
        && items(old) == items(new)
        && number(old) == number(new)
        && expansion.includes.all.iter().all(include)
}

/// How many edits on this thread could be followed, for tests.
#[cfg(test)]
pub(crate) mod counted {
    use std::cell::Cell;

    thread_local! {
        static EDITS: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    }

    pub(in crate::resolve) fn note(followed: bool) {
        let (all, yes) = EDITS.get();
        EDITS.set((all + 1, yes + usize::from(followed)));
    }

    /// The edits since the last call, and how many of them were followed.
    pub(crate) fn take() -> (usize, usize) {
        EDITS.take()
    }
}
