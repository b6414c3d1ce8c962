//! Limits which paths a run may read: the caller may not be the owner of the machine.

use std::sync::Arc;

use applyorder_analysis::files::{DirEntries, FileKind, Files, ReadError};
use camino::{Utf8Path, Utf8PathBuf};

use crate::escape;
use crate::start::absolute;

/// Directories below which files may be read, and for how long.
#[derive(Clone)]
pub struct Reach {
    /// With all links resolved.
    dirs: Vec<Utf8PathBuf>,
    is_over: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl std::fmt::Debug for Reach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reach")
            .field("dirs", &self.dirs)
            .finish_non_exhaustive()
    }
}

impl Reach {
    /// Limits reading to some directories.
    ///
    /// # Errors
    /// When one of them is not a directory that can be listed; a sentence.
    pub fn below(dirs: &[Utf8PathBuf]) -> Result<Self, String> {
        let real = |dir: &Utf8PathBuf| {
            let shown = escape::line(dir.as_str());
            let real = dir.canonicalize_utf8().map_err(|e| format!("{shown}: {e}"))?;
            if real.is_dir() {
                Ok(real)
            } else {
                Err(format!("{shown}: is not a directory"))
            }
        };
        Ok(Self {
            dirs: dirs.iter().map(real).collect::<Result<_, _>>()?,
            is_over: Arc::new(|| false),
        })
    }

    /// The same, but nothing is read once `is_over` returns true.
    #[must_use]
    pub fn until(mut self, is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.is_over = Arc::new(is_over);
        self
    }

    /// The directories, with links resolved.
    #[must_use]
    pub fn dirs(&self) -> &[Utf8PathBuf] {
        &self.dirs
    }

    /// Makes a given path absolute and clean, if it is within reach both as text and through all links.
    ///
    /// # Errors
    /// When it is not; as a sentence.
    pub fn path(&self, base: &Utf8Path, path: &str) -> Result<Utf8PathBuf, String> {
        let full = absolute(base, Utf8Path::new(path));
        let is_within = self.has(&full) && self.has(&real(&full));
        let shown = escape::line(path);
        if is_within {
            Ok(full)
        } else {
            Err(format!("{shown}: outside the directories that may be read"))
        }
    }

    fn has(&self, path: &Utf8Path) -> bool {
        self.dirs.iter().any(|dir| path.starts_with(dir))
    }
}

/// A path with its links resolved, as far as it exists.
fn real(path: &Utf8Path) -> Utf8PathBuf {
    let there = path
        .ancestors()
        .find_map(|dir| Some((dir, dir.canonicalize_utf8().ok()?)));
    match there {
        Some((dir, real)) => path
            .strip_prefix(dir)
            .map_or(real.clone(), |rest| match rest.as_str() {
                "" => real,
                rest => real.join(rest),
            }),
        None => path.to_owned(),
    }
}

/// Files that refuse to read texts and list directories out of reach. The kind of a path is still answered: otherwise a
/// file out of reach would look like a missing one.
pub(crate) struct Confined {
    pub(crate) base: Arc<dyn Files>,
    pub(crate) reach: Reach,
}

impl Confined {
    fn check(&self, path: &Utf8Path) -> Result<(), ReadError> {
        if (self.reach.is_over)() {
            return Err(ReadError::Other("is not read anymore".to_owned()));
        }
        if self.reach.has(&real(path)) {
            Ok(())
        } else {
            Err(ReadError::Outside)
        }
    }
}

impl Files for Confined {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        self.check(path)?;
        self.base.read(path)
    }

    fn list(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError> {
        self.check(dir)?;
        self.base.list(dir)
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use applyorder_analysis::files::DiskFiles;

    #[test]
    fn nothing_is_read_out_of_reach() {
        let temp = crate::temp::temporary();
        let root = Utf8Path::from_path(temp.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        for dir in ["in/sub", "out"] {
            std::fs::create_dir_all(root.join(dir)).unwrap();
        }
        std::fs::write(root.join("in/a.yaml"), "a").unwrap();
        std::fs::write(root.join("out/b.yaml"), "b").unwrap();
        std::os::unix::fs::symlink(root.join("out"), root.join("in/link")).unwrap();
        std::os::unix::fs::symlink(root.join("out/b.yaml"), root.join("in/b.yaml")).unwrap();
        let inside = root.join("in");
        let reach = Reach::below(std::slice::from_ref(&inside)).unwrap();

        let is_refused = |path: &str| reach.path(&inside, path).is_err();
        for path in [
            "a.yaml",
            "sub",
            ".",
            "sub/../a.yaml",
            "gone/x.yaml",
            inside.as_str(),
        ] {
            assert!(!is_refused(path), "{path}");
        }
        let beside = format!("{inside}side");
        for path in [
            "..",
            "../out",
            "sub/../../out",
            "link",
            "link/b.yaml",
            "link/gone",
            "b.yaml",
            "/",
            &beside,
        ] {
            assert!(is_refused(path), "{path}");
        }

        let files = Confined {
            base: Arc::new(DiskFiles::default()),
            reach: reach.clone(),
        };
        assert_eq!(files.read(&inside.join("a.yaml")).as_deref(), Ok(&b"a"[..]));
        for path in ["in/b.yaml", "in/link/b.yaml", "out/b.yaml"] {
            assert_eq!(files.read(&root.join(path)), Err(ReadError::Outside), "{path}");
            assert_eq!(files.kind(&root.join(path), true), Some(FileKind::File), "{path}");
        }
        assert_eq!(files.list(&inside.join("link")), Err(ReadError::Outside));
        assert_eq!(files.list(&root), Err(ReadError::Outside));

        let over = Confined {
            base: Arc::new(DiskFiles::default()),
            reach: reach.until(|| true),
        };
        assert!(over.read(&inside.join("a.yaml")).is_err());
    }

    #[test]
    fn a_reach_is_a_directory() {
        assert!(Reach::below(&["/nowhere/at/all".into()]).is_err());
    }
}
