//! What the files of a directory say together, and with what they import.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{LoadFault, LoadProblem, Loading};
use applyorder_core::diagnostic::Place;

impl<'a> Loading<'a> {
    /// Settings of `terramate` that are set twice.
    pub(super) fn settings(self, found: &mut Vec<LoadProblem<'a>>) {
        let mut first: FxHashMap<&str, Place> = FxHashMap::default();
        for (loaded, facts) in self.sources.files(self.dir) {
            for attribute in &facts.shape.root {
                let place = self.place(loaded.file, attribute.at);
                match first.get(&*attribute.path) {
                    Some(earlier) => found.push(LoadProblem {
                        unseen: facts.shape.unreadable,
                        early: true,
                        ..LoadProblem::new(place, LoadFault::SetTwice(&attribute.path, *earlier))
                    }),
                    None => drop(first.insert(&attribute.path, place)),
                }
            }
        }
    }

    /// Globals that are set twice.
    pub(super) fn globals(self, found: &mut Vec<LoadProblem<'a>>) {
        let mut first: FxHashMap<(&[Arc<str>], &str), Place> = FxHashMap::default();
        for (loaded, facts) in self.sources.files(self.dir) {
            for (labels, name, at) in &facts.shape.globals {
                let place = self.place(loaded.file, *at);
                match first.get(&(labels.as_slice(), &**name)) {
                    Some(earlier) => found.push(LoadProblem {
                        unseen: facts.shape.unreadable,
                        early: true,
                        ..LoadProblem::new(place, LoadFault::GlobalTwice(name, *earlier))
                    }),
                    None => drop(first.insert((labels, name), place)),
                }
            }
        }
    }

    /// Attributes of blocks of bundles and components that are set twice.
    pub(super) fn merged(self, found: &mut Vec<LoadProblem<'a>>) {
        let mut first: FxHashMap<(&str, &str), Place> = FxHashMap::default();
        for (loaded, facts) in self.sources.files(self.dir) {
            for (block, name, at) in &facts.shape.merged {
                let place = self.place(loaded.file, *at);
                match first.get(&(&**block, &**name)) {
                    Some(earlier) => found.push(LoadProblem {
                        unseen: facts.shape.unreadable,
                        early: true,
                        ..LoadProblem::new(place, LoadFault::MergedTwice(name, *earlier))
                    }),
                    None => drop(first.insert((block, name), place)),
                }
            }
        }
    }

    /// Scripts with the same labels, those of imported files included.
    pub(super) fn scripts(self, found: &mut Vec<LoadProblem<'a>>) {
        if self.enabled().is_off("scripts") {
            return;
        }
        let mut first: FxHashMap<&[Arc<str>], Place> = FxHashMap::default();
        let imported = self.imports.merged.iter().map(|m| (m.file, &m.facts));
        let own = self.sources.files(self.dir);
        let own = own.map(|(loaded, facts)| (loaded.file, facts));
        for (file, facts) in imported.chain(own) {
            for (labels, at) in &facts.shape.scripts {
                let place = self.place(file, *at);
                match first.get(labels.as_slice()) {
                    Some(earlier) => {
                        found.push(LoadProblem::new(place, LoadFault::ScriptTwice(labels, *earlier)));
                    }
                    None => drop(first.insert(labels, place)),
                }
            }
        }
    }

    /// Second `vendor` blocks.
    pub(super) fn vendors(self, found: &mut Vec<LoadProblem<'a>>) {
        let mut first: Option<Place> = None;
        for (loaded, facts) in self.sources.files(self.dir) {
            for at in &facts.shape.vendors {
                let place = self.place(loaded.file, *at);
                match first {
                    Some(earlier) => found.push(LoadProblem {
                        early: true,
                        ..LoadProblem::new(place, LoadFault::VendorTwice(earlier))
                    }),
                    None => first = Some(place),
                }
            }
        }
    }

    /// What Terramate rejects in the files that are imported once they are merged. People see it once, where they are
    /// imported.
    pub(super) fn in_imports(self, found: &mut Vec<LoadProblem<'a>>) {
        let enabled = self.enabled();
        let is_off = |experiment| enabled.is_off(experiment);
        for merged in &self.imports.merged {
            let problems = merged.facts.shape.problems.iter();
            let late = problems.filter(|p| {
                p.fatal
                    && !p.early
                    && !p.is_unmerged
                    && !p.experiment.is_some_and(is_off)
                    && !self.is_elsewhere(p)
            });
            found.extend(late.enumerate().map(|(at, problem)| LoadProblem {
                silent: at > 0,
                ..LoadProblem::new(merged.place, LoadFault::InImport(merged.file, problem))
            }));
        }
    }
}
