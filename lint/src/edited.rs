//! The disk as it would be with other texts in some files: what fixes make, before it is written.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use applyorder_analysis::files::{DirEntry, FileKind, Files, ReadError};
use camino::{Utf8Path, Utf8PathBuf};

/// Files, some with another text. Every name of a file, through links too, gives the same text.
pub(crate) struct Edited {
    base: Arc<dyn Files>,
    texts: RwLock<HashMap<Utf8PathBuf, Arc<[u8]>>>,
}

impl Edited {
    /// Nothing edited yet.
    #[must_use]
    pub(crate) fn over(base: Arc<dyn Files>) -> Self {
        Self {
            base,
            texts: RwLock::default(),
        }
    }

    /// Gives a file another text.
    pub(crate) fn set(&self, path: &Utf8Path, text: &str) {
        let path = self.base.canonical(path).unwrap_or_else(|| path.to_owned());
        let mut texts = self.texts.write().unwrap_or_else(PoisonError::into_inner);
        texts.insert(path, Arc::from(text.as_bytes()));
    }

    fn text(&self, path: &Utf8Path) -> Option<Arc<[u8]>> {
        let texts = self.texts.read().unwrap_or_else(PoisonError::into_inner);
        if texts.is_empty() {
            return None;
        }
        let text = texts.get(path).cloned();
        text.or_else(|| texts.get(&self.base.canonical(path)?).cloned())
    }
}

impl Files for Edited {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        self.text(path).map_or_else(|| self.base.read(path), Ok)
    }

    fn list(&self, dir: &Utf8Path) -> Result<Arc<[DirEntry]>, ReadError> {
        self.base.list(dir)
    }

    /// A file that is not there yet is there once it has a text; directories do not list it.
    fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        let kind = self.base.kind(path, follow_links);
        kind.or_else(|| self.text(path).map(|_| FileKind::File))
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.base.canonical(path)
    }

    fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        self.base.vcs_root(dir)
    }
}
