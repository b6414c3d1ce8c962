//! The disk with some texts replaced: the result of fixes before it is written.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use applyorder_analysis::files::{DirEntries, FileKind, Files, ReadError};
use camino::{Utf8Path, Utf8PathBuf};

/// Files with some texts replaced. Every name of a file, including links, gives the same text.
pub(crate) struct Edited {
    base: Arc<dyn Files>,
    texts: RwLock<HashMap<Utf8PathBuf, Arc<[u8]>>>,
}

impl Edited {
    /// Without any replaced texts.
    #[must_use]
    pub(crate) fn over(base: Arc<dyn Files>) -> Self {
        Self {
            base,
            texts: RwLock::default(),
        }
    }

    /// Replaces the text of a file.
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

    fn list(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError> {
        self.base.list(dir)
    }

    /// A file that does not exist yet exists once it has a text; directories do not list it.
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
