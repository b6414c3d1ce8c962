//! Imports: which files a directory imports, and what Terramate does not accept.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks" (import blocks).

mod settings;
mod source;
mod walk;

use std::cell::OnceCell;
use std::sync::Arc;

use camino::Utf8Path;
use rustc_hash::{FxHashMap, FxHashSet};

use self::source::matches;
use self::walk::walk;
use super::Input;
use super::sources::Sources;
use crate::found::{Found, push, reject};
use crate::load::tree::Dir;
use crate::read::{FileFacts, Problem};
use crate::rules::import_invalid;
use crate::words;
use applyorder_core::diagnostic::{Diagnostic, FileId, Place};
use applyorder_core::engine::{EngineIx, Read, World};
use applyorder_core::layer::{Budget, Fingerprint, MemoTable, Mix};
use applyorder_core::rules::{limit_reached, syntax_error};
use applyorder_core::store::Shape;

/// A file that imports bring into a directory.
pub(crate) struct Merged {
    pub(crate) file: FileId,
    pub(crate) facts: Arc<FileFacts>,
    /// The import that brings it.
    pub(crate) place: Place,
}

/// What the imports of a directory come to.
pub(crate) struct Imports {
    /// The files that they bring into it, in the order of merging.
    pub(crate) merged: Vec<Merged>,
    /// What Terramate rejects of them.
    pub(crate) rejected: Vec<Found>,
    /// The steps that following them took.
    used: u64,
    /// There are more of them than are followed: what they bring is unknown.
    pub(crate) is_limited: bool,
}

impl Imports {
    /// Of a directory that imports nothing.
    pub(super) const NONE: Self = Self {
        merged: Vec::new(),
        rejected: Vec::new(),
        used: 0,
        is_limited: false,
    };
}

/// Steps that the imports of one directory may take, and those of a project. Files that import two others each, which
/// do the same, make exponentially many.
const MOST_OF_DIRECTORY: u64 = 20_000;
const MOST_OF_PROJECT: u64 = 2_000_000;

/// Follows all imports of a directory as Terramate does.
pub(super) fn follow(input: &Input<'_>, sources: &Sources, dir: &Dir) -> Imports {
    let mut rejected = Vec::new();
    let mut budget = Budget::new(MOST_OF_DIRECTORY);
    let merged = walk(input, sources, dir, &mut budget, &mut rejected);
    Imports {
        merged,
        rejected,
        used: budget.used(),
        is_limited: budget.is_spent(),
    }
}

/// The imports of directories in their order, as far as a project's budget goes.
pub(super) fn in_budget<'d>(
    input: &Input<'_>,
    sources: &Sources,
    dirs: impl Iterator<Item = (u32, &'d Dir)>,
    follow: impl Fn(u32, &'d Dir) -> Arc<Imports>,
) -> Vec<Arc<Imports>> {
    let mut budget = Budget::new(MOST_OF_PROJECT);
    let of_dir = |(index, dir): (u32, &'d Dir)| {
        if budget.is_spent() {
            return Arc::new(unfollowed(input, sources, dir));
        }
        let imports = follow(index, dir);
        // Past the limit, what comes next is not followed.
        let _ = budget.spend(imports.used);
        imports
    };
    dirs.map(of_dir).collect()
}

fn unfollowed(input: &Input<'_>, sources: &Sources, dir: &Dir) -> Imports {
    let mut files = sources.files(dir);
    let first = files.find_map(|(file, facts)| Some((file.file, facts.shape.imports.first()?.header)));
    let mut rejected = Vec::new();
    if let Some((file, at)) = first {
        limited(&mut rejected, input.cx.place(file, at));
    }
    Imports {
        rejected,
        is_limited: true,
        ..Imports::NONE
    }
}

fn limited(found: &mut Vec<Found>, place: Place) {
    let message = "too many imports: not all are followed";
    push(
        found,
        Diagnostic::new(&limit_reached::RULE, place, message),
        false,
    );
}

/// What Terramate rejects of a file is said of the directory that imports it. People see it once, where it is
/// imported.
fn reject_file(
    engine: EngineIx,
    found: &mut Vec<Found>,
    (file, problems): (FileId, &[&Problem]),
    place: Place,
) {
    for (at, problem) in problems.iter().enumerate() {
        let inside = words::diagnostic(problem, |at| Place::anchor(file, engine, at));
        let d = if problem.is_syntax() {
            let message = format!("syntax error in the imported file: {}", inside.message);
            Diagnostic::new(&syntax_error::RULE, place, message)
        } else {
            let words = inside
                .engine_message
                .clone()
                .unwrap_or_else(|| inside.message.clone());
            let message = format!("invalid imported file: {}", inside.message);
            import_invalid::found(place, message, words)
        };
        reject(found, d.related(inside.place, inside.message)).silent = at > 0;
    }
}

/// What Terramate rejects in the files that a directory imports; `looked_at` says which problems count.
pub(crate) fn reject_insides(
    engine: EngineIx,
    merged: &[Merged],
    looked_at: impl Fn(&Problem) -> bool,
    found: &mut Vec<Found>,
) {
    for file in merged {
        let problems = file.facts.shape.problems.iter();
        let problems: Vec<&Problem> = problems.filter(|p| p.fatal && !p.early && looked_at(p)).collect();
        reject_file(engine, found, (file.file, &problems), file.place);
    }
}

/// What directories import, as numbers: the files that imports lead to, from those in turn, and all that they say.
pub(super) struct ImportPrints<'a> {
    input: &'a Input<'a>,
    table: Arc<MemoTable<MatchesKey, Vec<FileId>>>,
    known: FxHashMap<FileId, Reached>,
    /// Of all files that some directory imports: it stands for those that import each other.
    all: OnceCell<Fingerprint>,
}

/// How far the number of a file has come.
enum Reached {
    Open,
    Done(Fingerprint),
}

/// A file whose imports are being looked through.
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
                let own = sources.shaped(dir).filter(|r| !r.facts.shape.imports.is_empty());
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
                // A failure is reported by who follows the import.
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

    /// The imports of a file that is imported, with the beginning of its number.
    fn enter(&self, file: FileId) -> Step {
        let mut mix = Mix::default();
        let mut targets = Arc::default();
        match self.input.cx.read::<FileFacts>(file) {
            Ok(read) => {
                mix.add(&(file, read.shape));
                if !read.facts.shape.imports.is_empty() {
                    let path = self.input.cx.path(file);
                    targets = self.matched(&read, path.parent().unwrap_or(&path));
                }
            }
            Err(_) => mix.add(&file),
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
