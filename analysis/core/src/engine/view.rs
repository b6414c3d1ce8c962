//! What an engine may query of an analysis in editor requests.

use std::sync::Arc;

use camino::Utf8Path;

use super::{ProjectSeed, Resolution};
use crate::diagnostic::{EngineIx, FileId, Place};
use crate::files::{DirEntries, FileKind};
use crate::store::{Facts, Source};
use applyorder_syntax::text::Span;

/// A project and its engine's result.
#[derive(Clone, Copy)]
pub struct ProjectView<'a> {
    /// Where it was found, and why.
    pub seed: &'a ProjectSeed,
    /// The engine's result.
    pub resolution: &'a Resolution,
}

/// An immutable snapshot of a workspace.
pub trait View {
    /// The path of a file; empty for a number of another workspace.
    fn path(&self, file: FileId) -> &Utf8Path;

    /// The text of a file that was read.
    fn source(&self, file: FileId) -> Option<&Arc<Source>>;

    /// The facts an engine has of a file.
    fn facts(&self, file: FileId, engine: EngineIx) -> Option<&Arc<dyn Facts>>;

    /// The files whose content was read, with their paths.
    fn read_files(&self) -> Box<dyn Iterator<Item = (FileId, &Utf8Path)> + '_>;

    /// The byte range of a place in its file's current text. The whole file is its first line.
    fn span(&self, place: Place) -> Span;

    /// What exists at a path, links followed.
    fn kind(&self, path: &Utf8Path) -> Option<FileKind>;

    /// The entries of a directory in byte order of their names; empty if it cannot be read.
    fn list(&self, dir: &Utf8Path) -> DirEntries;

    /// The projects that a file belongs to, the nearest root first.
    fn projects_of(&self, file: FileId) -> Vec<ProjectView<'_>>;
}

impl dyn View + '_ {
    /// The facts an engine has of a file, as its own type.
    #[must_use]
    pub fn facts_as<F: Facts>(&self, file: FileId, engine: EngineIx) -> Option<&F> {
        self.facts(file, engine)?.as_any().downcast_ref()
    }
}
