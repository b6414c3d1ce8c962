//! The files of a project as one environment reads them, and the one list that they expand to.

use std::sync::Arc;

use super::cache::{FileUnit, FileUnits, Include, Includes, Need, count};
use crate::facts::{TazunaFacts, View, rebased};
use applyorder_core::diagnostic::{FileId, FixStep, Place};
use applyorder_core::engine::{Link, Member};
use applyorder_core::files::ReadError;

/// A file of the project, as one environment reads it.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) file: FileId,
    /// Its path from the root's directory.
    pub(super) path: Arc<str>,
    pub(super) facts: Arc<TazunaFacts>,
    pub(super) view: Arc<View>,
    pub(super) units: Arc<FileUnits>,
    /// The include that brings it in; `None` for the root.
    pub(super) via: Option<Place>,
    /// Whether an earlier include brings in the same file.
    pub(super) again: bool,
}

impl Part {
    /// The entries of `dependsOn` of one of its units.
    pub(super) fn needs_of(&self, unit: &FileUnit) -> &[Need] {
        let range = unit.needs.start as usize..unit.needs.end as usize;
        self.units.needs.get(range).unwrap_or_default()
    }

    /// Whether all that is in the file is known.
    pub(super) fn is_whole(&self) -> bool {
        self.view.is_certain() && !self.view.head.broken
    }
}

/// How many parts a change of one copies.
const CHUNK: usize = 32;

/// The parts of a project, the root's first. A copy with another part in one place shares the rest.
#[derive(Clone, Default)]
pub(super) struct Parts {
    chunks: Vec<Arc<[Arc<Part>]>>,
    len: usize,
}

impl Parts {
    pub(super) fn new(parts: Vec<Part>) -> Self {
        let len = parts.len();
        let parts: Vec<Arc<Part>> = parts.into_iter().map(Arc::new).collect();
        Self {
            chunks: parts.chunks(CHUNK).map(Arc::from).collect(),
            len,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get(&self, index: usize) -> Option<&Arc<Part>> {
        self.chunks.get(index / CHUNK)?.get(index % CHUNK)
    }

    pub(super) fn root(&self) -> Option<&Arc<Part>> {
        self.get(0)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Part>> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// The same with another part in one place.
    pub(super) fn with(&self, index: usize, part: Part) -> Self {
        let mut next = self.clone();
        if let Some(chunk) = next.chunks.get_mut(index / CHUNK) {
            let mut parts: Vec<Arc<Part>> = chunk.to_vec();
            if let Some(slot) = parts.get_mut(index % CHUNK) {
                *slot = Arc::new(part);
            }
            *chunk = parts.into();
        }
        next
    }
}

/// What came of one include.
pub(super) enum Outcome {
    /// Read, as this part.
    Read(u32),
    Missing,
    Unreadable(ReadError),
    /// Its path is empty.
    Nowhere,
}

/// The expanded list: parts, and which of their units stand there in order.
#[derive(Clone)]
pub(super) struct Expansion {
    pub(super) parts: Parts,
    /// Part, and number of the unit in [`FileUnits::units`].
    pub(super) list: Arc<[(u32, u32)]>,
    /// Per part the position of its first unit. The root's own stand between those of its includes.
    pub(super) starts: Arc<[u32]>,
    /// The positions of the root's own units.
    pub(super) own: Arc<[u32]>,
    pub(super) includes: Arc<Includes>,
    /// What came of each include.
    pub(super) outcomes: Arc<[Outcome]>,
    pub(super) members: Arc<[Member]>,
    pub(super) links: Arc<[Link]>,
}

impl Expansion {
    /// The unit at a position of the list as its file has it, with its part.
    pub(super) fn at(&self, position: usize) -> Option<(&FileUnit, &Arc<Part>)> {
        let (part, unit) = self.list.get(position)?;
        let part = self.parts.get(*part as usize)?;
        Some((part.units.units.get(*unit as usize)?, part))
    }

    /// The same with another state of one file that is not the root, and perhaps more or fewer units of it.
    pub(super) fn with(&self, number: usize, part: Part) -> Self {
        let was = self.parts.get(number).map_or(0, |p| p.units.units.len());
        let is = part.units.units.len();
        let mut next = self.clone();
        next.parts = self.parts.with(number, part);
        if was == is {
            return next;
        }
        let first = self.starts.get(number).copied().unwrap_or(0);
        let (before, rest) = self.list.split_at(self.list.len().min(first as usize));
        let behind = rest.get(was..).unwrap_or_default();
        let own = (0..count(is)).map(|unit| (count(number), unit));
        next.list = before
            .iter()
            .copied()
            .chain(own)
            .chain(behind.iter().copied())
            .collect();
        let delta = count(is).wrapping_sub(count(was));
        let moved = |position: &u32| match *position {
            p if p >= first => p.wrapping_add(delta),
            p => p,
        };
        next.own = self.own.iter().map(moved).collect();
        let starts = self.starts.iter().enumerate();
        next.starts = starts
            .map(|(i, start)| {
                if i > number {
                    start.wrapping_add(delta)
                } else {
                    *start
                }
            })
            .collect();
        next
    }

    /// The number of the part that a position of the list belongs to.
    pub(super) fn part_at(&self, position: usize) -> Option<u32> {
        self.list.get(position).map(|(part, _)| *part)
    }

    /// The positions of a part's units, in order.
    pub(super) fn positions(&self, part: usize) -> Vec<u32> {
        if part == 0 {
            return self.own.to_vec();
        }
        let first = self.starts.get(part).copied().unwrap_or(0);
        let units = self.parts.get(part).map_or(0, |p| p.units.units.len());
        (first..).take(units).collect()
    }

    /// The position of a unit by its part and its number there.
    pub(super) fn position(&self, part: u32, unit: u32) -> Option<u32> {
        if part == 0 {
            return self.own.get(unit as usize).copied();
        }
        Some(self.starts.get(part as usize)? + unit)
    }

    /// Whether an include could not be read, be it missing.
    pub(super) fn lacks_files(&self) -> bool {
        let unread = |o: &Outcome| matches!(o, Outcome::Missing | Outcome::Unreadable(_));
        self.outcomes.iter().any(unread)
    }

    /// What takes an include away: its entry, or the group where it has no other.
    pub(super) fn removal(&self, include: &Include) -> FixStep {
        let group = self.parts.root().and_then(|root| {
            let index = include.item as usize;
            let manifest = &root.view.item(index)?.manifest;
            (manifest.includes.len() == 1).then(|| rebased(manifest.header, root.view.base(index)))
        });
        FixStep::RemoveEntry(group.unwrap_or(include.place))
    }

    /// Whether some file is a template.
    pub(super) fn is_templated(&self) -> bool {
        self.parts.iter().any(|p| p.facts.is_templated())
    }
}
