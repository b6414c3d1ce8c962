//! Names that files declare and that projects ask for without reading these files: what is written in one
//! project may be meant for another. Names are kept as numbers, so that no knowledge of the engine's syntax is
//! needed to find them.

use std::sync::Arc;

use rpds::HashTrieMapSync;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::diagnostic::FileId;

/// A name that a file declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeclaredName {
    /// The whole name is known.
    Whole(u64),
    /// Only the beginning is known.
    Start(u64),
}

impl DeclaredName {
    /// A name.
    #[must_use]
    pub fn whole(name: &str) -> Self {
        Self::Whole(number(name))
    }

    /// Any name that begins with this.
    #[must_use]
    pub fn start(start: &str) -> Self {
        Self::Start(number(start))
    }
}

/// The number of the empty string.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// The number of a string and one more byte: the numbers of all its prefixes are computed in one pass.
const fn with(number: u64, byte: u8) -> u64 {
    (number ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3)
}

pub(crate) fn number(text: &str) -> u64 {
    text.bytes().fold(EMPTY, with)
}

/// The numbers of all prefixes of a string, the empty one first and the whole string last.
fn beginnings(text: &str) -> impl Iterator<Item = u64> {
    let longer = text.bytes().scan(EMPTY, |number, byte| {
        *number = with(*number, byte);
        Some(*number)
    });
    std::iter::once(EMPTY).chain(longer)
}

/// Names that were added or removed.
pub type ChangedNames = FxHashSet<DeclaredName>;

/// The names that some files declare, each with these files. A clone shares its data with the original.
#[derive(Clone)]
pub struct DeclaredNames {
    files: HashTrieMapSync<DeclaredName, Arc<[FileId]>, FxBuildHasher>,
    /// For how many names only the beginning is known.
    starts: usize,
}

impl Default for DeclaredNames {
    fn default() -> Self {
        Self {
            files: HashTrieMapSync::new_with_hasher_and_ptr_kind(FxBuildHasher),
            starts: 0,
        }
    }
}

impl DeclaredNames {
    /// Which of some names are declared by a file that is not one of the project's own.
    #[must_use]
    pub fn elsewhere(&self, names: &[&str], is_own: impl Fn(FileId) -> bool) -> Vec<bool> {
        // Many names may share a prefix, and many own files may declare it.
        let mut known: FxHashMap<DeclaredName, bool> = FxHashMap::default();
        let mut is_elsewhere = |name: DeclaredName| {
            let Some(files) = self.files.get(&name) else {
                return false;
            };
            let look = || files.iter().any(|file| !is_own(*file));
            *known.entry(name).or_insert_with(look)
        };
        let mut is_declared = |name: &str| {
            is_elsewhere(DeclaredName::whole(name))
                || self.starts > 0 && beginnings(name).any(|start| is_elsewhere(DeclaredName::Start(start)))
        };
        names.iter().map(|name| is_declared(name)).collect()
    }

    fn put(&mut self, name: DeclaredName, files: Vec<FileId>) {
        let is_start = usize::from(matches!(name, DeclaredName::Start(_)));
        let before = self.files.size();
        if files.is_empty() {
            self.files.remove_mut(&name);
            self.starts -= is_start * (before - self.files.size());
        } else {
            self.files.insert_mut(name, files.into());
            self.starts += is_start * (self.files.size() - before);
        }
    }

    fn note(&mut self, name: DeclaredName, file: FileId, declares: bool) {
        let mut files: Vec<FileId> = self
            .files
            .get(&name)
            .map(|files| files.to_vec())
            .unwrap_or_default();
        match (files.binary_search(&file), declares) {
            (Err(at), true) => files.insert(at, file),
            (Ok(at), false) => drop(files.remove(at)),
            _ => return,
        }
        self.put(name, files);
    }
}

/// What each of some files declares, and the same by names.
#[derive(Default)]
pub struct NamesOfFiles {
    /// In order, each once.
    of: FxHashMap<FileId, Arc<[DeclaredName]>>,
    all: DeclaredNames,
}

impl FromIterator<(FileId, Vec<DeclaredName>)> for NamesOfFiles {
    fn from_iter<T: IntoIterator<Item = (FileId, Vec<DeclaredName>)>>(files: T) -> Self {
        let mut out = Self::default();
        let mut by_name: FxHashMap<DeclaredName, Vec<FileId>> = FxHashMap::default();
        for (file, names) in files {
            let names = sorted(names);
            for name in &*names {
                by_name.entry(*name).or_default().push(file);
            }
            out.of.insert(file, names);
        }
        for (name, mut files) in by_name {
            files.sort_unstable();
            files.dedup();
            out.all.put(name, files);
        }
        out
    }
}

fn sorted(mut names: Vec<DeclaredName>) -> Arc<[DeclaredName]> {
    names.sort_unstable();
    names.dedup();
    names.into()
}

impl NamesOfFiles {
    /// The names, with the files that declare them.
    #[must_use]
    pub fn names(&self) -> &DeclaredNames {
        &self.all
    }

    /// Records what one of the files declares now, and returns the names that were added or removed.
    pub fn set(&mut self, file: FileId, names: Vec<DeclaredName>) -> ChangedNames {
        let Some(of) = self.of.get_mut(&file) else {
            return ChangedNames::default();
        };
        let names = sorted(names);
        let before = std::mem::replace(of, names.clone());
        let changed = differences(&before, &names);
        for name in &changed {
            self.all.note(*name, file, names.binary_search(name).is_ok());
        }
        changed
    }

    /// The names that are declared in only one of the two states.
    #[must_use]
    pub fn differences(&self, other: &Self) -> ChangedNames {
        let of = |files: &Self, file: &FileId| files.of.get(file).cloned().unwrap_or_default();
        let own = self.of.keys();
        let others = other.of.keys().filter(|file| !self.of.contains_key(file));
        let mut changed = ChangedNames::default();
        for file in own.chain(others) {
            let (own, other) = (of(self, file), of(other, file));
            if own != other {
                changed.extend(differences(&own, &other));
            }
        }
        changed
    }
}

/// What is in only one of two sorted lists.
fn differences(a: &[DeclaredName], b: &[DeclaredName]) -> ChangedNames {
    let only_a = a.iter().filter(|name| b.binary_search(name).is_err());
    let only_b = b.iter().filter(|name| a.binary_search(name).is_err());
    only_a.chain(only_b).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<DeclaredName> {
        let name = |name: &str| match name.strip_suffix('*') {
            Some(start) => DeclaredName::start(start),
            None => DeclaredName::whole(name),
        };
        text.split_whitespace().map(name).collect()
    }

    fn files(texts: &[&str]) -> NamesOfFiles {
        (0..)
            .map(FileId)
            .zip(texts.iter().map(|text| names(text)))
            .collect()
    }

    fn elsewhere(files: &NamesOfFiles, names: &[&str], own: u32) -> Vec<bool> {
        files.names().elsewhere(names, |file| file == FileId(own))
    }

    #[test]
    fn own_files_declare_nothing_for_others_and_beginnings_fit_what_follows() {
        let files = files(&["a b", "b ä*", "c-* c-*", ""]);
        let asked = ["a", "b", "äx", "ä", "c-", "c", "d", ""];
        let of = |own: u32| elsewhere(&files, &asked, own);
        assert_eq!(of(3), [true, true, true, true, true, false, false, false]);
        assert_eq!(of(0), [false, true, true, true, true, false, false, false]);
        assert_eq!(of(1), [true, true, false, false, true, false, false, false]);
        assert_eq!(of(2), [true, true, true, true, false, false, false, false]);
    }

    #[test]
    fn a_file_that_changes_says_which_names_come_and_go() {
        let mut now = files(&["a b", "b c*", ""]);
        let changed = |text: &str| ChangedNames::from_iter(names(text));
        assert_eq!(now.set(FileId(0), names("b a a")), changed(""));
        assert_eq!(now.set(FileId(1), names("a")), changed("a b c*"));
        assert_eq!(now.set(FileId(2), names("d")), changed("d"));
        assert_eq!(
            elsewhere(&now, &["a", "b", "c", "d"], 0),
            [true, false, false, true]
        );
        assert_eq!(
            elsewhere(&now, &["a", "b", "c", "d"], 9),
            [true, true, false, true]
        );
        let afresh = files(&["a b", "a", "d"]);
        assert_eq!(now.differences(&afresh), changed(""));
        assert_eq!(afresh.differences(&files(&["a", "a e*"])), changed("b e* d"));
        assert_eq!(now.set(FileId(2), Vec::new()), changed("d"));
        assert_eq!(now.set(FileId(3), names("d")), changed(""));
        assert_eq!(now.names().starts, 0);
        assert_eq!(now.set(FileId(2), names("x*")), changed("x*"));
        assert_eq!(now.names().starts, 1);
    }
}
