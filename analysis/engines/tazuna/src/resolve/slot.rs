//! What is found of one file of a project, apart from all others, so that an edit finds it anew where it
//! can have changed and nowhere else.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};

use super::Run;
use super::cache::{FileUnit, Need};
use super::index::{Index, NOBODY};
use super::parts::{Expansion, Outcome, Part};
use super::{included, lints, references, root, values};
use crate::verdict::{Found, Unknown};
use applyorder_core::diagnostic::{Diagnostic, FileId, Place};
use applyorder_core::engine::{Dependency, Unit, UnitIx};
use applyorder_core::rules::nearest_of;

/// What is found of the root (slot 0) or of one include (slot 1 and on).
#[derive(Clone, Default)]
pub(super) struct Slot {
    /// Up to the expansion of includes.
    pub(super) expand: Vec<Found>,
    /// What `apply` says of the values, with the position of the unit.
    pub(super) values: Vec<(u32, Found)>,
    /// What is said of entries of `dependsOn`, with the position of the unit.
    pub(super) references: Vec<(u32, Found)>,
    /// What Tazuna is silent about.
    pub(super) lints: Vec<Diagnostic>,
    /// What cannot be known up to the expansion.
    pub(super) unknown: Vec<Unknown>,
    /// What cannot be known of entries of `dependsOn`.
    pub(super) open: Vec<(u32, Unknown)>,
    /// Whether an entry leads nowhere, as far as is known.
    pub(super) dangling: bool,
    /// The first unit that needs one further up in the list.
    pub(super) backward: Option<u32>,
}

/// Whether a verdict or its reasons hang on a finding.
pub(super) fn is_loud(found: &Found) -> bool {
    found.rejected.check.is_some() || found.rejected.apply.is_some() || found.apply_warns
}

impl Slot {
    /// Finds everything of a slot.
    pub(super) fn of(scene: &Scene<'_, '_, '_>, number: usize) -> Self {
        let mut slot = Self::default();
        let (run, expansion) = (scene.run, scene.expansion);
        let include = number.checked_sub(1).and_then(|index| {
            let include = expansion.includes.all.get(index)?;
            Some((include, expansion.outcomes.get(index)?))
        });
        let part = match include {
            None if number == 0 => Some(0),
            Some((_, Outcome::Read(part))) => Some(*part as usize),
            _ => None,
        };
        let part = part.and_then(|n| Some((n, expansion.parts.get(n)?)));
        match (include, part) {
            (None, Some((_, root))) => root::check(run, expansion, root, &mut slot),
            (Some((include, outcome)), _) if scene.root_is_certain => {
                included::check(run, expansion, include, outcome, &mut slot);
            }
            _ => {}
        }
        if let Some((number, part)) = part {
            let positions = expansion.positions(number);
            values::check(scene, part, &positions, &mut slot);
            references::check(scene, part, &positions, &mut slot);
            lints::of_part(scene, part, &positions, &mut slot);
        }
        slot
    }

    /// Whether verdicts hang on it.
    pub(super) fn is_loud(&self) -> bool {
        !self.values.is_empty()
            || !self.references.is_empty()
            || !self.unknown.is_empty()
            || !self.open.is_empty()
            || self.expand.iter().any(is_loud)
    }

    /// The findings that no verdict hangs on.
    pub(super) fn quiet(&self) -> impl Iterator<Item = &Diagnostic> {
        let all = self.expand.iter().chain(self.values.iter().map(|(_, f)| f));
        all.filter(|f| !is_loud(f))
            .map(|f| &f.diagnostic)
            .chain(&self.lints)
    }

    /// Every finding.
    pub(super) fn all(&self) -> impl Iterator<Item = &Diagnostic> {
        let found = self.expand.iter();
        let placed = self.values.iter().chain(&self.references).map(|(_, f)| f);
        found.chain(placed).map(|f| &f.diagnostic).chain(&self.lints)
    }
}

impl Clone for Nearest {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.names().clone()))
    }
}

/// The nearest names of what dangles, found once.
#[derive(Default)]
pub(super) struct Nearest(Mutex<FxHashMap<Arc<str>, Option<Arc<str>>>>);

impl Nearest {
    fn names(&self) -> MutexGuard<'_, FxHashMap<Arc<str>, Option<Arc<str>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names of some units were replaced by others.
    pub(super) fn renamed(&self, gone: &FxHashSet<Arc<str>>, new: &FxHashSet<Arc<str>>) {
        self.names().retain(|word, near| {
            if near.as_ref().is_some_and(|near| gone.contains(near)) {
                return false;
            }
            let known = near.iter().chain(new).map(|n| &**n).filter(|n| !n.is_empty());
            let nearest = applyorder_core::rules::nearest(word, known).map(Arc::from);
            *near = nearest;
            true
        });
    }
}

/// A project in the middle of being checked: what every check may ask.
pub(super) struct Scene<'a, 'r, 'c> {
    pub(super) run: &'a Run<'r, 'c>,
    pub(super) expansion: &'a Expansion,
    pub(super) index: &'a Index,
    /// Whether some manifest waits for another.
    pub(super) dag: bool,
    /// Whether there may be manifests that are not in the list.
    pub(super) incomplete: bool,
    /// Whether every template could be rendered, and every include read.
    pub(super) all_seen: bool,
    /// Whether the root could be rendered.
    pub(super) root_is_certain: bool,
    /// The parts in which some lines could not be read.
    pub(super) broken: &'a BTreeSet<u32>,
    /// The `dependsOn` that ends the order of the list.
    pub(super) switch: Option<Place>,
    pub(super) nearest: &'a Nearest,
}

impl Scene<'_, '_, '_> {
    /// The unit at a position.
    pub(super) fn unit(&self, position: u32) -> Option<&Unit> {
        Some(&self.expansion.at(position as usize)?.0.unit)
    }

    /// The unit that a name means.
    pub(super) fn owner(&self, need: &Need, unit: &FileUnit) -> Option<u32> {
        let owner = self.index.owner(need.name);
        (owner != NOBODY && !unit.broken).then_some(owner)
    }

    /// An entry as all engines have it.
    pub(super) fn dependency(&self, position: u32, unit: &FileUnit, need: &Need) -> Dependency {
        let target = self.owner(need, unit).map(|owner| Arc::from([UnitIx(owner)]));
        dependency(target.unwrap_or_default(), position, unit, need)
    }

    /// The name of a unit that is nearest to a word.
    pub(super) fn nearest(&self, word: &Arc<str>) -> Option<Arc<str>> {
        if let Some(known) = self.nearest.names().get(word) {
            return known.clone();
        }
        let name = |i: usize| self.unit(super::cache::count(i)).map_or("", |u| &*u.name);
        let signature = |i: usize| self.index.signature(i);
        let found = nearest_of(word, self.expansion.list.len(), signature, name);
        let found: Option<Arc<str>> = found.filter(|n| !n.is_empty()).map(Arc::from);
        self.nearest.names().insert(word.clone(), found.clone());
        found
    }

    /// The key `dependsOn` of the unit at a position.
    pub(super) fn needs_key(&self, position: u32) -> Option<Place> {
        needs_key(self.expansion, position)
    }
}

/// An entry as all engines have it.
pub(super) fn dependency(targets: Arc<[UnitIx]>, position: u32, unit: &FileUnit, need: &Need) -> Dependency {
    Dependency {
        unit: UnitIx(position),
        place: need.place,
        attribute: "dependsOn",
        text: need.text.clone(),
        targets,
        unknown: unit.broken,
    }
}

/// Where the order of the list ends: the first `dependsOn`.
pub(super) fn switch(expansion: &Expansion, index: &Index) -> Option<Place> {
    let position = index.first_waiting()?;
    let (unit, part) = expansion.at(position as usize)?;
    needs_key(expansion, position).or(part.needs_of(unit).first().map(|n| n.place))
}

fn needs_key(expansion: &Expansion, position: u32) -> Option<Place> {
    let (unit, part) = expansion.at(position as usize)?;
    let item = part.view.item(unit.item as usize)?;
    Some(crate::facts::rebased(
        item.manifest.needs_key?,
        part.view.base(unit.item as usize),
    ))
}

/// The units of a part with their positions.
pub(super) fn placed<'a>(
    part: &'a Part,
    positions: &'a [u32],
) -> impl Iterator<Item = (u32, &'a FileUnit)> + 'a {
    positions.iter().copied().zip(&part.units.units)
}

/// The files that some findings stand in.
pub(super) fn files<'a>(found: impl Iterator<Item = &'a Diagnostic>, files: &mut FxHashSet<FileId>) {
    files.extend(found.map(|d| d.place.file));
}

/// What is said of a manifest: its name, or its number where it has none.
pub(super) fn subject(name: &str, index: usize) -> String {
    if name.is_empty() {
        format!("manifest[{index}]")
    } else {
        name.to_owned()
    }
}
