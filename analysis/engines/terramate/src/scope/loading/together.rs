//! What the files of a directory set together, and with what they import.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::equal_blocks::EqualBlocks;
use super::{LoadFault, LoadProblem, Loading};
use crate::read::{At, Shape};
use crate::schema;
use applyorder_core::diagnostic::Place;

/// The blocks of `terramate` as Terramate merges them: one that it cannot merge does not exist for the
/// following ones, unless there was an equal one before, which keeps what was merged from it.
#[derive(Default)]
struct Merge<'a> {
    /// What is set in each block, and the blocks in it by their kinds.
    blocks: Vec<(FxHashSet<&'a str>, FxHashMap<&'a str, usize>)>,
    top: FxHashMap<&'a str, usize>,
}

/// A block that is being merged.
struct Merging {
    number: u32,
    /// The block that it becomes a part of.
    into: usize,
    is_new: bool,
    has_failed: bool,
}

impl<'a> Merge<'a> {
    /// Merges the blocks of a file. Returns the attributes that Terramate finds already set.
    fn file(&mut self, shape: &'a Shape) -> FxHashSet<At> {
        let mut met = FxHashSet::default();
        let mut open: Vec<Merging> = Vec::new();
        let mut attributes = shape.root.iter().peekable();
        for (number, block) in (0u32..).zip(&shape.settings) {
            while open.last().is_some_and(|last| Some(last.number) != block.around) {
                self.close(shape, &mut open);
            }
            let inside = open.last().map(|around| around.into);
            let known = match inside {
                Some(at) => self.blocks.get(at).and_then(|(_, inner)| inner.get(&*block.kind)),
                None => self.top.get(&*block.kind),
            };
            let (into, is_new) = match known {
                Some(into) => (*into, false),
                None => (self.blocks.len(), true),
            };
            if is_new {
                self.blocks.push(Default::default());
            }
            let mut merging = Merging {
                number,
                into,
                is_new,
                has_failed: block.is_labelled,
            };
            // From a block with labels outside all others, nothing is merged.
            let is_taken = !block.is_labelled || block.around.is_some();
            while let Some(attribute) = attributes.next_if(|a| a.block == number) {
                let set = self.blocks.get_mut(into).map(|(set, _)| set).filter(|_| is_taken);
                if set.is_some_and(|set| !set.insert(attribute.name())) {
                    met.insert(attribute.at);
                    merging.has_failed = true;
                }
            }
            open.push(merging);
        }
        while !open.is_empty() {
            self.close(shape, &mut open);
        }
        met
    }

    fn close(&mut self, shape: &'a Shape, open: &mut Vec<Merging>) {
        let Some(done) = open.pop() else { return };
        if done.has_failed {
            if let Some(around) = open.last_mut() {
                around.has_failed = true;
            }
            return;
        }
        let Some(block) = shape.settings.get(done.number as usize).filter(|_| done.is_new) else {
            return;
        };
        let inner = match open.last() {
            Some(around) => self.blocks.get_mut(around.into).map(|(_, inner)| inner),
            None => Some(&mut self.top),
        };
        if let Some(inner) = inner {
            inner.insert(&block.kind, done.into);
        }
    }
}

impl<'a> Loading<'a> {
    /// Settings of `terramate` that are set twice.
    pub(super) fn settings(self, found: &mut Vec<LoadProblem<'a>>) {
        let mut first: FxHashMap<&str, Place> = FxHashMap::default();
        let mut merge = Merge::default();
        for (loaded, facts) in self.sources.files(self.dir) {
            let is_read = !facts.shape.unreadable;
            let met = if is_read {
                merge.file(&facts.shape)
            } else {
                FxHashSet::default()
            };
            for attribute in &facts.shape.root {
                let place = self.place(loaded.file, attribute.at);
                match first.get(&*attribute.path) {
                    Some(earlier) => found.push(LoadProblem {
                        unseen: !met.contains(&attribute.at),
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
        let mut of_path: FxHashMap<(String, &str), (&str, Place)> = FxHashMap::default();
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
                // The same block in the forms of labels and of blocks: each is parsed, and the later one
                // rejected.
                let Some(path) = schema::defined(block, name) else {
                    continue;
                };
                match of_path.get(&(path.clone(), &**name)) {
                    Some((other, earlier)) if *other != &**block => found.push(LoadProblem {
                        unseen: facts.shape.unreadable,
                        ..LoadProblem::new(place, LoadFault::DefinedTwice(block, name, *earlier))
                    }),
                    Some(_) => {}
                    None => drop(of_path.insert((path, name), (block, place))),
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

    /// What Terramate rejects in the imported files once they are merged. Users see it once, at the import.
    pub(super) fn in_imports(self, equal: &EqualBlocks<'a>, found: &mut Vec<LoadProblem<'a>>) {
        let enabled = self.enabled();
        let is_off = |experiment| enabled.is_off(experiment);
        for merged in &self.imports.merged {
            let problems = merged.facts.shape.problems.iter();
            let late = problems.filter(|p| {
                p.fatal
                    && !p.early
                    && !p.is_unmerged
                    && self.is_one(p)
                    && !p.experiment.is_some_and(is_off)
                    && !equal.have(p)
            });
            found.extend(late.enumerate().map(|(at, problem)| LoadProblem {
                silent: at > 0,
                ..LoadProblem::new(merged.place, LoadFault::InImport(merged.file, problem))
            }));
        }
    }
}
