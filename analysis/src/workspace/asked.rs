//! What was asked of the files: what a change on the disk makes stale, and what a server has to watch.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{Stale, Workspace};
use applyorder_core::files::AskedPaths;

impl Workspace {
    pub(super) fn existence_changed(&mut self, paths: &[&Utf8Path]) {
        if paths.is_empty() {
            return;
        }
        for out in &mut self.out {
            out.happened.extend(paths.iter().map(|path| path.to_path_buf()));
        }
        let asked = self.asked();
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

    /// What the projects asked, each by its index, and behind them what was asked to find them.
    pub(super) fn asked(&mut self) -> Arc<AskedPaths> {
        if let Some(asked) = &self.asked {
            return asked.clone();
        }
        let projects = self.projects.iter().map(|p| &*p.questions);
        let discovery = self.discovery.iter().map(|d| &*d.questions);
        let asked = Arc::new(AskedPaths::new((0..).zip(projects.chain(discovery))));
        self.asked = Some(asked.clone());
        asked
    }

    /// Changes whenever [`Self::watched`] may give other places.
    #[must_use]
    pub fn questions_version(&self) -> u64 {
        self.questions_version
    }

    /// The places that projects asked about, in order: what a server has to watch.
    pub fn watched(&mut self) -> Vec<Utf8PathBuf> {
        let projects = self.projects.len();
        let asked = self.asked();
        let is_project = |asker| (asker as usize) < projects;
        asked.paths(is_project).map(Utf8Path::to_owned).collect()
    }

    /// Whether something was asked about a path, or about one below it.
    pub fn was_asked_about(&mut self, path: &Utf8Path) -> bool {
        self.asked().concern(path)
    }
}
