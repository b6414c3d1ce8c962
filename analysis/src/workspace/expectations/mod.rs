//! The expectations of configurations on the order of their projects (`[[expect]]`): evaluated in each pass,
//! and reported as findings if not met.

mod answer;

use std::sync::Arc;

use applyorder_core::config::{Config, Configs, Expect, Origin, expect, in_place_of, unmet_expectation};
use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Place};
use applyorder_core::engine::{Engine, Operation, Resolution};
use applyorder_core::store::Store;
use camino::Utf8PathBuf;
use rustc_hash::FxHashMap;

use super::{Analysis, Project, ProjectIx};
use answer::answer;
pub use answer::{Suggestion, Unmet};

/// The results of the expectations for one project, in the order of its configuration.
pub type Answers = Arc<[Result<(), Unmet>]>;

/// The results for an engine's result for a project.
pub(super) fn answers(
    engine: &'static dyn Engine,
    resolution: &Resolution,
    operation: Operation,
    expected: &[Expect],
) -> Answers {
    let expected = expected.iter();
    expected
        .map(|expect| answer(engine, resolution, operation, expect))
        .collect()
}

impl Project {
    /// The results of the expectations of its configuration, in their order.
    #[must_use]
    pub fn answers_to(&self, expected: &[Expect], operation: Operation) -> Answers {
        match operation {
            Operation::Apply => self.answers.clone(),
            Operation::Delete => answers(self.engine(), &self.resolution, operation, expected),
        }
    }
}

/// A configuration with the projects that it applies to.
type OfConfig<'a> = (Arc<Config>, Vec<(ProjectIx, &'a Project)>);

/// The unmet expectations, by configuration file.
#[derive(Default)]
pub(super) struct Unexpected(FxHashMap<FileId, Vec<(Option<ProjectIx>, Diagnostic)>>);

impl Unexpected {
    /// In a workspace.
    pub(super) fn new(analysis: &Analysis) -> Self {
        let mut found = Self::default();
        if analysis
            .looked_for()
            .unwanted
            .contains(unmet_expectation::RULE.id)
        {
            return found;
        }
        let mut by_config: FxHashMap<*const Config, OfConfig<'_>> = FxHashMap::default();
        // There may be thousands of projects without any expectation.
        for (ix, project) in analysis.projects().filter(|(_, p)| !p.answers.is_empty()) {
            let config = analysis.ground().configs.of(&project.seed.root);
            let of_config = by_config.entry(Arc::as_ptr(&config));
            let (_, projects) = of_config.or_insert_with(|| (config, Vec::new()));
            projects.push((ix, project));
        }
        for (config, projects) in by_config.values() {
            found.of_config(analysis, config, projects);
        }
        found
    }

    /// Those in a file, each with the project that does not meet it; `None`: no project has what the
    /// expectation names.
    pub(super) fn of(&self, file: FileId) -> impl Iterator<Item = (Option<ProjectIx>, &Diagnostic)> {
        let found = self.0.get(&file).into_iter().flatten();
        found.map(|(project, d)| (*project, d))
    }

    pub(super) fn files(&self) -> impl Iterator<Item = FileId> {
        self.0.keys().copied()
    }

    fn of_config(&mut self, analysis: &Analysis, config: &Config, projects: &[(ProjectIx, &Project)]) {
        let Some((file, places)) = analysis.expectations_of(config) else {
            return;
        };
        let path = analysis.path(file);
        let mut tell = |project: Option<(ProjectIx, &Project)>, engine: &str, found: Diagnostic| {
            let found = match project {
                Some((_, project)) if project.seed.inferred => found.heuristic(),
                _ => found,
            };
            if let Some(found) = config.adjusted(found, engine, Some(path)) {
                let of_file = self.0.entry(file).or_default();
                of_file.push((project.map(|(ix, _)| ix), found));
            }
        };
        for ((at, expected), places) in config.expect.iter().enumerate().zip(places) {
            let place = |span| Place::span(file, span);
            let mut unclaimed = None;
            let mut is_known = false;
            for (ix, project) in projects {
                let engine = project.engine().meta().id;
                match project.answers.get(at) {
                    Some(Err(Unmet::No(why, suggestion))) => {
                        is_known = true;
                        let at = places.last.unwrap_or(places.whole);
                        let found = unmet(place(at), expected, why, suggestion.as_ref());
                        tell(Some((*ix, project)), engine, found);
                    }
                    Some(Err(Unmet::Elsewhere { why, is_first, meant })) if unclaimed.is_none() => {
                        unclaimed = Some((engine, why, *is_first, meant));
                    }
                    Some(Err(Unmet::Elsewhere { .. })) => {}
                    Some(Ok(()) | Err(Unmet::Unknown(_))) | None => is_known = true,
                }
            }
            if let Some((engine, why, is_first, meant)) =
                unclaimed.filter(|_| !is_known && is_whole(analysis, config, projects))
            {
                let at = if is_first { places.first } else { places.last };
                let found = unmet(place(at.unwrap_or(places.whole)), expected, why, None);
                let found = match (at, meant, analysis.source(file)) {
                    (Some(at), Some(meant), Some(source)) => {
                        let written = in_place_of(at.slice(&source.text), meant);
                        found.replace_with(meant, FixStep::Replace(place(at), written))
                    }
                    _ => found,
                };
                tell(None, engine, found);
            }
        }
    }
}

impl Analysis {
    /// The locations of the expectations of a configuration, in their order: the file is its own or one that it
    /// extends. `None` if they are not found there.
    #[must_use]
    pub fn expectations_of(&self, config: &Config) -> Option<(FileId, Vec<expect::Places>)> {
        let file = self.file(file_of(config)?)?;
        let places = expect::places(&self.source(file)?.text);
        (places.len() == config.expect.len()).then_some((file, places))
    }
}

fn unmet(place: Place, expected: &Expect, why: &str, suggestion: Option<&Suggestion>) -> Diagnostic {
    let message = format!("unmet expectation: {why}");
    let found =
        Diagnostic::new(&unmet_expectation::RULE, place, message).note(format!("expected: {expected}"));
    match suggestion {
        Some(Suggestion { text, place }) => found.related(*place, format!("to meet it: {text}")),
        None => found,
    }
}

/// The files of configurations with expectations.
pub(super) fn files(configs: &Configs, store: &Store) -> Vec<FileId> {
    configs.all().filter_map(|config| file(config, store)).collect()
}

/// The file with the expectations of a configuration, if it has some.
pub(super) fn file(config: &Config, store: &Store) -> Option<FileId> {
    if config.expect.is_empty() {
        return None;
    }
    file_of(config).map(|path| store.intern(path))
}

/// The file with the expectations: the configuration's own, or one that it extends.
fn file_of(config: &Config) -> Option<&Utf8PathBuf> {
    match config.origin(&["expect".to_owned()]) {
        Some(Origin::File(path)) => Some(path),
        Some(Origin::CommandLine) | None => None,
    }
}

/// Whether every project of a configuration is completely known: what none of them has does not exist.
fn is_whole(analysis: &Analysis, config: &Config, projects: &[(ProjectIx, &Project)]) -> bool {
    let looked_for = analysis.looked_for();
    let mut searched = looked_for.searched.iter();
    let mut unseen = analysis.projects().filter(|(_, project)| project.is_unseen());
    let is_for = |project: &Project| std::ptr::eq(&*analysis.ground().configs.of(&project.seed.root), config);
    !looked_for.limited
        && searched.any(|searched| config.dir.starts_with(searched))
        && !unseen.any(|(_, project)| is_for(project))
        && projects
            .iter()
            .all(|(_, project)| project.unresolved().next().is_none())
}
