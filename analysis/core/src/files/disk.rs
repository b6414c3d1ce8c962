//! Files on the disk. The only part of the analysis that touches a file system.
#![allow(clippy::disallowed_methods)]

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use camino::{Utf8Path, Utf8PathBuf};

use super::large_lists::{LargeLists, Times};
use super::{DirEntries, DirEntry, FileKind, Files, MAX_FILE_SIZE, ReadError};

type VcsRoot = dyn Fn(&Utf8Path) -> Option<Utf8PathBuf> + Send + Sync;

/// Reads the disk; the root of a version-controlled tree comes from an injected function.
pub struct DiskFiles {
    vcs_root: Box<VcsRoot>,
    max_size: u64,
    memory: fn() -> Option<u64>,
    /// The bytes read since the available memory was last checked.
    unasked: AtomicU64,
    large_lists: Option<LargeLists>,
}

/// The memory, in bytes, that one byte of a file may need. Most need a tenth of it.
const MEMORY_OF_A_BYTE: u64 = 100;

/// The number of bytes that are read before the available memory is checked again.
const UNASKED: u64 = 1 << 20;

impl Default for DiskFiles {
    fn default() -> Self {
        Self::new(nearest_git_entry)
    }
}

impl DiskFiles {
    /// With a function that finds the root of a version-controlled tree, e.g. by asking `git`.
    pub fn new(vcs_root: impl Fn(&Utf8Path) -> Option<Utf8PathBuf> + Send + Sync + 'static) -> Self {
        Self {
            vcs_root: Box::new(vcs_root),
            max_size: MAX_FILE_SIZE,
            memory: memory_left,
            unasked: AtomicU64::new(0),
            large_lists: None,
        }
    }

    /// For callers that list the same directories repeatedly: a large one is listed again only if its times
    /// changed.
    #[must_use]
    pub fn keeping_large_lists(mut self) -> Self {
        self.large_lists = Some(LargeLists::default());
        self
    }

    /// With another size limit, in bytes.
    #[must_use]
    pub fn with_max_size(mut self, bytes: u64) -> Self {
        self.max_size = bytes;
        self
    }

    /// Whether enough memory is left for what a file needs: a process that runs out of memory is killed, and
    /// everything it found is lost.
    fn has_memory_for(&self, size: u64) -> bool {
        let before = self.unasked.fetch_add(size, Ordering::Relaxed);
        if before.saturating_add(size) < UNASKED {
            return true;
        }
        self.unasked.store(0, Ordering::Relaxed);
        let needed = size.max(UNASKED).saturating_mul(MEMORY_OF_A_BYTE);
        (self.memory)().is_none_or(|left| needed < left)
    }
}

/// The memory that this process may still take, in bytes, if the system reports it: up to its own limit, that
/// of its control group, and that of the machine.
fn memory_left() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let in_line = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        number(line.split_whitespace().next()?)
    };
    let own = || {
        let limit = in_line(&read("/proc/self/limits")?, "Max address space")?;
        let used = in_line(&read("/proc/self/status")?, "VmSize:")? * 1024;
        Some(limit.saturating_sub(used))
    };
    let of_group = || {
        let limit = number(&read("/sys/fs/cgroup/memory.max")?)?;
        let used = number(&read("/sys/fs/cgroup/memory.current")?)?;
        let freed = in_line(&read("/sys/fs/cgroup/memory.stat")?, "inactive_file ").unwrap_or(0);
        Some(limit.saturating_sub(used.saturating_sub(freed)))
    };
    let of_machine = || Some(in_line(&read("/proc/meminfo")?, "MemAvailable:")? * 1024);
    [own(), of_group(), of_machine()].into_iter().flatten().min()
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

/// Does not wait for a writer if the path is a pipe; a file is opened as usual.
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

#[cfg(unix)]
pub(super) fn times(dir: &Utf8Path) -> Option<Times> {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(dir).ok()?;
    Some(Times {
        modified: meta.modified().ok()?,
        changed: (meta.ctime(), meta.ctime_nsec()),
        inode: (meta.dev(), meta.ino()),
    })
}

#[cfg(not(unix))]
pub(super) fn times(_: &Utf8Path) -> Option<Times> {
    None
}

fn list(dir: &Utf8Path) -> Result<DirEntries, ReadError> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(|e| error(&e))? {
        let Ok(entry) = entry else { continue };
        let Ok(kind) = entry.file_type().map(kind_of) else {
            continue;
        };
        out.push(match entry.file_name().into_string() {
            Ok(name) => DirEntry { name, kind },
            Err(name) => DirEntry::foreign(&name.to_string_lossy(), kind),
        });
    }
    out.sort();
    Ok(out.into())
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
        if !self.has_memory_for(meta.len()) {
            return Err(ReadError::NoMemory(meta.len()));
        }
        let size = usize::try_from(meta.len()).unwrap_or(0);
        let mut bytes = vec![0; size + 1];
        let first = match file.read(&mut bytes) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => 0,
            read => read.map_err(|e| error(&e))?,
        };
        bytes.truncate(first);
        // The file may grow between the query and the read, and some files do not know their size.
        if size == 0 || first != size {
            file.by_ref()
                .take(self.max_size + 1 - first as u64)
                .read_to_end(&mut bytes)
                .map_err(|e| error(&e))?;
        }
        if bytes.len() as u64 > self.max_size {
            return Err(ReadError::TooLarge(bytes.len() as u64));
        }
        Ok(bytes.into())
    }

    fn list(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError> {
        match &self.large_lists {
            Some(large) => large.list(dir, times, list),
            None => list(dir),
        }
    }

    fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        let meta = if follow_links {
            std::fs::metadata(path)
        } else {
            std::fs::symlink_metadata(path)
        };
        match meta {
            Ok(meta) => Some(kind_of(meta.file_type())),
            // In a directory that cannot be read, it is unknown whether the file exists.
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => Some(FileKind::Other),
            Err(_) => None,
        }
    }

    fn size(&self, path: &Utf8Path) -> Option<u64> {
        std::fs::metadata(path).ok().map(|meta| meta.len())
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        path.canonicalize_utf8().ok()
    }

    fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        (self.vcs_root)(dir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn names_that_are_not_utf_8_are_listed_apart() {
        use std::os::unix::ffi::OsStrExt;
        let dir = crate::temp::temporary();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        std::fs::write(root.join("a"), "").unwrap();
        let foreign = dir.path().join(std::ffi::OsStr::from_bytes(b"x\xff"));
        std::fs::create_dir(foreign).unwrap();
        let entries = DiskFiles::default().list(root).unwrap();
        let names: Vec<_> = entries.iter().map(|e| (e.foreign_name(), e.kind)).collect();
        assert_eq!(
            names,
            [(Some("x\u{fffd}"), FileKind::Directory), (None, FileKind::File)]
        );
        let named = crate::files::named(entries);
        assert!(named.iter().map(|e| &*e.name).eq(["a"]), "{named:?}");
    }

    #[test]
    fn what_needs_more_memory_than_is_left_is_not_read() {
        let dir = crate::temp::temporary();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let (small, large) = (root.join("small"), root.join("large"));
        std::fs::write(&small, "a").unwrap();
        std::fs::write(&large, "a".repeat(2 << 20)).unwrap();
        let mut files = DiskFiles::default();
        assert!(files.read(&large).is_ok());
        files.memory = || Some(60 << 20);
        assert_eq!(files.read(&large), Err(ReadError::NoMemory(2 << 20)));
        assert!(files.read(&small).is_ok());
        files.memory = || None;
        assert!(files.read(&large).is_ok());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_memory_that_is_left_is_known() {
        assert!(memory_left().is_some_and(|left| left > 1 << 20));
    }
}
