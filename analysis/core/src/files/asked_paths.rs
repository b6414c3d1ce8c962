//! The questions of many projects by their paths.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;
use std::sync::Arc;

use camino::Utf8Path;
use rustc_hash::FxHashSet;

use super::{Answer, Files, Question, Questions, path_order};

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
        let asked: Vec<(u32, &Questions)> = asked.into_iter().collect();
        // They are kept, and a vector that grows takes up to twice their room.
        let mut entries: Vec<Entry> = Vec::with_capacity(asked.iter().map(|(_, all)| all.len()).sum());
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
    use crate::files::{CameOrWent, MemoryFiles};

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
            Questions::of(&before, &[Question::List(path("/w/a"))]),
            Questions::of(
                &before,
                &[Question::Kind(path("/w/a/y")), Question::List(path("/w"))],
            ),
            Questions::of(&before, &[Question::Target(path("/w/a-b/x"))]),
            Questions::of(&before, &[Question::Read(path("/w/c/d/x"))]),
            Questions::of(&before, &[Question::Read(path("/w/c"))]),
            Questions::of(&before, &[Question::Read(path("/w/unsaved"))]),
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
    fn paths_come_in_order_and_once() {
        let files = MemoryFiles::default();
        let kinds = ["/b", "/a-b", "/a/c", "/a"].map(|p| Question::Kind(path(p)));
        let lists = ["/a/c"].map(|p| Question::List(path(p)));
        let sets = [Questions::of(&files, &kinds), Questions::of(&files, &lists)];
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
