//! What people see of a project, of all its environments together.

use std::any::Any;
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::check::{self, Checked};
use super::judge::{COMMANDS, Stage, rejected};
use super::layer::{Block, Finding, Marks, Memo, Pass, Unknown, in_order, judge};
use super::load::{Loaded, Unreadable, load};
use super::model::{Model, Piece, model};
use super::read::Item;
use super::relate::{self, Related, relate};
use super::rules::undeclared_environment;
use crate::diagnostic::{At, Diagnostic, Enforced, FileId, Place};
use crate::engines::{Cx, Lazy, Link, Member, ProjectSeed, Resolution, RunOptions, Verdict};
use crate::files::{DirEntry, ReadError};
use crate::rules::{keep_most_specific, limit_reached, redundant_dependency, syntax_error, unreadable_file};
use crate::syntax::text::Span;

/// Projects with as many entries are searched for those that others imply even where nobody wants to know: it costs
/// next to nothing.
const SMALL: usize = 5_000;

/// What the editor asks of a project.
pub(super) struct State {
    model: Model,
    memo: Arc<Memo>,
}

impl State {
    /// What stands in the root's directory.
    pub(super) fn listing(&self) -> &[DirEntry] {
        &self.model.loaded.listing
    }

    /// The entry whose first key stands at a place.
    pub(super) fn item(&self, header: Place) -> Option<&Item> {
        let pieces = self
            .model
            .variants
            .iter()
            .flat_map(|v| &v.parts)
            .map(|p| &p.piece);
        let mut of_file = pieces.filter(|p| p.file == header.file);
        of_file.find_map(|piece: &Arc<Piece>| {
            let unit = piece.units.iter().find(|u| u.unit.header == header)?;
            Some(piece.item(unit)?.0)
        })
    }
}

/// Resolves a project.
pub(super) fn resolve(
    cx: &Cx<'_>,
    seed: &ProjectSeed,
    options: &RunOptions,
    previous: Option<&Resolution>,
) -> Resolution {
    let state = previous.and_then(|p| p.memo.clone()?.downcast::<State>().ok());
    let memo = state.map(|s| s.memo.clone()).unwrap_or_default();
    memo.begin(cx.edited().is_none());
    let pass = Pass { cx, memo: &memo };
    let loaded = Arc::new(load(&pass, seed, options));
    let model = model(&pass, &loaded);
    let related = relate(&memo, &model);
    let next = match &loaded.root {
        Err(error) => unreadable(&loaded, error),
        Ok(_) => assemble(&pass, &model, &related),
    };
    memo.end();
    Resolution {
        memo: Some(Arc::new(State { model, memo }) as Arc<dyn Any + Send + Sync>),
        ..next
    }
}

/// A distinct reading with what is told of it.
struct Told {
    blocks: Vec<(Arc<Block>, bool)>,
    marks: Marks,
    environments: Vec<Option<Arc<str>>>,
}

fn assemble(pass: &Pass<'_, '_>, model: &Model, related: &[Arc<Related>]) -> Resolution {
    let mut verdicts: Vec<Verdict> = Vec::new();
    let mut unresolved = Vec::new();
    let mut all: Vec<Told> = Vec::new();
    let is_wanted = pass.cx.is_wanted(&redundant_dependency::RULE);
    for (number, related) in related.iter().enumerate() {
        let Checked { blocks, unknown } = check::check(pass, related);
        let mut hints = Vec::new();
        if related.can_imply() && (is_wanted || related.entries() <= SMALL) {
            let (found, whole) = related.redundant();
            hints = found.into_iter().map(Finding::new).collect();
            if !whole {
                let text = "redundant dependencies were not all searched: there are more ways through the project \
                            than we try";
                unresolved.push((None, text.to_owned()));
            }
        }
        unresolved.extend(unknown.iter().map(|u| (None, u.because.clone())));
        let environments = model.loaded.environments.iter().zip(&model.variant_of);
        let mine = environments
            .filter(|(_, variant)| **variant == number)
            .map(|(e, _)| e);
        let mut told = Told {
            blocks: Vec::new(),
            marks: Marks::default(),
            environments: Vec::new(),
        };
        let rank = |stage: &'static str, slot, at| check::rank(related, stage, slot, at);
        let mut shared = None;
        let mut own_marks = None;
        let plain: Vec<&Arc<Block>> = blocks.iter().collect();
        for environment in mine {
            let name = environment.name.as_ref();
            let own = environment.undeclared.as_ref().map(|(place, declared)| {
                let name = name.map_or("", |n| &**n);
                let d = undeclared_environment::diagnostic(*place, name, declared);
                Arc::new(Block::new(vec![rejected(Stage::Environment, d, name)]))
            });
            let mut blocks = plain.clone();
            blocks.extend(&own);
            let (verdict, marks) = judge(&COMMANDS, &blocks, &unknown, name, &rank);
            verdicts.extend(verdict);
            match own {
                Some(own) => {
                    own_marks.get_or_insert(marks);
                    told.blocks.push((own, true));
                }
                None => {
                    shared.get_or_insert(marks);
                }
            }
            told.environments.push(environment.name.clone());
        }
        told.marks = shared.or(own_marks).unwrap_or_default();
        told.blocks.extend(blocks.into_iter().map(|b| (b, false)));
        told.blocks.push((Arc::new(Block::new(hints)), false));
        all.push(told);
    }
    in_order(&COMMANDS, &mut verdicts);
    let mut files: Vec<FileId> = all
        .iter()
        .flat_map(|t| &t.blocks)
        .flat_map(|(b, _)| b.files().iter().copied())
        .collect();
    files.sort_unstable();
    files.dedup();
    let found: Vec<Diagnostic> = files.iter().flat_map(|file| of_file(pass, &all, *file)).collect();
    let environments: Vec<Vec<Option<Arc<str>>>> = all.into_iter().map(|t| t.environments).collect();
    let (members, links) = members(model);
    let first = related.first().cloned();
    let related = related.to_vec();
    Resolution {
        members,
        variants: Lazy::new(move || {
            let all = related.iter().zip(&environments);
            all.map(|(related, environments)| related.variant(environments))
                .collect()
        }),
        verdicts,
        diagnostics: found.into(),
        links,
        symbols: Lazy::new(move || first.map(|r| r.symbols()).unwrap_or_default()),
        unresolved,
        engine_version: model.loaded.setting.engine_version(),
        memo: None,
    }
}

fn members(model: &Model) -> (Arc<[Member]>, Arc<[Link]>) {
    if let [one] = model.variants.as_slice()
        && one.parts.iter().all(|p| !p.again)
    {
        return (one.members.clone(), one.links.clone());
    }
    let all = || model.variants.iter();
    let members = union(all().map(|e| &*e.members), |m| m.file);
    let links = union(all().map(|e| &*e.links), |l| (l.place, l.target.clone()));
    (members.into(), links.into())
}

/// What is in some lists, once.
fn union<'a, T: Clone + 'a, K: Eq + Hash>(
    lists: impl Iterator<Item = &'a [T]>,
    key: impl Fn(&T) -> K,
) -> Vec<T> {
    let mut seen = FxHashSet::default();
    lists.flatten().filter(|t| seen.insert(key(t))).cloned().collect()
}

/// What makes findings of two environments one: rule, place and text.
type Alike = (&'static str, Option<Span>, String);

fn told(file: FileId, told: &Told, own: bool) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for (block, _) in told
        .blocks
        .iter()
        .filter(|(b, is_own)| *is_own == own && b.files().contains(&file))
    {
        for (number, f) in (0u32..).zip(block.findings()) {
            if f.silent || f.diagnostic.place.file != file {
                continue;
            }
            let mut d = f.diagnostic.clone();
            for command in COMMANDS.iter().filter(|c| c.marks) {
                for r in f
                    .rejections
                    .iter()
                    .filter(|r| r.command == command.name && !r.warns)
                {
                    d.enforced.push(Enforced {
                        command: r.command,
                        stage: r.stage,
                        first: told.marks.is_first(block, number, r.command),
                    });
                }
            }
            out.push(d);
        }
    }
    out
}

fn of_file(pass: &Pass<'_, '_>, all_told: &[Told], file: FileId) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = Vec::new();
    let mut known: FxHashMap<Alike, usize> = FxHashMap::default();
    for one in all_told {
        all.extend(told(file, one, true));
        let mut found = told(file, one, false);
        keep_most_specific(&mut found);
        if all_told.len() == 1 {
            all.extend(found);
            continue;
        }
        let facts = pass.read(file).ok();
        let span = |place: Place| match place.at {
            At::Anchor(anchor) => crate::engines::Facts::span(&*facts.as_ref()?.facts, anchor.index),
            At::Span(span) => Some(span),
            At::File => None,
        };
        let names = || one.environments.iter().map(|e| e.clone().unwrap_or_default());
        for mut d in found {
            let alike = (d.rule.id, span(d.place), d.message.clone());
            let at = *known.entry(alike).or_insert(all.len());
            match all.get_mut(at) {
                Some(known) => {
                    let more: Vec<Arc<str>> = names().filter(|n| !known.environments.contains(n)).collect();
                    known.environments.extend(more);
                }
                None => {
                    d.environments = names().collect();
                    all.push(d);
                }
            }
        }
    }
    let total: usize = all_told.iter().map(|t| t.environments.len()).sum();
    if all_told.len() > 1 {
        for d in all.iter_mut().filter(|d| d.environments.len() == total) {
            d.environments.clear();
        }
    }
    all
}

/// The result for a root that cannot be read.
fn unreadable(loaded: &Loaded, why: &Unreadable) -> Resolution {
    let setting = &*loaded.setting;
    let name = setting.name();
    let place = Place::file(setting.root_file);
    let mut unknown: Vec<Unknown> = Vec::new();
    let open = |stage: Stage, because: String| Unknown {
        command: None,
        stage: stage.name(),
        because,
    };
    let found = match (&why.limit, &why.error) {
        (Some(limit), _) => {
            let because = format!("`{name}` {limit}");
            unknown.push(open(Stage::Read, because.clone()));
            Finding::new(Diagnostic::new(&limit_reached::RULE, place, because))
        }
        (None, ReadError::NotUtf8(at)) => {
            if why.reads_otherwise {
                let because = format!("`{name}` is not UTF-8, and Tazuna may stop before it comes to that");
                unknown.push(open(Stage::Template, because));
            }
            let text = format!("`{name}` is not UTF-8: byte {at} cannot stand there");
            let d = Diagnostic::new(&syntax_error::RULE, place, text)
                .engine_message("error converting YAML to JSON: yaml: invalid leading UTF-8 octet");
            rejected(Stage::Decode, d, name)
        }
        (None, other) => {
            let text = format!("`{name}` cannot be read: {other}");
            let d = Diagnostic::new(&unreadable_file::RULE, place, text)
                .engine_message(format!("failed to read {name}: {other}"));
            rejected(Stage::Read, d, name)
        }
    };
    let block = Arc::new(Block::new(vec![found]));
    let environments: Vec<Option<Arc<str>>> = match setting.environments.as_slice() {
        [] => vec![None],
        names => names.to_vec(),
    };
    let mut verdicts = Vec::new();
    let mut marks = Marks::default();
    for environment in &environments {
        let (verdict, own) = judge(&COMMANDS, &[&block], &unknown, environment.as_ref(), &|_, _, _| 0);
        verdicts.extend(verdict);
        marks = own;
    }
    in_order(&COMMANDS, &mut verdicts);
    let mut variant = relate::empty();
    variant.environments = environments;
    let told_one = Told {
        blocks: vec![(block, false)],
        marks,
        environments: Vec::new(),
    };
    Resolution {
        members: Arc::new([Member {
            file: setting.root_file,
            why: "the root".to_owned(),
            via: None,
        }]),
        variants: vec![variant].into(),
        verdicts,
        diagnostics: told(setting.root_file, &told_one, false).into(),
        links: Arc::default(),
        symbols: Vec::new().into(),
        unresolved: unknown.into_iter().map(|u| (Some(place), u.because)).collect(),
        engine_version: setting.engine_version(),
        memo: None,
    }
}
