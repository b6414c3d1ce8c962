//! Files in memory: for tests, and for texts from standard input.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::{DirEntries, DirEntry, FileKind, Files, ReadError};

/// A tree of files held in memory. Directories exist because they contain files, or are added empty.
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

    /// Removes a file, or a directory with everything below it.
    pub fn remove(&mut self, path: &Utf8Path) {
        self.entries.retain(|p, _| !p.starts_with(path));
    }

    /// Sets the root of the version-controlled tree.
    pub fn set_vcs_root(&mut self, dir: impl Into<Utf8PathBuf>) {
        self.vcs_root = Some(dir.into());
    }

    /// The first entry below a directory from a place on. Paths are compared name by name, so what is below a
    /// directory follows it without a gap.
    fn next_below(&self, dir: &Utf8Path, from: Bound<Utf8PathBuf>) -> Option<&Utf8Path> {
        let (path, _) = self.entries.range((from, Bound::Unbounded)).next()?;
        path.starts_with(dir).then_some(path.as_path())
    }

    /// Every file's path, in the order of their names.
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

    fn list(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError> {
        match self.kind(dir, true) {
            None => return Err(ReadError::NotFound),
            Some(FileKind::Directory) => {}
            Some(_) => return Err(ReadError::NotDirectory),
        }
        let mut out = Vec::new();
        let mut from = Bound::Excluded(dir.to_owned());
        while let Some(path) = self.next_below(dir, from) {
            let Ok(rest) = path.strip_prefix(dir) else { break };
            let Some(Utf8Component::Normal(name)) = rest.components().next() else {
                from = Bound::Excluded(path.to_owned());
                continue;
            };
            if let Some(kind) = self.kind(&dir.join(name), false) {
                let name = name.to_owned();
                out.push(DirEntry { name, kind });
            }
            // No name is between this one and the same with a NUL: everything below it is skipped at once.
            from = Bound::Included(dir.join(format!("{name}\0")));
        }
        Ok(out.into())
    }

    fn kind(&self, path: &Utf8Path, _follow_links: bool) -> Option<FileKind> {
        match self.entries.get(path) {
            Some(Entry::File(_) | Entry::Refused(_)) => Some(FileKind::File),
            Some(Entry::Directory) => Some(FileKind::Directory),
            None => self
                .next_below(path, Bound::Excluded(path.to_owned()))
                .map(|_| FileKind::Directory),
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
        files.insert("/w/a/y/z.yaml", "3");
        files.insert("/w/a-b/x.yaml", "4");
        files.insert("/w/a.yaml", "5");
        files.insert("/wa/x.yaml", "6");
        files.insert_dir("/w/empty");
        let listed = files.list(Utf8Path::new("/w")).unwrap();
        let listed: Vec<_> = listed.iter().map(|e| (e.name.as_str(), e.kind)).collect();
        let (file, dir) = (FileKind::File, FileKind::Directory);
        let expected = [
            ("a", dir),
            ("a-b", dir),
            ("a.yaml", file),
            ("ab.yaml", file),
            ("empty", dir),
        ];
        assert_eq!(listed, expected);
        assert_eq!(files.read(Utf8Path::new("/w/a")), Err(ReadError::IsDirectory));
    }
}
