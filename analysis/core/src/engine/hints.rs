//! Findings that need a search of the whole project and can wait until the user stops typing.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, FileId};
use crate::memo::Stop;

/// A finding that is based on a path through several files.
#[derive(Clone, Debug)]
pub struct Hint {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// The files on that path, including its own: it is dropped once one of them changes.
    pub files: Box<[FileId]>,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The findings.
    pub hints: Vec<Hint>,
    /// Why the search was incomplete, as a sentence without its full stop.
    pub limit: Option<String>,
}

/// A search over an immutable state of a project.
pub type HintSearch = Arc<dyn Fn(&Stop) -> Hints + Send + Sync>;
