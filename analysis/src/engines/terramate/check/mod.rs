//! From a project's model and its order to findings.
//!
//! Source: Terramate 0.17.2, "Diagnostics a linter should give".

mod cycles;
mod directory;
mod entries;
mod environments;
mod files;
mod instead;
mod load;
mod merge;
mod no_root;
mod outputs;
mod shape;
pub(crate) mod stacks;
mod unreachable;
mod version;
mod wishes;

use std::sync::Arc;

use super::found::Found;
use super::judge;
use super::load::OnTheWay;
use super::load::tree::Tree;
use super::model::Model;
use super::model::stacks::{Node, StackIx, Stacks};
use super::relate::Related;
use super::relate::entries::Entry;
use crate::diagnostic::{Diagnostic, FileId, Place};

/// What is seen of a project by who checks it.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) engine: u8,
    pub(crate) model: &'a Model,
    pub(crate) related: &'a Related,
    pub(crate) tree: &'a Tree,
    pub(crate) stacks: &'a Stacks,
    pub(crate) entries: &'a [Arc<Vec<Entry>>],
}

/// What was found wrong, in the order in which Terramate goes through a project.
#[derive(Default)]
pub(crate) struct Checked {
    /// There is no root.
    pub(crate) no_root: Option<Found>,
    /// What Terramate complains of while it looks for the root.
    pub(crate) way_up: Vec<Found>,
    pub(crate) load: Vec<Found>,
    pub(crate) version: Option<Found>,
    pub(crate) stacks: Vec<Found>,
    /// What else is told, and does not end a command by itself or is judged by the order of stacks.
    pub(crate) told: Vec<Diagnostic>,
}

/// Checks a project.
pub(crate) fn check(scope: Scope<'_>) -> Checked {
    if scope.model.loaded.is_rootless {
        return Checked {
            no_root: Some(no_root::check(scope)),
            ..Checked::default()
        };
    }
    let load = load::load(scope);
    let mut told: Vec<Diagnostic> = Vec::new();
    for (stack, node) in scope.stacks.iter() {
        scope.entries(stack, node, &mut told);
        scope.root_and_id(stack, node, &mut told);
    }
    scope.cycles(&mut told);
    scope.wants_cycle(&mut told);
    scope.outputs(&mut told);
    scope.path_counts(&mut told);
    scope.wishes(&mut told);
    scope.unreachable(&mut told);
    Checked {
        no_root: None,
        way_up: way_up(scope, &load),
        version: version::check(scope),
        stacks: stacks::stacks(scope),
        load,
        told,
    }
}

/// What Terramate complains of in the first directory on the way up in which it complains.
fn way_up(scope: Scope<'_>, load: &[Found]) -> Vec<Found> {
    let early = |found: &Found| found.early && found.fatal && !found.unseen;
    let mut refused = scope.model.loaded.way_up.iter().map(|at| -> Vec<Found> {
        match at {
            OnTheWay::Known(dir) => {
                let path = scope.tree.dirs.get(*dir as usize).map(|d| &d.path);
                let own = load.iter().filter(|f| Some(&f.dir) == path && early(f));
                own.cloned().collect()
            }
            OnTheWay::Apart(alone) => {
                let mut own = load::of_dir(scope, &alone.dir, &alone.imports);
                own.retain(early);
                own
            }
        }
    });
    refused.find(|found| !found.is_empty()).unwrap_or_default()
}

impl<'a> Scope<'a> {
    pub(crate) fn new(engine: u8, model: &'a Model, related: &'a Related) -> Self {
        Self {
            engine,
            tree: &model.loaded.tree,
            stacks: &model.stacks,
            entries: &related.entries,
            model,
            related,
        }
    }

    /// A place in the table of places of a file's facts.
    pub(crate) fn at(&self, file: FileId, at: u32) -> Place {
        Place::anchor(file, self.engine, at)
    }

    fn entries(&self, stack: StackIx, node: &Node, found: &mut Vec<Diagnostic>) {
        let own = self.entries.get(stack as usize);
        for entry in own.into_iter().flat_map(|e| e.iter()) {
            self.entry(stack, node, entry, found);
        }
    }

    pub(crate) fn place(&self, node: &Node, entry: &Entry) -> Place {
        self.at(node.file, entry.at)
    }

    fn header(&self, stack: StackIx) -> Option<Place> {
        let node = self.stacks.get(stack)?;
        Some(self.at(node.file, node.stack()?.header))
    }

    /// Says that Terramate refuses because of a cycle through a stack, with its own words when it is this one.
    fn refused(&self, stack: StackIx, d: Diagnostic) -> Diagnostic {
        let d = d
            .enforced("run", "order", false)
            .enforced("list --run-order", "order", false);
        match &self.related.cycle {
            Some(path) if path.contains(&stack) => d.engine_message(judge::cycle_text(self.stacks, path)),
            _ => d,
        }
    }
}
