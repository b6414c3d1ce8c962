//! Directories that are listed once per run.

use std::sync::{Arc, PoisonError, RwLock};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::{DirEntries, FileKind, Files, ReadError};

/// A layer over other files, for a run that sees each directory as it was when it was first listed. What exists
/// in a listed directory is not queried again, except for the targets of links.
pub struct Listed {
    base: Arc<dyn Files>,
    lists: RwLock<FxHashMap<String, DirEntries>>,
}

impl Listed {
    /// With nothing listed yet.
    #[must_use]
    pub fn over(base: Arc<dyn Files>) -> Self {
        Self {
            base,
            lists: RwLock::default(),
        }
    }

    fn known(&self, dir: &Utf8Path) -> Option<DirEntries> {
        let lists = self.lists.read().unwrap_or_else(PoisonError::into_inner);
        lists.get(dir.as_str()).cloned()
    }

    /// What exists at a path, links not followed, as far as the nearest listed directory above it tells.
    fn seen(&self, path: &Utf8Path) -> Seen {
        // On other systems a file may be found by another name than the listed one.
        if !cfg!(target_os = "linux") {
            return Seen::Unknown;
        }
        let mut at = path;
        while let (Some(dir), Some(name)) = (at.parent(), at.file_name()) {
            if let Some(entries) = self.known(dir) {
                let found = entries.binary_search_by(|entry| entry.name.as_str().cmp(name));
                let kind = found.ok().and_then(|i| entries.get(i)).map(|entry| entry.kind);
                return match kind {
                    None => Seen::Nothing,
                    Some(FileKind::File | FileKind::Other) if at != path => Seen::Nothing,
                    Some(kind) if at == path => Seen::Entry(kind),
                    Some(_) => Seen::Unknown,
                };
            }
            at = dir;
        }
        Seen::Unknown
    }
}

/// What is known of a path without a query.
enum Seen {
    Unknown,
    Nothing,
    Entry(FileKind),
}

impl Files for Listed {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        self.base.read(path)
    }

    fn list(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError> {
        if let Some(entries) = self.known(dir) {
            return Ok(entries);
        }
        let entries = self.base.list(dir)?;
        let mut lists = self.lists.write().unwrap_or_else(PoisonError::into_inner);
        lists.insert(dir.as_str().to_owned(), entries.clone());
        Ok(entries)
    }

    fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        match self.seen(path) {
            Seen::Nothing => None,
            Seen::Entry(kind) if kind != FileKind::Symlink || !follow_links => Some(kind),
            Seen::Entry(_) | Seen::Unknown => self.base.kind(path, follow_links),
        }
    }

    fn size(&self, path: &Utf8Path) -> Option<u64> {
        self.base.size(path)
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.base.canonical(path)
    }

    fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        self.base.vcs_root(dir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::DiskFiles;

    #[test]
    #[cfg(target_os = "linux")]
    fn what_was_listed_answers_as_the_disk_does() {
        let temp = crate::temp::temporary();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/file"), "").unwrap();
        std::os::unix::fs::symlink("b", root.join("a/to_dir")).unwrap();
        std::os::unix::fs::symlink("file", root.join("a/to_file")).unwrap();
        std::os::unix::fs::symlink("nowhere", root.join("a/to_nothing")).unwrap();
        let disk: Arc<dyn Files> = Arc::new(DiskFiles::default());
        let names = [
            "a",
            "a/b",
            "a/b/c",
            "a/file",
            "a/file/x",
            "a/to_dir",
            "a/to_dir/x",
            "a/to_file",
            "a/to_nothing",
            "a/missing",
            "a/missing/x/y",
            "",
        ];
        for listed_dirs in [
            &[][..],
            &["a"],
            &["", "a"],
            &["a/b"],
            &["", "a", "a/b", "a/to_dir"],
        ] {
            let listed = Listed::over(disk.clone());
            for dir in listed_dirs {
                assert_eq!(listed.list(&root.join(dir)), disk.list(&root.join(dir)));
            }
            for (name, follow) in names.iter().flat_map(|name| [(name, false), (name, true)]) {
                let path = root.join(name);
                assert_eq!(
                    listed.kind(&path, follow),
                    disk.kind(&path, follow),
                    "{name} {follow}"
                );
            }
        }
        let listed = Listed::over(disk);
        let before = listed.list(&root.join("a")).unwrap();
        std::fs::write(root.join("a/new"), "").unwrap();
        assert_eq!(listed.list(&root.join("a")).unwrap(), before);
        assert_eq!(listed.kind(&root.join("a/new"), true), None);
    }
}
