//! What was asked of the files: what a change on the disk makes stale, and what a server has to watch.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{Stale, Workspace};
use applyorder_core::files::{AskedPaths, Questions};

/// What was asked, to be put in order on any thread.
pub struct Asking {
    asks: u64,
    /// Those of the projects come first. Empty where they are known in order.
    questions: Vec<Arc<Questions>>,
    projects: usize,
    known: Option<Arc<AskedPaths>>,
}

/// What was asked, in order.
pub struct Asked {
    asks: u64,
    projects: usize,
    paths: Arc<AskedPaths>,
}

impl Asking {
    /// Puts it in order.
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

    /// The same of what is asked about some paths: who asks for a few need not put all in order.
    pub(super) fn about(&self, paths: &[&Utf8Path]) -> Arc<AskedPaths> {
        let questions = || (0..).zip(self.questions.iter().map(|questions| &**questions));
        match &self.known {
            Some(known) => known.clone(),
            None if paths.len() <= FEW => Arc::new(AskedPaths::about(paths, questions())),
            None => Arc::new(AskedPaths::new(questions())),
        }
    }

    /// The same for files that are there, contents aside.
    pub(super) fn about_files(&self, files: &[&Utf8Path]) -> Arc<AskedPaths> {
        let questions = (0..).zip(self.questions.iter().map(|questions| &**questions));
        let known = self.known.clone();
        known.unwrap_or_else(|| Arc::new(AskedPaths::about_files(files, questions)))
    }
}

/// So many paths are looked for one by one.
const FEW: usize = 16;

impl Asked {
    /// The places that projects asked about, in order: what a server has to watch.
    #[must_use]
    pub fn places(&self) -> Vec<Utf8PathBuf> {
        let is_project = |asker| (asker as usize) < self.projects;
        self.paths.paths(is_project).map(Utf8Path::to_owned).collect()
    }

    /// Whether something was asked about a path, or about one below it.
    #[must_use]
    pub fn concern(&self, path: &Utf8Path) -> bool {
        self.paths.concern(path)
    }

    pub(super) fn paths(&self) -> &AskedPaths {
        &self.paths
    }
}

impl Workspace {
    /// What the projects asked, each by its index, and behind them what was asked to find them.
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

    /// Keeps what was put in order, where it is still what was asked.
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
        for out in &mut self.out {
            out.happened.extend(paths.iter().map(|path| path.to_path_buf()));
        }
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

    /// Changes whenever [`Asked::places`] may give other places.
    #[must_use]
    pub fn questions_version(&self) -> u64 {
        self.questions_version
    }
}
