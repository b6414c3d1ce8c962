//! What a project queried of the files: it becomes stale when any answer changes, including a "no".

use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::num::NonZeroU64;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::{DirEntries, DirEntry, FileKind, Files, ReadError};
use crate::declared::{ChangedNames, DeclaredName, number};

/// One recorded query. Paths are clean, compared by their text, and shared: a project makes one or two queries
/// for each of its files.
#[derive(Clone, Debug)]
pub enum Question {
    /// The content of a file.
    Read(Arc<Utf8Path>),
    /// The entries of a directory.
    List(Arc<Utf8Path>),
    /// The hidden directories among the entries of a directory.
    Hidden(Arc<Utf8Path>),
    /// What exists at a path, links not followed.
    Kind(Arc<Utf8Path>),
    /// What exists at a path, links followed.
    Target(Arc<Utf8Path>),
    /// A path with its links resolved.
    Canonical(Arc<Utf8Path>),
}

/// The answer, as far as a later answer is compared with it. Contents are not compared: a new text makes its
/// project stale by the shape of its facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer(Option<NonZeroU64>);

impl Answer {
    /// The answer to a question for a content.
    pub const CONTENT: Self = Self(None);

    fn of(answer: &(impl Hash + ?Sized)) -> Self {
        let mut hasher = FxHasher::default();
        answer.hash(&mut hasher);
        Self(Some(NonZeroU64::MIN | hasher.finish()))
    }

    /// The answer to [`Question::List`].
    #[must_use]
    pub fn of_list(entries: &Result<DirEntries, ReadError>) -> Self {
        Self::of(&entries.as_ref().map(DirEntries::fingerprint))
    }

    /// The answer to [`Question::Hidden`].
    #[must_use]
    pub fn of_hidden(entries: &[DirEntry]) -> Self {
        let names: Vec<&str> = hidden_dirs(entries).map(|entry| entry.name.as_str()).collect();
        Self::of(&names)
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
            | Self::Hidden(path)
            | Self::Kind(path)
            | Self::Target(path)
            | Self::Canonical(path) => path,
        }
    }

    /// The position of its kind among the questions about one path.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Read(_) => 0,
            Self::List(_) => 1,
            Self::Hidden(_) => 2,
            Self::Kind(_) => 3,
            Self::Target(_) => 4,
            Self::Canonical(_) => 5,
        }
    }

    /// The current answer of the files.
    pub(super) fn answer(&self, files: &dyn Files) -> Answer {
        match self {
            Self::Read(_) => Answer::CONTENT,
            Self::List(dir) => Answer::of_list(&files.list(dir)),
            Self::Hidden(dir) => Answer::of_hidden(&files.list(dir).unwrap_or_default()),
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

/// The directories among some entries, in byte order, whose names begin with a dot.
pub(crate) fn hidden_dirs(entries: &[DirEntry]) -> impl Iterator<Item = &DirEntry> {
    // Among many entries they are few and adjacent.
    let start = entries.partition_point(|entry| entry.name.as_str() < ".");
    let behind = entries.get(start..).unwrap_or_default().iter();
    let hidden = behind.take_while(|entry| entry.name.starts_with('.'));
    hidden.filter(|entry| entry.kind == FileKind::Directory)
}

/// Questions with their answers.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    pub(super) asked: FxHashMap<Question, Answer>,
    /// The numbers of the names that others may declare.
    names: FxHashSet<u64>,
}

/// Queries as they are recorded, in addition to earlier ones.
#[derive(Debug, Default)]
pub struct Asking {
    before: Option<Arc<Questions>>,
    asked: FxHashMap<Question, Answer>,
    names: FxHashSet<u64>,
}

impl Asking {
    /// Adds to the queries from before.
    #[must_use]
    pub fn on_top_of(before: Option<Arc<Questions>>) -> Self {
        Self {
            before,
            ..Self::default()
        }
    }

    /// Records a question and its answer.
    pub fn ask(&mut self, question: Question, answer: Answer) {
        let known = self.before.as_ref().and_then(|b| b.asked.get(&question));
        if known != Some(&answer) {
            self.asked.insert(question, answer);
        }
    }

    /// Records a query whether others declare a name.
    pub fn ask_for_name(&mut self, name: &str) {
        let name = number(name);
        let is_known = self.before.as_ref().is_some_and(|b| b.names.contains(&name));
        if !is_known {
            self.names.insert(name);
        }
    }

    /// All of them; the previous set itself if nothing new was asked.
    #[must_use]
    pub fn finish(self) -> Arc<Questions> {
        match self.before {
            Some(before) if self.asked.is_empty() && self.names.is_empty() => before,
            Some(before) => {
                let mut all = Arc::unwrap_or_clone(before);
                all.asked.extend(self.asked);
                all.names.extend(self.names);
                Arc::new(all)
            }
            None => Arc::new(Questions {
                asked: self.asked,
                names: self.names,
            }),
        }
    }
}

impl Questions {
    /// How many questions were asked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.asked.len()
    }

    /// Whether nothing was asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// Whether a question was asked.
    #[must_use]
    pub fn contain(&self, question: &Question) -> bool {
        self.asked.contains_key(question)
    }

    /// Whether one of some names was queried, or may have been.
    #[must_use]
    pub fn ask_for(&self, names: &ChangedNames) -> bool {
        let asked = |name: &DeclaredName| match name {
            DeclaredName::Whole(number) => self.names.contains(number),
            DeclaredName::Start(_) => true,
        };
        !self.names.is_empty() && names.iter().any(asked)
    }

    /// The values of those of some questions that were asked. Iterates over the smaller of the two sets.
    pub fn among<'a, T>(&'a self, questions: &'a FxHashMap<Question, T>) -> impl Iterator<Item = &'a T> {
        let is_few = questions.len() <= self.asked.len();
        let asked = questions.iter().filter(|(question, _)| self.contain(question));
        let asked = is_few.then(|| asked.map(|(_, of)| of));
        let found = self.asked.keys().filter_map(|question| questions.get(question));
        let found = (!is_few).then_some(found);
        asked.into_iter().flatten().chain(found.into_iter().flatten())
    }

    /// Whether some answer differs now that something was created or deleted: as for one asker of
    /// `AskedPaths::differing_after`, whatever the number of paths.
    #[must_use]
    pub fn differ_after(
        &self,
        happened: &CameOrWent,
        files: &dyn Files,
        is_known: impl Fn(&Utf8Path) -> bool,
    ) -> bool {
        self.asked.iter().any(|(question, answer)| {
            let is_kept = || matches!(question, Question::Read(path) if is_known(path));
            let differs = || *answer == Answer::CONTENT || *answer != question.answer(files);
            happened.concerns(question) && !is_kept() && differs()
        })
    }

    /// Every question, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Question> {
        self.asked.keys()
    }
}

/// Paths at which something was created or deleted, or became something else.
#[derive(Clone, Debug, Default)]
pub struct CameOrWent {
    paths: FxHashSet<Utf8PathBuf>,
    above: FxHashSet<Utf8PathBuf>,
}

impl CameOrWent {
    /// Adds a path.
    pub fn add(&mut self, path: &Utf8Path) {
        if self.paths.insert(path.to_owned()) {
            let mut above = path.ancestors().skip(1);
            while above.next().is_some_and(|dir| self.above.insert(dir.to_owned())) {}
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Whether the answer to a question may depend on them.
    fn concerns(&self, question: &Question) -> bool {
        let path = question.path();
        // A query that reads a directory as a file does not depend on its entries.
        let lists = !matches!(question, Question::Read(_));
        lists && self.above.contains(path) || path.ancestors().any(|above| self.paths.contains(above))
    }
}

#[cfg(test)]
impl Questions {
    /// Some questions as the files answer them.
    pub(super) fn of(files: &dyn Files, questions: &[Question]) -> Self {
        let mut asking = Asking::default();
        for question in questions {
            asking.ask(question.clone(), question.answer(files));
        }
        Arc::unwrap_or_clone(asking.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;

    fn path(text: &str) -> Arc<Utf8Path> {
        Utf8Path::new(text).into()
    }

    #[test]
    fn those_of_many_questions_that_were_asked_are_those_of_few() {
        let files = MemoryFiles::new();
        let all = Questions::of(&files, &["/w/a", "/w/b", "/w/c"].map(|p| Question::Read(path(p))));
        let one = Questions::of(
            &files,
            &[Question::Read(path("/w/b")), Question::Kind(path("/w/a"))],
        );
        let of = |paths: &[&'static str]| -> FxHashMap<Question, &'static str> {
            paths.iter().map(|p| (Question::Read(path(p)), *p)).collect()
        };
        let found = |asked: &Questions, paths: &[&'static str]| {
            let mut found: Vec<&str> = asked.among(&of(paths)).copied().collect();
            found.sort_unstable();
            found
        };
        assert_eq!(found(&all, &["/w/b"]), ["/w/b"]);
        assert_eq!(found(&one, &["/w/a", "/w/b", "/w/c"]), ["/w/b"]);
        assert_eq!(found(&all, &["/w/c", "/w/a"]), ["/w/a", "/w/c"]);
        assert_eq!(found(&one, &[]), [""; 0]);
    }
}
