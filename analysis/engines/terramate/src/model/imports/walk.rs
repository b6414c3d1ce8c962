//! The traversal of imports: one parser for a directory, and one for each imported file.

use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::settings::Settings;
use super::source::matches;
use super::{ImportFault, Input, Merged, Rejected, Sources};
use crate::load::tree::Dir;
use crate::model::sources::read;
use crate::read::{FileFacts, Import, Problem, Value};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::files::FileKind;
use applyorder_core::layer::Budget;

/// The parser that Terramate makes for a directory, or for one imported file.
struct Parser {
    dir: Utf8PathBuf,
    /// The file, if it is an imported one, with the import that brings it.
    imported: Option<(Utf8PathBuf, FileId, Arc<FileFacts>, Wanted)>,
    /// What it parses itself, and what the parser above does.
    own: Arc<FxHashSet<Utf8PathBuf>>,
    above: Arc<FxHashSet<Utf8PathBuf>>,
    /// What it has imported.
    done: FxHashSet<Utf8PathBuf>,
    /// Remaining imports, the next one last.
    imports: Vec<(FileId, Import)>,
    /// Remaining files of the current import, the next one last.
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

/// What Terramate rejects, in its order.
#[derive(Default)]
struct Found {
    all: Vec<Rejected>,
    /// Several paths can lead to the same import.
    said: FxHashSet<(Place, Discriminant<ImportFault>)>,
}

impl Found {
    fn reject(&mut self, wanted: &Wanted, fault: ImportFault) {
        let is_new = self.said.insert((wanted.place, discriminant(&fault)));
        self.all.push(Rejected {
            silent: !is_new,
            ..Rejected::new(wanted.place, fault)
        });
    }
}

impl Parser {
    /// The file, if it is an imported one.
    fn path(&self) -> Option<&Utf8Path> {
        self.imported.as_ref().map(|(path, ..)| path.as_path())
    }

    /// The import that brings it.
    fn wanted(&self) -> Option<&Wanted> {
        self.imported.as_ref().map(|(.., wanted)| wanted)
    }

    /// Whether it, or the parser above, has the file already.
    fn knows(&self, path: &Utf8Path) -> bool {
        self.own.contains(path) || self.above.contains(path) || self.done.contains(path)
    }

    fn of_dir(sources: &Sources, dir: &Dir) -> Self {
        let sound = || sources.files(dir).filter(|(_, facts)| !facts.shape.unreadable);
        let imports = sound()
            .flat_map(|(l, facts)| facts.shape.imports.iter().map(|i| (l.file, i.clone())))
            .collect();
        let own = sound().map(|(l, _)| l.path.to_path_buf()).collect();
        Self::new(dir.host.clone(), own, imports)
    }

    fn new(dir: Utf8PathBuf, own: FxHashSet<Utf8PathBuf>, mut imports: Vec<(FileId, Import)>) -> Self {
        // One invalid block, and none is followed.
        let failed = imports.iter().any(|(_, i)| !i.is_valid);
        if failed {
            imports.retain(|(_, i)| i.rejected.is_some());
        }
        imports.reverse();
        Self {
            dir,
            imported: None,
            own: Arc::new(own),
            above: Arc::default(),
            done: FxHashSet::default(),
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

pub(super) fn walk(
    input: &Input<'_>,
    sources: &Sources,
    dir: &Dir,
    budget: &mut Budget,
) -> (Vec<Merged>, Vec<Rejected>) {
    let mut found = Found::default();
    let mut open = vec![Parser::of_dir(sources, dir)];
    while let Some(parser) = open.last_mut() {
        if let (Some(path), Some(wanted)) = (parser.matches.pop(), parser.present.clone()) {
            let place = wanted.place;
            let above = parser.path().map(Utf8Path::to_owned);
            let next = enter(input, parser, path, wanted, &mut found);
            // The result for a file depends on the importing file: with the same two again, it never ends.
            let is_same = |next: &Parser| {
                let mut pairs = open.iter().zip(open.iter().skip(1));
                pairs.any(|(from, to)| from.path() == above.as_deref() && to.path() == next.path())
            };
            if let Some(wanted) = next
                .as_ref()
                .filter(|next| is_same(next))
                .and_then(Parser::wanted)
            {
                found.reject(wanted, ImportFault::Cycle);
                return (Vec::new(), found.all);
            }
            if !budget.spend(1 + open.len() as u64) {
                return (Vec::new(), vec![Rejected::limited(place)]);
            }
            open.extend(next);
        } else if let Some((file, import)) = parser.imports.pop() {
            begin(input, parser, file, &import, &mut found);
        } else if let Some(done) = open.pop() {
            let Some(above) = open.last_mut() else {
                let merged = finish(sources, dir, done, &mut found);
                return (merged, found.all);
            };
            let place = done.wanted().map(|wanted| wanted.place);
            let is_enough = budget.spend(done.merged.len() as u64);
            if let Some(place) = place.filter(|_| !is_enough) {
                return (Vec::new(), vec![Rejected::limited(place)]);
            }
            leave(input, done, above, &mut found);
        }
    }
    (Vec::new(), found.all)
}

/// Terramate's errors in a file are reported for the directory that imports it. Users see them once, at the
/// import.
fn reject_insides(
    found: &mut Found,
    (file, facts): (FileId, &Arc<FileFacts>),
    place: Place,
    problems: &[usize],
) {
    found
        .all
        .extend(problems.iter().enumerate().map(|(at, number)| Rejected {
            silent: at > 0,
            ..Rejected::new(place, ImportFault::Inside(file, facts.clone(), *number))
        }));
}

/// Searches for the files of an import.
fn begin(input: &Input<'_>, parser: &mut Parser, file: FileId, import: &Import, found: &mut Found) {
    if let Some((at, words)) = import.rejected {
        found.all.push(Rejected {
            unseen: parser.is_left,
            ..Rejected::new(input.cx.place(file, at), ImportFault::NoLiteral(words))
        });
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
        Err(why) => {
            parser.failed = true;
            let fault = ImportFault::Source(wanted.source.clone(), why);
            found.reject(&wanted, fault);
        }
    }
}

/// One file of an import: a parser for it, if Terramate makes one.
fn enter(
    input: &Input<'_>,
    parser: &mut Parser,
    path: Utf8PathBuf,
    wanted: Wanted,
    found: &mut Found,
) -> Option<Parser> {
    let (cx, root) = (input.cx, &input.tree.root);
    let source = || wanted.source.clone();
    let rejected = if parser.knows(&path) {
        Some(ImportFault::Known(source(), path.clone()))
    } else if cx.kind(&path, false) == Some(FileKind::Directory) {
        Some(ImportFault::Directory(source()))
    } else if !path.starts_with(root) {
        Some(ImportFault::Outside(path.parent().unwrap_or(&path).to_owned()))
    } else {
        None
    };
    let read = match rejected {
        Some(rejected) => Err(rejected),
        None => cx
            .facts::<FileFacts>(&path)
            .or_else(|_| read(cx, cx.file(&path), &path))
            .map(|r| (r.file, r.facts))
            .map_err(|error| ImportFault::Unreadable(source(), error)),
    };
    match read {
        Ok((file, facts)) => {
            let imports = if facts.shape.unreadable {
                Vec::new()
            } else {
                facts.shape.imports.iter().map(|i| (file, i.clone())).collect()
            };
            let dir = path.parent().unwrap_or(&parser.dir).to_owned();
            let mut next = Parser::new(dir, FxHashSet::from_iter([path.clone()]), imports);
            next.above = parser.own.clone();
            next.imported = Some((path, file, facts, wanted));
            Some(next)
        }
        Err(fault) => {
            if !fault.is_limit() {
                parser.failed = true;
                parser.matches.clear();
            }
            found.reject(&wanted, fault);
            None
        }
    }
}

/// An imported file is done: takes what it brings into the parser above, or fails that one's import.
fn leave(input: &Input<'_>, mut done: Parser, above: &mut Parser, found: &mut Found) {
    let (cx, tree) = (input.cx, input.tree);
    let Some((path, file, facts, wanted)) = done.imported.take() else {
        return;
    };
    let early = |is_syntax: bool| -> Vec<usize> {
        let is_early = |p: &Problem| p.fatal && p.early && p.is_syntax() == is_syntax;
        let all = facts.shape.problems.iter().enumerate();
        all.filter(|(_, p)| is_early(p))
            .map(|(number, _)| number)
            .collect()
    };
    let syntax = early(true);
    let merging = if facts.shape.unreadable {
        Vec::new()
    } else {
        early(false)
    };
    reject_insides(found, (file, &facts), wanted.place, &syntax);
    reject_insides(found, (file, &facts), wanted.place, &merging);
    let twice = Settings::default().merge(tree, &path, &facts);
    for words in &twice {
        found.reject(&wanted, ImportFault::SetsTwice(words.clone()));
    }
    if done.failed || facts.shape.unreadable || !merging.is_empty() || !twice.is_empty() {
        above.failed = true;
        above.matches.clear();
        return;
    }
    let mut rejected = false;
    if let Some(stack) = facts.shape.stacks.first() {
        rejected = true;
        let fault = ImportFault::Stack {
            import: wanted.block,
            stack: cx.place(file, stack.header),
        };
        found.all.push(Rejected::new(wanted.place, fault));
    }
    let own = Merged {
        file,
        facts,
        place: wanted.place,
    };
    for merged in done.merged.into_iter().chain([own]) {
        for words in above.settings.merge(tree, &cx.path(merged.file), &merged.facts) {
            rejected = true;
            found.reject(&wanted, ImportFault::SetBefore(words));
        }
        above.merged.push(merged);
    }
    if rejected {
        above.failed = true;
        above.matches.clear();
    } else {
        above.done.insert(path);
    }
}

/// The parser of the directory itself is done: merges what it has with what its imports bring.
fn finish(sources: &Sources, dir: &Dir, done: Parser, found: &mut Found) -> Vec<Merged> {
    let is_imported = done.settings.has_vendor;
    for (_, facts) in sources.files(dir).filter(|(_, facts)| !facts.shape.unreadable) {
        if let Some(merged) = done
            .merged
            .iter()
            .find(|_| is_imported && !facts.shape.vendors.is_empty())
        {
            found.all.push(Rejected::new(merged.place, ImportFault::Vendor));
            break;
        }
    }
    done.merged
}
