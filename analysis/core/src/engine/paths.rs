//! Paths that are written in files: what a move has to update, and where an editor can navigate.

use camino::{Utf8Path, Utf8PathBuf};

use crate::files::{clean, join_clean};
use applyorder_syntax::text::Span;

/// A path that is written in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WrittenPath {
    /// The value in the current text; if [`Self::is_part`], the path without what precedes it.
    pub span: Span,
    /// The path as the engine reads it.
    pub text: String,
    /// Where it starts from.
    pub from: StartsFrom,
    /// The path it refers to, absolute and clean; it need not exist.
    pub target: Utf8PathBuf,
    /// The files of a directory that are shown if the path refers to one, best first.
    pub shows: &'static [&'static str],
    /// Whether it is a part of a template, such as what follows `${path.module}`.
    pub is_part: bool,
}

/// What a relative path starts from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StartsFrom {
    /// The directory of this file.
    Beside(Utf8PathBuf),
    /// This directory.
    Dir(Utf8PathBuf),
}

impl StartsFrom {
    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Utf8Path {
        match self {
            Self::Beside(file) => file.parent().unwrap_or(Utf8Path::new("/")),
            Self::Dir(dir) => dir,
        }
    }
}

/// A file or directory that moves to another place.
#[derive(Clone, Copy, Debug)]
pub struct Move<'a> {
    /// Where it still is, absolute and clean.
    pub from: &'a Utf8Path,
    /// Where it will be.
    pub to: &'a Utf8Path,
}

impl Move<'_> {
    /// The location of a path after the move.
    #[must_use]
    pub fn of(&self, path: &Utf8Path) -> Utf8PathBuf {
        match path.strip_prefix(self.from) {
            Ok(below) if below.as_str().is_empty() => self.to.to_owned(),
            Ok(below) => self.to.join(below),
            Err(_) => path.to_owned(),
        }
    }

    /// A path as it has to be written after the move, in its current style. `None`: it can stay unchanged.
    #[must_use]
    pub fn rewritten(&self, path: &WrittenPath) -> Option<String> {
        let target = self.of(&path.target);
        let text = path.text.as_str();
        if text.starts_with('/') && clean(text) == path.target {
            return (target != path.target).then(|| with_slash_of(text, target.into_string()));
        }
        let start = match &path.from {
            StartsFrom::Beside(file) => StartsFrom::Beside(self.of(file)),
            StartsFrom::Dir(dir) => StartsFrom::Dir(self.of(dir)),
        };
        let dir = start.dir();
        if join_clean(dir, text) == target {
            return None;
        }
        let mut relative = relative(dir, &target);
        if text.starts_with('.') && !relative.starts_with("..") && relative != "." {
            relative.insert_str(0, "./");
        }
        // The text before a part of a template ends where the part's slash begins.
        if text.starts_with('/') {
            relative.insert(0, '/');
        }
        Some(with_slash_of(text, relative))
    }
}

/// Ends with a slash if `text` does.
fn with_slash_of(text: &str, mut path: String) -> String {
    if text.ends_with('/') && !path.ends_with('/') {
        path.push('/');
    }
    path
}

/// The relative path from an absolute directory to an absolute path, both clean.
#[must_use]
pub fn relative(dir: &Utf8Path, target: &Utf8Path) -> String {
    let (mut from, mut to) = (dir.components().peekable(), target.components().peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let up = from.map(|_| "..");
    let parts: Vec<&str> = up.chain(to.map(|part| part.as_str())).collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str, file: &str, from: &str, to: &str) -> Option<String> {
        let start = StartsFrom::Beside(file.into());
        let path = WrittenPath {
            span: Span::default(),
            text: text.to_owned(),
            target: join_clean(start.dir(), text),
            from: start,
            shows: &[],
            is_part: false,
        };
        let change = Move {
            from: from.into(),
            to: to.into(),
        };
        change.rewritten(&path)
    }

    #[test]
    fn a_path_keeps_its_meaning_and_its_manner() {
        let file = "/w/a/root.yaml";
        for (text, from, to, new) in [
            ("b/c.yaml", "/w/a/b", "/w/a/d", Some("d/c.yaml")),
            ("./b/c.yaml", "/w/a/b", "/w/a/d", Some("./d/c.yaml")),
            ("./b/", "/w/a/b", "/w/d", Some("../d/")),
            ("../b", "/w/b", "/w/a/b", Some("./b")),
            ("b", "/w/a/bb", "/w/a/d", None),
            ("b", "/w/a", "/w/d", None),
            ("../b", "/w/a", "/w/x/a", Some("../../b")),
            ("b", "/w/a/root.yaml", "/w/root.yaml", Some("a/b")),
            ("b", "/w/a/root.yaml", "/w/a/other.yaml", None),
            ("./x", "/w/a/x", "/w/a", Some(".")),
        ] {
            assert_eq!(rewritten(text, file, from, to).as_deref(), new, "{text} {from}");
        }
    }

    #[test]
    fn an_absolute_path_stays_absolute() {
        let path = WrittenPath {
            span: Span::default(),
            text: "/w/b/".to_owned(),
            from: StartsFrom::Dir("/w/a".into()),
            target: "/w/b".into(),
            shows: &[],
            is_part: false,
        };
        let change = Move {
            from: "/w/b".into(),
            to: "/v/c".into(),
        };
        assert_eq!(change.rewritten(&path).as_deref(), Some("/v/c/"));
    }
}
