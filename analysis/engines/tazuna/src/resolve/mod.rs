//! One project: its files read and expanded, its units related, its verdicts foreseen, environment by
//! environment. Environments that read the same are one variant.

mod build;
mod cache;
mod concerned;
mod edit;
mod expand;
mod hints;
mod included;
mod index;
mod lints;
mod names;
mod parts;
mod references;
mod refine;
mod relist;
mod resolution;
mod root;
mod secrets;
mod settled;
mod slot;
mod ties;
mod values;

use std::sync::Arc;

use camino::Utf8Path;

use self::parts::Expansion;
use self::settled::Settled;
use super::facts::{Reading, TazunaFacts};
use super::rules;
use super::verdict::{Found, Rejected, Stage};
use applyorder_core::config::TazunaGeneration;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Cx, OrderOf, ProjectSeed, Resolution, RunOptions};
use applyorder_core::files::ReadError;

pub(super) use cache::Cache;
#[cfg(test)]
pub(super) use edit::counted;

/// What every step of a resolution needs.
pub(super) struct Run<'a, 'c> {
    cx: &'a Cx<'c>,
    cache: &'a Arc<Cache>,
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

    /// Why a file is past what applyorder reads, though Tazuna may read it.
    fn past_limit(&self, path: &Utf8Path, error: &ReadError) -> Option<String> {
        match error {
            ReadError::TooLarge(size) => Some(format!("is larger than applyorder's limit ({size} bytes)")),
            // go-yaml tells the encoding by the byte order mark.
            ReadError::NotUtf8(0)
                if self
                    .cx
                    .bytes(path)
                    .is_ok_and(|b| b.starts_with(&[0xff, 0xfe]) || b.starts_with(&[0xfe, 0xff])) =>
            {
                Some("is UTF-16, which Tazuna reads and applyorder does not".to_owned())
            }
            _ => None,
        }
    }

    /// How the root is read.
    fn root_reading(&self, environment: &str) -> Reading {
        Reading {
            strict: self.generation == TazunaGeneration::G1,
            ..self.reading(environment)
        }
    }

    fn reading(&self, environment: &str) -> Reading {
        Reading {
            environment: (self.generation >= TazunaGeneration::G4).then(|| environment.into()),
            strict: false,
        }
    }
}

/// What one environment makes of the project.
#[derive(Clone)]
struct Outcome {
    environment: Option<Arc<str>>,
    /// Which of the distinct results it is.
    result: usize,
    /// The finding that the environment is not declared.
    undeclared: Option<Found>,
}

/// Resolves a project.
pub(super) fn resolve(
    cx: &Cx<'_>,
    seed: &ProjectSeed,
    options: &RunOptions,
    previous: Option<&Resolution>,
) -> Resolution {
    let cache: Arc<Cache> = previous
        .and_then(|p| p.state.clone())
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
    if let (Some(edited), Some(previous)) = (None::<&[FileId]>, previous) {
        let resolution = edit::after(&run, edited, previous);
        #[cfg(test)]
        edit::counted::note(resolution.is_some());
        if let Some(resolution) = resolution {
            return resolution;
        }
    }
    cache.keep(None);
    cache.tidy();
    {
        cache.forget_answers();
        cache.set_listing(cx.list(run.dir).unwrap_or_default());
    }
    match cx.facts::<TazunaFacts>(&seed.root).map(|r| (r.file, r.facts)) {
        Ok((file, facts)) => all_environments(&run, file, &facts),
        Err(error) => resolution::unreadable(&run, &error),
    }
}

/// The environments that a project is looked at in: those asked for, else the one without a name and each that
/// the root declares.
fn environments(run: &Run<'_, '_>, root: &TazunaFacts) -> Vec<Option<Arc<str>>> {
    if run.generation < TazunaGeneration::G4 {
        return vec![None];
    }
    let mut environments: Vec<Option<Arc<str>>> = Vec::new();
    if run.options.environments.is_empty() {
        let plain = root.view(&run.root_reading(""));
        environments.push(None);
        environments.extend(plain.head.environments.iter().cloned().map(Some));
        return environments;
    }
    for name in &run.options.environments {
        let name = (!name.is_empty()).then(|| Arc::from(name.as_str()));
        if !environments.contains(&name) {
            environments.push(name);
        }
    }
    environments
}

fn all_environments(run: &Run<'_, '_>, root: FileId, facts: &Arc<TazunaFacts>) -> Resolution {
    let mut environments = environments(run, facts).into_iter();
    let mut distinct: Vec<Settled> = Vec::new();
    let mut outcomes: Vec<Outcome> = Vec::new();
    while let Some(environment) = environments.next() {
        let name = environment.as_deref().unwrap_or("");
        let reading = run.root_reading(name);
        let expansion = expand::expand(run, root, facts, &reading);
        let undeclared = undeclared(root, &expansion, name);
        let same = distinct
            .iter()
            .position(|d| reads_the_same(&d.plan.expansion, &expansion));
        let result = same.unwrap_or(distinct.len());
        if same.is_none() {
            distinct.push(Settled::new(run, expansion));
        }
        outcomes.push(Outcome {
            environment,
            result,
            undeclared,
        });
        let nothing_templated = distinct.iter().all(|d| !d.plan.expansion.is_templated());
        if nothing_templated && run.options.environments.is_empty() {
            // All declared environments read the same, and are declared.
            outcomes.extend(environments.map(|environment| Outcome {
                environment,
                result: 0,
                undeclared: None,
            }));
            break;
        }
    }
    resolution::assemble(run, distinct, outcomes)
}

fn reads_the_same(a: &Expansion, b: &Expansion) -> bool {
    a.parts.len() == b.parts.len()
        && a.parts
            .iter()
            .zip(b.parts.iter())
            .all(|(a, b)| a.file == b.file && Arc::ptr_eq(&a.view, &b.view))
}

fn undeclared(root: FileId, expansion: &Expansion, name: &str) -> Option<Found> {
    let view = &expansion.parts.root()?.view;
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
