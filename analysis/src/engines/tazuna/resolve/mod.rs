//! One project: its files read and expanded, its units related, its verdicts foreseen, environment by
//! environment. Environments that read the same are one variant.

mod build;
mod cache;
mod expand;
mod findings;
mod lints;
mod refine;
mod secrets;

use std::any::Any;
use std::sync::Arc;

use camino::Utf8Path;

use self::build::Built;
use self::expand::Expansion;
use super::facts::{Reading, TazunaFacts};
use super::rules;
use super::verdict::{Found, Rejected, Stage, Unknown, judge};
use crate::config::TazunaGeneration;
use crate::diagnostic::{Diagnostic, FileId, Place};
use crate::engines::{Cx, Member, OrderOf, ProjectSeed, Resolution, RunOptions, Variant, Verdict};
use crate::files::ReadError;
use crate::rules::{keep_most_specific, limit_reached, syntax_error, unreadable_file};

pub(super) use cache::Cache;

/// What every step of a resolution needs.
pub(super) struct Run<'a, 'c> {
    cx: &'a Cx<'c>,
    cache: &'a Cache,
    /// The root file.
    root: &'a Utf8Path,
    /// Its directory, which all paths count from.
    dir: &'a Utf8Path,
    generation: TazunaGeneration,
    /// The version in use, where it is configured.
    version: Option<String>,
    options: &'a RunOptions,
    /// Why an included file belongs to the project.
    included: String,
}

impl Run<'_, '_> {
    /// How included files are read where the environment does not matter.
    fn included_reading(&self) -> Reading {
        self.reading("")
    }

    /// Whether Tazuna may say something else of a file than that the byte at `at` is not UTF-8: it runs
    /// templates over any bytes first, and looks at nothing behind the first document.
    fn reads_otherwise(&self, path: &Utf8Path, at: usize) -> bool {
        let Ok(bytes) = self.cx.bytes(path) else {
            return false;
        };
        let before = bytes.get(..at).unwrap_or(&bytes);
        let has = |bytes: &[u8], what: &[u8]| memchr::memmem::find(bytes, what).is_some();
        has(&bytes, b"{{") || has(before, b"\n---") || has(before, b"\n...")
    }

    fn reading(&self, environment: &str) -> Reading {
        Reading {
            environment: (self.generation >= TazunaGeneration::G4).then(|| environment.into()),
            strict: false,
        }
    }
}

/// What one environment makes of the project.
struct Outcome {
    environment: Option<Arc<str>>,
    /// Which of the distinct results it is.
    result: usize,
    /// The finding that the environment is not declared.
    undeclared: Option<Found>,
}

/// A distinct result, with all environments that have it.
struct Distinct {
    expansion: Expansion,
    built: Built,
    found: Vec<Found>,
    unknown: Vec<Unknown>,
}

/// Resolves a project.
pub(super) fn resolve(
    cx: &Cx<'_>,
    seed: &ProjectSeed,
    options: &RunOptions,
    previous: Option<&Resolution>,
) -> Resolution {
    let cache: Arc<Cache> = previous
        .and_then(|p| p.memo.clone())
        .and_then(|memo| memo.downcast::<Cache>().ok())
        .unwrap_or_default();
    let config = cx.config(&seed.root);
    let generation = config.tazuna.generation.unwrap_or_default();
    let run = Run {
        cx,
        cache: &cache,
        root: &seed.root,
        dir: seed.root.parent().unwrap_or(Utf8Path::new("/")),
        generation,
        version: options
            .engine_version
            .clone()
            .or_else(|| config.tazuna.version.clone()),
        options,
        included: format!("included by {}", seed.root.file_name().unwrap_or("the root")),
    };
    cache.tidy();
    if cx.edited().is_none() {
        cache.forget_answers();
        cache.set_listing(cx.list(run.dir).unwrap_or_default());
    }
    let mut resolution = match cx.facts::<TazunaFacts>(&seed.root) {
        Ok((file, facts)) => all_environments(&run, file, &facts),
        Err(error) => unreadable(&run, &error),
    };
    resolution.memo = Some(cache as Arc<dyn Any + Send + Sync>);
    resolution
}

fn all_environments(run: &Run<'_, '_>, root: FileId, facts: &Arc<TazunaFacts>) -> Resolution {
    let plain = facts.view(&Reading {
        strict: run.generation == TazunaGeneration::G1,
        ..run.reading("")
    });
    let knows_environments = run.generation >= TazunaGeneration::G4;
    let mut environments: Vec<Option<Arc<str>>> = Vec::new();
    if !knows_environments {
        environments.push(None);
    } else if run.options.environments.is_empty() {
        environments.push(None);
        environments.extend(plain.head.environments.iter().cloned().map(Some));
    } else {
        for name in &run.options.environments {
            let name = (!name.is_empty()).then(|| Arc::from(name.as_str()));
            if !environments.contains(&name) {
                environments.push(name);
            }
        }
    }
    let mut distinct: Vec<Distinct> = Vec::new();
    let mut outcomes: Vec<Outcome> = Vec::new();
    for environment in environments {
        let name = environment.as_deref().unwrap_or("");
        let reading = Reading {
            strict: run.generation == TazunaGeneration::G1,
            ..run.reading(name)
        };
        let expansion = expand::expand(run, root, facts, &reading);
        let undeclared = undeclared(root, &expansion, name);
        let same = distinct
            .iter()
            .position(|d| reads_the_same(&d.expansion, &expansion));
        let result = same.unwrap_or(distinct.len());
        if same.is_none() {
            distinct.push(one_result(run, root, expansion));
        }
        outcomes.push(Outcome {
            environment,
            result,
            undeclared,
        });
        let nothing_templated = distinct
            .iter()
            .all(|d| d.expansion.parts.iter().all(|p| !p.facts.is_templated()));
        if nothing_templated && run.options.environments.is_empty() {
            // All declared environments read the same, and are declared.
            let rest = plain.head.environments.iter().cloned().map(Some);
            outcomes.extend(rest.filter(|_| knows_environments).map(|environment| Outcome {
                environment,
                result: 0,
                undeclared: None,
            }));
            break;
        }
    }
    assemble(run, distinct, outcomes)
}

fn reads_the_same(a: &Expansion, b: &Expansion) -> bool {
    a.parts.len() == b.parts.len()
        && a.parts
            .iter()
            .zip(&b.parts)
            .all(|(a, b)| a.file == b.file && Arc::ptr_eq(&a.view, &b.view))
}

fn one_result(run: &Run<'_, '_>, root: FileId, mut expansion: Expansion) -> Distinct {
    let built = build::build(run, &expansion);
    let mut found = std::mem::take(&mut expansion.found);
    let mut unknown = std::mem::take(&mut expansion.unknown);
    findings::check(run, &expansion, &built, &mut found, &mut unknown);
    lints::check(run, root, &expansion, &built, &mut found);
    refine::refine(&expansion, &built, &mut found);
    without_fixes_in_templates(&expansion, &mut found);
    Distinct {
        expansion,
        built,
        found,
        unknown,
    }
}

/// What is seen in a rendered text cannot be mended in the template it came from.
fn without_fixes_in_templates(expansion: &Expansion, found: &mut [Found]) {
    let templated: Vec<FileId> = expansion
        .parts
        .iter()
        .filter(|p| p.facts.is_templated())
        .map(|p| p.file)
        .collect();
    if templated.is_empty() {
        return;
    }
    for f in found
        .iter_mut()
        .filter(|f| f.rejected.check != Some(Stage::Template))
    {
        f.diagnostic
            .fixes
            .retain(|fix| fix.steps.iter().all(|s| !templated.contains(&s.place().file)));
    }
}

fn undeclared(root: FileId, expansion: &Expansion, name: &str) -> Option<Found> {
    let view = &expansion.parts.first()?.view;
    let declared = &view.head.environments;
    if name.is_empty() || declared.iter().any(|d| **d == *name) {
        return None;
    }
    let place = view.head.environments_key.map_or(Place::file(root), |key| {
        super::facts::rebased(key, view.head_base())
    });
    let d = rules::undeclared_environment::diagnostic(place, name, declared);
    Some(Found::rejected(Rejected::both(Stage::Environment), d, name))
}

/// Verdicts, findings and variants of all environments together.
fn assemble(run: &Run<'_, '_>, distinct: Vec<Distinct>, outcomes: Vec<Outcome>) -> Resolution {
    let mut verdicts: Vec<Verdict> = Vec::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut variants: Vec<Variant> = Vec::new();
    let mut members: Vec<Member> = Vec::new();
    let mut links = Vec::new();
    let mut unresolved = Vec::new();
    let mut symbols = Vec::new();
    let several = distinct.len() > 1;
    let all = outcomes.len();
    for (index, mut result) in distinct.into_iter().enumerate() {
        let mine: Vec<&Outcome> = outcomes.iter().filter(|o| o.result == index).collect();
        let environments: Vec<Option<Arc<str>>> = mine.iter().map(|o| o.environment.clone()).collect();
        let mut marked = false;
        for outcome in &mine {
            match &outcome.undeclared {
                None => {
                    let name = outcome.environment.as_ref();
                    verdicts.extend(judge(&mut result.found, &result.unknown, name, !marked));
                    marked = true;
                }
                Some(undeclared) => {
                    // The stage comes before the includes; what is found later is not what is reported.
                    let mut found = result.found.clone();
                    for f in &mut found {
                        f.diagnostic.enforced.clear();
                    }
                    found.push(undeclared.clone());
                    verdicts.extend(judge(
                        &mut found,
                        &result.unknown,
                        outcome.environment.as_ref(),
                        true,
                    ));
                    let d = found.pop().map(|f| f.diagnostic);
                    if !marked && mine.len() == 1 {
                        result.found = found;
                        marked = true;
                    }
                    diagnostics.extend(d);
                }
            }
        }
        if !marked {
            judge(&mut result.found, &result.unknown, None, true);
        }
        let mut found: Vec<Diagnostic> = result.found.into_iter().map(|f| f.diagnostic).collect();
        keep_most_specific(&mut found);
        if several && environments.len() < all {
            let names: Vec<Arc<str>> = environments
                .iter()
                .map(|e| e.clone().unwrap_or_else(|| "".into()))
                .collect();
            merge(run, &mut diagnostics, found, &names);
        } else {
            diagnostics.extend(found);
        }
        if result.built.variant.dependencies.len() > lints::SEARCHED {
            let text = format!(
                "redundant dependencies were not searched: more than {} entries",
                lints::SEARCHED
            );
            unresolved.push((None, text));
        }
        unresolved.extend(result.unknown.iter().map(|u| (None, u.because.clone())));
        for member in std::mem::take(&mut result.expansion.members) {
            if index == 0 && !several || !members.iter().any(|m| m.file == member.file) {
                members.push(member);
            }
        }
        for link in std::mem::take(&mut result.expansion.links) {
            if index == 0 || !links.contains(&link) {
                links.push(link);
            }
        }
        if index == 0 {
            symbols = build::symbols(run, &result.expansion);
        }
        let mut variant = result.built.variant;
        variant.environments = environments;
        variants.push(variant);
    }
    dedup_members(&mut members);
    if several {
        for d in &mut diagnostics {
            if d.environments.len() == all {
                d.environments.clear();
            }
        }
    }
    verdicts.sort_by_key(|v| v.command == "apply");
    Resolution {
        members,
        variants,
        verdicts,
        diagnostics,
        links,
        symbols,
        unresolved,
        engine_version: engine_version(run),
        memo: None,
    }
}

fn dedup_members(members: &mut Vec<Member>) {
    let mut seen = rustc_hash::FxHashSet::default();
    members.retain(|m| seen.insert(m.file));
}

/// Adds findings that hold in some environments; what is found alike in others is one finding.
fn merge(run: &Run<'_, '_>, all: &mut Vec<Diagnostic>, found: Vec<Diagnostic>, names: &[Arc<str>]) {
    let span = |place: Place| match place.at {
        crate::diagnostic::At::Anchor(anchor) => run
            .cx
            .facts_again::<TazunaFacts>(place.file)
            .ok()
            .and_then(|f| crate::engines::Facts::span(&*f, anchor.index)),
        crate::diagnostic::At::Span(span) => Some(span),
        crate::diagnostic::At::File => None,
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
fn unreadable(run: &Run<'_, '_>, error: &ReadError) -> Resolution {
    let root = run.cx.file(run.root);
    let name = run.root.file_name().unwrap_or("").to_owned();
    let place = Place::file(root);
    let mut unknown = Vec::new();
    let mut found = match error {
        ReadError::TooLarge(size) => {
            let because = format!("`{name}` is larger than applyorder's limit ({size} bytes)");
            unknown.push(Unknown {
                stage: Stage::Read,
                because: because.clone(),
            });
            vec![Found::lint(Diagnostic::new(&limit_reached::RULE, place, because))]
        }
        ReadError::NotUtf8(at) => {
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
        other => {
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
    verdicts.sort_by_key(|v: &Verdict| v.command == "apply");
    let mut variant = build::empty();
    variant.environments = environments;
    Resolution {
        members: vec![Member {
            file: root,
            why: "the root".to_owned(),
            via: None,
        }],
        variants: vec![variant],
        verdicts,
        diagnostics: found.into_iter().map(|f| f.diagnostic).collect(),
        links: Vec::new(),
        symbols: Vec::new(),
        unresolved: unknown.into_iter().map(|u| (Some(place), u.because)).collect(),
        engine_version: engine_version(run),
        memo: None,
    }
}

/// An order of nothing.
fn no_order() -> OrderOf {
    OrderOf {
        graph: Arc::default(),
        layers: Some(Arc::default()),
        sequence: None,
        guaranteed: true,
        because: None,
    }
}
