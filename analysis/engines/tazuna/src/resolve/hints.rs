//! Entries of `dependsOn` that others imply, file by file, and what an edit changes of them.
//!
//! An entry that is lost takes a hint away only where it stood on the way that the hint tells; a new one can only
//! bring hints to units that lead to where it starts, by entries on what its end leads to.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::Run;
use super::build::Waiting;
use super::cache::count;
use super::concerned::Concerned;
use super::index::NOBODY;
use super::parts::Expansion;
use super::settled::Settled;
use super::ties::{Entry, Implied, Search, Ties};
use applyorder_core::diagnostic::{Diagnostic, FileId, Place};
use applyorder_core::graph::EdgeId;
use applyorder_core::rules::redundant_dependency::{self, BUDGET, RULE, Step};

/// Projects with as many entries are searched for those that others imply even where nobody wants to know: it costs
/// next to nothing.
const SMALL: usize = 5_000;

/// The steps of a search after an edit before all are searched anew instead.
const STEPS: u64 = 40_000;

/// How far the search came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Extent {
    /// There is nothing to be searched: a cycle, or no entries.
    #[default]
    Nothing,
    /// Nobody wants to know.
    Unwanted,
    /// Not to its end.
    Part,
    /// All.
    Whole,
}

/// What was found.
#[derive(Clone, Default)]
pub(super) struct Hints {
    of_slot: Vec<OfSlot>,
    pub(super) extent: Extent,
}

/// What was found in one file.
#[derive(Clone, Default, PartialEq)]
struct OfSlot {
    /// By the number of the unit in the file, in the order of its entries.
    found: Vec<(u32, Diagnostic)>,
    /// The files that the ways lead through.
    through: Vec<FileId>,
}

impl OfSlot {
    fn new(found: Vec<(u32, Diagnostic)>) -> Self {
        let related = found.iter().flat_map(|(_, d)| &d.related);
        let mut through: Vec<FileId> = related.map(|r| r.place.file).collect();
        through.sort_unstable();
        through.dedup();
        Self { found, through }
    }
}

/// Numbers of units in a file, and the hints that take the place of theirs.
type Anew = (Vec<u32>, Vec<(u32, Diagnostic)>);

impl Hints {
    /// Those of a slot.
    pub(super) fn of(&self, slot: usize) -> impl Iterator<Item = &Diagnostic> {
        let own = self.of_slot.get(slot).into_iter();
        own.flat_map(|slot| slot.found.iter().map(|(_, d)| d))
    }

    /// All.
    pub(super) fn all(&self) -> impl Iterator<Item = &Diagnostic> {
        (0..self.of_slot.len()).flat_map(|slot| self.of(slot))
    }

    /// The same with other slots: for each of the new ones which of the old ones it was.
    pub(super) fn relisted(&mut self, slots: impl Iterator<Item = Option<usize>>) {
        let mut before = std::mem::take(&mut self.of_slot);
        let was = |slot: Option<usize>| Some(std::mem::take(before.get_mut(slot?)?));
        self.of_slot = slots.map(was).map(Option::unwrap_or_default).collect();
    }
}

impl Settled {
    pub(super) fn ties(&self) -> Ties<'_> {
        Ties {
            expansion: &self.plan.expansion,
            index: &self.index,
            levels: &self.levels,
            span: self.span.unwrap_or(u32::MAX),
        }
    }

    /// What is to be searched.
    fn extent(&self, run: &Run<'_, '_>) -> Extent {
        if self.levels.is_empty() {
            Extent::Nothing
        } else if self.index.entries > SMALL && !run.cx.is_wanted(&RULE) {
            Extent::Unwanted
        } else {
            Extent::Whole
        }
    }

    /// Searches all of the project.
    pub(super) fn find_hints(&mut self, run: &Run<'_, '_>) {
        let mut hints = Hints {
            of_slot: Vec::new(),
            extent: self.extent(run),
        };
        if hints.extent == Extent::Whole {
            let expansion = &self.plan.expansion;
            let waiting = self.plan.waiting.clone();
            let waiting = waiting.unwrap_or_else(|| Waiting::of(expansion, &self.index));
            let (implied, whole) = implied(expansion, &waiting);
            if !whole {
                hints.extent = Extent::Part;
            }
            hints.of_slot = vec![OfSlot::default(); self.slots.len()];
            let told = implied.par_iter().with_min_len(128);
            let told: Vec<Option<(u32, u32, Diagnostic)>> = told.map(|i| diagnostic(expansion, i)).collect();
            for (part, unit, d) in told.into_iter().flatten() {
                let slot = self.marks.slot_of.get(part as usize);
                if let Some(own) = slot.and_then(|slot| hints.of_slot.get_mut(*slot as usize)) {
                    own.found.push((unit, d));
                }
            }
            for own in &mut hints.of_slot {
                *own = OfSlot::new(std::mem::take(&mut own.found));
            }
            self.plan.waiting = Some(waiting);
        }
        self.hints = hints;
    }

    /// Brings what was found up to date after an edit, and adds the files in which it is other than before.
    pub(super) fn follow_hints(
        &mut self,
        run: &Run<'_, '_>,
        concerned: &Concerned,
        files: &mut FxHashSet<FileId>,
    ) {
        let extent = self.extent(run);
        if extent == self.hints.extent && (extent != Extent::Whole || self.follow(concerned, files).is_some())
        {
            return;
        }
        let before = std::mem::take(&mut self.hints);
        self.find_hints(run);
        let slots = before.of_slot.len().max(self.hints.of_slot.len());
        let none = OfSlot::default();
        for slot in 0..slots {
            let [old, new] = [&before, &self.hints].map(|h| h.of_slot.get(slot).unwrap_or(&none));
            if old != new {
                files.extend(old.found.iter().chain(&new.found).map(|(_, d)| d.place.file));
            }
        }
    }

    /// The same where the edit changes little; `None`: nothing was changed, and all has to be searched.
    fn follow(&mut self, concerned: &Concerned, files: &mut FxHashSet<FileId>) -> Option<()> {
        if self.span.is_none() {
            self.span = Some(self.ties().widest());
        }
        let ties = self.ties();
        let mut new_ties: Vec<(u32, u32)> = Vec::new();
        for position in &concerned.tied {
            new_ties.extend(ties.targets(*position).map(|(_, target)| (*position, target)));
        }
        // Who refers to a name that is another unit's now lost a tie, or has a new one.
        let mut units = concerned.retold.clone();
        let mut lost = concerned.lost.clone();
        for name in &concerned.owners {
            let owner = self.index.owner(*name);
            for from in ties.referring(*name) {
                units.push(from);
                let (unit, part) = self.plan.expansion.at(from as usize)?;
                let needs = part.needs_of(unit).iter().filter(|n| n.name == *name);
                lost.extend(needs.map(|n| n.place));
                if owner != NOBODY {
                    new_ties.push((from, owner));
                }
            }
        }
        self.add_told_of(&lost, concerned, &mut units)?;
        let mut search = Search::new(ties, STEPS);
        units.extend(search.concerned(&new_ties)?);
        units.sort_unstable();
        units.dedup();
        // Slot by slot, with the units whose hints are replaced and those that take their place.
        let slots = concerned.rewritten.iter();
        let mut anew: BTreeMap<u32, Anew> = slots.map(|slot| (*slot, Anew::default())).collect();
        for position in units {
            let (part, unit) = *self.plan.expansion.list.get(position as usize)?;
            let slot = *self.marks.slot_of.get(part as usize)?;
            let (replaced, found) = anew.entry(slot).or_default();
            replaced.push(unit);
            for implied in search.implied(position)? {
                let (_, unit, d) = diagnostic(&self.plan.expansion, &implied)?;
                found.push((unit, d));
            }
        }
        for (slot, (mut replaced, mut found)) in anew {
            let own = self.hints.of_slot.get_mut(slot as usize)?;
            let all = concerned.rewritten.contains(&slot);
            replaced.sort_unstable();
            let stays = |unit: &u32| !all && replaced.binary_search(unit).is_err();
            found.extend(own.found.iter().filter(|(unit, _)| stays(unit)).cloned());
            found.sort_by_key(|(unit, _)| *unit);
            let next = OfSlot::new(found);
            if *own != next {
                files.extend(own.found.iter().chain(&next.found).map(|(_, d)| d.place.file));
                *own = next;
            }
        }
        Some(())
    }

    /// Adds the units of which all is found anew, and those whose hints tell of entries that are lost.
    fn add_told_of(
        &self,
        lost: &FxHashSet<Place>,
        concerned: &Concerned,
        units: &mut Vec<u32>,
    ) -> Option<()> {
        let expansion = &*self.plan.expansion;
        for slot in &concerned.rewritten {
            let part = self.marks.slot_of.binary_search(slot).ok()?;
            units.extend(expansion.positions(part));
        }
        let gone = &concerned.gone_files;
        let is_lost = |place: Place| lost.contains(&place) || gone.contains(&place.file);
        let tells = |d: &Diagnostic| d.related.iter().any(|r| is_lost(r.place));
        let files: FxHashSet<FileId> = lost
            .iter()
            .map(|place| place.file)
            .chain(gone.iter().copied())
            .collect();
        for (part, slot) in (0u32..).zip(&self.marks.slot_of) {
            if concerned.rewritten.contains(slot) {
                continue;
            }
            let own = self.hints.of_slot.get(*slot as usize)?;
            if own.through.iter().any(|file| files.contains(file)) {
                for (unit, _) in own.found.iter().filter(|(_, d)| tells(d)) {
                    units.push(expansion.position(part, *unit)?);
                }
            }
        }
        Some(())
    }
}

/// Every entry that others imply, in the order of the list, and whether the search came to its end.
fn implied(expansion: &Expansion, waiting: &Waiting) -> (Vec<Implied>, bool) {
    let graph = &waiting.graph;
    let all = |_: EdgeId| true;
    let redundancy = graph.redundant(&graph.components(), BUDGET, all, all);
    // Dependencies are counted along the list.
    let mut next = 0;
    let first = |position| {
        let first = next;
        next += expansion
            .at(position)
            .map_or(0, |(unit, _)| count(unit.needs.len()));
        first
    };
    let firsts: Vec<u32> = (0..expansion.list.len()).map(first).collect();
    let entry = |edge: EdgeId| -> Option<Entry> {
        let edge = graph.edge(edge)?;
        let number = edge
            .kind
            .dependency()?
            .checked_sub(*firsts.get(edge.from.index())?)?;
        Some((edge.from.0, number))
    };
    let found = redundancy.edges.iter().filter_map(|redundant| {
        let way = redundant.path.edges().iter();
        Some(Implied {
            entry: entry(redundant.edge)?,
            way: way.filter_map(|edge| entry(*edge)).collect(),
        })
    });
    (found.collect(), redundancy.searched)
}

/// The hint, with the part it stands in and the number of its unit there.
fn diagnostic(expansion: &Expansion, implied: &Implied) -> Option<(u32, u32, Diagnostic)> {
    let (part_number, number) = *expansion.list.get(implied.entry.0 as usize)?;
    let find = |(position, need): Entry| {
        let (unit, part) = expansion.at(position as usize)?;
        Some((&unit.unit, part.needs_of(unit).get(need as usize)?))
    };
    let (unit, need) = find(implied.entry)?;
    let steps = implied.way.iter().filter_map(|entry| {
        let (from, need) = find(*entry)?;
        Some(Step {
            from: &from.name,
            to: &need.text,
            place: need.place,
        })
    });
    let d = redundant_dependency::diagnostic(unit, (&need.text, need.place), "dependsOn", steps);
    Some((part_number, number, d))
}
