//! Unsaved text as a layer over other files.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::names::Names;
use super::{DirEntries, DirEntry, FileKind, Files, ReadError};

/// Answers from unsaved texts first, then from the underlying files.
#[derive(Clone)]
pub struct Overlay {
    base: Arc<dyn Files>,
    /// Cloned only while another overlay holds it.
    unsaved: Arc<Unsaved>,
    /// The names that files have through links; `None` if links are not followed.
    names: Option<Arc<Names>>,
    /// The path of documents that have no directory.
    nowhere: Option<Utf8PathBuf>,
}

#[derive(Clone, Default)]
struct Unsaved {
    /// By the text of the path.
    texts: FxHashMap<String, Arc<str>>,
    /// The names that have unsaved text or are directories on the way to it, by their directory.
    names: FxHashMap<String, BTreeMap<String, FileKind>>,
    /// The file that a path with unsaved text leads to.
    files: FxHashMap<String, Utf8PathBuf>,
    /// The paths with unsaved text that lead to a file, the most recent last.
    of_files: FxHashMap<String, Vec<Utf8PathBuf>>,
}

impl Overlay {
    /// No unsaved text yet.
    #[must_use]
    pub fn new(base: Arc<dyn Files>) -> Self {
        Self {
            base,
            unsaved: Arc::default(),
            names: None,
            nowhere: None,
        }
    }

    /// From now on only unsaved texts exist below a path: it is used for documents that have no directory.
    pub fn set_nowhere(&mut self, dir: &Utf8Path) {
        self.nowhere = Some(dir.to_owned());
    }

    /// Whether a path is below the one for documents without a directory.
    #[must_use]
    pub fn is_nowhere(&self, path: &Utf8Path) -> bool {
        self.nowhere.as_ref().is_some_and(|dir| path.starts_with(dir))
    }

    /// From now on the unsaved text of a file is used for all names that lead to it, unless one has its own
    /// text.
    pub fn follow_links(&mut self) {
        self.names = Some(Arc::default());
    }

    /// Forgets where links lead, so that they are queried again.
    pub fn forget_links(&self) {
        if let Some(names) = &self.names {
            names.forget_dirs();
        }
    }

    /// The other names, as far as they were read, of the file that a path with unsaved text leads to. Those
    /// with their own unsaved text are omitted.
    #[must_use]
    pub fn other_names(&self, path: &Utf8Path) -> Vec<Utf8PathBuf> {
        let (Some(names), Some(file)) = (&self.names, self.unsaved.files.get(path.as_str())) else {
            return Vec::new();
        };
        let mut others = names.of(file, &*self.base);
        others.retain(|name| name != path && self.text(name).is_none());
        others
    }

    /// The unsaved text of a file under another name.
    fn text_by_other_name(&self, path: &Utf8Path) -> Option<&Arc<str>> {
        let file = self.names.as_ref()?.file(path, &*self.base);
        let paths = self.unsaved.of_files.get(file.as_str())?;
        self.text(paths.last()?)
    }

    /// Sets the unsaved text of a file.
    pub fn set(&mut self, path: &Utf8Path, text: Arc<str>) {
        let unsaved = Arc::make_mut(&mut self.unsaved);
        let is_new = unsaved.texts.insert(path.as_str().to_owned(), text).is_none();
        let (mut kind, mut next) = (FileKind::File, split(path).filter(|_| is_new));
        while let Some((dir, name)) = next {
            let names = unsaved.names.entry(dir.to_owned()).or_default();
            let is_known = !names.is_empty();
            names.insert(name.to_owned(), kind);
            // The path to a directory with names is there already.
            let dir = Utf8Path::new(dir);
            let ends = is_known || self.nowhere.as_deref() == Some(dir);
            (kind, next) = (FileKind::Directory, split(dir).filter(|_| !ends));
        }
        if let Some(names) = self.names.as_ref().filter(|_| is_new) {
            let file = names.file(path, &*self.base);
            let paths = unsaved.of_files.entry(file.as_str().to_owned()).or_default();
            paths.push(path.to_owned());
            unsaved.files.insert(path.as_str().to_owned(), file);
        }
    }

    /// Drops the unsaved text; true if there was one.
    pub fn remove(&mut self, path: &Utf8Path) -> bool {
        let unsaved = Arc::make_mut(&mut self.unsaved);
        let was_there = unsaved.texts.remove(path.as_str()).is_some();
        if let Some(file) = unsaved.files.remove(path.as_str())
            && let Some(paths) = unsaved.of_files.get_mut(file.as_str())
        {
            paths.retain(|other| other != path);
            if paths.is_empty() {
                unsaved.of_files.remove(file.as_str());
            }
        }
        let mut next = split(path).filter(|_| was_there);
        while let Some((dir, name)) = next.take()
            && let Some(names) = unsaved.names.get_mut(dir)
        {
            names.remove(name);
            if names.is_empty() {
                unsaved.names.remove(dir);
                next = split(Utf8Path::new(dir));
            }
        }
        was_there
    }

    /// The paths that have unsaved text, in no order.
    pub fn unsaved(&self) -> impl Iterator<Item = &Utf8Path> {
        self.unsaved.texts.keys().map(Utf8Path::new)
    }

    /// The unsaved text of a file.
    #[must_use]
    pub fn text(&self, path: &Utf8Path) -> Option<&Arc<str>> {
        self.unsaved.texts.get(path.as_str())
    }

    /// The paths that have unsaved text.
    pub fn paths(&self) -> impl Iterator<Item = &Utf8Path> {
        self.unsaved.texts.keys().map(Utf8Path::new)
    }
}

/// A path as its directory and its name.
fn split(path: &Utf8Path) -> Option<(&str, &str)> {
    Some((path.parent()?.as_str(), path.file_name()?))
}

impl Files for Overlay {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        match self.text(path).or_else(|| self.text_by_other_name(path)) {
            Some(text) => Ok(Arc::from(text.as_bytes())),
            // It may exist once the document is saved.
            None if self.is_nowhere(path) => Err(ReadError::Outside),
            None => self.base.read(path),
        }
    }

    fn list(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError> {
        let entries = self.base.list(dir);
        let Some(names) = self.unsaved.names.get(dir.as_str()) else {
            return entries;
        };
        let entries = match entries {
            Err(ReadError::NotFound) => DirEntries::default(),
            entries => entries?,
        };
        let unsaved = names.iter().filter(|(name, kind)| {
            let at = entries.binary_search_by(|entry| entry.name.as_str().cmp(name));
            // A directory may have its name in another case.
            at.is_err() && (**kind == FileKind::File || self.base.kind(&dir.join(name), true).is_none())
        });
        let mut unsaved: Vec<DirEntry> = unsaved
            .map(|(name, kind)| DirEntry {
                name: name.clone(),
                kind: *kind,
            })
            .collect();
        if unsaved.is_empty() {
            return Ok(entries);
        }
        unsaved.extend(entries.iter().cloned());
        unsaved.sort();
        Ok(unsaved.into())
    }

    fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        if self.text(path).is_some() {
            Some(FileKind::File)
        } else {
            let has_unsaved = || self.unsaved.names.contains_key(path.as_str());
            let kind = self.base.kind(path, follow_links);
            kind.or_else(|| has_unsaved().then_some(FileKind::Directory))
        }
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.base
            .canonical(path)
            .or_else(|| self.text(path).is_some().then(|| path.to_owned()))
    }

    fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        let is_unsaved = |dir: &Utf8Path| {
            self.unsaved.names.contains_key(dir.as_str()) && self.base.kind(dir, true).is_none()
        };
        if self.is_nowhere(dir) {
            // It is a tree of its own.
            return is_unsaved(dir).then(|| dir.to_owned());
        }
        let on_disk = dir.ancestors().find(|dir| !is_unsaved(dir))?;
        self.base.vcs_root(on_disk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;

    fn names(files: &Overlay, dir: &str) -> Vec<(String, FileKind)> {
        let entries = files.list(dir.into()).unwrap_or_default();
        entries
            .iter()
            .map(|entry| (entry.name.clone(), entry.kind))
            .collect()
    }

    #[test]
    fn an_unsaved_file_creates_the_directories_that_it_needs() {
        let mut base = MemoryFiles::new();
        base.insert("/w/a", "");
        base.set_vcs_root("/w");
        let mut files = Overlay::new(Arc::new(base));
        let before = names(&files, "/w");
        let [one, other] = ["/w/b/c/one", "/w/b/other"].map(Utf8Path::new);
        files.set(one, "".into());
        files.set(other, "".into());
        let dir = |name: &str| (name.to_owned(), FileKind::Directory);
        let file = |name: &str| (name.to_owned(), FileKind::File);
        assert_eq!(names(&files, "/w"), [file("a"), dir("b")]);
        assert_eq!(names(&files, "/w/b"), [dir("c"), file("other")]);
        assert_eq!(files.kind("/w/b/c".into(), true), Some(FileKind::Directory));
        assert_eq!(files.vcs_root("/w/b/c".into()).as_deref(), Some("/w".into()));
        assert!(files.remove(one) && !files.remove(one));
        assert_eq!(names(&files, "/w/b"), [file("other")]);
        assert!(files.remove(other));
        assert_eq!(names(&files, "/w"), before);
        assert_eq!(files.kind("/w/b".into(), true), None);
    }
}
