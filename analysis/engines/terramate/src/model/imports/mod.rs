//! Imports: which files a directory imports, and what Terramate does not accept.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks" (import blocks).

mod settings;
mod source;
mod walk;

use std::cell::OnceCell;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use self::source::SourceError;
use self::source::matches;
use self::walk::walk;
use super::Input;
use super::sources::{Sources, read};
use crate::load::tree::Dir;
use crate::read::{FileFacts, Marks, Problem};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Read, World};
use applyorder_core::files::ReadError;
use applyorder_core::layer::{Budget, Fingerprint, MemoTable, Mix};
use applyorder_core::store::Shape;

/// A file that imports bring into a directory.
pub(crate) struct Merged {
    pub(crate) file: FileId,
    pub(crate) facts: Arc<FileFacts>,
    /// The import that brings it.
    pub(crate) place: Place,
}

/// The result of a directory's imports.
pub(crate) struct Imports {
    /// The files that they bring into it, in the order of merging.
    pub(crate) merged: Vec<Merged>,
    /// What Terramate rejects in them, in its order.
    pub(crate) rejected: Vec<Rejected>,
    /// The number of steps for following them.
    used: u64,
    /// Not all of them are followed: what the others bring is unknown.
    pub(crate) is_limited: bool,
    /// Whether they bring something that a run evaluates.
    pub(crate) is_evaluated: bool,
}

/// An error of Terramate in the imports of a directory.
pub(crate) struct Rejected {
    /// The import.
    pub(crate) place: Place,
    pub(crate) fault: ImportFault,
    /// Terramate itself does not reach it.
    pub(crate) unseen: bool,
    /// It is already reported to users.
    pub(crate) silent: bool,
}

/// What is wrong with an import.
pub(crate) enum ImportFault {
    /// A limit of ours: not all are followed.
    Limited,
    /// Its source is not a literal string. Terramate's message.
    NoLiteral(&'static str),
    /// Its source does not lead to a file that can be imported.
    Source(Arc<str>, SourceError),
    /// A file that is already imported, or the importing one.
    Known(Arc<str>, Utf8PathBuf),
    Directory(Arc<str>),
    /// A file in this directory, which is outside the project.
    Outside(Utf8PathBuf),
    Unreadable(Arc<str>, ReadError),
    Cycle,
    /// A problem in the imported file, by its number there.
    Inside(FileId, Arc<FileFacts>, usize),
    /// The imported file sets something twice. Terramate's message.
    SetsTwice(String),
    /// Another import has set the same. Terramate's message.
    SetBefore(String),
    /// The imported file has a stack; the block of the import.
    Stack {
        import: Place,
        stack: Place,
    },
    /// The imported `vendor` block, if the directory has one.
    Vendor,
}

impl ImportFault {
    /// The problem in the imported file.
    pub(crate) fn inside(&self) -> Option<(FileId, &Problem)> {
        match self {
            Self::Inside(file, facts, number) => Some((*file, facts.shape.problems.get(*number)?)),
            _ => None,
        }
    }

    /// Whether a limit of ours stops here, not one of Terramate.
    const fn is_limit(&self) -> bool {
        match self {
            Self::Limited => true,
            Self::Unreadable(_, error) => error.is_limit(),
            _ => false,
        }
    }
}

impl Rejected {
    const fn new(place: Place, fault: ImportFault) -> Self {
        Self {
            place,
            fault,
            unseen: false,
            silent: false,
        }
    }

    const fn limited(place: Place) -> Self {
        Self::new(place, ImportFault::Limited)
    }

    /// Whether a limit of ours stops here, not one of Terramate.
    pub(crate) const fn is_limit(&self) -> bool {
        self.fault.is_limit()
    }
}

impl Imports {
    /// For a directory without imports.
    pub(super) const NONE: Self = Self {
        merged: Vec::new(),
        rejected: Vec::new(),
        used: 0,
        is_limited: false,
        is_evaluated: false,
    };
}

/// The maximum number of steps for the imports of one directory, and for those of a project. Files that import
/// two others each, which do the same, lead to an exponential number.
const MOST_OF_DIRECTORY: u64 = 20_000;
const MOST_OF_PROJECT: u64 = 2_000_000;

/// Follows all imports of a directory like Terramate.
pub(super) fn follow(input: &Input<'_>, sources: &Sources, dir: &Dir) -> Imports {
    let mut budget = Budget::new(MOST_OF_DIRECTORY);
    let (merged, rejected) = walk(input, sources, dir, &mut budget);
    Imports {
        is_evaluated: merged.iter().any(|m| m.facts.marks.has(Marks::EVALUATED)),
        is_limited: rejected.iter().any(Rejected::is_limit),
        merged,
        rejected,
        used: budget.used(),
    }
}

/// The imports of directories in their order, within a project's budget.
pub(super) fn in_budget<'d>(
    input: &Input<'_>,
    sources: &Sources,
    dirs: impl Iterator<Item = (u32, &'d Dir)>,
    follow: impl Fn(usize, u32, &'d Dir) -> Arc<Imports>,
) -> Vec<Arc<Imports>> {
    let mut budget = Budget::new(MOST_OF_PROJECT);
    let of_dir = |(at, (index, dir)): (usize, (u32, &'d Dir))| {
        if budget.is_spent() {
            return Arc::new(unfollowed(input, sources, dir));
        }
        let imports = follow(at, index, dir);
        // Past the limit, later imports are not followed.
        let _ = budget.spend(imports.used);
        imports
    };
    dirs.enumerate().map(of_dir).collect()
}

fn unfollowed(input: &Input<'_>, sources: &Sources, dir: &Dir) -> Imports {
    let mut files = sources.files(dir);
    let first = files.find_map(|(file, facts)| Some((file.file, facts.shape.imports.first()?.header)));
    let mut rejected = Vec::new();
    if let Some((file, at)) = first {
        rejected.push(Rejected::limited(input.cx.place(file, at)));
    }
    Imports {
        rejected,
        is_limited: true,
        ..Imports::NONE
    }
}

/// The contents of directories and of what they import, as numbers: their files, the files that imports lead
/// to, from those in turn, and all their contents.
pub(super) struct ImportPrints<'a> {
    input: &'a Input<'a>,
    table: Arc<MemoTable<MatchesKey, Vec<FileId>>>,
    known: FxHashMap<FileId, Reached>,
    /// For all files that some directory imports: the number for those that import each other.
    all: OnceCell<Fingerprint>,
}

/// The progress of computing a file's number.
enum Reached {
    Open,
    Done(Fingerprint),
}

/// A file whose imports are being followed.
struct Step {
    file: FileId,
    mix: Mix,
    targets: Arc<Vec<FileId>>,
    next: usize,
}

impl<'a> ImportPrints<'a> {
    /// One for each of some directories.
    pub(super) fn of(input: &'a Input<'a>, sources: &Sources, importing: &[u32]) -> Vec<Fingerprint> {
        let mut prints = Self {
            input,
            table: input.cx.memo().table(),
            known: FxHashMap::default(),
            all: OnceCell::new(),
        };
        let dirs = importing.iter().map(|dir| input.tree.dirs.get(*dir as usize));
        let of_dir = |dir: Option<&Dir>| {
            let mut mix = Mix::default();
            if let Some(dir) = dir {
                sources.mix(dir, &mut mix);
                let own = sources.shaped(dir).filter(|r| r.facts.marks.has(Marks::IMPORTS));
                for read in own {
                    for target in prints.matched(read, &dir.host).iter() {
                        mix.add(&prints.of_file(*target, sources, importing));
                    }
                }
            }
            mix.finish()
        };
        dirs.map(of_dir).collect()
    }

    /// The files that the imports of a file lead to.
    fn matched(&self, read: &Read<FileFacts>, from: &Utf8Path) -> Arc<Vec<FileId>> {
        let input = self.input;
        let key = MatchesKey(input.cx.world(), read.file, read.shape);
        self.table.get(key, || {
            let known = read.facts.shape.imports.iter().filter_map(|i| i.source.known());
            let paths = known.filter_map(|source| matches(input, from, &source.value).ok());
            let files = paths.flatten().map(|path| {
                // A failure is reported by the code that follows the import.
                drop(input.cx.facts::<FileFacts>(&path));
                input.cx.file(&path)
            });
            files.collect()
        })
    }

    /// The files that a directory imports itself.
    fn first(&self, sources: &Sources, dir: &Dir) -> Vec<FileId> {
        let own = sources.shaped(dir).filter(|r| !r.facts.shape.imports.is_empty());
        own.flat_map(|read| self.matched(read, &dir.host).iter().copied().collect::<Vec<_>>())
            .collect()
    }

    /// The imports of an imported file, with the beginning of its number.
    fn enter(&self, file: FileId) -> Step {
        let mut mix = Mix::default();
        let mut targets = Arc::default();
        let path = self.input.cx.path(file);
        match read(self.input.cx, file, &path) {
            Ok(read) => {
                mix.add(&(file, read.shape));
                if !read.facts.shape.imports.is_empty() {
                    targets = self.matched(&read, path.parent().unwrap_or(&path));
                }
            }
            Err(error) => mix.add(&(file, error.to_string())),
        }
        Step {
            file,
            mix,
            targets,
            next: 0,
        }
    }

    fn of_file(&mut self, file: FileId, sources: &Sources, importing: &[u32]) -> Fingerprint {
        if let Some(Reached::Done(print)) = self.known.get(&file) {
            return *print;
        }
        self.known.insert(file, Reached::Open);
        let mut open = vec![self.enter(file)];
        let mut last = Fingerprint::default();
        while let Some(step) = open.last_mut() {
            let Some(target) = step.targets.get(step.next).copied() else {
                last = step.mix.finish();
                self.known.insert(step.file, Reached::Done(last));
                open.pop();
                continue;
            };
            match self.known.get(&target) {
                Some(Reached::Done(print)) => step.mix.add(print),
                Some(Reached::Open) => step.mix.add(&self.of_all(sources, importing)),
                None => {
                    self.known.insert(target, Reached::Open);
                    let next = self.enter(target);
                    open.push(next);
                    continue;
                }
            }
            step.next += 1;
        }
        last
    }

    fn of_all(&self, sources: &Sources, importing: &[u32]) -> Fingerprint {
        *self.all.get_or_init(|| {
            let dirs = importing
                .iter()
                .filter_map(|dir| self.input.tree.dirs.get(*dir as usize));
            let mut open: Vec<FileId> = dirs.flat_map(|dir| self.first(sources, dir)).collect();
            let mut seen: FxHashSet<FileId> = FxHashSet::default();
            let mut mix = Mix::default();
            while let Some(file) = open.pop() {
                if seen.insert(file) {
                    let step = self.enter(file);
                    mix.add(&step.mix.finish());
                    open.extend(step.targets.iter());
                }
            }
            mix.finish()
        })
    }
}

/// The files that the imports of a file lead to.
#[derive(PartialEq, Eq, Hash)]
struct MatchesKey(World, FileId, Shape);
