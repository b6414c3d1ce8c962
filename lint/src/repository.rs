//! Paths relative to a repository, regardless of the directory in which a command was started: the file names in
//! reports that leave this machine.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};

use crate::place::slashes;
use crate::vcs::GitRoots;

/// The repositories of files.
#[derive(Debug)]
pub struct Repository {
    cwd: Utf8PathBuf,
    git: GitRoots,
    /// Maps a directory to its path in its repository.
    known: RefCell<HashMap<Utf8PathBuf, Option<Utf8PathBuf>>>,
}

impl Repository {
    /// Uses a directory as the root where there is no repository.
    #[must_use]
    pub fn new(cwd: &Utf8Path) -> Self {
        Self {
            cwd: cwd.to_owned(),
            git: GitRoots::default(),
            known: RefCell::default(),
        }
    }

    /// A path relative to its repository, or to the current directory without one. `None` for a path outside. With `/`
    /// between names on every system.
    #[must_use]
    pub fn path(&self, path: &Utf8Path) -> Option<String> {
        self.inside_of(path, || path.is_dir())
    }

    fn inside_of(&self, path: &Utf8Path, is_dir: impl Fn() -> bool) -> Option<String> {
        let (dir, name) = match (path.parent(), path.file_name()) {
            (Some(dir), Some(name)) if !is_dir() => (dir, name),
            _ => (path, ""),
        };
        let mut known = self.known.borrow_mut();
        if !known.contains_key(dir) {
            known.insert(dir.to_owned(), self.inside(dir));
        }
        let inside = known.get(dir)?.as_ref()?;
        Some(match (inside.as_str(), name) {
            ("", "") => ".".to_owned(),
            (_, "") => slashes(inside).trim_end_matches('/').to_owned(),
            _ => slashes(&inside.join(name)),
        })
    }

    /// A path for a report: relative to its repository, else unchanged.
    #[must_use]
    pub fn shown(&self, path: &Utf8Path) -> String {
        self.path(path).unwrap_or_else(|| slashes(path))
    }

    /// The same for a path that was read, so it is not a directory: the disk is not accessed.
    #[must_use]
    pub fn shown_file(&self, path: &Utf8Path) -> String {
        self.inside_of(path, || false).unwrap_or_else(|| slashes(path))
    }

    fn inside(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        // A directory of an earlier revision may no longer exist.
        let found = dir.ancestors().find(|d| d.is_dir()).and_then(|there| {
            let root = self.git.root(there)?;
            let real = there.canonicalize_utf8().ok()?;
            let below = dir.strip_prefix(there).ok()?;
            Some(real.strip_prefix(root).ok()?.join(below))
        });
        found.or_else(|| Some(dir.strip_prefix(&self.cwd).ok()?.to_owned()))
    }
}

/// An absolute path as a URL path, starting with `/`.
#[must_use]
pub fn url_path(path: &Utf8Path) -> String {
    let path = slashes(path);
    let uri = uri(path.trim_start_matches('/'));
    let uri = uri.strip_prefix("file:///").unwrap_or(&uri);
    // The colon of a drive.
    format!("/{}", uri.replacen("%3A", ":", usize::from(cfg!(windows))))
}

/// A path as a URI reference (RFC 3986): a relative reference for a relative path, else a `file` URI.
#[must_use]
pub fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len() + 8);
    if path.starts_with('/') {
        uri.push_str("file://");
    } else if Utf8Path::new(path).is_absolute() {
        uri.push_str("file:///");
    }
    for byte in path.bytes() {
        // A colon in the first segment of a relative reference would make the text before it a scheme.
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=@/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    fn uris_contain_only_valid_characters() {
        assert_eq!(uri("a/b c.yaml"), "a/b%20c.yaml");
        assert_eq!(uri("javascript:x"), "javascript%3Ax");
        assert_eq!(uri("ä\n\"<%"), "%C3%A4%0A%22%3C%25");
        assert_eq!(uri("/a/b"), "file:///a/b");
    }

    #[cfg(unix)]
    #[test]
    fn the_path_of_a_url_begins_with_its_slash() {
        assert_eq!(url_path("/a b/c:d.yaml".into()), "/a%20b/c%3Ad.yaml");
    }

    #[test]
    fn without_a_repository_the_current_directory_is_the_top() {
        let temp = crate::temp::temporary();
        let dir = Utf8Path::from_path(temp.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        std::fs::create_dir_all(dir.join("cwd/a")).unwrap();
        let repository = Repository::new(&dir.join("cwd"));
        for (path, inside) in [
            ("cwd/a/x", Some("a/x")),
            ("cwd/x", Some("x")),
            ("cwd", Some(".")),
            ("x", None),
        ] {
            assert_eq!(repository.path(&dir.join(path)).as_deref(), inside, "{path}");
        }
    }
}
