//! The recorded file queries: what a change on the disk makes stale, and what a server has to watch.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{Stale, Workspace};
use applyorder_core::files::{AskedPaths, Questions};

/// The recorded queries, to be sorted on any thread.
pub struct Asking {
    asks: u64,
    /// Those of the projects come first. Empty if the sorted ones are known.
    questions: Vec<Arc<Questions>>,
    projects: usize,
    known: Option<Arc<AskedPaths>>,
}

/// The recorded queries, sorted.
pub struct Asked {
    asks: u64,
    projects: usize,
    paths: Arc<AskedPaths>,
}

impl Asking {
    /// Sorts them.
    #[must_use]
    pub fn run(&self) -> Asked {
        let questions = || (0..).zip(self.questions.iter().map(|questions| &**questions));
        let known = self.known.clone();
        Asked {
            asks: self.asks,
            projects: self.projects,
            paths: known.unwrap_or_else(|| Arc::new(AskedPaths::new(questions()))),
        }
    }

    /// The same for queries about some paths: for a few paths not everything need be sorted.
    pub(super) fn about(&self, paths: &[&Utf8Path]) -> Arc<AskedPaths> {
        let questions = || (0..).zip(self.questions.iter().map(|questions| &**questions));
        match &self.known {
            Some(known) => known.clone(),
            None if paths.len() <= FEW => Arc::new(AskedPaths::about(paths, questions())),
            None => Arc::new(AskedPaths::new(questions())),
        }
    }

    /// The same for files that exist, except for contents.
    pub(super) fn about_files(&self, files: &[&Utf8Path]) -> Arc<AskedPaths> {
        let questions = (0..).zip(self.questions.iter().map(|questions| &**questions));
        let known = self.known.clone();
        known.unwrap_or_else(|| Arc::new(AskedPaths::about_files(files, questions)))
    }
}

/// Up to this many paths are searched one by one.
const FEW: usize = 16;

impl Asked {
    /// The places that projects queried, sorted: what a server has to watch.
    #[must_use]
    pub fn places(&self) -> Vec<Utf8PathBuf> {
        let is_project = |asker| (asker as usize) < self.projects;
        self.paths.paths(is_project).map(Utf8Path::to_owned).collect()
    }

    /// Whether a query was about a path, or about one below it.
    #[must_use]
    pub fn concern(&self, path: &Utf8Path) -> bool {
        self.paths.concern(path)
    }

    pub(super) fn paths(&self) -> &AskedPaths {
        &self.paths
    }
}

impl Workspace {
    /// The queries of the projects, each by its index, followed by those of the project searches.
    #[must_use]
    pub fn asking(&self) -> Asking {
        let known = self.asked.clone();
        let projects = self.projects.iter().map(|p| p.questions.clone());
        let discovery = self.discovery.iter().map(|d| d.questions.clone());
        let all = projects.chain(discovery);
        Asking {
            asks: self.asks,
            questions: known.is_none().then_some(all).into_iter().flatten().collect(),
            projects: self.projects.len(),
            known,
        }
    }

    /// Keeps the sorted queries, if they are still current.
    pub fn keep_asked(&mut self, asked: &Asked) {
        if self.asks == asked.asks {
            self.asked = Some(asked.paths.clone());
        }
    }

    pub(super) fn forget_asked(&mut self) {
        self.asks += 1;
        self.asked = None;
    }

    pub(super) fn existence_changed(&mut self, paths: &[&Utf8Path]) {
        self.note_came_or_went(paths.iter().copied());
        let asked = self.asking().about(paths);
        let is_unsaved = |path: &Utf8Path| self.files.text(path).is_some();
        for asker in asked.differing_after(paths, &self.files, is_unsaved) {
            let i = asker as usize;
            match i.checked_sub(self.projects.len()) {
                Some(engine) => {
                    let engine = self.engines.iter().nth(engine);
                    self.rediscover.extend(engine.map(|(engine, _)| engine));
                }
                None => self.note_stale(i, Stale::World),
            }
        }
    }

    /// Changes whenever [`Asked::places`] may return other places.
    #[must_use]
    pub fn questions_version(&self) -> u64 {
        self.questions_version
    }
}
