//! Trees of files with marks in them, for tests.
//!
//! `//- /path` starts a file; `$0` is the cursor. Edits and answers are shown as text with marks, so that a
//! test reads like what the user sees.

use std::fmt::Write;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::diagnostic::FileId;
use crate::engines::{Offer, RunOptions};
use crate::files::MemoryFiles;
use crate::ide::FileSpan;
use crate::syntax::text::{TextEdit, apply_edits};
use crate::workspace::{Analysis, Workspace};

pub(crate) struct Fixture {
    pub(crate) analysis: Arc<Analysis>,
    /// The file and offset of `$0`, or the start of the first file.
    pub(crate) file: FileId,
    pub(crate) offset: u32,
}

impl Fixture {
    pub(crate) fn new(text: &str) -> Self {
        Self::with_options(text, RunOptions::default())
    }

    pub(crate) fn with_options(text: &str, options: RunOptions) -> Self {
        let mut files = MemoryFiles::new();
        let mut cursor: Option<(Utf8PathBuf, u32)> = None;
        let mut paths = Vec::new();
        for part in text.split("//- ").skip(1) {
            let (path, mut body) = part
                .split_once('\n')
                .map(|(p, b)| (Utf8PathBuf::from(p.trim()), b.to_owned()))
                .unwrap();
            if let Some(at) = body.find("$0") {
                body.replace_range(at..at + 2, "");
                cursor = Some((path.clone(), at as u32));
            }
            files.insert(path.clone(), body);
            paths.push(path);
        }
        let mut workspace = Workspace::new(Arc::new(files), options);
        paths.sort();
        workspace.offer(&paths, Offer::Found);
        workspace.refresh();
        let analysis = workspace.analysis();
        let (file, offset) = match cursor {
            Some((path, offset)) => (analysis.file(&path), offset),
            None => (paths.iter().find_map(|path| analysis.file(path)), 0),
        };
        let file = file.expect("the file of the cursor is known");
        Self {
            analysis,
            file,
            offset,
        }
    }

    pub(crate) fn text(&self, file: FileId) -> &str {
        &self.analysis.source(file).unwrap().text
    }

    /// A place as `path:line text`.
    pub(crate) fn show(&self, at: FileSpan) -> String {
        let source = self.analysis.source(at.file).unwrap();
        let line = source.lines().line(at.span.start) + 1;
        let name = self.analysis.path(at.file).file_name().unwrap();
        format!("{name}:{line} {}", at.span.slice(&source.text))
    }

    /// What files read after some edits, one after the other, in the form of a fixture.
    pub(crate) fn edited(&self, edits: &[(FileId, Vec<TextEdit>)]) -> String {
        let mut sorted: Vec<_> = edits.iter().collect();
        sorted.sort_by_key(|(file, _)| self.analysis.path(*file).to_owned());
        let mut out = String::new();
        for (file, edits) in sorted {
            let text = apply_edits(self.text(*file), edits);
            write!(out, "//- {}\n{text}", self.analysis.path(*file)).unwrap();
        }
        out
    }

    pub(crate) fn path(&self, path: &str) -> FileId {
        self.analysis.file(Utf8Path::new(path)).unwrap()
    }
}
