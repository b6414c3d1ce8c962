//! Files that were just read, so that they are not read again immediately.

use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use crate::background::drop_in_background;

use super::{DirEntries, FileKind, Files, ReadError};

/// The maximum number of bytes that are kept.
const KEPT: usize = 16 << 20;

/// A layer over other files: what is read while [`Recent::keep`] is on, and listed while [`Recent::keep_lists`]
/// is, is kept until [`Recent::forget`].
pub struct Recent {
    base: Arc<dyn Files>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    keeping: bool,
    kept: FxHashMap<String, Arc<[u8]>>,
    size: usize,
    keeping_lists: bool,
    lists: FxHashMap<String, DirEntries>,
}

impl Recent {
    /// With nothing kept yet.
    #[must_use]
    pub fn new(base: Arc<dyn Files>) -> Self {
        Self {
            base,
            state: Mutex::default(),
        }
    }

    fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether what is read from now on is kept.
    pub fn keep(&self, keeping: bool) {
        self.with(|state| state.keeping = keeping);
    }

    /// Keeps what is listed from now on.
    pub fn keep_lists(&self) {
        self.with(|state| state.keeping_lists = true);
    }

    /// Drops everything: from now on the files themselves are queried.
    pub fn forget(&self) {
        let gone = self.with(std::mem::take);
        drop_in_background(gone.kept.len(), gone);
    }
}

impl Files for Recent {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        let (known, keeping) = self.with(|state| (state.kept.get(path.as_str()).cloned(), state.keeping));
        if let Some(bytes) = known {
            return Ok(bytes);
        }
        let bytes = self.base.read(path)?;
        if keeping {
            self.with(|state| {
                if state.size + bytes.len() <= KEPT {
                    state.size += bytes.len();
                    state.kept.insert(path.as_str().to_owned(), bytes.clone());
                }
            });
        }
        Ok(bytes)
    }

    fn list(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError> {
        let (known, keeping) =
            self.with(|state| (state.lists.get(dir.as_str()).cloned(), state.keeping_lists));
        if let Some(entries) = known {
            return Ok(entries);
        }
        let entries = self.base.list(dir)?;
        if keeping {
            let dir = dir.as_str().to_owned();
            self.with(|state| state.lists.insert(dir, entries.clone()));
        }
        Ok(entries)
    }

    fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        self.base.kind(path, follow_links)
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
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::*;

    /// A file that differs each time it is read.
    #[derive(Default)]
    struct Changing(AtomicU8);

    impl Files for Changing {
        fn read(&self, _: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
            Ok(Arc::from([self.0.fetch_add(1, Ordering::Relaxed)]))
        }
        fn list(&self, _: &Utf8Path) -> Result<DirEntries, ReadError> {
            Err(ReadError::NotFound)
        }
        fn kind(&self, _: &Utf8Path, _: bool) -> Option<FileKind> {
            None
        }
        fn canonical(&self, _: &Utf8Path) -> Option<Utf8PathBuf> {
            None
        }
        fn vcs_root(&self, _: &Utf8Path) -> Option<Utf8PathBuf> {
            None
        }
    }

    #[test]
    fn keeps_what_is_read_until_it_forgets() {
        let recent = Recent::new(Arc::new(Changing::default()));
        let read = |path: &str| recent.read(Utf8Path::new(path)).unwrap()[0];
        recent.keep(true);
        assert_eq!((read("/a"), read("/a")), (0, 0));
        recent.keep(false);
        assert_eq!((read("/a"), read("/b"), read("/b")), (0, 1, 2));
        recent.forget();
        assert_eq!(read("/a"), 3);
    }
}
