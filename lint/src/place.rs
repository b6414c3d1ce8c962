//! Positions for humans and programs: the only place where byte offsets become lines and columns.

use std::sync::Arc;

use applyorder_analysis::diagnostic::Place;
use applyorder_analysis::store::Source;
use applyorder_analysis::syntax::text::{Encoding, LineCol, Span};
use applyorder_analysis::workspace::Analysis;
use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// Displays paths relative to a directory.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The directory, absolute and clean.
    pub cwd: Utf8PathBuf,
}

impl Paths {
    /// How many levels up a path is still shown relative.
    const MOST_UP: usize = 3;

    /// A path as displayed: relative if it is below the directory or slightly above it, else absolute. With `/` between
    /// names on every system.
    #[must_use]
    pub fn show(&self, path: &Utf8Path) -> String {
        if let Ok(below) = path.strip_prefix(&self.cwd) {
            return if below.as_str().is_empty() {
                ".".to_owned()
            } else {
                slashes(below)
            };
        }
        let shared = self
            .cwd
            .components()
            .zip(path.components())
            .take_while(|(a, b)| a == b)
            .count();
        let up = self.cwd.components().count().saturating_sub(shared);
        let below_root = |c: Option<Utf8Component<'_>>| matches!(c, Some(Utf8Component::Normal(_)));
        if up > Self::MOST_UP || shared == 0 || !below_root(path.components().nth(shared - 1)) {
            return slashes(path);
        }
        let mut shown = vec![".."; up].join("/");
        for part in path.components().skip(shared) {
            shown.push('/');
            shown.push_str(part.as_str());
        }
        shown
    }
}

pub(crate) fn slashes(path: &Utf8Path) -> String {
    if cfg!(windows) {
        path.as_str().replace('\\', "/")
    } else {
        path.to_string()
    }
}

/// A place with its file's text.
#[derive(Clone, Debug)]
pub struct Position<'a> {
    /// The file's path.
    pub path: &'a Utf8Path,
    /// The range of bytes, inside the text.
    pub span: Span,
    /// The text; `None` if the file could not be read.
    source: Option<&'a Arc<Source>>,
}

impl<'a> Position<'a> {
    /// The current position of a place.
    #[must_use]
    pub fn of(analysis: &'a Analysis, place: Place) -> Self {
        let source = analysis.source(place.file);
        let length = source.map_or(0, |s| s.text.len());
        let Span { start, end } = analysis.span(place);
        let fit = |offset: u32| {
            let mut offset = (offset as usize).min(length);
            while source.is_some_and(|s| !s.text.is_char_boundary(offset)) {
                offset -= 1;
            }
            offset
        };
        let start = fit(start);
        Self {
            path: analysis.path(place.file),
            span: Span::from_usize(start, fit(end).max(start)),
            source,
        }
    }

    /// Line and column of the start, both from 0.
    #[must_use]
    pub fn start(&self, encoding: Encoding) -> LineCol {
        self.line_col(self.span.start, encoding)
    }

    /// Line and column of the end, both from 0.
    #[must_use]
    pub fn end(&self, encoding: Encoding) -> LineCol {
        self.line_col(self.span.end, encoding)
    }

    fn line_col(&self, offset: u32, encoding: Encoding) -> LineCol {
        self.source.map_or_else(LineCol::default, |s| {
            s.lines().line_col(&s.text, offset, encoding)
        })
    }

    /// `path:line:column` for humans: lines and characters from 1.
    #[must_use]
    pub fn show(&self, paths: &Paths) -> String {
        let LineCol { line, col } = self.start(Encoding::Utf32);
        format!(
            "{}:{}:{}",
            crate::escape::line_start(&paths.show(self.path)),
            u64::from(line) + 1,
            u64::from(col) + 1
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_below_and_a_little_above() {
        let paths = Paths {
            cwd: "/repo/a/b".into(),
        };
        for (path, shown) in [
            ("/repo/a/b/x.yaml", "x.yaml"),
            ("/repo/a/b", "."),
            ("/repo/a/x.yaml", "../x.yaml"),
            ("/repo/c/x.yaml", "../../c/x.yaml"),
            ("/other/x.yaml", "/other/x.yaml"),
        ] {
            assert_eq!(paths.show(path.into()), shown);
        }
        let deep = Paths {
            cwd: "/repo/1/2/3/4".into(),
        };
        assert_eq!(deep.show("/repo/x".into()), "/repo/x");
    }
}
