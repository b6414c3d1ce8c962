//! Which answers are up to date, and of which files the client can be told.

use std::sync::Arc;

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::workspace::{self, Analysis, Workspace};
use camino::Utf8Path;
use rustc_hash::FxHashSet;

use super::State;
use super::first_walk::is_seen_whole;

/// What is up to date at some moment.
pub(crate) struct Settled {
    /// Everything is.
    pub(super) is_whole: bool,
    projects: workspace::Settled,
    /// Files of which something is known before all is up to date that concerns them.
    at_sight: FxHashSet<FileId>,
    is_walking: bool,
    pub(super) analysis: Arc<Analysis>,
}

impl Settled {
    fn has(&self, file: FileId, workspace: &Workspace) -> bool {
        self.is_whole || workspace.is_settled_among(file, &self.projects) && self.sees(file)
    }

    /// Whether the client can be told about a file.
    pub(super) fn tells(&self, file: FileId, workspace: &Workspace) -> bool {
        self.has(file, workspace) || self.at_sight.contains(&file) && self.sees(file)
    }

    /// Whether all that walks find and that concerns a file is found.
    fn sees(&self, file: FileId) -> bool {
        !self.is_walking || is_seen_whole(&self.analysis, file)
    }
}

impl State {
    /// What is up to date now.
    pub(crate) fn settled(&mut self) -> Settled {
        let is_whole = self.workspace.is_settled() && !self.is_walking() && self.leaving.is_empty();
        Settled {
            is_whole,
            projects: self.workspace.settled(),
            at_sight: self.workspace.files_at_sight(),
            is_walking: self.is_walking(),
            analysis: self.workspace.analysis(),
        }
    }

    /// Whether a request on a document, or on everything, finds what it looks at up to date, and the client was told of
    /// it; `at_sight`, whether it finds something of a document.
    pub(crate) fn is_settled_for(
        &self,
        settled: &Settled,
        document: Option<&Utf8Path>,
        at_sight: bool,
    ) -> bool {
        let Some(path) = document else {
            return settled.is_whole && self.untold.is_empty() && !self.is_writing() && !self.is_looking();
        };
        let file = settled.analysis.file(path);
        let is_told = !self.untold.edited.contains(path)
            && !self.is_writing_of(path)
            && !file.is_some_and(|file| self.untold.changes.files.contains(&file));
        let is_seen = match file {
            Some(file) => !self.disk_may_concern(&settled.analysis, file),
            None => !self.is_looking(),
        };
        // A client that is told something early must be told the rest later.
        let at_sight = at_sight && self.supports.diagnostic_refresh;
        let workspace = &self.workspace;
        let has = |file| settled.has(file, workspace) || at_sight && settled.tells(file, workspace);
        is_told && is_seen && !self.is_leaving(path) && (settled.is_whole || file.is_some_and(has))
    }
}
