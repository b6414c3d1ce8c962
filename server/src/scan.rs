//! Looking for projects in the folders of the workspace.

use std::sync::Mutex;
use std::sync::PoisonError;

use camino::{Utf8Path, Utf8PathBuf};
use ignore::{WalkBuilder, WalkState};

/// Every file below some directories, in byte order. Hidden files and what git ignores are left out: they
/// decide only where projects are looked for. Links are not followed, and paths that are not UTF-8 are left out.
pub(crate) fn files_below(folders: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let Some((first, more)) = folders.split_first() else {
        return Vec::new();
    };
    let mut walk = WalkBuilder::new(first);
    for folder in more {
        walk.add(folder);
    }
    let found: Mutex<Vec<Utf8PathBuf>> = Mutex::default();
    walk.require_git(false).build_parallel().run(|| {
        let mut batch = Batch {
            paths: Vec::new(),
            found: &found,
        };
        Box::new(move |entry| {
            if let Ok(entry) = entry
                && entry.file_type().is_some_and(|t| t.is_file() || t.is_symlink())
                && let Some(path) = Utf8Path::from_path(entry.path())
            {
                batch.paths.push(path.to_owned());
            }
            WalkState::Continue
        })
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort();
    found.dedup();
    found
}

/// What one thread of the walk has found; handed over when the thread is done.
struct Batch<'a> {
    paths: Vec<Utf8PathBuf>,
    found: &'a Mutex<Vec<Utf8PathBuf>>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        self.found
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .append(&mut self.paths);
    }
}
