//! The results of the includes.

use std::sync::{Arc, Mutex, PoisonError};

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::World;
use applyorder_core::files::{FileKind, ReadError};
use applyorder_core::layer::{Budget, Pass};
use applyorder_core::nearest::{Signature, nearest_within};
use applyorder_core::store::Shape;
use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::load::{Include, Includes, IncludesKey, Unreadable};
use crate::read::TazunaFacts;

/// A file that was read.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) file: FileId,
    pub(crate) shape: Shape,
    pub(super) is_templated: bool,
    pub(super) facts: Arc<TazunaFacts>,
}

/// The result of one include.
#[derive(Clone)]
pub(crate) enum IncludeOutcome {
    Read,
    /// The file does not exist; the path of a similar one, if any.
    Missing(Arc<Option<String>>),
    Unreadable(Unreadable),
    /// Its path is empty.
    Nowhere,
}

/// Reads the file with that number.
pub(super) fn open(pass: &Pass<'_>, file: FileId) -> Result<Opened, ReadError> {
    let read = pass.cx.read::<TazunaFacts>(file)?;
    Ok(Opened {
        file,
        shape: read.shape,
        is_templated: read.facts.is_templated(),
        facts: read.facts,
    })
}

/// The result of each include, with the files that could be read.
pub(super) fn open_all(pass: &Pass<'_>, includes: &Includes) -> Vec<Result<Opened, IncludeOutcome>> {
    ask(pass, includes);
    let all = includes.all.par_iter().with_min_len(4096);
    all.map(|include| open_one(pass, includes, include)).collect()
}

/// The files that were queried by path in a world.
#[derive(PartialEq, Eq, Hash)]
struct AskedKey(World);

/// Queries the files that were not queried yet: an edit of the list leaves most unchanged.
fn ask(pass: &Pass<'_>, includes: &Includes) {
    let asked = pass
        .cx
        .memo()
        .get(AskedKey(pass.cx.world()), Mutex::<Vec<bool>>::default);
    let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
    let is_new = |include: &&Include| asked.get(include.file.0 as usize) != Some(&true);
    let wanted = includes.all.iter().filter(|i| !i.text.is_empty() && !i.again);
    let wanted: Vec<&Include> = wanted.filter(is_new).collect();
    let Some(last) = wanted.iter().map(|include| include.file.0 as usize).max() else {
        return;
    };
    wanted.par_iter().with_min_len(16).for_each(|include| {
        // Whether it can be read is determined when its facts are needed.
        drop(pass.cx.facts::<TazunaFacts>(&include.path));
    });
    let numbers = asked.len().max(last + 1);
    asked.resize(numbers, false);
    for include in wanted {
        if let Some(asked) = asked.get_mut(include.file.0 as usize) {
            *asked = true;
        }
    }
}

fn open_one(pass: &Pass<'_>, includes: &Includes, include: &Include) -> Result<Opened, IncludeOutcome> {
    if include.text.is_empty() {
        return Err(IncludeOutcome::Nowhere);
    }
    open(pass, include.file).map_err(|error| match error {
        // About a path that no system has, Tazuna's search for the file does not say that it does not exist.
        ReadError::NotFound
            if !include.text.contains('\0') && pass.cx.kind(&include.path, true).is_none() =>
        {
            let key = NearKey(includes.key, include.place);
            IncludeOutcome::Missing(pass.cx.memo().get(key, || near_file(pass, includes, include)))
        }
        error => IncludeOutcome::Unreadable(Unreadable::new(pass, &include.path, error)),
    })
}

#[derive(PartialEq, Eq, Hash)]
struct NearKey(IncludesKey, Place);

/// The steps of the search for similar files of one list of includes; all missing ones share them evenly. Tests
/// of growth need both of their sizes to spend them all, which takes a build without optimization too long.
const SEARCH: u64 = if cfg!(test) { 50_000 } else { 5_000_000 };

/// The files that a list of includes brings in.
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

/// The files next to an include that may be meant instead of a missing one.
#[derive(PartialEq, Eq, Hash)]
struct BesideKey(IncludesKey, Utf8PathBuf);

/// The YAML files of a directory that are not included yet, and how many missing files share the search.
struct Beside {
    names: Vec<(Signature, String)>,
    share: u64,
}

impl Beside {
    fn new(pass: &Pass<'_>, includes: &Includes, dir: &Utf8Path) -> Self {
        let taken = pass
            .cx
            .memo()
            .get(TakenKey(includes.key), || Taken::new(includes));
        let share = SEARCH / taken.count.next_power_of_two();
        let taken = taken.names.get(dir);
        let is_taken = |name: &str| taken.is_some_and(|taken| taken.contains(name));
        let yaml = |name: &str| name.ends_with(".yaml") || name.ends_with(".yml");
        let entries = pass.cx.list(dir).unwrap_or_default();
        let files = entries
            .iter()
            .filter(|e| e.kind != FileKind::Directory && yaml(&e.name) && !is_taken(&e.name));
        Self {
            names: files
                .map(|e| (Signature::of(&e.name), e.name.to_string()))
                .collect(),
            share,
        }
    }
}

/// The path with the nearest name of an existing file in its directory that is not included yet.
fn near_file(pass: &Pass<'_>, includes: &Includes, include: &Include) -> Option<String> {
    let (path, text) = (&include.path, &*include.text);
    let parent = path.parent()?;
    let key = BesideKey(includes.key, parent.to_owned());
    let beside = pass.cx.memo().get(key, || Beside::new(pass, includes, parent));
    let mut budget = Budget::new(beside.share);
    let at = |i: usize| beside.names.get(i);
    let signature = |i: usize| at(i).map(|(signature, _)| *signature).unwrap_or_default();
    let name = |i: usize| at(i).map_or("", |(_, name)| &**name);
    let near = nearest_within(
        path.file_name()?,
        beside.names.len(),
        signature,
        name,
        &mut budget,
    )?;
    let dir = text.rfind('/').map_or("", |i| text.get(..=i).unwrap_or(""));
    Some(format!("{dir}{near}"))
}
