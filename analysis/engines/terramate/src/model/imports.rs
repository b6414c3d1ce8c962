//! Imports: which files a directory imports, and what Terramate does not accept.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks" (import blocks).

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Input;
use super::sources::Sources;
use crate::found::{Found, push, refuse};
use crate::load::pattern::matching;
use crate::load::tree::Dir;

use crate::read::{FileFacts, Import, Problem, Value};
use crate::rules::{import_invalid, stack_in_import};
use applyorder_core::diagnostic::{Diagnostic, FileId, Place};
use applyorder_core::engine::{Cx, Read, World};
use applyorder_core::files::{FileKind, join_clean};
use applyorder_core::layer::{Budget, Fingerprint, Mix};
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
    /// What Terramate refuses of them.
    pub(crate) refused: Vec<Found>,
    /// The steps that following them took.
    used: u64,
    /// There are more of them than are followed: what they bring is not known.
    pub(crate) is_limited: bool,
}

impl Imports {
    /// Of a directory that imports nothing.
    pub(super) const NONE: Self = Self {
        merged: Vec::new(),
        refused: Vec::new(),
        used: 0,
        is_limited: false,
    };
}

/// The parser that Terramate makes for a directory, or for one imported file.
struct Parser {
    dir: Utf8PathBuf,
    /// The file, where it is an imported one, with the import that brings it.
    imported: Option<(Utf8PathBuf, FileId, Arc<FileFacts>, Wanted)>,
    /// What it has parsed itself, and what its own parser.
    own: Vec<Utf8PathBuf>,
    known: BTreeSet<Utf8PathBuf>,
    /// Imports to come, the next one last.
    imports: Vec<(FileId, Import)>,
    /// Files of the present import to come, the next one last.
    matches: Vec<Utf8PathBuf>,
    present: Option<Wanted>,
    /// What its imports brought.
    merged: Vec<Merged>,
    settings: Settings,
    failed: bool,
    /// Terramate does not follow its imports.
    is_left: bool,
}

/// An import: its source as written and where, and the block.
#[derive(Clone)]
struct Wanted {
    source: Arc<str>,
    place: Place,
    block: Place,
}

/// What has been merged, by name, and the directory that said it last.
#[derive(Default)]
struct Settings {
    said: FxHashMap<(Vec<Arc<str>>, Arc<str>), Utf8PathBuf>,
    has_vendor: bool,
}

impl Settings {
    /// Merges a file; gives what Terramate says where that does not go.
    fn merge(&mut self, dir: &Utf8Path, facts: &FileFacts) -> Vec<String> {
        let mut refused = Vec::new();
        let shape = &facts.shape;
        let root = shape
            .root
            .iter()
            .map(|a| (vec!["terramate".into()], a.path.clone()));
        let globals = shape.globals.iter().map(|(labels, name, _)| {
            let labels = std::iter::once("globals".into()).chain(labels.iter().cloned());
            (labels.collect(), name.clone())
        });
        for key in root.chain(globals) {
            let name = key.1.clone();
            if self.said.insert(key, dir.to_owned()).as_deref() == Some(dir) {
                refused.push(format!("attribute \"{name}\" redeclared"));
            }
        }
        for _ in &shape.vendors {
            if std::mem::replace(&mut self.has_vendor, true) {
                refused.push("block \"vendor\" can only appear once".to_owned());
            }
        }
        refused
    }
}

/// Steps that the imports of one directory may take, and those of a project. Files that import two others each, which
/// do the same, make exponentially many.
const MOST_OF_DIRECTORY: u64 = 20_000;
const MOST_OF_PROJECT: u64 = 2_000_000;

impl Parser {
    /// The file, where it is an imported one.
    fn path(&self) -> Option<&Utf8Path> {
        self.imported.as_ref().map(|(path, ..)| path.as_path())
    }

    /// The import that brings it.
    fn wanted(&self) -> Option<&Wanted> {
        self.imported.as_ref().map(|(.., wanted)| wanted)
    }

    fn of_dir(sources: &Sources, dir: &Dir) -> Self {
        let sound = || sources.files(dir).filter(|(_, facts)| !facts.shape.unreadable);
        let imports = sound()
            .flat_map(|(l, facts)| facts.shape.imports.iter().map(|i| (l.file, i.clone())))
            .collect();
        let own: Vec<Utf8PathBuf> = sound().map(|(l, _)| l.path.clone()).collect();
        Self::new(dir.host.clone(), own, imports)
    }

    fn new(dir: Utf8PathBuf, own: Vec<Utf8PathBuf>, mut imports: Vec<(FileId, Import)>) -> Self {
        // One block that is none, and none is followed.
        let failed = imports.iter().any(|(_, i)| !i.is_valid);
        if failed {
            imports.retain(|(_, i)| i.refused.is_some());
        }
        imports.reverse();
        Self {
            dir,
            imported: None,
            known: own.iter().cloned().collect(),
            own,
            imports,
            matches: Vec::new(),
            present: None,
            merged: Vec::new(),
            settings: Settings::default(),
            failed,
            is_left: failed,
        }
    }
}

/// Follows all imports of a directory as Terramate does.
pub(super) fn follow(input: &Input<'_>, sources: &Sources, dir: &Dir) -> Imports {
    let mut refused = Vec::new();
    let mut budget = Budget::new(MOST_OF_DIRECTORY);
    let merged = walk(input, sources, dir, &mut budget, &mut refused);
    Imports {
        merged,
        refused,
        used: budget.used(),
        is_limited: budget.is_spent(),
    }
}

/// The imports of directories in their order, as far as a project's budget goes.
pub(super) fn in_budget<'d>(
    input: &Input<'_>,
    sources: &Sources,
    dirs: impl Iterator<Item = &'d Dir>,
    follow: impl Fn(&'d Dir) -> Arc<Imports>,
) -> Vec<Arc<Imports>> {
    let mut budget = Budget::new(MOST_OF_PROJECT);
    let of_dir = |dir: &'d Dir| {
        if budget.is_spent() {
            return Arc::new(unfollowed(input, sources, dir));
        }
        let imports = follow(dir);
        // Past the limit, what comes next is not followed.
        let _ = budget.spend(imports.used);
        imports
    };
    dirs.map(of_dir).collect()
}

fn unfollowed(input: &Input<'_>, sources: &Sources, dir: &Dir) -> Imports {
    let mut files = sources.files(dir);
    let first = files.find_map(|(file, facts)| Some((file.file, facts.shape.imports.first()?.header)));
    let mut refused = Vec::new();
    if let Some((file, at)) = first {
        limited(&mut refused, input.cx.place(file, at));
    }
    Imports {
        refused,
        is_limited: true,
        ..Imports::NONE
    }
}

fn limited(found: &mut Vec<Found>, place: Place) {
    let message = "too many files are imported: not all of them are followed";
    push(
        found,
        Diagnostic::new(&limit_reached::RULE, place, message),
        false,
    );
}

fn walk(
    input: &Input<'_>,
    sources: &Sources,
    dir: &Dir,
    budget: &mut Budget,
    found: &mut Vec<Found>,
) -> Vec<Merged> {
    let mut open = vec![Parser::of_dir(sources, dir)];
    while let Some(parser) = open.last_mut() {
        if let (Some(path), Some(wanted)) = (parser.matches.pop(), parser.present.clone()) {
            let place = wanted.place;
            let above = parser.path().map(Utf8Path::to_owned);
            let next = enter(input, parser, path, wanted, found);
            // What a file comes to hangs on who imports it: with the same two again, it goes on for ever.
            let is_same = |next: &Parser| {
                let mut pairs = open.iter().zip(open.iter().skip(1));
                pairs.any(|(from, to)| from.path() == above.as_deref() && to.path() == next.path())
            };
            if let Some(wanted) = next
                .as_ref()
                .filter(|next| is_same(next))
                .and_then(Parser::wanted)
            {
                let words = "imports import each other without an end";
                refuse_import(found, wanted, words.to_owned(), words.to_owned());
                return Vec::new();
            }
            if !budget.spend(1 + open.len() as u64) {
                found.clear();
                limited(found, place);
                return Vec::new();
            }
            open.extend(next);
        } else if let Some((file, import)) = parser.imports.pop() {
            begin(input, parser, file, &import, found);
        } else if let Some(done) = open.pop() {
            let Some(above) = open.last_mut() else {
                return finish(sources, dir, done, found);
            };
            let place = done.wanted().map(|wanted| wanted.place);
            let is_enough = budget.spend(done.merged.len() as u64);
            if let Some(place) = place.filter(|_| !is_enough) {
                found.clear();
                limited(found, place);
                return Vec::new();
            }
            leave(input.cx, done, above, found);
        }
    }
    Vec::new()
}

fn refuse_import(found: &mut Vec<Found>, wanted: &Wanted, message: String, words: String) {
    let d = import_invalid::found(wanted.place, message, words);
    // Several ways can lead to the same import.
    let said = found
        .iter()
        .any(|f| f.diagnostic.place == d.place && f.diagnostic.message == d.message);
    refuse(found, d).silent = said;
}

/// Looks for the files of an import.
fn begin(input: &Input<'_>, parser: &mut Parser, file: FileId, import: &Import, found: &mut Vec<Found>) {
    if let Some((at, words)) = import.refused {
        let why = "the source of an import must be a literal path";
        let d = import_invalid::found(input.cx.place(file, at), why, words);
        refuse(found, d).unseen = parser.is_left;
        parser.failed = true;
    }
    let Value::Known(source) = &import.source else {
        return;
    };
    let wanted = Wanted {
        source: source.value.clone(),
        place: input.cx.place(file, source.at),
        block: input.cx.place(file, import.block),
    };
    match matches(input, &parser.dir, &source.value) {
        Ok(found) => {
            parser.matches = found;
            parser.matches.reverse();
            parser.present = Some(wanted);
        }
        Err((message, words)) => {
            parser.failed = true;
            refuse_import(found, &wanted, message, words);
        }
    }
}

/// The files that a source means; or what is wrong with it, in our words and in Terramate's.
fn matches(input: &Input<'_>, from: &Utf8Path, source: &str) -> Result<Vec<Utf8PathBuf>, (String, String)> {
    let (cx, tree, (dir, name)) = (input.cx, input.tree, split(source));
    let base = if dir.starts_with('/') {
        join_clean(&tree.root, dir)
    } else {
        join_clean(from, dir)
    };
    if base == from {
        return Err((
            "a file of the own directory cannot be imported".to_owned(),
            "importing files in the same directory is not permitted".to_owned(),
        ));
    }
    if from.as_str().starts_with(base.as_str()) {
        let message = if from.starts_with(&base) {
            "a file of a directory above cannot be imported".to_owned()
        } else {
            let shown = |path| tree.project_path(path).unwrap_or_default();
            let (own, other) = (shown(from), shown(&base));
            format!(
                "Terramate compares directories as text: as `{own}` begins with `{other}`, nothing of `{other}` can be imported"
            )
        };
        return Err((
            message,
            "importing files in the same tree is not permitted".to_owned(),
        ));
    }
    let pattern = join_clean(&base, &name);
    let found = matching(cx, &tree.root, &pattern).ok_or_else(|| {
        (
            "this is no valid pattern".to_owned(),
            "failed to evaluate import.source".to_owned(),
        )
    })?;
    if found.is_empty() {
        return Err((
            format!("`{source}` leads to no file"),
            format!("import path \"{source}\" returned no matches"),
        ));
    }
    Ok(found)
}

/// Directory and name of a source, as Go's `path.Dir` and `path.Base` give them.
fn split(source: &str) -> (&str, String) {
    let dir = match source.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((dir, _)) => dir,
        None => ".",
    };
    let trimmed = source.trim_end_matches('/');
    let name = match trimmed.rsplit('/').next() {
        _ if source.is_empty() => ".",
        Some(name) if !name.is_empty() => name,
        _ => "/",
    };
    (dir, name.to_owned())
}

/// One file of an import: a parser for it, where Terramate makes one.
fn enter(
    input: &Input<'_>,
    parser: &mut Parser,
    path: Utf8PathBuf,
    wanted: Wanted,
    found: &mut Vec<Found>,
) -> Option<Parser> {
    let (cx, root) = (input.cx, &input.tree.root);
    let refused = if parser.known.contains(&path) {
        Some((
            format!("`{}` is imported already", wanted.source),
            format!("file \"{path}\" already parsed"),
        ))
    } else if cx.kind(&path, false) == Some(FileKind::Directory) {
        Some((
            format!("`{}` is a directory", wanted.source),
            format!("import directory is not allowed: {}", wanted.source),
        ))
    } else if !path.starts_with(root) {
        let dir = path.parent().unwrap_or(&path);
        Some((
            "the path leads out of the project".to_owned(),
            format!("directory \"{dir}\" is not inside root"),
        ))
    } else {
        None
    };
    let read = match refused {
        Some(refused) => Err(refused),
        None => cx
            .facts::<FileFacts>(&path)
            .map(|r| (r.file, r.facts))
            .map_err(|_| {
                (
                    format!("`{}` cannot be read", wanted.source),
                    "failed to read the imported file".to_owned(),
                )
            }),
    };
    match read {
        Ok((file, facts)) => {
            let imports = if facts.shape.unreadable {
                Vec::new()
            } else {
                facts.shape.imports.iter().map(|i| (file, i.clone())).collect()
            };
            let dir = path.parent().unwrap_or(&parser.dir).to_owned();
            let mut next = Parser::new(dir, vec![path.clone()], imports);
            next.known.extend(parser.own.iter().cloned());
            next.imported = Some((path, file, facts, wanted));
            Some(next)
        }
        Err((message, words)) => {
            parser.failed = true;
            parser.matches.clear();
            refuse_import(found, &wanted, message, words);
            None
        }
    }
}

/// What Terramate refuses of a file is said of the directory that imports it. People see it once, where it is
/// imported.
fn refuse_file(found: &mut Vec<Found>, problems: &[&Problem], place: Place) {
    for (at, problem) in problems.iter().enumerate() {
        let inside = &problem.diagnostic;
        let d = if inside.rule == &syntax_error::RULE {
            let message = format!("the imported file has a syntax error: {}", inside.message);
            Diagnostic::new(&syntax_error::RULE, place, message)
        } else {
            let words = inside
                .engine_message
                .clone()
                .unwrap_or_else(|| inside.message.clone());
            let message = format!("the imported file is rejected: {}", inside.message);
            import_invalid::found(place, message, words)
        };
        refuse(found, d.related(inside.place, inside.message.clone())).silent = at > 0;
    }
}

/// An imported file is done: takes what it brings into the parser above, or fails that one's import.
fn leave(cx: &Cx<'_>, mut done: Parser, above: &mut Parser, found: &mut Vec<Found>) {
    let Some((path, file, facts, wanted)) = done.imported.take() else {
        return;
    };
    let is_early = |p: &&Problem| p.fatal && p.early;
    let is_syntax = |p: &&Problem| p.diagnostic.rule == &syntax_error::RULE;
    let problems: Vec<&Problem> = facts.shape.problems.iter().filter(is_early).collect();
    let (syntax, mut merging): (Vec<&Problem>, Vec<&Problem>) = problems.into_iter().partition(is_syntax);
    if facts.shape.unreadable {
        merging.clear();
    }
    refuse_file(found, &syntax, wanted.place);
    refuse_file(found, &merging, wanted.place);
    let twice = Settings::default().merge(&done.dir, &facts);
    for words in &twice {
        refuse_import(
            found,
            &wanted,
            "the imported file sets something twice".to_owned(),
            words.clone(),
        );
    }
    if done.failed || facts.shape.unreadable || !merging.is_empty() || !twice.is_empty() {
        above.failed = true;
        above.matches.clear();
        return;
    }
    let mut refused = false;
    if let Some(stack) = facts.shape.stacks.first() {
        refused = true;
        let d = stack_in_import::found(wanted.place, wanted.block, cx.place(file, stack.header));
        refuse(found, d);
    }
    let own = Merged {
        file,
        facts,
        place: wanted.place,
    };
    for merged in done.merged.into_iter().chain([own]) {
        let dir = cx
            .path(merged.file)
            .parent()
            .map(Utf8Path::to_owned)
            .unwrap_or_default();
        for words in above.settings.merge(&dir, &merged.facts) {
            refused = true;
            let message = "what is imported here was imported already".to_owned();
            refuse_import(found, &wanted, message, words);
        }
        above.merged.push(merged);
    }
    if refused {
        above.failed = true;
        above.matches.clear();
    } else {
        above.known.insert(path);
    }
}

/// The parser of the directory itself is done: merges what it has with what its imports bring.
fn finish(sources: &Sources, dir: &Dir, done: Parser, found: &mut Vec<Found>) -> Vec<Merged> {
    let is_imported = done.settings.has_vendor;
    for (_, facts) in sources.files(dir).filter(|(_, facts)| !facts.shape.unreadable) {
        if let Some(merged) = done
            .merged
            .iter()
            .find(|_| is_imported && !facts.shape.vendors.is_empty())
        {
            let why = "a `vendor` block is imported, and this directory has one";
            let words = "block \"vendor\" can only appear once";
            refuse(found, import_invalid::found(merged.place, why, words));
            break;
        }
    }
    done.merged
}

/// What Terramate refuses inside of the files that a directory imports; `looked_at` says which problems count.
pub(crate) fn refuse_insides(
    merged: &[Merged],
    looked_at: impl Fn(&Problem) -> bool,
    found: &mut Vec<Found>,
) {
    for file in merged {
        let problems = file.facts.shape.problems.iter();
        let problems: Vec<&Problem> = problems.filter(|p| p.fatal && !p.early && looked_at(p)).collect();
        refuse_file(found, &problems, file.place);
    }
}

/// What is imported anywhere in the project, as a number: the files that imports lead to, from those in turn, and all
/// that they say.
pub(super) fn print(input: &Input<'_>, sources: &Sources, importing: &[u32]) -> Fingerprint {
    let table = input.cx.memo().table::<MatchesKey, Vec<FileId>>();
    let world = input.cx.world();
    let matched = |read: &Read<FileFacts>, from: &Utf8Path| {
        table.get(MatchesKey(world, read.file, read.shape), || {
            let known = read.facts.shape.imports.iter().filter_map(|i| i.source.known());
            let paths = known.filter_map(|source| matches(input, from, &source.value).ok());
            let files = paths.flatten().map(|path| {
                // A failure is reported by who follows the import.
                drop(input.cx.facts::<FileFacts>(&path));
                input.cx.file(&path)
            });
            files.collect()
        })
    };
    let mut open: Vec<FileId> = Vec::new();
    let mut seen: FxHashSet<FileId> = FxHashSet::default();
    for dir in importing.iter().filter_map(|d| input.tree.dirs.get(*d as usize)) {
        let own = sources.shaped(dir).filter(|r| !r.facts.shape.imports.is_empty());
        for read in own {
            open.extend(matched(read, &dir.host).iter().filter(|f| seen.insert(**f)));
        }
    }
    let mut mix = Mix::default();
    while let Some(file) = open.pop() {
        let Ok(read) = input.cx.read::<FileFacts>(file) else {
            mix.add(&file);
            continue;
        };
        mix.add(&(file, read.shape));
        if read.facts.shape.imports.is_empty() {
            continue;
        }
        let path = input.cx.path(file);
        let from = path.parent().unwrap_or(&path);
        open.extend(matched(&read, from).iter().filter(|f| seen.insert(**f)));
    }
    mix.finish()
}

/// The files that the imports of a file lead to.
#[derive(PartialEq, Eq, Hash)]
struct MatchesKey(World, FileId, Shape);
