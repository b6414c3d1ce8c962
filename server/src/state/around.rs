//! Documents outside of the workspace's folders, and what is seen with them.

use applyorder_analysis::engine::Offer;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::State;
use crate::scan;

/// What was offered because documents outside of the folders are open.
#[derive(Default)]
pub(super) struct Surroundings {
    dirs: FxHashMap<Utf8PathBuf, Surrounding>,
    /// For how many reasons a file is offered.
    reasons: FxHashMap<Utf8PathBuf, u32>,
}

/// What is seen with the documents of one directory.
#[derive(Default)]
struct Surrounding {
    documents: u32,
    files: Vec<Utf8PathBuf>,
}

impl Surroundings {
    /// Notes files that are offered whatever is open.
    pub(super) fn keep(&mut self, files: &[Utf8PathBuf]) {
        for file in files {
            *self.reasons.entry(file.clone()).or_default() += 1;
        }
    }
}

impl State {
    /// A document outside the workspace's folders is analyzed with the files of its directory and of the directories
    /// above it in its repository, since its project's root may be there.
    pub(crate) fn look_around(&mut self, path: &Utf8Path) {
        let Some(dir) = path.parent().filter(|_| self.is_outside(path)) else {
            return;
        };
        if let Some(known) = self.surroundings.dirs.get_mut(dir) {
            known.documents += 1;
            return;
        }
        let files = scan::files_around(dir);
        self.workspace.offer(&files, Offer::Found);
        self.surroundings.keep(&files);
        let surrounding = Surrounding { documents: 1, files };
        self.surroundings.dirs.insert(dir.to_owned(), surrounding);
    }

    /// Takes back what came with a document outside of the folders, when it was the last of its directory.
    pub(crate) fn look_away(&mut self, path: &Utf8Path) {
        let Some(dir) = path.parent() else { return };
        let Some(known) = self.surroundings.dirs.get_mut(dir) else {
            return;
        };
        known.documents = known.documents.saturating_sub(1);
        if known.documents > 0 {
            return;
        }
        let gone = self.surroundings.dirs.remove(dir).unwrap_or_default();
        for file in gone.files {
            let Some(reasons) = self.surroundings.reasons.get_mut(&file) else {
                continue;
            };
            *reasons -= 1;
            if *reasons == 0 {
                self.surroundings.reasons.remove(&file);
                if self.is_outside(&file) {
                    self.workspace.withdraw(&file);
                }
            }
        }
        // Configurations declare projects regardless of which files are offered.
        let files = self.workspace.config_files().iter();
        let around = files.filter_map(|file| file.parent().filter(|at| dir.starts_with(at)));
        let outside: Vec<Utf8PathBuf> = around
            .filter(|at| self.is_outside(at))
            .map(Utf8Path::to_owned)
            .collect();
        if !outside.is_empty() {
            self.reload_configs_in(outside);
        }
    }

    pub(super) fn is_outside(&self, path: &Utf8Path) -> bool {
        !self.folders.iter().any(|folder| path.starts_with(folder))
    }
}
