//! The other names that files have through links, as far as they were queried.

use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::{FileKind, Files};

/// The maximum number of directories whose targets are remembered: the files of one are usually queried together.
const REMEMBERED: usize = 512;

/// Which names lead to which files. A file without links costs one query.
#[derive(Default)]
pub(super) struct Names(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// The targets of directories; `None`: the directory itself.
    dirs: FxHashMap<String, Option<Utf8PathBuf>>,
    /// The names that lead to a file, except its own.
    links: FxHashMap<String, Vec<Utf8PathBuf>>,
}

impl Names {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file that a name leads to, if it is a different one.
    fn target(&self, path: &Utf8Path, files: &dyn Files) -> Option<Utf8PathBuf> {
        if files.kind(path, false) == Some(FileKind::Symlink) {
            return files.canonical(path).filter(|target| target != path);
        }
        let (dir, name) = (path.parent()?, path.file_name()?);
        let known = self.known().dirs.get(dir.as_str()).cloned();
        let target = known.unwrap_or_else(|| {
            let target = files.canonical(dir).filter(|target| target != dir);
            let mut known = self.known();
            if known.dirs.len() >= REMEMBERED {
                known.dirs.clear();
            }
            known.dirs.insert(dir.as_str().to_owned(), target.clone());
            target
        });
        Some(target?.join(name))
    }

    /// The file that a name leads to. A name that is not the file's own is remembered.
    pub(super) fn file(&self, path: &Utf8Path, files: &dyn Files) -> Utf8PathBuf {
        let Some(target) = self.target(path, files) else {
            return path.to_owned();
        };
        let mut known = self.known();
        let names = known.links.entry(target.as_str().to_owned()).or_default();
        if !names.iter().any(|name| name == path) {
            names.push(path.to_owned());
        }
        target
    }

    /// The known names of a file, its own first.
    pub(super) fn of(&self, file: &Utf8Path, files: &dyn Files) -> Vec<Utf8PathBuf> {
        let links = self.known().links.get(file.as_str()).cloned();
        let leads_here = |name: &Utf8PathBuf| self.target(name, files).is_some_and(|target| target == file);
        let links = links.into_iter().flatten().filter(leads_here);
        std::iter::once(file.to_owned()).chain(links).collect()
    }

    /// Forgets where directories lead, so that they are queried again.
    pub(super) fn forget_dirs(&self) {
        self.known().dirs.clear();
    }
}
