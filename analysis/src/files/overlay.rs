//! Unsaved text in front of other files.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::{DirEntry, FileKind, Files, ReadError};

/// Answers from unsaved texts first, then from the files behind.
#[derive(Clone)]
pub struct Overlay {
    base: Arc<dyn Files>,
    texts: FxHashMap<Utf8PathBuf, Arc<str>>,
}

impl Overlay {
    /// No unsaved text yet.
    #[must_use]
    pub fn new(base: Arc<dyn Files>) -> Self {
        Self {
            base,
            texts: FxHashMap::default(),
        }
    }

    /// Sets the unsaved text of a file.
    pub fn set(&mut self, path: &Utf8Path, text: Arc<str>) {
        self.texts.insert(path.to_owned(), text);
    }

    /// Forgets the unsaved text; true where there was one.
    pub fn remove(&mut self, path: &Utf8Path) -> bool {
        self.texts.remove(path).is_some()
    }

    /// The unsaved text of a file.
    #[must_use]
    pub fn text(&self, path: &Utf8Path) -> Option<&Arc<str>> {
        self.texts.get(path)
    }

    /// The paths that have unsaved text.
    pub fn paths(&self) -> impl Iterator<Item = &Utf8Path> {
        self.texts.keys().map(Utf8PathBuf::as_path)
    }
}

impl Files for Overlay {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        match self.texts.get(path) {
            Some(text) => Ok(Arc::from(text.as_bytes())),
            None => self.base.read(path),
        }
    }

    fn list(&self, dir: &Utf8Path) -> Result<Vec<DirEntry>, ReadError> {
        let mut entries = self.base.list(dir)?;
        for path in self.texts.keys().filter(|p| p.parent() == Some(dir)) {
            if let Some(name) = path.file_name()
                && !entries.iter().any(|e| e.name == name)
            {
                entries.push(DirEntry {
                    name: name.to_owned(),
                    kind: FileKind::File,
                });
            }
        }
        entries.sort();
        Ok(entries)
    }

    fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        if self.texts.contains_key(path) {
            Some(FileKind::File)
        } else {
            self.base.kind(path, follow_links)
        }
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.base
            .canonical(path)
            .or_else(|| self.texts.contains_key(path).then(|| path.to_owned()))
    }

    fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        self.base.vcs_root(dir)
    }
}
