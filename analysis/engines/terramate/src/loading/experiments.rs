//! The experiments that are switched on, and blocks of those that are not.

use std::sync::Arc;

use super::{LoadFault, LoadProblem, Loading};
use crate::model::Model;

/// The experiments of the root directory.
#[derive(Hash)]
pub(crate) struct Experiments {
    /// `None`: they are unknown.
    on: Option<Vec<Arc<str>>>,
}

impl Experiments {
    /// Those of a project. What the root directory says itself comes before what it imports.
    pub(crate) fn of(model: &Model) -> Self {
        Self {
            on: switched_on(model),
        }
    }

    /// Whether one is known to be switched on.
    pub(crate) fn is_on(&self, experiment: &str) -> bool {
        self.on.as_ref().is_some_and(|on| has(on, experiment))
    }

    /// Whether one is known to be off.
    pub(crate) fn is_off(&self, experiment: &str) -> bool {
        self.on.as_ref().is_some_and(|on| !has(on, experiment))
    }
}

fn has(on: &[Arc<str>], experiment: &str) -> bool {
    on.iter().any(|one| **one == *experiment)
}

fn switched_on(model: &Model) -> Option<Vec<Arc<str>>> {
    let Some((root, imports)) = model.root() else {
        return Some(Vec::new());
    };
    // Lines that could not be read may hold the setting.
    if model.sources.files(root).any(|(_, facts)| facts.shape.gap) {
        return None;
    }
    let mut own = model.sources.files(root);
    let own = own.find_map(|(_, facts)| facts.shape.experiments.clone());
    let imported = || imports.merged.iter().rev();
    own.or_else(|| imported().find_map(|m| m.facts.shape.experiments.clone()))
        .unwrap_or_else(|| Some(Vec::new()))
}

impl<'a> Loading<'a> {
    /// Blocks of experiments that are off, here and in what is imported.
    pub(super) fn off(self, found: &mut Vec<LoadProblem<'a>>) {
        let own = self.sources.files(self.dir).flat_map(|(loaded, facts)| {
            let used = facts.shape.experimental.iter();
            used.map(move |e| (self.place(loaded.file, e.at), e, facts.shape.unreadable))
        });
        let imported = self.imports.merged.iter();
        let imported = imported.flat_map(|m| m.facts.shape.experimental.iter().map(|e| (m.place, e, false)));
        let off = own
            .chain(imported)
            .filter(|(_, used, _)| self.experiments.is_off(used.experiment));
        found.extend(off.map(|(place, used, unseen)| LoadProblem {
            unseen,
            ..LoadProblem::new(place, LoadFault::ExperimentOff(used))
        }));
    }
}
