//! What a project asked of the files: a later change of any answer, a "no" included, makes it stale.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

/// One question that was asked. Paths are clean, and compared by their text.
#[derive(Clone, Debug)]
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

impl PartialEq for Question {
    fn eq(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other) && self.path().as_str() == other.path().as_str()
    }
}

impl Eq for Question {}

impl Hash for Question {
    fn hash<H: Hasher>(&self, state: &mut H) {
        discriminant(self).hash(state);
        self.path().as_str().hash(state);
    }
}

/// A set of questions.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    asked: FxHashSet<Question>,
}

/// Questions as they are asked, on top of those that were asked before.
#[derive(Debug, Default)]
pub struct Asking {
    before: Option<Arc<Questions>>,
    asked: FxHashSet<Question>,
}

impl Asking {
    /// Questions that come to those of before.
    #[must_use]
    pub fn on_top_of(before: Option<Arc<Questions>>) -> Self {
        Self {
            before,
            asked: FxHashSet::default(),
        }
    }

    /// Notes a question.
    pub fn ask(&mut self, question: Question) {
        if self.before.as_ref().is_none_or(|b| !b.asked.contains(&question)) {
            self.asked.insert(question);
        }
    }

    /// All of them; the set from before itself where nothing new was asked.
    #[must_use]
    pub fn finish(self) -> Arc<Questions> {
        match self.before {
            Some(before) if self.asked.is_empty() => before,
            Some(before) => {
                let mut all = Arc::unwrap_or_clone(before);
                all.asked.extend(self.asked);
                Arc::new(all)
            }
            None => Arc::new(Questions { asked: self.asked }),
        }
    }
}

impl Questions {
    /// Whether a change of the content of `path` can change an answer.
    #[must_use]
    pub fn touched_by_content(&self, path: &Utf8Path) -> bool {
        self.asked.contains(&Question::Read(path.to_owned()))
    }

    /// Whether the creation, deletion or change of kind of `path` can change an answer. The directories above
    /// may have come or gone with it, without a word of their own.
    #[must_use]
    pub fn touched_by_existence(&self, path: &Utf8Path) -> bool {
        let above = path.ancestors().skip(1).any(|dir| {
            self.asked.contains(&Question::Kind(dir.to_owned()))
                || self.asked.contains(&Question::List(dir.to_owned()))
        });
        above || self.asked.iter().any(|q| q.path().starts_with(path))
    }

    /// Every question, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Question> {
        self.asked.iter()
    }
}
