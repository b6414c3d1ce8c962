//! The only access to files: reading, listing and querying, with unsaved text first and every query recorded.

mod asked_paths;
mod by_text;
mod disk;
mod entries;
mod large_lists;
mod listed;
mod memory;
mod names;
mod overlay;
mod questions;
mod recent;

use std::cmp::Ordering;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

pub use asked_paths::AskedPaths;
pub(crate) use by_text::ByText;
pub use disk::DiskFiles;
pub use entries::DirEntries;
pub use listed::Listed;
pub use memory::MemoryFiles;
pub use overlay::Overlay;
pub(crate) use questions::hidden_dirs;
pub use questions::{Answer, Asking, CameOrWent, Question, Questions};
pub use recent::Recent;

/// The largest file that is read, in bytes.
pub const MAX_FILE_SIZE: u64 = 64 * 1024 * 1024;

/// What exists at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, where links were not followed.
    Symlink,
    /// A device, socket or pipe; or unknown, in a directory that cannot be read.
    Other,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DirEntry {
    /// The entry's own name, without its directory.
    pub name: String,
    /// What it is, links not followed.
    pub kind: FileKind,
}

/// The first character of a name that is not UTF-8 and so cannot be in a path; what follows shows the name. No name
/// contains this character.
const FOREIGN: char = '\0';

impl DirEntry {
    /// An entry whose name is not UTF-8, with the name as it is shown.
    #[must_use]
    pub fn foreign(shown: &str, kind: FileKind) -> Self {
        Self {
            name: format!("{FOREIGN}{shown}"),
            kind,
        }
    }

    /// The name as it is shown, if it is not UTF-8.
    #[must_use]
    pub fn foreign_name(&self) -> Option<&str> {
        self.name.strip_prefix(FOREIGN)
    }
}

/// The entries of a directory without those whose names are not UTF-8.
#[must_use]
pub fn named(entries: DirEntries) -> DirEntries {
    // They come first.
    match entries.first() {
        Some(first) if first.foreign_name().is_some() => {
            let named = entries.iter().filter(|e| e.foreign_name().is_none());
            named.cloned().collect()
        }
        _ => entries,
    }
}

impl PartialOrd for FileKind {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FileKind {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (*self as u8).cmp(&(*other as u8))
    }
}

/// The content of a file as a text.
///
/// # Errors
/// When it is not UTF-8.
pub fn as_text(bytes: &[u8]) -> Result<Arc<str>, ReadError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(e) => Err(ReadError::NotUtf8(e.valid_up_to())),
    }
}

/// Why a file or directory could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReadError {
    /// Nothing exists at the path.
    NotFound,
    /// The path is a directory where a file was expected.
    IsDirectory,
    /// The path is a file where a directory was expected.
    NotDirectory,
    /// The system denies access.
    PermissionDenied,
    /// Larger than the limit; the size in bytes.
    TooLarge(u64),
    /// What is derived from it needs more memory than is left; the size in bytes.
    NoMemory(u64),
    /// Outside of what this run may read.
    Outside,
    /// Not UTF-8; the offset of the first bad byte.
    NotUtf8(usize),
    /// Something that the engine reads and applyorder does not: a description.
    NotRead(&'static str),
    /// A loop of symbolic links.
    LinkLoop,
    /// Anything else, in the system's words.
    Other(String),
}

impl ReadError {
    /// Whether it is a limit of ours and not a fault of the file.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::TooLarge(_) | Self::NoMemory(_) | Self::Outside | Self::NotRead(_)
        )
    }

    /// That `what` cannot be read, and why.
    #[must_use]
    pub fn unread(&self, what: &str) -> String {
        let why = self.to_string();
        // The system's message is not about `it`.
        let is_of_file = ["is ", "has ", "needs "].iter().any(|verb| why.starts_with(verb));
        let it = if is_of_file { "it " } else { "" };
        format!("{what} cannot be read: {it}{why}")
    }
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFound => write!(f, "no such file or directory"),
            Self::IsDirectory => write!(f, "is a directory"),
            Self::NotDirectory => write!(f, "is not a directory"),
            Self::PermissionDenied => write!(f, "permission denied"),
            Self::TooLarge(size) => write!(f, "is larger than the limit ({size} bytes)"),
            Self::NoMemory(size) => write!(f, "needs more memory than is left ({size} bytes)"),
            Self::Outside => write!(f, "is outside the directories that may be read"),
            Self::NotUtf8(at) => write!(f, "is not UTF-8 (byte {at})"),
            Self::NotRead(what) => write!(f, "has {what}, which applyorder does not read"),
            Self::LinkLoop => write!(f, "too many levels of symbolic links"),
            Self::Other(text) => write!(f, "{text}"),
        }
    }
}

/// Answers questions about files. Paths are absolute and lexically clean (see [`clean`]).
pub trait Files: Send + Sync {
    /// The bytes of a file, links followed.
    ///
    /// # Errors
    /// When the path has no readable file of at most [`MAX_FILE_SIZE`] bytes.
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError>;

    /// The entries of a directory in byte order of their names, after those whose names are not UTF-8: see
    /// [`DirEntry::foreign_name`] and [`named`].
    ///
    /// # Errors
    /// When the path is not a readable directory.
    fn list(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError>;

    /// What exists at a path; `None` if nothing does, or if it cannot be queried.
    fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind>;

    /// The size in bytes of the file at a path; `None` if no readable file exists there.
    fn size(&self, path: &Utf8Path) -> Option<u64> {
        self.read(path).ok().map(|bytes| bytes.len() as u64)
    }

    /// The path with every link resolved; `None` if nothing exists there.
    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf>;

    /// The root of the version-controlled tree that contains `dir`, links resolved.
    fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf>;
}

/// Directories nested deeper than this below the start of a search are not searched: the work for each grows
/// with its depth.
pub const MAX_DIR_DEPTH: usize = 256;

/// A larger ignore file is not read: a pattern takes fifty times its size in memory.
const MAX_IGNORES: u64 = 8 * 1024 * 1024;

/// What is wrong with an ignore file in a directory. Opening a pipe would wait until a process writes to it.
#[must_use]
pub fn bad_ignores(files: &dyn Files, dir: &Utf8Path) -> Option<String> {
    let names = [".gitignore", ".ignore", ".git/info/exclude"];
    names.iter().map(|name| dir.join(name)).find_map(|path| {
        let why = match files.kind(&path, true)? {
            // A caller that searches the directory is told that it cannot be read.
            FileKind::Other if files.list(dir) == Err(ReadError::PermissionDenied) => return None,
            FileKind::Other => "is not a regular file",
            FileKind::File if files.size(&path)? > MAX_IGNORES => "is larger than our limit of 8 MiB",
            _ => return None,
        };
        Some(format!("{path}: {why}"))
    })
}

/// The order of paths name by name: the contents of a directory follow directly after it. The same order as
/// that of [`Utf8Path`], for clean paths and without splitting them.
#[must_use]
pub fn path_order(a: &Utf8Path, b: &Utf8Path) -> Ordering {
    let (a, b) = (a.as_str().as_bytes(), b.as_str().as_bytes());
    let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
    // Most paths have a common prefix, and many bytes are compared as quickly as one.
    let same = a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0);
    let same = same.take_while(|(a, b)| a == b).count() * 16;
    let (a, b) = (
        a.get(same..).unwrap_or_default(),
        b.get(same..).unwrap_or_default(),
    );
    match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((a, b)) => rank(*a).cmp(&rank(*b)),
        None => a.len().cmp(&b.len()),
    }
}

/// Whether the text of a path can be a key: no other text denotes the same path.
pub fn is_clean(path: &Utf8Path) -> bool {
    clean(path.as_str()) == path.as_str()
}

/// Cleans a path by its text alone, as Go's `filepath.Clean` does: `.` and empty elements go, `a/..`
/// goes, `..` at the root goes.
///
/// An empty path becomes `.`.
#[must_use]
pub fn clean(path: &str) -> Utf8PathBuf {
    if is_plain(path) {
        return Utf8PathBuf::from(path);
    }
    let rooted = path.starts_with('/');
    let mut out: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match out.last() {
                Some(&"..") | None if !rooted => out.push(".."),
                None => {}
                Some(_) => {
                    out.pop();
                }
            },
            _ => out.push(part),
        }
    }
    let joined = out.join("/");
    if rooted {
        Utf8PathBuf::from(format!("/{joined}"))
    } else if joined.is_empty() {
        Utf8PathBuf::from(".")
    } else {
        Utf8PathBuf::from(joined)
    }
}

/// Whether an absolute path needs no cleaning: most do not, and checking is cheaper than splitting.
fn is_plain(path: &str) -> bool {
    let odd = |rest: &[u8]| match rest {
        [] | [b'/', ..] | [b'.'] | [b'.', b'/', ..] => true,
        [b'.', b'.', rest @ ..] => matches!(rest, [] | [b'/', ..]),
        _ => false,
    };
    let bytes = path.as_bytes();
    let mut parts = memchr::memchr_iter(b'/', bytes).map(|at| bytes.get(at + 1..).unwrap_or_default());
    path.starts_with('/') && !parts.any(odd)
}

/// Joins and cleans as Go's `filepath.Join`: an absolute `path` is appended to `base` and does not replace it.
#[must_use]
pub fn join_clean(base: &Utf8Path, path: &str) -> Utf8PathBuf {
    if path.is_empty() {
        return clean(base.as_str());
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    let mut joined = String::with_capacity(base.as_str().len() + 1 + path.len());
    joined.push_str(base.as_str());
    joined.push('/');
    joined.push_str(path);
    if is_plain(&joined) {
        return Utf8PathBuf::from(joined);
    }
    clean(&joined)
}

/// The path that a text in a file of `dir` denotes: an absolute one is unchanged.
#[must_use]
pub fn resolve(dir: &Utf8Path, path: &str) -> Utf8PathBuf {
    if path.starts_with('/') {
        clean(path)
    } else {
        join_clean(dir, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_paths_as_their_names_are_ordered() {
        let paths = [
            "/", "/a", "/a/b", "/a/b/c", "/a-b", "/a-b/c", "/a.b", "/aa", "/a/ü", "/a/b-c", "/b",
        ];
        for (a, b) in paths
            .iter()
            .flat_map(|a| paths.map(|b| (Utf8Path::new(a), Utf8Path::new(b))))
        {
            assert_eq!(path_order(a, b), a.cmp(b), "{a} {b}");
        }
    }

    #[test]
    fn cleans_as_go_does() {
        for (from, to) in [
            ("", "."),
            ("a/../b", "b"),
            ("/..", "/"),
            ("/a/./b//c/..", "/a/b"),
            ("../../a", "../../a"),
            ("a/..", "."),
            ("../a/..", ".."),
            ("/a/b", "/a/b"),
            ("/a/", "/a"),
            ("/a/..b/.c/d.", "/a/..b/.c/d."),
            ("/a/.", "/a"),
            ("/a/..", "/"),
            ("/", "/"),
            ("a/b", "a/b"),
        ] {
            assert_eq!(clean(from), to, "{from}");
        }
        assert_eq!(
            join_clean(Utf8Path::new("/base"), "/etc/a.yaml"),
            "/base/etc/a.yaml"
        );
        assert_eq!(
            join_clean(Utf8Path::new("/base"), "sub/../x.yaml"),
            "/base/x.yaml"
        );
    }
}
