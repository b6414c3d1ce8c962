//! What changed on the disk before somebody watched it: everything that was read is compared with what is there now.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::Workspace;
use super::asked::Asking;
use super::candidates::recognise;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{EngineIx, Engines, Offer};
use applyorder_core::files::{Files, Overlay};
use applyorder_core::store::{File, Table};

/// A comparison of a state of the workspace with the disk, to be made on any thread.
pub struct SecondLook {
    table: Arc<Table>,
    asking: Asking,
    files: Overlay,
    engines: Engines,
    only: Option<EngineIx>,
    candidates: FxHashSet<FileId>,
}

/// What is on the disk otherwise than it was read.
#[derive(Debug, Default)]
pub struct Differences {
    /// Files with another content.
    pub contents: Vec<Utf8PathBuf>,
    /// Paths about which a question is answered otherwise.
    pub answers: Vec<Utf8PathBuf>,
    /// Files that an engine recognises and that were not offered.
    pub new: Vec<Utf8PathBuf>,
}

impl Workspace {
    /// The state that a second look compares with the disk.
    #[must_use]
    pub fn second_look(&self) -> SecondLook {
        SecondLook {
            table: self.store.snapshot(),
            asking: self.asking(),
            files: self.files.clone(),
            engines: self.engines,
            only: self.only,
            candidates: self.candidates.keys().copied().collect(),
        }
    }
}

impl SecondLook {
    /// Compares, where a path is wanted. `found` are the files that a walk finds now.
    #[must_use]
    pub fn run(&self, found: &[Utf8PathBuf], is_wanted: impl Fn(&Utf8Path) -> bool + Sync) -> Differences {
        let known: Vec<&Arc<File>> = self.table.iter().map(|(_, file)| file).collect();
        let contents = known
            .par_iter()
            .filter(|file| file.was_read() && is_wanted(file.path()) && self.has_other_content(file))
            .map(|file| file.path().to_path_buf())
            .collect();
        let asked = self.asking.run();
        let answers = asked.paths().differing(&self.files, &is_wanted);
        let is_new = |path: &&Utf8PathBuf| {
            let known = self.table.id(path);
            !known.is_some_and(|file| self.candidates.contains(&file))
                && !recognise(self.engines, self.only, path, Offer::Found, &self.files, None)
                    .0
                    .is_empty()
        };
        Differences {
            contents,
            answers: answers.map(Utf8Path::to_owned).collect(),
            new: found.par_iter().filter(is_new).cloned().collect(),
        }
    }

    fn has_other_content(&self, file: &File) -> bool {
        let path = file.path();
        if self.files.text(path).is_some() {
            return false;
        }
        let before = file.source().map(|source| source.text.as_bytes());
        match self.files.read(path) {
            Ok(now) => before.map_or_else(|| std::str::from_utf8(&now).is_ok(), |before| before != &*now),
            Err(_) => before.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::files::MemoryFiles;

    use super::super::tests::MANIFESTS;
    use super::*;
    use applyorder_core::engine::RunOptions;

    #[test]
    fn what_was_offered_since_the_last_analysis_is_not_new() {
        let mut files = MemoryFiles::new();
        let paths: Vec<Utf8PathBuf> = ["a", "b", "c"]
            .map(|dir| format!("/w/{dir}/tazuna.yaml").into())
            .into();
        for path in &paths {
            files.insert(path.clone(), MANIFESTS);
        }
        let mut workspace = Workspace::new(applyorder_engines::all(), Arc::new(files), RunOptions::default());
        workspace.offer(&paths[..1], Offer::Found);
        workspace.refresh();
        drop(workspace.analysis());
        workspace.offer(&paths[..2], Offer::Found);
        let found = workspace.second_look().run(&paths, |_| true);
        assert_eq!(found.new, paths[2..]);
        assert!(found.contents.is_empty() && found.answers.is_empty());
    }
}
