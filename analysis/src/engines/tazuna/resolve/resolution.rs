//! Verdicts, findings and orders of a project, of all its environments together.

use std::any::Any;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::edit;
use super::settled::{SEARCHED, Settled};
use super::{Outcome, Run};
use crate::diagnostic::{At, Diagnostic, FileId, Place};
use crate::engines::tazuna::facts::TazunaFacts;
use crate::engines::tazuna::verdict::{Found, Rejected, Stage, Unknown, judge};
use crate::engines::{Facts, Lazy, Link, Member, Resolution, Verdict};
use crate::files::ReadError;
use crate::rules::{keep_most_specific, limit_reached, syntax_error, unreadable_file};

type Environments = Vec<Option<Arc<str>>>;

/// What is not known of one environment, in sentences.
fn unresolved(settled: &Settled, unknown: &[Unknown]) -> Vec<(Option<Place>, String)> {
    let mut out = Vec::new();
    if settled.index.entries > SEARCHED {
        let text = format!("redundant dependencies were not searched: more than {SEARCHED} entries");
        out.push((None, text));
    }
    out.extend(unknown.iter().map(|u| (None, u.because.clone())));
    out
}

/// What `check` says in each environment, then what `apply` says.
fn sorted(mut verdicts: Vec<Verdict>) -> Vec<Verdict> {
    verdicts.sort_by_key(|v| v.command == "apply");
    verdicts
}

/// The resolution after an edit that changed the findings of some files at most.
pub(super) fn after(
    run: &Run<'_, '_>,
    settled: &Settled,
    mut found: Vec<Found>,
    changed: &FxHashSet<FileId>,
    previous: &Resolution,
) -> Resolution {
    let unknown = settled.unknown();
    let mut verdicts = Vec::new();
    for (i, environment) in settled.plan.environments.iter().enumerate() {
        verdicts.extend(judge(&mut found, &unknown, environment.as_ref(), i == 0));
    }
    let blocks = changed
        .iter()
        .map(|file| (*file, edit::of_file(settled, &found, *file)));
    let (variant, symbols) = (settled.plan.clone(), settled.plan.clone());
    let cache = run.cache.clone();
    Resolution {
        members: previous.members.clone(),
        variants: Lazy::new(move || vec![variant.variant(&cache)]),
        verdicts: sorted(verdicts),
        diagnostics: previous.diagnostics.with(blocks),
        links: previous.links.clone(),
        symbols: Lazy::new(move || symbols.symbols()),
        unresolved: unresolved(settled, &unknown),
        engine_version: previous.engine_version.clone(),
        memo: previous.memo.clone(),
    }
}

/// Puts the distinct results together, and keeps the only one for the next edit.
pub(super) fn assemble(run: &Run<'_, '_>, distinct: Vec<Settled>, outcomes: &[Outcome]) -> Resolution {
    let mut verdicts: Vec<Verdict> = Vec::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut plans = Vec::new();
    let mut members: Vec<Member> = Vec::new();
    let mut links: Vec<Link> = Vec::new();
    let mut open = Vec::new();
    let several = distinct.len() > 1;
    let mut kept = None;
    for (index, mut settled) in distinct.into_iter().enumerate() {
        let mine: Vec<&Outcome> = outcomes.iter().filter(|o| o.result == index).collect();
        let environments: Environments = mine.iter().map(|o| o.environment.clone()).collect();
        let mut all_found = settled.loud();
        let unknown = settled.unknown();
        let parts = settled.plan.expansion.parts.iter();
        let templates: Vec<FileId> = parts.filter(|p| p.facts.is_templated()).map(|p| p.file).collect();
        let rendered = all_found
            .iter_mut()
            .filter(|f| f.rejected.check != Some(Stage::Template));
        without_fixes_in(&templates, rendered.map(|f| &mut f.diagnostic));
        let mut marked = false;
        for outcome in &mine {
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
            diagnostics.extend(d);
        }
        if !marked {
            judge(&mut all_found, &unknown, None, true);
        }
        let mut found: Vec<Diagnostic> = all_found.into_iter().map(|f| f.diagnostic).collect();
        let loud = found.len();
        found.extend(settled.quiet().cloned());
        without_fixes_in(&templates, found.iter_mut().skip(loud));
        keep_most_specific(&mut found);
        if several && environments.len() < outcomes.len() {
            let names: Vec<Arc<str>> = environments
                .iter()
                .map(|e| e.clone().unwrap_or_else(|| "".into()))
                .collect();
            merge(run, &mut diagnostics, found, &names);
        } else {
            diagnostics.extend(found);
        }
        open.extend(unresolved(&settled, &unknown));
        let expansion = &settled.plan.expansion;
        let new = expansion
            .members
            .iter()
            .filter(|m| index == 0 || !members.iter().any(|k| k.file == m.file));
        members.extend(new.cloned().collect::<Vec<_>>());
        let new = expansion
            .links
            .iter()
            .filter(|l| index == 0 || !links.contains(l));
        links.extend(new.cloned().collect::<Vec<_>>());
        settled.plan.environments = environments;
        plans.push(settled.plan.clone());
        kept = Some(settled);
    }
    let mut seen = FxHashSet::default();
    members.retain(|m| seen.insert(m.file));
    if several {
        for d in &mut diagnostics {
            if d.environments.len() == outcomes.len() {
                d.environments.clear();
            }
        }
    }
    let declared = outcomes.iter().all(|o| o.undeclared.is_none());
    run.cache.settle(
        kept.filter(|s| !several && declared && !s.entangled && !s.plan.expansion.is_templated())
            .map(Box::new),
    );
    let first = plans.first().cloned();
    let cache = run.cache.clone();
    Resolution {
        members: members.into(),
        variants: Lazy::new(move || plans.iter().map(|p| p.variant(&cache)).collect()),
        verdicts: sorted(verdicts),
        diagnostics: diagnostics.into(),
        links: links.into(),
        symbols: Lazy::new(move || first.map(|p| p.symbols()).unwrap_or_default()),
        unresolved: open,
        engine_version: engine_version(run),
        memo: Some(run.cache.clone() as Arc<dyn Any + Send + Sync>),
    }
}

/// What is seen in a rendered text cannot be mended in the template it came from.
fn without_fixes_in<'a>(templates: &[FileId], found: impl Iterator<Item = &'a mut Diagnostic>) {
    if templates.is_empty() {
        return;
    }
    for d in found {
        d.fixes
            .retain(|fix| fix.steps.iter().all(|s| !templates.contains(&s.place().file)));
    }
}

/// Adds findings that hold in some environments; what is found alike in others is one finding.
fn merge(run: &Run<'_, '_>, all: &mut Vec<Diagnostic>, found: Vec<Diagnostic>, names: &[Arc<str>]) {
    let span = |place: Place| match place.at {
        At::Anchor(anchor) => run
            .cx
            .facts_again::<TazunaFacts>(place.file)
            .ok()
            .and_then(|f| f.span(anchor.index)),
        At::Span(span) => Some(span),
        At::File => None,
    };
    for mut d in found {
        let at = span(d.place);
        let known = all.iter_mut().find(|k| {
            k.rule == d.rule && k.message == d.message && k.place.file == d.place.file && span(k.place) == at
        });
        match known {
            Some(known) => {
                let more = names.iter().filter(|n| !known.environments.contains(n)).cloned();
                known.environments.extend(more.collect::<Vec<_>>());
            }
            None => {
                d.environments = names.to_vec();
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
        diagnostics: found.into_iter().map(|f| f.diagnostic).collect::<Vec<_>>().into(),
        links: Arc::default(),
        symbols: Vec::new().into(),
        unresolved: unknown.into_iter().map(|u| (Some(place), u.because)).collect(),
        engine_version: engine_version(run),
        memo: Some(run.cache.clone() as Arc<dyn Any + Send + Sync>),
    }
}
