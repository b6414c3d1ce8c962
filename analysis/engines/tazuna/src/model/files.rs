//! What came of each include.

use std::sync::Arc;

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::files::{FileKind, ReadError};
use applyorder_core::layer::{Budget, Pass};
use applyorder_core::nearest::{Signature, nearest_within};
use applyorder_core::store::Shape;
use camino::Utf8PathBuf;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::load::{Include, Includes, IncludesKey, Unreadable};
use crate::read::TazunaFacts;

/// A file that was read.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) file: FileId,
    pub(crate) shape: Shape,
    pub(super) facts: Arc<TazunaFacts>,
}

/// What came of one include.
pub(crate) enum Got {
    Read,
    /// There is no such file; the path of one that may be meant.
    Missing(Arc<Option<String>>),
    Unreadable(Unreadable),
    /// Its path is empty.
    Nowhere,
}

/// Reads the file of that number.
pub(super) fn open(pass: &Pass<'_>, file: FileId) -> Result<Opened, ReadError> {
    let read = pass.cx.read::<TazunaFacts>(file)?;
    Ok(Opened {
        file,
        shape: read.shape,
        facts: read.facts,
    })
}

/// What came of each include, with the files that could be read.
pub(super) fn open_all(pass: &Pass<'_>, includes: &Includes) -> Vec<Result<Opened, Got>> {
    pass.cx.memo().get(Asked(includes.key), || ask(pass, includes));
    let all = includes.all.par_iter().with_min_len(1024);
    all.map(|include| open_one(pass, includes, include)).collect()
}

/// The files of these includes were asked for by their paths.
#[derive(PartialEq, Eq, Hash)]
struct Asked(IncludesKey);

fn ask(pass: &Pass<'_>, includes: &Includes) {
    let all = includes.all.iter().filter(|i| !i.text.is_empty());
    let paths: Vec<Utf8PathBuf> = all.map(|i| i.path.clone()).collect();
    pass.cx.prefetch(&paths);
    for path in &paths {
        // Whether it can be read is seen when its facts are wanted.
        drop(pass.cx.source(path));
    }
}

fn open_one(pass: &Pass<'_>, includes: &Includes, include: &Include) -> Result<Opened, Got> {
    if include.text.is_empty() {
        return Err(Got::Nowhere);
    }
    open(pass, include.file).map_err(|error| match error {
        ReadError::NotFound if pass.cx.kind(&include.path, true).is_none() => {
            let key = NearKey(includes.key, include.place);
            Got::Missing(pass.cx.memo().get(key, || near_file(pass, includes, include)))
        }
        error => Got::Unreadable(Unreadable::new(pass, &include.path, error)),
    })
}

#[derive(PartialEq, Eq, Hash)]
struct NearKey(IncludesKey, Place);

/// The steps of the search for near files of one list of includes; all that are missing share them evenly.
const SEARCH: u64 = 100_000_000;

/// What a list of includes brings in.
#[derive(PartialEq, Eq, Hash)]
struct TakenKey(IncludesKey);

/// The names of the included files, by their directory.
struct Taken {
    count: u64,
    names: FxHashMap<Utf8PathBuf, FxHashSet<String>>,
}

impl Taken {
    fn new(includes: &Includes) -> Self {
        let mut names: FxHashMap<Utf8PathBuf, FxHashSet<String>> = FxHashMap::default();
        for path in includes.all.iter().map(|i| &i.path) {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                continue;
            };
            match names.get_mut(parent) {
                Some(known) => drop(known.insert(name.to_owned())),
                None => drop(
                    names
                        .entry(parent.to_owned())
                        .or_default()
                        .insert(name.to_owned()),
                ),
            }
        }
        Self {
            count: u64::try_from(includes.all.len()).unwrap_or(u64::MAX),
            names,
        }
    }
}

/// The path with the nearest name of an existing file in its directory that is not included yet.
fn near_file(pass: &Pass<'_>, includes: &Includes, include: &Include) -> Option<String> {
    let (path, text) = (&include.path, &*include.text);
    let parent = path.parent()?;
    let entries = pass.cx.list(parent).ok()?;
    let taken = pass
        .cx
        .memo()
        .get(TakenKey(includes.key), || Taken::new(includes));
    let mut budget = Budget::new(SEARCH / taken.count.next_power_of_two());
    if !budget.spend(u64::try_from(entries.len()).unwrap_or(u64::MAX)) {
        return None;
    }
    let taken = taken.names.get(parent);
    let is_taken = |name: &str| taken.is_some_and(|taken| taken.contains(name));
    let yaml = |name: &str| name.ends_with(".yaml") || name.ends_with(".yml");
    let files = entries
        .iter()
        .filter(|e| e.kind != FileKind::Directory && yaml(&e.name) && !is_taken(&e.name));
    let files: Vec<&str> = files.map(|e| &*e.name).collect();
    let signature = |i: usize| files.get(i).map(|name| Signature::of(name)).unwrap_or_default();
    let name = |i: usize| files.get(i).copied().unwrap_or("");
    let near = nearest_within(path.file_name()?, files.len(), signature, name, &mut budget)?;
    let dir = text.rfind('/').map_or("", |i| text.get(..=i).unwrap_or(""));
    Some(format!("{dir}{near}"))
}
