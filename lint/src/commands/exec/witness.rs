//! Records what the disk answered while linting, so that it can be checked again before the engine is started.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use applyorder_analysis::files::{DirEntries, FileKind, Files, ReadError};
use camino::{Utf8Path, Utf8PathBuf};
use siphasher::sip128::{Hasher128, SipHasher24};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Question {
    Read,
    List,
    Kind,
    Target,
    Canonical,
}

/// The answer to a question, as a hash that only this process can predict; `None` if there were two different answers.
type Answers = BTreeMap<(Utf8PathBuf, Question), Option<u128>>;

/// Wraps other files and records what they answered.
pub(super) struct Witness {
    base: Arc<dyn Files>,
    keys: (u64, u64),
    answers: Mutex<Answers>,
    unreadable: Mutex<BTreeMap<Utf8PathBuf, ReadError>>,
}

impl Witness {
    /// With nothing recorded.
    pub(super) fn new(base: Arc<dyn Files>) -> Self {
        let key = |n: u8| RandomState::new().hash_one(n);
        Self {
            base,
            keys: (key(0), key(1)),
            answers: Mutex::default(),
            unreadable: Mutex::default(),
        }
    }

    /// The first path for which the disk gives a different answer now.
    pub(super) fn first_change(&self) -> Option<Utf8PathBuf> {
        let answers = self
            .answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let differs = |((path, question), before): &(&(Utf8PathBuf, Question), &Option<u128>)| {
            let now = match question {
                Question::Read => self.number(&self.base.read(path)),
                Question::List => self.number(&self.base.list(path)),
                Question::Kind => self.number(&self.base.kind(path, false)),
                Question::Target => self.number(&self.base.kind(path, true)),
                Question::Canonical => self.number(&self.base.canonical(path)),
            };
            **before != Some(now)
        };
        let changed = answers.iter().find(differs);
        changed.map(|((path, _), _)| path.clone())
    }

    /// The first file that exists but could not be read.
    pub(super) fn first_unreadable(&self) -> Option<(Utf8PathBuf, ReadError)> {
        let unreadable = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner);
        unreadable
            .first_key_value()
            .map(|(path, error)| (path.clone(), error.clone()))
    }

    fn number(&self, answer: &impl Hash) -> u128 {
        let mut hasher = Portable(SipHasher24::new_with_keys(self.keys.0, self.keys.1));
        answer.hash(&mut hasher);
        hasher.0.finish128().into()
    }

    fn note<T: Hash>(&self, path: &Utf8Path, question: Question, answer: T) -> T {
        let number = self.number(&answer);
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = answers.entry((path.to_owned(), question)).or_insert(Some(number));
        if *known != Some(number) {
            *known = None;
        }
        answer
    }

    fn note_unreadable(&self, path: &Utf8Path, error: &ReadError) {
        // "Not found" and "is a directory" are valid answers, not failures.
        if !matches!(
            error,
            ReadError::NotFound | ReadError::IsDirectory | ReadError::NotDirectory
        ) {
            let mut unreadable = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner);
            unreadable.insert(path.to_owned(), error.clone());
        }
    }
}

struct Portable(SipHasher24);

impl Hasher for Portable {
    fn finish(&self) -> u64 {
        self.0.finish()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }
}

impl Files for Witness {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        let answer = self.base.read(path);
        match &answer {
            Err(error) => self.note_unreadable(path, error),
            Ok(bytes) => {
                if let Err(e) = std::str::from_utf8(bytes) {
                    self.note_unreadable(path, &ReadError::NotUtf8(e.valid_up_to()));
                }
            }
        }
        self.note(path, Question::Read, answer)
    }

    fn list(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError> {
        let answer = self.base.list(dir);
        if let Err(error) = &answer {
            self.note_unreadable(dir, error);
        }
        self.note(dir, Question::List, answer)
    }

    fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        let question = if follow_links {
            Question::Target
        } else {
            Question::Kind
        };
        self.note(path, question, self.base.kind(path, follow_links))
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.note(path, Question::Canonical, self.base.canonical(path))
    }

    fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        self.base.vcs_root(dir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::files::DiskFiles;

    #[test]
    fn what_changes_after_it_was_asked_is_found() {
        let temp = crate::temp::temporary();
        let dir = Utf8Path::from_path(temp.path()).unwrap().to_owned();
        let (a, b) = (dir.join("a"), dir.join("b"));
        std::fs::write(&a, "one").unwrap();
        let witness = || {
            let witness = Witness::new(Arc::new(DiskFiles::default()));
            assert_eq!(&*witness.read(&a).unwrap(), b"one");
            assert!(witness.read(&b).is_err());
            assert_eq!(witness.list(&dir).unwrap().len(), 1);
            assert_eq!(witness.kind(&b, true), None);
            witness
        };
        let before = witness();
        assert_eq!(before.first_change(), None);
        std::fs::write(&a, "two").unwrap();
        assert_eq!(before.first_change(), Some(a.clone()));
        std::fs::write(&a, "one").unwrap();
        assert_eq!(before.first_change(), None);
        std::fs::write(dir.join("c"), "").unwrap();
        assert_eq!(before.first_change(), Some(dir.clone()), "another entry");
        std::fs::remove_file(dir.join("c")).unwrap();
        std::fs::write(&b, "").unwrap();
        assert!(before.first_change().is_some());
    }

    #[test]
    fn two_answers_in_one_run_are_a_change() {
        let temp = crate::temp::temporary();
        let a = Utf8Path::from_path(temp.path()).unwrap().join("a");
        std::fs::write(&a, "one").unwrap();
        let witness = Witness::new(Arc::new(DiskFiles::default()));
        witness.read(&a).unwrap();
        std::fs::write(&a, "two").unwrap();
        witness.read(&a).unwrap();
        assert_eq!(witness.first_change(), Some(a));
    }

    #[test]
    fn a_file_that_is_not_text_is_unreadable() {
        let temp = crate::temp::temporary();
        let a = Utf8Path::from_path(temp.path()).unwrap().join("a");
        std::fs::write(&a, b"\xff").unwrap();
        let witness = Witness::new(Arc::new(DiskFiles::default()));
        assert!(witness.first_unreadable().is_none());
        witness.read(&a).unwrap();
        witness.read(&a.join("below")).unwrap_err();
        assert_eq!(witness.first_unreadable(), Some((a, ReadError::NotUtf8(0))));
    }
}
