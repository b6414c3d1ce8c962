//! What a project queried of the files: it becomes stale when any answer changes, including a "no".

use std::cmp::{Ordering, Reverse};
use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::{DirEntry, FileKind, Files, ReadError, path_order};
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
    pub fn of_list(entries: &Result<Arc<[DirEntry]>, ReadError>) -> Self {
        Self::of(entries)
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

    fn rank(&self) -> u8 {
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
    fn answer(&self, files: &dyn Files) -> Answer {
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
    asked: FxHashMap<Question, Answer>,
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
    /// [`AskedPaths::differing_after`], whatever the number of paths.
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

/// The questions of several askers by their paths, so that a disk event finds the affected ones without looking
/// at the others.
#[derive(Debug, Default)]
pub struct AskedPaths {
    /// In the order of their paths, name by name: everything below a path follows it. Equal questions are
    /// adjacent.
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    question: Question,
    answer: Answer,
    asker: u32,
}

impl Entry {
    fn of(asker: u32, (question, answer): (&Question, &Answer)) -> Self {
        Self {
            question: question.clone(),
            answer: *answer,
            asker,
        }
    }
}

impl AskedPaths {
    /// All questions, each set with the number of its asker.
    pub fn new<'a>(asked: impl IntoIterator<Item = (u32, &'a Questions)>) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        for (asker, questions) in asked {
            entries.extend(questions.asked.iter().map(|asked| Entry::of(asker, asked)));
        }
        Self::sorted(entries)
    }

    /// The questions whose answer may change when something is created or deleted at some paths: those about
    /// the paths, about what is below them, and about the parent directories. Looks at everything, but sorts
    /// only these.
    pub fn about<'a>(paths: &[&Utf8Path], asked: impl IntoIterator<Item = (u32, &'a Questions)>) -> Self {
        let above: FxHashSet<&str> = paths
            .iter()
            .flat_map(|p| p.ancestors())
            .map(Utf8Path::as_str)
            .collect();
        let concerns = |path: &Utf8Path| {
            above.contains(path.as_str()) || paths.iter().any(|dir| is_at_or_below(path, dir))
        };
        let mut entries: Vec<Entry> = Vec::new();
        for (asker, questions) in asked {
            let concerned = questions
                .asked
                .iter()
                .filter(|(question, _)| concerns(question.path()));
            entries.extend(concerned.map(|asked| Entry::of(asker, asked)));
        }
        Self::sorted(entries)
    }

    /// The same for files that exist, without the questions about contents: nothing is below a file, so that
    /// not everything has to be looked at.
    pub fn about_files<'a>(
        files: &[&Utf8Path],
        asked: impl IntoIterator<Item = (u32, &'a Questions)>,
    ) -> Self {
        let paths: FxHashSet<&Utf8Path> = files.iter().flat_map(|file| file.ancestors()).collect();
        let mut wanted: FxHashSet<Question> = FxHashSet::default();
        for path in paths {
            let path: Arc<Utf8Path> = path.into();
            wanted.extend([
                Question::List(path.clone()),
                Question::Hidden(path.clone()),
                Question::Kind(path.clone()),
                Question::Target(path.clone()),
                Question::Canonical(path),
            ]);
        }
        let mut entries: Vec<Entry> = Vec::new();
        for (asker, questions) in asked {
            let is_few = wanted.len() <= questions.len();
            let found = wanted
                .iter()
                .filter_map(|question| questions.asked.get_key_value(question));
            let found = is_few.then_some(found).into_iter().flatten();
            let all = questions
                .asked
                .iter()
                .filter(|(question, _)| wanted.contains(*question));
            let all = (!is_few).then_some(all).into_iter().flatten();
            entries.extend(found.chain(all).map(|asked| Entry::of(asker, asked)));
        }
        Self::sorted(entries)
    }

    fn sorted(mut entries: Vec<Entry>) -> Self {
        entries.sort_unstable_by(|a, b| {
            path_order(a.question.path(), b.question.path())
                .then_with(|| a.question.rank().cmp(&b.question.rank()))
                .then_with(|| a.asker.cmp(&b.asker))
        });
        Self { entries }
    }

    /// Every path that some of the askers asked about, in order and once.
    pub fn paths(&self, is_asker: impl Fn(u32) -> bool) -> impl Iterator<Item = &Utf8Path> {
        let chunks = self
            .entries
            .chunk_by(|a, b| a.question.path().as_str() == b.question.path().as_str());
        chunks
            .filter(move |same| same.iter().any(|entry| is_asker(entry.asker)))
            .filter_map(|same| Some(same.first()?.question.path()))
    }

    /// The paths about which some answer differs now, except for contents.
    pub fn differing<'a>(
        &'a self,
        files: &'a dyn Files,
        is_wanted: impl Fn(&Utf8Path) -> bool + 'a,
    ) -> impl Iterator<Item = &'a Utf8Path> {
        let same = self.entries.chunk_by(|a, b| a.question == b.question);
        same.filter_map(move |same| {
            let question = &same.first()?.question;
            if !is_wanted(question.path()) {
                return None;
            }
            let now = question.answer(files);
            let differs = same.iter().any(|entry| entry.answer != now);
            differs.then_some(question.path())
        })
    }

    /// Whether a question is about a path, or about one below it.
    #[must_use]
    pub fn concern(&self, path: &Utf8Path) -> bool {
        !self.at_and_below(path).is_empty()
    }

    /// The askers that asked for the content of a path.
    pub fn readers_of(&self, path: &Utf8Path) -> impl Iterator<Item = u32> {
        let from = self.entries.get(self.start_of(path)..).unwrap_or_default();
        let reads =
            |entry: &&Entry| matches!(&entry.question, Question::Read(of) if of.as_str() == path.as_str());
        from.iter().take_while(reads).map(|entry| entry.asker)
    }

    fn at_and_below(&self, path: &Utf8Path) -> Range<usize> {
        let start = self.start_of(path);
        let rest = self.entries.get(start..).unwrap_or_default();
        start..start + rest.partition_point(|entry| is_at_or_below(entry.question.path(), path))
    }

    fn start_of(&self, path: &Utf8Path) -> usize {
        self.entries
            .partition_point(|entry| path_order(entry.question.path(), path) == Ordering::Less)
    }

    /// The askers whose answers differ now that something was created or deleted, or became something else, at
    /// these paths. Their parent directories may have been created or deleted with it, without an event of
    /// their own. Contents count as changed, except those that are known: unsaved texts, which no disk event
    /// changes, and those that the caller compares.
    #[must_use]
    pub fn differing_after(
        &self,
        paths: &[&Utf8Path],
        files: &dyn Files,
        is_known: impl Fn(&Utf8Path) -> bool,
    ) -> FxHashSet<u32> {
        let mut above: FxHashSet<&str> = FxHashSet::default();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for path in paths {
            ranges.push(self.at_and_below(path));
            let dirs = path.ancestors().skip(1);
            for dir in dirs.take_while(|dir| above.insert(dir.as_str())) {
                let start = self.start_of(dir);
                let rest = self.entries.get(start..).unwrap_or_default();
                let same = rest.partition_point(|entry| entry.question.path().as_str() == dir.as_str());
                // A query that reads a directory as a file does not depend on its entries.
                let reads = rest.partition_point(|entry| {
                    entry.question.path().as_str() == dir.as_str() && entry.question.rank() == 0
                });
                ranges.push(start + reads..start + same);
            }
        }
        ranges.sort_unstable_by_key(|range| (range.start, Reverse(range.end)));
        let mut differing = FxHashSet::default();
        let mut done = 0;
        for range in ranges {
            let fresh = range.start.max(done)..range.end;
            done = done.max(range.end);
            let entries = self.entries.get(fresh).unwrap_or_default();
            for same in entries.chunk_by(|a, b| a.question == b.question) {
                let Some(first) = same.first() else { continue };
                if matches!(&first.question, Question::Read(path) if is_known(path)) {
                    continue;
                }
                let now = first.question.answer(files);
                let differs = |entry: &&Entry| entry.answer == Answer::CONTENT || entry.answer != now;
                differing.extend(same.iter().filter(differs).map(|entry| entry.asker));
            }
        }
        differing
    }
}

fn is_at_or_below(path: &Utf8Path, dir: &Utf8Path) -> bool {
    let rest = path.as_str().strip_prefix(dir.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || dir.as_str().ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;

    fn asked(files: &dyn Files, questions: &[Question]) -> Questions {
        let mut asking = Asking::default();
        for question in questions {
            asking.ask(question.clone(), question.answer(files));
        }
        Arc::unwrap_or_clone(asking.finish())
    }

    fn path(text: &str) -> Arc<Utf8Path> {
        Utf8Path::new(text).into()
    }

    fn with(paths: &[&str]) -> MemoryFiles {
        let mut files = MemoryFiles::new();
        for path in paths {
            files.insert(*path, "");
        }
        files
    }

    #[test]
    fn an_event_affects_queries_whose_answers_differ() {
        let before = with(&["/w/a/x", "/w/a-b/x", "/w/c/d/x"]);
        let sets = [
            asked(&before, &[Question::List(path("/w/a"))]),
            asked(
                &before,
                &[Question::Kind(path("/w/a/y")), Question::List(path("/w"))],
            ),
            asked(&before, &[Question::Target(path("/w/a-b/x"))]),
            asked(&before, &[Question::Read(path("/w/c/d/x"))]),
            asked(&before, &[Question::Read(path("/w/c"))]),
            asked(&before, &[Question::Read(path("/w/unsaved"))]),
        ];
        let index = AskedPaths::new((0..).zip(&sets));
        let after = with(&["/w/a/x", "/w/a/y", "/w/a-b/x", "/w/c/d/x"]);
        let differing = |paths: &[&str], files: &dyn Files| {
            let paths: Vec<&Utf8Path> = paths.iter().map(|p| Utf8Path::new(*p)).collect();
            let ordered = |index: &AskedPaths| {
                let found = index.differing_after(&paths, files, |p| p == "/w/unsaved");
                let mut found: Vec<u32> = found.into_iter().collect();
                found.sort_unstable();
                found
            };
            let found = ordered(&index);
            assert_eq!(ordered(&AskedPaths::about(&paths, (0..).zip(&sets))), found);
            let mut happened = CameOrWent::default();
            paths.iter().for_each(|path| happened.add(path));
            let differs = |set: &Questions| set.differ_after(&happened, files, |p| p == "/w/unsaved");
            let each = (0u32..).zip(&sets).filter(|(_, set)| differs(set));
            assert_eq!(each.map(|(asker, _)| asker).collect::<Vec<_>>(), found);
            found
        };
        assert_eq!(differing(&["/w/a/y"], &after), [0, 1]);
        assert_eq!(differing(&["/w/a/y"], &before), [0; 0]);
        assert_eq!(differing(&["/w/a/x", "/w/z", "/w/unsaved"], &before), [0; 0]);
        let readers = |path: &str| index.readers_of(Utf8Path::new(path)).collect::<Vec<u32>>();
        assert_eq!(readers("/w/c/d/x"), [3]);
        assert_eq!([readers("/w/a"), readers("/w/a/y"), readers("/w/d")], [[0; 0]; 3]);
        // Contents always count as changed; their askers are below what was created or deleted.
        assert_eq!(differing(&["/w/c/d"], &before), [3]);
        assert_eq!(differing(&["/w/c"], &before), [3, 4]);
        assert_eq!(differing(&["/w/a/y", "/w/c/d/x"], &after), [0, 1, 3]);
        assert_eq!(differing(&["/"], &before), [3, 4]);
        // Files that exist and whose content is known.
        for file in ["/w/a/x", "/w/a/y", "/w/a-b/x", "/w/c/d/x"] {
            let file = [Utf8Path::new(file)];
            for files in [&before, &after] {
                let about = AskedPaths::about_files(&file, (0..).zip(&sets));
                let found = about.differing_after(&file, files, |_| true);
                assert_eq!(found, index.differing_after(&file, files, |_| true));
            }
        }
    }

    #[test]
    fn those_of_many_questions_that_were_asked_are_those_of_few() {
        let files = with(&["/w/a"]);
        let all = asked(&files, &["/w/a", "/w/b", "/w/c"].map(|p| Question::Read(path(p))));
        let one = asked(
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

    #[test]
    fn paths_come_in_order_and_once() {
        let files = MemoryFiles::default();
        let kinds = ["/b", "/a-b", "/a/c", "/a"].map(|p| Question::Kind(path(p)));
        let lists = ["/a/c"].map(|p| Question::List(path(p)));
        let sets = [asked(&files, &kinds), asked(&files, &lists)];
        let index = AskedPaths::new((0..).zip(&sets));
        let paths: Vec<&str> = index.paths(|_| true).map(Utf8Path::as_str).collect();
        assert_eq!(paths, ["/a", "/a/c", "/a-b", "/b"]);
        assert!(index.concern("/a".into()) && index.concern("/a/c".into()));
        assert!(!index.concern("/a/b".into()) && !index.concern("/c".into()));
        let second: Vec<&str> = index.paths(|asker| asker == 1).map(Utf8Path::as_str).collect();
        assert_eq!(second, ["/a/c"]);
        let now = with(&["/a/c"]);
        let differing: Vec<&Utf8Path> = index.differing(&now, |_| true).collect();
        assert_eq!(differing, ["/a", "/a/c", "/a/c"]);
    }
}
