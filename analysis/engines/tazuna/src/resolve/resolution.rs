//! Verdicts, findings and orders of a project, of all its environments together.

use std::any::Any;
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::build::Plan;
use super::edit::Kept;
use super::hints::Extent;
use super::settled::Settled;
use super::{Outcome, Run};
use crate::facts::TazunaFacts;
use crate::verdict::{Command, Found, Rejected, Stage, Unknown, judge};
use applyorder_core::diagnostic::{At, Diagnostic, FileId, Place};
use applyorder_core::engine::{Facts, Findings, Lazy, Member, Resolution, Verdict};
use applyorder_core::files::ReadError;
use applyorder_core::rules::{keep_most_specific, limit_reached, syntax_error, unreadable_file};
use applyorder_syntax::text::Span;

/// What is not known of one environment, in sentences.
fn unresolved(settled: &Settled, unknown: &[Unknown]) -> Vec<(Option<Place>, String)> {
    let mut out = Vec::new();
    if settled.hints.extent == Extent::Part {
        let text = "redundant dependencies were not all searched: there are more ways through the project than we try";
        out.push((None, text.to_owned()));
    }
    out.extend(unknown.iter().map(|u| (None, u.because.clone())));
    out
}

/// What `check` says in each environment, then what `apply` and `destroy` say.
fn sorted(mut verdicts: Vec<Verdict>) -> Vec<Verdict> {
    verdicts.sort_by_key(|v| Command::ALL.iter().position(|c| c.name() == v.command));
    verdicts
}

/// A distinct result with its verdicts, ready to be told file by file.
struct Told<'a> {
    settled: &'a Settled,
    /// The environments it is the result of.
    environments: Vec<Option<Arc<str>>>,
    /// What is found before anything else.
    first: Vec<Diagnostic>,
    /// The findings that verdicts hang on.
    loud: FxHashMap<FileId, Vec<Diagnostic>>,
    unknown: Vec<Unknown>,
    templates: FxHashSet<FileId>,
}

impl<'a> Told<'a> {
    /// `mine` are the environments that have this result.
    fn new(settled: &'a Settled, mine: &[&Outcome], verdicts: &mut Vec<Verdict>) -> Self {
        let mut all_found = settled.loud();
        let unknown = settled.unknown();
        let templates = settled.templates();
        let rendered = all_found
            .iter_mut()
            .filter(|f| f.rejected.check != Some(Stage::Template));
        without_fixes_in(&templates, rendered.map(|f| &mut f.diagnostic));
        let mut first = Vec::new();
        let mut marked = false;
        for outcome in mine {
            let name = outcome.environment.as_ref();
            let Some(undeclared) = &outcome.undeclared else {
                verdicts.extend(judge(&mut all_found, &unknown, name, !marked));
                marked = true;
                continue;
            };
            // The stage comes before the includes; what is found later is not what is reported.
            let mut found = all_found.clone();
            for f in &mut found {
                f.diagnostic.enforced.clear();
            }
            found.push(undeclared.clone());
            verdicts.extend(judge(&mut found, &unknown, name, true));
            let d = found.pop().map(|f| f.diagnostic);
            if !marked && mine.len() == 1 {
                all_found = found;
                marked = true;
            }
            first.extend(d);
        }
        if !marked {
            judge(&mut all_found, &unknown, None, true);
        }
        let mut loud: FxHashMap<FileId, Vec<Diagnostic>> = FxHashMap::default();
        for f in all_found {
            loud.entry(f.diagnostic.place.file)
                .or_default()
                .push(f.diagnostic);
        }
        Self {
            settled,
            environments: mine.iter().map(|o| o.environment.clone()).collect(),
            first,
            loud,
            unknown,
            templates,
        }
    }

    /// All results, and their verdicts.
    fn all(distinct: &'a [Settled], outcomes: &[Outcome]) -> (Vec<Self>, Vec<Verdict>) {
        let mut verdicts = Vec::new();
        let told = distinct.iter().enumerate().map(|(index, settled)| {
            let mine: Vec<&Outcome> = outcomes.iter().filter(|o| o.result == index).collect();
            Self::new(settled, &mine, &mut verdicts)
        });
        (told.collect(), sorted(verdicts))
    }

    /// Its findings in one file.
    fn of(&self, file: FileId) -> Vec<Diagnostic> {
        let mut found = self.loud.get(&file).cloned().unwrap_or_default();
        let loud = found.len();
        found.extend(self.settled.quiet_of(file));
        without_fixes_in(&self.templates, found.iter_mut().skip(loud));
        keep_most_specific(&mut found);
        found
    }

    fn unresolved(&self) -> Vec<(Option<Place>, String)> {
        unresolved(self.settled, &self.unknown)
    }
}

/// The findings in one file, of all environments together.
fn of_file(run: &Run<'_, '_>, told: &[Told<'_>], file: FileId) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    let first = |told: &Told<'_>| {
        let first = told.first.iter().filter(|d| d.place.file == file);
        first.cloned().collect::<Vec<_>>()
    };
    if let [one] = told {
        all.extend(first(one));
        all.extend(one.of(file));
        return all;
    }
    let mut known = FxHashMap::default();
    for one in told {
        all.extend(first(one));
        merge(run, file, &mut all, &mut known, one);
    }
    let total: usize = told.iter().map(|t| t.environments.len()).sum();
    for d in all.iter_mut().filter(|d| d.environments.len() == total) {
        d.environments.clear();
    }
    all
}

/// The resolution after an edit that changed the findings of some files at most.
pub(super) fn after(
    run: &Run<'_, '_>,
    kept: Kept,
    changed: &FxHashSet<FileId>,
    previous: &Resolution,
) -> Resolution {
    let (told, verdicts) = Told::all(&kept.distinct, &kept.outcomes);
    let blocks = changed.iter().map(|file| (*file, of_file(run, &told, *file)));
    let diagnostics = run.cx.told(blocks.flat_map(|(_, found)| found).collect());
    let unresolved = told.iter().flat_map(Told::unresolved).collect();
    drop(told);
    let next = Resolution {
        diagnostics,
        ..parts(run, &kept, verdicts, unresolved, Some(previous))
    };
    run.cache.keep(Some(kept));
    next
}

/// Puts the distinct results together, and keeps them for the next edit.
pub(super) fn assemble(run: &Run<'_, '_>, distinct: Vec<Settled>, outcomes: Vec<Outcome>) -> Resolution {
    let mut kept = Kept { distinct, outcomes };
    for (index, settled) in kept.distinct.iter_mut().enumerate() {
        let mine = kept.outcomes.iter().filter(|o| o.result == index);
        settled.plan.environments = mine.map(|o| o.environment.clone()).collect();
    }
    let (told, verdicts) = Told::all(&kept.distinct, &kept.outcomes);
    let mut files = FxHashSet::default();
    for one in &told {
        one.settled.files(&mut files);
        files.extend(one.first.iter().map(|d| d.place.file));
    }
    let found: Vec<Diagnostic> = files.iter().flat_map(|file| of_file(run, &told, *file)).collect();
    let unresolved = told.iter().flat_map(Told::unresolved).collect();
    drop(told);
    let next = Resolution {
        diagnostics: run.cx.told(found),
        ..parts(run, &kept, verdicts, unresolved, None)
    };
    let declared = kept.outcomes.iter().all(|o| o.undeclared.is_none());
    run.cache.keep(declared.then_some(kept));
    next
}

/// Everything but the findings.
fn parts(
    run: &Run<'_, '_>,
    kept: &Kept,
    verdicts: Vec<Verdict>,
    unresolved: Vec<(Option<Place>, String)>,
    previous: Option<&Resolution>,
) -> Resolution {
    let expansions = || kept.distinct.iter().map(|s| &s.plan.expansion);
    let alone = match kept.distinct.as_slice() {
        [one] => Some(&one.plan.expansion).filter(|e| e.parts.iter().all(|p| !p.again)),
        _ => None,
    };
    let (members, links) = match (previous, alone) {
        (Some(previous), _) if kept.distinct.iter().all(|s| !s.is_relisted) => {
            (previous.members.clone(), previous.links.clone())
        }
        (_, Some(alone)) => (alone.members.clone(), alone.links.clone()),
        _ => (
            union(expansions().map(|e| &e.members[..]), |m| m.file).into(),
            union(expansions().map(|e| &e.links[..]), |l| {
                (l.place, l.target.clone())
            })
            .into(),
        ),
    };
    let plans: Vec<Plan> = kept.distinct.iter().map(|s| s.plan.clone()).collect();
    let first = plans.first().cloned();
    let cache = run.cache.clone();
    Resolution {
        members,
        variants: Lazy::new(move || plans.iter().map(|p| p.variant(&cache)).collect()),
        verdicts,
        diagnostics: Findings::default(),
        links,
        symbols: Lazy::new(move || first.map(|p| p.symbols()).unwrap_or_default()),
        unresolved,
        engine_version: engine_version(run),
        hints: None,
        state: Some(run.cache.clone() as Arc<dyn Any + Send + Sync>),
    }
}

/// What is in some lists, once.
fn union<'a, T: Clone + 'a, K: Eq + Hash>(
    lists: impl Iterator<Item = &'a [T]>,
    key: impl Fn(&T) -> K,
) -> Vec<T> {
    let mut seen = FxHashSet::default();
    lists.flatten().filter(|t| seen.insert(key(t))).cloned().collect()
}

/// What is seen in a rendered text cannot be mended in the template it came from.
fn without_fixes_in<'a>(templates: &FxHashSet<FileId>, found: impl Iterator<Item = &'a mut Diagnostic>) {
    if templates.is_empty() {
        return;
    }
    for d in found {
        d.fixes
            .retain(|fix| fix.steps.iter().all(|s| !templates.contains(&s.place().file)));
    }
}

/// What makes findings of two environments one: rule, place and text.
type Alike = (&'static str, Option<Span>, String);

/// Adds findings that hold in some environments; what is found alike in others is one finding.
fn merge(
    run: &Run<'_, '_>,
    file: FileId,
    all: &mut Vec<Diagnostic>,
    known: &mut FxHashMap<Alike, usize>,
    told: &Told<'_>,
) {
    let found = told.of(file);
    if found.is_empty() {
        return;
    }
    let facts = run.cx.read::<TazunaFacts>(file).ok().map(|r| r.facts);
    let span = |place: Place| match place.at {
        At::Anchor(anchor) => facts.as_ref().and_then(|f| f.span(anchor.index)),
        At::Span(span) => Some(span),
        At::File => None,
    };
    let names = || {
        told.environments
            .iter()
            .map(|e| e.clone().unwrap_or_else(|| "".into()))
    };
    for mut d in found {
        let alike = (d.rule.id, span(d.place), d.message.clone());
        let at = *known.entry(alike).or_insert(all.len());
        match all.get_mut(at) {
            Some(known) => {
                let more = names().filter(|n| !known.environments.contains(n));
                let more: Vec<Arc<str>> = more.collect();
                known.environments.extend(more);
            }
            None => {
                d.environments = names().collect();
                all.push(d);
            }
        }
    }
}

fn engine_version(run: &Run<'_, '_>) -> String {
    let generation = format!("{:?}", run.generation);
    match &run.version {
        Some(version) => format!("{version} ({generation})"),
        None => generation,
    }
}

/// The result for a root that cannot be read.
pub(super) fn unreadable(run: &Run<'_, '_>, error: &ReadError) -> Resolution {
    let root = run.cx.file(run.root);
    let name = run.root.file_name().unwrap_or("").to_owned();
    let place = Place::file(root);
    let mut unknown = Vec::new();
    let limit = run
        .past_limit(run.root, error)
        .map(|what| format!("`{name}` {what}"));
    let mut found = match (limit, error) {
        (Some(because), _) => {
            unknown.push(Unknown {
                stage: Stage::Read,
                because: because.clone(),
            });
            vec![Found::lint(Diagnostic::new(&limit_reached::RULE, place, because))]
        }
        (None, ReadError::NotUtf8(at)) => {
            if run.reads_otherwise(run.root, *at) {
                unknown.push(Unknown {
                    stage: Stage::Template,
                    because: format!("`{name}` is not UTF-8, and Tazuna may stop before it comes to that"),
                });
            }
            let d = Diagnostic::new(
                &syntax_error::RULE,
                place,
                format!("`{name}` is not UTF-8: byte {at} cannot stand there"),
            )
            .engine_message("error converting YAML to JSON: yaml: invalid leading UTF-8 octet");
            vec![Found::rejected(Rejected::both(Stage::Decode), d, name)]
        }
        (None, other) => {
            let d = Diagnostic::new(
                &unreadable_file::RULE,
                place,
                format!("`{name}` cannot be read: {other}"),
            )
            .engine_message(format!("failed to read {name}: {other}"));
            vec![Found::rejected(Rejected::both(Stage::Read), d, name)]
        }
    };
    let mut verdicts = Vec::new();
    let environments: Vec<Option<Arc<str>>> = match run.options.environments.as_slice() {
        [] => vec![None],
        names => names
            .iter()
            .map(|n| (!n.is_empty()).then(|| Arc::from(n.as_str())))
            .collect(),
    };
    for (i, environment) in environments.iter().enumerate() {
        verdicts.extend(judge(&mut found, &unknown, environment.as_ref(), i == 0));
    }
    let verdicts = sorted(verdicts);
    let mut variant = super::build::empty();
    variant.environments = environments;
    Resolution {
        members: Arc::new([Member {
            file: root,
            why: "the root".to_owned(),
            via: None,
        }]),
        variants: vec![variant].into(),
        verdicts,
        diagnostics: run.cx.told(found.into_iter().map(|f| f.diagnostic).collect()),
        links: Arc::default(),
        symbols: Vec::new().into(),
        unresolved: unknown.into_iter().map(|u| (Some(place), u.because)).collect(),
        engine_version: engine_version(run),
        hints: None,
        state: Some(run.cache.clone() as Arc<dyn Any + Send + Sync>),
    }
}
