//! What the checks of rules may read: a directory, a set of stacks that wait for each other, or the project as
//! a whole.

mod cycle;
mod directory;
mod entries;
mod fingerprint;
pub(crate) mod loading;
mod replacements;
mod set;
mod whole;

use std::sync::Arc;

use super::Terramate;
use super::load::tree::{ConfigFile, Tree};
use super::model::Model;
use super::model::stacks::{Node, StackIx, Stacks};
use super::read::FileFacts;
use super::relate::Related;
use super::relate::entries::{Entries, Entry};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::EngineIx;
use applyorder_core::layer::Scopes;

pub(crate) use cycle::cycle_text;
pub(crate) use directory::{Directory, InFile, StackTurn};
pub(crate) use entries::{Missing, commands, detailed};
pub(crate) use fingerprint::{BlockKey, Prints};
pub(crate) use replacements::{MOST_INSTEAD, is_in, replace};
pub(crate) use set::{Set, Sets};
pub(crate) use whole::Whole;

impl Scopes for Terramate {
    type Source<'a> = Directory<'a>;
    type Project<'a> = Whole<'a>;
}

/// The maximum number of stacks that are named one by one.
pub(crate) const MOST_RELATED: usize = 5;

/// What the checks see of a project.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) engine: EngineIx,
    pub(crate) model: &'a Model,
    pub(crate) related: &'a Related,
    pub(crate) tree: &'a Tree,
    pub(crate) stacks: &'a Stacks,
    pub(crate) entries: &'a Entries,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(engine: EngineIx, model: &'a Model, related: &'a Related) -> Self {
        Self {
            engine,
            tree: &model.loaded.tree,
            stacks: &model.stacks,
            entries: &related.entries,
            model,
            related,
        }
    }

    /// The stack in a directory.
    pub(crate) fn stack_in(&self, dir: u32) -> Option<(StackIx, &'a Node)> {
        let stack = self.stacks.in_dir(dir)?;
        Some((stack, self.stacks.get(stack)?))
    }

    /// The readable files of the root.
    pub(crate) fn root_files(
        &self,
    ) -> impl Iterator<Item = (&'a ConfigFile, &'a Arc<FileFacts>)> + Clone + use<'a> {
        self.model.root_files()
    }

    /// A place in the table of places of a file's facts.
    pub(crate) const fn at(&self, file: FileId, at: u32) -> Place {
        Place::anchor(file, self.engine, at)
    }

    /// The place of an entry.
    pub(crate) fn place(&self, node: &Node, entry: Entry<'_>) -> Place {
        self.at(node.file, entry.at)
    }

    /// The header of a stack's block.
    pub(crate) fn header(&self, stack: StackIx) -> Option<Place> {
        let node = self.stacks.get(stack)?;
        Some(self.at(node.file, node.stack()?.header))
    }

    /// The earlier stack with the same id, and where it is written.
    pub(crate) fn first_with_id(&self, stack: StackIx, node: &Node) -> Option<(Arc<str>, Place)> {
        let first = self.model.ids.units(node.id?).first()?;
        let other = Some(*first).filter(|first| *first != stack)?;
        let other = self.stacks.get(other)?;
        let id = other.stack()?.id.known()?;
        Some((other.path.clone(), self.at(other.file, id.at)))
    }
}
