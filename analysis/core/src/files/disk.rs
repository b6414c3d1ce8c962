//! Files on the disk. The only place of the analysis that touches a file system.
#![allow(clippy::disallowed_methods)]

use std::io::{self, Read};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{DirEntry, FileKind, Files, MAX_FILE_SIZE, ReadError};

type VcsRoot = dyn Fn(&Utf8Path) -> Option<Utf8PathBuf> + Send + Sync;

/// Reads the disk; what belongs to version control is asked of an injected function.
pub struct DiskFiles {
    vcs_root: Box<VcsRoot>,
    max_size: u64,
}

impl Default for DiskFiles {
    fn default() -> Self {
        Self::new(nearest_git_entry)
    }
}

impl DiskFiles {
    /// With a function that finds the top of a version-controlled tree, e.g. by asking `git`.
    pub fn new(vcs_root: impl Fn(&Utf8Path) -> Option<Utf8PathBuf> + Send + Sync + 'static) -> Self {
        Self {
            vcs_root: Box::new(vcs_root),
            max_size: MAX_FILE_SIZE,
        }
    }

    /// With another size limit, in bytes.
    #[must_use]
    pub fn with_max_size(mut self, bytes: u64) -> Self {
        self.max_size = bytes;
        self
    }
}

/// The nearest directory upwards that has an entry `.git`, links resolved.
#[must_use]
fn nearest_git_entry(dir: &Utf8Path) -> Option<Utf8PathBuf> {
    let dir = dir.canonicalize_utf8().ok()?;
    dir.ancestors()
        .find(|d| d.join(".git").as_std_path().symlink_metadata().is_ok())
        .map(Utf8Path::to_owned)
}

fn error(e: &io::Error) -> ReadError {
    match e.kind() {
        io::ErrorKind::NotFound => ReadError::NotFound,
        io::ErrorKind::PermissionDenied => ReadError::PermissionDenied,
        io::ErrorKind::IsADirectory => ReadError::IsDirectory,
        io::ErrorKind::NotADirectory => ReadError::NotDirectory,
        _ if matches!(e.raw_os_error(), Some(40 | 62)) => ReadError::LinkLoop,
        _ => ReadError::Other(e.to_string()),
    }
}

/// Does not wait for somebody to write where a pipe stands; a file is opened as ever.
fn open(path: &Utf8Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        const NONBLOCK: i32 = if cfg!(any(target_os = "linux", target_os = "android")) {
            0o4000
        } else {
            4
        };
        options.custom_flags(NONBLOCK);
    }
    options.open(path)
}

fn kind_of(t: std::fs::FileType) -> FileKind {
    if t.is_symlink() {
        FileKind::Symlink
    } else if t.is_dir() {
        FileKind::Directory
    } else if t.is_file() {
        FileKind::File
    } else {
        FileKind::Other
    }
}

impl Files for DiskFiles {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        let mut file = open(path).map_err(|e| error(&e))?;
        let meta = file.metadata().map_err(|e| error(&e))?;
        if meta.is_dir() {
            return Err(ReadError::IsDirectory);
        }
        if !meta.is_file() {
            return Err(ReadError::Other("is not a regular file".to_owned()));
        }
        if meta.len() > self.max_size {
            return Err(ReadError::TooLarge(meta.len()));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
        // The file may grow between the question and the reading.
        file.by_ref()
            .take(self.max_size + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| error(&e))?;
        if bytes.len() as u64 > self.max_size {
            return Err(ReadError::TooLarge(bytes.len() as u64));
        }
        Ok(bytes.into())
    }

    fn list(&self, dir: &Utf8Path) -> Result<Arc<[DirEntry]>, ReadError> {
        let mut out = Vec::new();
        for entry in std::fs::read_dir(dir).map_err(|e| error(&e))? {
            let Ok(entry) = entry else { continue };
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                continue;
            };
            out.push(DirEntry {
                name,
                kind: kind_of(kind),
            });
        }
        out.sort();
        Ok(out.into())
    }

    fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        let meta = if follow_links {
            std::fs::metadata(path)
        } else {
            std::fs::symlink_metadata(path)
        };
        meta.ok().map(|m| kind_of(m.file_type()))
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        path.canonicalize_utf8().ok()
    }

    fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        (self.vcs_root)(dir)
    }
}
