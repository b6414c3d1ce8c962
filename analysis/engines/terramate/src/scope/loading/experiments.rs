//! The enabled experiments, and blocks of those that are not enabled.

use std::sync::Arc;

use super::{LoadFault, LoadProblem, Loading};
use crate::load::tree::Dir;
use crate::model::Model;
use crate::model::imports::Imports;
use crate::model::sources::Sources;

/// The experiments of the root directory.
#[derive(Hash)]
pub(crate) struct Experiments {
    /// `None`: they are unknown.
    on: Option<Vec<Arc<str>>>,
}

/// The experiments for the blocks of a directory.
#[derive(Clone, Copy)]
pub(super) struct Enabled<'a> {
    /// `None`: they are unknown.
    on: Option<&'a [Arc<str>]>,
}

impl Enabled<'_> {
    /// Whether one is known to be off.
    pub(super) fn is_off(self, experiment: &str) -> bool {
        self.on.is_some_and(|on| !has(on, experiment))
    }
}

impl Experiments {
    /// Those of a project. The root directory's own setting comes before what it imports.
    pub(crate) fn of(model: &Model) -> Self {
        Self {
            on: switched_on(model),
        }
    }

    /// Whether one is known to be enabled.
    pub(crate) fn is_on(&self, experiment: &str) -> bool {
        self.on.as_ref().is_some_and(|on| has(on, experiment))
    }
}

fn has(on: &[Arc<str>], experiment: &str) -> bool {
    on.iter().any(|one| **one == *experiment)
}

fn switched_on(model: &Model) -> Option<Vec<Arc<str>>> {
    let Some((root, imports)) = model.root() else {
        return Some(Vec::new());
    };
    if has_gap(&model.sources, root) {
        return None;
    }
    let own = setting(&model.sources, root, imports);
    own.map_or_else(|| Some(Vec::new()), |own| own.map(<[_]>::to_vec))
}

/// Whether lines or files could not be read, which may contain the setting.
fn has_gap(sources: &Sources, dir: &Dir) -> bool {
    let mut files = sources.all(dir);
    files.any(|(_, read)| read.as_ref().map_or(true, |read| read.facts.shape.gap))
}

/// A directory's own setting, which comes before what it imports. `None` inside: it is unknown.
fn setting<'a>(sources: &'a Sources, dir: &'a Dir, imports: &'a Imports) -> Option<Option<&'a [Arc<str>]>> {
    let own = sources.files(dir).map(|(_, facts)| facts);
    let imported = imports.merged.iter().rev().map(|m| &m.facts);
    let mut all = own.chain(imported);
    all.find_map(|facts| facts.shape.experiments.as_ref().map(Option::as_deref))
}

impl<'a> Loading<'a> {
    /// The experiments for the blocks of the directory: if it sets some itself, Terramate forgets those of the
    /// root.
    pub(super) fn enabled(self) -> Enabled<'a> {
        let own = setting(self.sources, self.dir, self.imports);
        let is_unread = || self.sources.all(self.dir).any(|(_, read)| read.is_err());
        let on = match own {
            Some(_) if has_gap(self.sources, self.dir) => None,
            Some(own) => own,
            None if is_unread() => None,
            None => self.experiments.on.as_deref(),
        };
        Enabled { on }
    }

    /// Blocks of experiments that are off, here and in what is imported.
    pub(super) fn off(self, found: &mut Vec<LoadProblem<'a>>) {
        let enabled = self.enabled();
        let own = self.sources.files(self.dir).flat_map(|(loaded, facts)| {
            let used = facts.shape.experimental.iter();
            used.map(move |e| (self.place(loaded.file, e.at), e, facts.shape.unreadable))
        });
        let imported = self.imports.merged.iter();
        let imported = imported.flat_map(|m| m.facts.shape.experimental.iter().map(|e| (m.place, e, false)));
        let off = own
            .chain(imported)
            .filter(|(_, used, _)| enabled.is_off(used.experiment));
        found.extend(off.map(|(place, used, unseen)| LoadProblem {
            unseen,
            ..LoadProblem::new(place, LoadFault::ExperimentOff(used))
        }));
    }
}
