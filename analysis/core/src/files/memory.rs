//! Files in memory: for tests, and for texts that come from standard input.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{DirEntry, FileKind, Files, ReadError};

/// A tree of files held in memory. Directories exist because files lie in them, or are added empty.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles {
    entries: BTreeMap<Utf8PathBuf, Entry>,
    vcs_root: Option<Utf8PathBuf>,
}

#[derive(Clone, Debug)]
enum Entry {
    File(Arc<[u8]>),
    Directory,
    Refused(ReadError),
}

impl MemoryFiles {
    /// An empty tree.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, path: impl Into<Utf8PathBuf>, bytes: impl AsRef<[u8]>) {
        self.entries
            .insert(path.into(), Entry::File(bytes.as_ref().into()));
    }

    /// Adds an empty directory.
    pub fn insert_dir(&mut self, path: impl Into<Utf8PathBuf>) {
        self.entries.insert(path.into(), Entry::Directory);
    }

    /// Adds a file whose reading fails.
    pub fn insert_error(&mut self, path: impl Into<Utf8PathBuf>, error: ReadError) {
        self.entries.insert(path.into(), Entry::Refused(error));
    }

    /// Removes a file or directory with all below it.
    pub fn remove(&mut self, path: &Utf8Path) {
        self.entries.retain(|p, _| !p.starts_with(path));
    }

    /// Sets the top of the version-controlled tree.
    pub fn set_vcs_root(&mut self, dir: impl Into<Utf8PathBuf>) {
        self.vcs_root = Some(dir.into());
    }

    /// Every file's path, in byte order.
    pub fn paths(&self) -> impl Iterator<Item = &Utf8Path> {
        self.entries
            .iter()
            .filter(|(_, e)| !matches!(e, Entry::Directory))
            .map(|(p, _)| p.as_path())
    }
}

impl Files for MemoryFiles {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        match self.entries.get(path) {
            Some(Entry::File(bytes)) => Ok(bytes.clone()),
            Some(Entry::Refused(error)) => Err(error.clone()),
            Some(Entry::Directory) => Err(ReadError::IsDirectory),
            None if self.kind(path, true).is_some() => Err(ReadError::IsDirectory),
            None => Err(ReadError::NotFound),
        }
    }

    fn list(&self, dir: &Utf8Path) -> Result<Arc<[DirEntry]>, ReadError> {
        match self.kind(dir, true) {
            None => return Err(ReadError::NotFound),
            Some(FileKind::Directory) => {}
            Some(_) => return Err(ReadError::NotDirectory),
        }
        let mut out: BTreeMap<String, FileKind> = BTreeMap::new();
        for path in self.entries.keys() {
            let Ok(rest) = path.strip_prefix(dir) else {
                continue;
            };
            if let Some(first) = rest.components().next() {
                let child = dir.join(first.as_str());
                if let Some(kind) = self.kind(&child, false) {
                    out.insert(first.as_str().to_owned(), kind);
                }
            }
        }
        Ok(out
            .into_iter()
            .map(|(name, kind)| DirEntry { name, kind })
            .collect())
    }

    fn kind(&self, path: &Utf8Path, _follow_links: bool) -> Option<FileKind> {
        match self.entries.get(path) {
            Some(Entry::File(_) | Entry::Refused(_)) => Some(FileKind::File),
            Some(Entry::Directory) => Some(FileKind::Directory),
            None => self
                .entries
                .range(path.to_owned()..)
                .take_while(|(p, _)| p.as_str().starts_with(path.as_str()))
                .any(|(p, _)| p.starts_with(path))
                .then_some(FileKind::Directory),
        }
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.kind(path, true).map(|_| path.to_owned())
    }

    fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        self.vcs_root.clone().filter(|root| dir.starts_with(root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_exist_through_their_files() {
        let mut files = MemoryFiles::new();
        files.insert("/w/a/x.yaml", "1");
        files.insert("/w/ab.yaml", "2");
        assert_eq!(files.kind(Utf8Path::new("/w/a"), true), Some(FileKind::Directory));
        assert_eq!(files.kind(Utf8Path::new("/w/b"), true), None);
        let names: Vec<_> = files
            .list(Utf8Path::new("/w"))
            .unwrap()
            .iter()
            .map(|e| e.name.clone())
            .collect();
        assert_eq!(names, ["a", "ab.yaml"]);
        assert_eq!(files.read(Utf8Path::new("/w/a")), Err(ReadError::IsDirectory));
    }
}
