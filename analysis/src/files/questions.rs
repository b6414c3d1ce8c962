//! What a project asked of the files: a later change of any answer, a "no" included, makes it stale.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

/// One question that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Question {
    /// The content of a file.
    Read(Utf8PathBuf),
    /// The entries of a directory.
    List(Utf8PathBuf),
    /// What stands at a path, or what it is with links resolved.
    Kind(Utf8PathBuf),
}

impl Question {
    /// The path asked about.
    #[must_use]
    pub fn path(&self) -> &Utf8Path {
        match self {
            Self::Read(path) | Self::List(path) | Self::Kind(path) => path,
        }
    }
}

/// A set of questions.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    asked: FxHashSet<Question>,
}

impl Questions {
    /// Notes a question.
    pub fn ask(&mut self, question: Question) {
        self.asked.insert(question);
    }

    /// Whether a change of the content of `path` can change an answer.
    #[must_use]
    pub fn touched_by_content(&self, path: &Utf8Path) -> bool {
        self.asked.contains(&Question::Read(path.to_owned()))
    }

    /// Whether the creation, deletion or change of kind of `path` can change an answer.
    #[must_use]
    pub fn touched_by_existence(&self, path: &Utf8Path) -> bool {
        self.touched_by_content(path)
            || self.asked.contains(&Question::Kind(path.to_owned()))
            || path
                .parent()
                .is_some_and(|dir| self.asked.contains(&Question::List(dir.to_owned())))
            || self.asked.iter().any(|q| q.path().starts_with(path))
    }

    /// Every question, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Question> {
        self.asked.iter()
    }
}
