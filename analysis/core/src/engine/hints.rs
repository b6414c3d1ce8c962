//! Findings that need a search of the whole project and can wait until nobody edits.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, FileId};
use crate::memo::Stop;

/// A finding that rests on a way through several files.
#[derive(Clone, Debug)]
pub struct Hint {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// The files on the way that it tells, its own included: it goes as soon as one of them says something else.
    pub files: Box<[FileId]>,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The findings.
    pub hints: Vec<Hint>,
    /// Why not everything was searched, as a sentence without its full stop.
    pub limit: Option<String>,
}

/// A search over an immutable state of a project.
pub type HintSearch = Arc<dyn Fn(&Stop) -> Hints + Send + Sync>;
