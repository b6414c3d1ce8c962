//! References between manifests, and whether they can form an order.

mod index;
mod order;
mod redundant;
mod variant;

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use rustc_hash::FxHasher;

use super::model::{DependsOnEntry, Expansion, FileUnit, IncludeOutcome, Model, Part, UnitSummary};
use super::read::rebased;
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::Unit;
use applyorder_core::layer::{Budget, Names, Sym};
use applyorder_core::nearest::nearest_within;

pub(super) use index::{Index, NO_UNIT};
pub(super) use variant::empty;

/// The steps of the search for similar names in one project.
const SEARCH: u64 = 5_000_000;

/// How a unit takes part in list order until a `dependsOn` disables it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListOrder {
    /// It has dependencies.
    Waits,
    /// It has no dependencies, or they are unknown.
    Free,
    /// It has no `dependsOn`.
    Silent,
}

fn list_order_of(unit: &UnitSummary, has_needs: bool) -> ListOrder {
    match unit {
        _ if has_needs => ListOrder::Waits,
        u if u.says_needs || u.broken => ListOrder::Free,
        _ => ListOrder::Silent,
    }
}

/// The expanded list with the targets of its references.
pub struct Related {
    pub(super) expansion: Arc<Expansion>,
    pub(super) index: Index,
    /// Per entry the position of its target unit, or [`NO_UNIT`].
    targets: Vec<u32>,
    /// Per position the last one before it that did not wait for another, or [`NO_UNIT`].
    above: Vec<u32>,
    /// The number of entries without a known target.
    pub(super) dangling: u32,
    /// Whether some manifest waits for another.
    pub(super) dag: bool,
    /// Whether there are entries that wait for each other, or a unit that waits for itself.
    pub(super) is_cyclic: bool,
    /// The first unit that needs one that comes later in the list.
    pub(super) backward: Option<u32>,
    /// The `dependsOn` that disables list order.
    pub(super) switch: Option<Place>,
    /// Whether there may be manifests that are not in the list.
    pub(super) incomplete: bool,
    /// Whether every template could be rendered, and every include read.
    pub(super) all_seen: bool,
    /// Whether the root could be rendered.
    pub(super) root_is_certain: bool,
    /// The parts in which some lines could not be read.
    pub(super) broken: Vec<u32>,
    /// A hash of the names of all units and their places.
    pub(super) publics: u64,
    /// The units that refer to each name, computed on demand.
    referring: OnceLock<Referring>,
    names: usize,
}

/// Entries by the name that they refer to.
struct Referring {
    starts: Vec<u32>,
    places: Vec<Place>,
}

/// Relates the units of every reading.
pub(super) fn relate(names: &Names, model: &Model) -> Vec<Arc<Related>> {
    let relate = |expansion: &Arc<Expansion>| Arc::new(Related::new(names, expansion.clone()));
    match model.variants.as_slice() {
        [one] => vec![relate(one)],
        many => many.par_iter().map(relate).collect(),
    }
}

impl Related {
    fn new(names: &Names, expansion: Arc<Expansion>) -> Self {
        let names = names.len();
        let index = Index::new(&expansion, names, expansion.setting.generation);
        let total = expansion.list.len();
        let mut related = Self {
            targets: Vec::with_capacity(expansion.needs.len()),
            above: Vec::with_capacity(total),
            dangling: 0,
            dag: false,
            is_cyclic: false,
            backward: None,
            switch: None,
            incomplete: false,
            all_seen: true,
            root_is_certain: expansion.root().is_some_and(|r| r.brief.is_certain),
            broken: Vec::new(),
            publics: 0,
            referring: OnceLock::new(),
            names,
            index,
            expansion,
        };
        related.look_at_parts();
        related.look_at_units();
        related.dag = !related.targets.is_empty();
        related.is_cyclic = !order::is_ordered(&related.expansion.firsts, &related.targets);
        related
    }

    fn look_at_parts(&mut self) {
        for (number, part) in (0u32..).zip(&self.expansion.parts) {
            let brief = &part.brief;
            if brief.is_broken {
                self.broken.push(number);
            }
            self.incomplete |= !brief.is_whole();
            self.all_seen &= !brief.is_templated || brief.is_certain;
        }
        for got in &*self.expansion.got {
            let is_read = matches!(got, IncludeOutcome::Read | IncludeOutcome::Nowhere);
            self.incomplete |= !is_read;
            self.all_seen &= is_read;
        }
    }

    fn look_at_units(&mut self) {
        let mut hasher = FxHasher::default();
        let mut above = NO_UNIT;
        let expansion = self.expansion.clone();
        let units = expansion.summaries.iter().zip(expansion.firsts.windows(2));
        for (here, (summary, range)) in (0u32..).zip(units) {
            let &[start, end] = range else { continue };
            let needs = expansion
                .needs
                .get(start as usize..end as usize)
                .unwrap_or_default();
            summary.public.hash(&mut hasher);
            self.above.push(above);
            for name in needs {
                let owner = if summary.broken {
                    NO_UNIT
                } else {
                    self.index.owner(*name)
                };
                if owner < here && summary.whole && self.backward.is_none() {
                    self.backward = Some(here);
                }
                self.dangling += u32::from(owner == NO_UNIT && !summary.broken);
                self.targets.push(owner);
            }
            if list_order_of(summary, !needs.is_empty()) == ListOrder::Waits {
                if self.switch.is_none() {
                    self.switch = self.needs_key(here).or_else(|| self.first_need(here));
                }
            } else {
                above = here;
            }
        }
        self.publics = hasher.finish();
    }

    /// The unit at a position.
    pub(super) fn unit(&self, position: u32) -> Option<&Unit> {
        Some(&self.expansion.at(position as usize)?.0.unit)
    }

    /// The entries of the unit at a position, with the positions of their target units.
    pub(super) fn needs<'a>(
        &'a self,
        position: u32,
        unit: &FileUnit,
        part: &'a Part,
    ) -> impl Iterator<Item = (&'a DependsOnEntry, Option<u32>)> + Clone {
        let first = self.first_entry(position).unwrap_or(u32::MAX) as usize;
        let targets = self.targets.get(first..).unwrap_or_default();
        let known = |target: &u32| (*target != NO_UNIT).then_some(*target);
        part.piece.needs_of(unit).iter().zip(targets.iter().map(known))
    }

    /// The positions of the target units of the entries of the unit at a position.
    pub(super) fn targets(&self, position: u32) -> impl Iterator<Item = Option<u32>> + Clone {
        let first = |position| self.first_entry(position).unwrap_or(0) as usize;
        let range = first(position)..first(position + 1);
        let targets = self.targets.get(range).unwrap_or_default();
        targets
            .iter()
            .map(|target| (*target != NO_UNIT).then_some(*target))
    }

    /// The number of the first entry of the unit at a position.
    fn first_entry(&self, position: u32) -> Option<u32> {
        self.expansion.firsts.get(position as usize).copied()
    }

    /// The unit above one without `dependsOn`: without any `dependsOn` it would wait for it.
    pub(super) fn lost(&self, position: u32) -> Option<u32> {
        let above = self.above.get(position as usize).filter(|p| **p != NO_UNIT);
        let unit = self.expansion.summaries.get(position as usize)?;
        let has_needs = self.targets(position).next().is_some();
        above
            .copied()
            .filter(|_| self.dag && list_order_of(unit, has_needs) == ListOrder::Silent)
    }

    /// The key `dependsOn` of the unit at a position.
    pub(super) fn needs_key(&self, position: u32) -> Option<Place> {
        let (unit, part) = self.expansion.at(position as usize)?;
        let (item, base) = part.piece.item(unit)?;
        Some(rebased(item.manifest.needs_key?, base))
    }

    /// The first entry of the unit at a position.
    fn first_need(&self, position: u32) -> Option<Place> {
        let (unit, part) = self.expansion.at(position as usize)?;
        part.piece.needs_of(unit).first().map(|need| need.place)
    }

    /// The steps that the search for one similar name may take. All unknown names share the total evenly, so
    /// that the order of searching does not matter; a few more or less of them change nothing.
    pub(super) fn share(&self) -> u64 {
        SEARCH / u64::from(self.dangling.next_power_of_two())
    }

    /// The name of a unit that is most similar to a word.
    pub(super) fn nearest(&self, word: &str) -> Option<&str> {
        let name = |i: usize| self.expansion.at(i).map_or("", |(unit, _)| &*unit.unit.name);
        let summaries = &self.expansion.summaries;
        let signature = |i: usize| summaries.get(i).map(|u| u.signature).unwrap_or_default();
        let mut budget = Budget::new(self.share());
        let near = nearest_within(word, self.expansion.list.len(), signature, name, &mut budget);
        near.filter(|name| !name.is_empty())
    }

    /// The entries that refer to a name of some unit, in the order of the files; broken units are ignored.
    pub(super) fn referring(&self, name: Sym) -> &[Place] {
        if !self.index.is_declared(name) {
            return &[];
        }
        let all = self.referring.get_or_init(|| self.all_references());
        let at = |name: usize| all.starts.get(name).map_or(0, |start| *start as usize);
        all.places
            .get(at(name.index())..at(name.index() + 1))
            .unwrap_or_default()
    }

    fn all_references(&self) -> Referring {
        let needs = || {
            self.expansion.parts.iter().flat_map(|part| {
                let units = part.piece.units.iter().filter(|u| !u.broken);
                units.flat_map(|unit| part.piece.needs_of(unit))
            })
        };
        let mut starts = vec![0u32; self.names + 2];
        for need in needs() {
            if let Some(slot) = starts.get_mut(need.name.index() + 2) {
                *slot += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let nowhere = Place::file(self.expansion.setting.root_file);
        let mut places = vec![nowhere; sum as usize];
        for need in needs() {
            if let Some(next) = starts.get_mut(need.name.index() + 1) {
                if let Some(place) = places.get_mut(*next as usize) {
                    *place = need.place;
                }
                *next += 1;
            }
        }
        Referring { starts, places }
    }
}
