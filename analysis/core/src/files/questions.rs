//! What a project asked of the files: a later change of any answer, a "no" included, makes it stale.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHasher};

use super::{DirEntry, FileKind, Files, ReadError};

/// One question that was asked. Paths are clean, and compared by their text.
#[derive(Clone, Debug)]
pub enum Question {
    /// The content of a file.
    Read(Utf8PathBuf),
    /// The entries of a directory.
    List(Utf8PathBuf),
    /// What stands at a path, links not followed.
    Kind(Utf8PathBuf),
    /// What stands at a path, links followed.
    Target(Utf8PathBuf),
    /// What a path is with links resolved.
    Canonical(Utf8PathBuf),
}

/// What was answered, as far as a later answer is compared with it. Contents are not: a new text makes its project
/// stale by the shape of its facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer(Option<u64>);

impl Answer {
    /// The answer to a question for a content.
    pub const CONTENT: Self = Self(None);

    fn of(answer: &(impl Hash + ?Sized)) -> Self {
        let mut hasher = FxHasher::default();
        answer.hash(&mut hasher);
        Self(Some(hasher.finish()))
    }

    /// The answer to [`Question::List`].
    #[must_use]
    pub fn of_list(entries: &Result<Arc<[DirEntry]>, ReadError>) -> Self {
        Self::of(entries)
    }

    /// The answer to [`Question::Kind`] and [`Question::Target`].
    #[must_use]
    pub fn of_kind(kind: Option<FileKind>) -> Self {
        Self::of(&kind)
    }

    /// The answer to [`Question::Canonical`].
    #[must_use]
    pub fn of_path(path: Option<&Utf8Path>) -> Self {
        Self::of(&path.map(Utf8Path::as_str))
    }
}

impl Question {
    /// The path asked about.
    #[must_use]
    pub fn path(&self) -> &Utf8Path {
        match self {
            Self::Read(path)
            | Self::List(path)
            | Self::Kind(path)
            | Self::Target(path)
            | Self::Canonical(path) => path,
        }
    }

    /// What the files answer now.
    fn answer(&self, files: &dyn Files) -> Answer {
        match self {
            Self::Read(_) => Answer::CONTENT,
            Self::List(dir) => Answer::of_list(&files.list(dir)),
            Self::Kind(path) => Answer::of_kind(files.kind(path, false)),
            Self::Target(path) => Answer::of_kind(files.kind(path, true)),
            Self::Canonical(path) => Answer::of_path(files.canonical(path).as_deref()),
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

/// Questions with their answers.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    asked: FxHashMap<Question, Answer>,
}

/// Questions as they are asked, on top of those that were asked before.
#[derive(Debug, Default)]
pub struct Asking {
    before: Option<Arc<Questions>>,
    asked: FxHashMap<Question, Answer>,
}

impl Asking {
    /// Questions that come to those of before.
    #[must_use]
    pub fn on_top_of(before: Option<Arc<Questions>>) -> Self {
        Self {
            before,
            asked: FxHashMap::default(),
        }
    }

    /// Notes a question and its answer.
    pub fn ask(&mut self, question: Question, answer: Answer) {
        let known = self.before.as_ref().and_then(|b| b.asked.get(&question));
        if known != Some(&answer) {
            self.asked.insert(question, answer);
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
        self.asked.contains_key(&Question::Read(path.to_owned()))
    }

    /// Whether an answer is another one after the creation, deletion or change of kind of `path`. The directories
    /// above may have come or gone with it, without a word of their own.
    #[must_use]
    pub fn differ_after(&self, path: &Utf8Path, files: &dyn Files) -> bool {
        let differs = |question: &Question, before: &Answer| {
            *before == Answer::CONTENT || question.answer(files) != *before
        };
        let above = path.ancestors().skip(1).any(|dir| {
            let questions = [
                Question::Kind,
                Question::Target,
                Question::Canonical,
                Question::List,
            ];
            questions.into_iter().any(|question| {
                let question = question(dir.to_owned());
                self.asked
                    .get(&question)
                    .is_some_and(|before| differs(&question, before))
            })
        });
        let text = path.as_str();
        let is_below = |question: &Question| {
            let rest = question.path().as_str().strip_prefix(text);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || text.ends_with('/'))
        };
        above
            || self
                .asked
                .iter()
                .any(|(q, before)| is_below(q) && differs(q, before))
    }

    /// Every question, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Question> {
        self.asked.keys()
    }
}
