//! Looking for projects in the folders of the workspace.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use applyorder_analysis::config;
use applyorder_analysis::files::{DiskFiles, FileKind, Files, MAX_DIR_DEPTH, bad_ignores, named};
use applyorder_analysis::workspace::{Sieve, Sifted};
use camino::{Utf8Path, Utf8PathBuf};
use ignore::{WalkBuilder, WalkState};
use rustc_hash::FxHashSet;

/// Every file below some directories, in byte order. Hidden files and what git ignores are left out: they
/// decide only where projects are looked for. Links are not followed, and paths that are not UTF-8 are left out.
pub(crate) fn files_below(folders: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    walk(folders, |_| true).map(files).unwrap_or_default()
}

/// Those of some files, and of the files below some directories, that [`files_below`] finds. Looks only where it must.
pub(crate) fn found_among(paths: &[&Utf8Path], folders: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let wanted: FxHashSet<PathBuf> = paths.iter().map(|p| p.as_std_path().to_owned()).collect();
    let wanted = Arc::new(wanted);
    let is_wanted = |wanted: &FxHashSet<PathBuf>, path: &Path| path.ancestors().any(|p| wanted.contains(p));
    let mut way: FxHashSet<PathBuf> = FxHashSet::default();
    for path in wanted.iter() {
        let above = path.ancestors().skip(1);
        above
            .take_while(|dir| way.insert((*dir).to_owned()))
            .for_each(drop);
    }
    let folders: Vec<Utf8PathBuf> = folders
        .iter()
        .filter(|folder| way.contains(folder.as_std_path()) || wanted.contains(folder.as_std_path()))
        .cloned()
        .collect();
    let among = wanted.clone();
    let is_among = move |path: &Path| way.contains(path) || is_wanted(&among, path);
    let Some(walk) = walk(&folders, is_among) else {
        return Vec::new();
    };
    let mut found = files(walk);
    found.retain(|found| is_wanted(&wanted, found.as_std_path()));
    found
}

/// A walk through some folders, as far as it is possible without blocking.
fn walk(
    folders: &[Utf8PathBuf],
    among: impl Fn(&Path) -> bool + Send + Sync + 'static,
) -> Option<WalkBuilder> {
    let disk = DiskFiles::default();
    let blocks = move |dir: &Path| {
        let dir = Utf8Path::from_path(dir);
        dir.is_some_and(|dir| bad_ignores(&disk, dir).is_some())
    };
    let mut open = folders.iter().filter(|folder| !blocks(folder.as_std_path()));
    let first = open.next()?;
    let mut walk = WalkBuilder::new(first);
    let mut parents = first.ancestors().skip(1);
    let mut reads_parents = parents.all(|dir| !blocks(dir.as_std_path()));
    for folder in open {
        walk.add(folder);
        reads_parents &= folder.ancestors().skip(1).all(|dir| !blocks(dir.as_std_path()));
    }
    walk.git_global(false)
        .parents(reads_parents)
        .max_depth(Some(MAX_DIR_DEPTH));
    walk.filter_entry(move |entry| {
        let is_dir = entry.file_type().is_some_and(|t| t.is_dir());
        among(entry.path()) && !(is_dir && blocks(entry.path()))
    });
    Some(walk)
}

/// What is worth a look below some directories.
#[derive(Default)]
pub(crate) struct Found {
    /// The files that a sieve keeps, in no order: [`files_below`] without files that belong to no engine.
    pub(crate) kept: Vec<Sifted>,
    /// The directories with a configuration, in no order: it may declare a project whose files indicate no engine.
    pub(crate) configured: Vec<Utf8PathBuf>,
}

/// What is worth a look below some directories.
pub(crate) fn sifted_below(folders: &[Utf8PathBuf], sieve: &Sieve) -> Found {
    let disk = DiskFiles::default();
    let configured: Mutex<Vec<Utf8PathBuf>> = Mutex::default();
    let look_at = |dir: &Utf8Path| {
        if config::file_in(dir, &disk).is_some() {
            let mut configured = configured.lock().unwrap_or_else(PoisonError::into_inner);
            configured.push(dir.to_owned());
        }
    };
    let walk = walk(folders, |_| true);
    let kept = walk.map(|walk| each_entry(walk, |path| sieve.sift(path), look_at));
    Found {
        kept: kept.unwrap_or_default(),
        configured: configured.into_inner().unwrap_or_else(PoisonError::into_inner),
    }
}

/// The directories with a configuration among those that some files are in.
pub(crate) fn configured_among(files: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let disk = DiskFiles::default();
    let mut dirs: Vec<&Utf8Path> = files.iter().filter_map(|file| file.parent()).collect();
    dirs.sort_unstable();
    dirs.dedup();
    dirs.retain(|dir| config::file_in(dir, &disk).is_some());
    dirs.into_iter().map(Utf8Path::to_owned).collect()
}

/// The files that a walk finds, in byte order.
fn files(walk: WalkBuilder) -> Vec<Utf8PathBuf> {
    let mut found = each_entry(walk, Some, |_| ());
    found.sort();
    found.dedup();
    found
}

/// What is made of the files that a walk finds, in no order. Of its directories nothing is made but a look.
fn each_entry<T: Send>(
    walk: WalkBuilder,
    make: impl Fn(Utf8PathBuf) -> Option<T> + Sync,
    look_at: impl Fn(&Utf8Path) + Sync,
) -> Vec<T> {
    let found: Mutex<Vec<T>> = Mutex::default();
    let (make, look_at) = (&make, &look_at);
    walk.build_parallel().run(|| {
        let mut batch = Batch {
            made: Vec::new(),
            found: &found,
        };
        Box::new(move |entry| {
            if let Ok(entry) = entry
                && let Some(path) = Utf8Path::from_path(entry.path())
            {
                let is_dir = entry.file_type().is_some_and(|t| t.is_dir());
                if is_dir {
                    look_at(path);
                }
                // A directory named like a file may be a mistake that an engine should report.
                if entry.depth() > 0 && (path.extension().is_some() || !is_dir) {
                    batch.made.extend(make(path.to_owned()));
                }
            }
            WalkState::Continue
        })
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Some directories and every directory below them, hidden and ignored ones aside.
pub(crate) fn directories_below(folders: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let Some(walk) = walk(folders, |_| true) else {
        return Vec::new();
    };
    let entries = walk.build().filter_map(Result::ok);
    entries
        .filter(|entry| entry.file_type().is_some_and(|t| t.is_dir()))
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
        .collect()
}

/// The files next to the way from the top of a repository down to some directories, those in the directories
/// themselves aside.
pub(crate) fn files_above(folders: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let disk = DiskFiles::default();
    let mut dirs: Vec<&Utf8Path> = folders
        .iter()
        .flat_map(|folder| way_down(&disk, folder).into_iter().skip(1))
        .collect();
    dirs.sort_unstable();
    dirs.dedup();
    dirs.into_iter().flat_map(|dir| files_in(&disk, dir)).collect()
}

/// The files in a directory and next to the way down to it.
pub(crate) fn files_around(dir: &Utf8Path) -> Vec<Utf8PathBuf> {
    let disk = DiskFiles::default();
    let dirs = way_down(&disk, dir);
    dirs.into_iter().flat_map(|dir| files_in(&disk, dir)).collect()
}

/// The files in a directory and in those above it, up to another one.
pub(crate) fn files_between(top: &Utf8Path, dir: &Utf8Path) -> Vec<Utf8PathBuf> {
    let disk = DiskFiles::default();
    let dirs = dir.ancestors().take_while(|d| d.starts_with(top));
    dirs.flat_map(|dir| files_in(&disk, dir)).collect()
}

/// A directory and those above it, as far as its repository reaches.
fn way_down<'a>(disk: &DiskFiles, dir: &'a Utf8Path) -> Vec<&'a Utf8Path> {
    let top = disk.vcs_root(dir).filter(|top| dir.starts_with(top));
    let top = top.as_deref().unwrap_or(dir);
    dir.ancestors().take_while(|d| d.starts_with(top)).collect()
}

fn files_in(disk: &DiskFiles, dir: &Utf8Path) -> Vec<Utf8PathBuf> {
    let entries = disk.list(dir).map(named).unwrap_or_default();
    entries
        .iter()
        .filter(|entry| entry.kind != FileKind::Directory)
        .map(|entry| dir.join(&entry.name))
        .collect()
}

/// What one thread of the walk has made; handed over when the thread is done.
struct Batch<'a, T> {
    made: Vec<T>,
    found: &'a Mutex<Vec<T>>,
}

impl<T> Drop for Batch<'_, T> {
    fn drop(&mut self) {
        self.found
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .append(&mut self.made);
    }
}
