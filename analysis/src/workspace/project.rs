//! A project, and the result of its last pass.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use camino::Utf8Path;
use rustc_hash::FxHashSet;

use super::expectations::Answers;
use super::hints::ProjectHints;
use super::made::{Declared, Made};
use applyorder_core::diagnostic::{Diagnostic, FileId, Place};
use applyorder_core::engine::{Carried, Engine, Findings, ProjectSeed, ProjectView};
use applyorder_core::files::Questions;

/// Index of a project in [`super::Analysis::projects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectIx(pub u32);

/// A project and its engine's result.
pub struct Project {
    /// The same for all states of one project.
    pub(super) number: u64,
    /// The duration of the pass that made this state; `None` before the first.
    pub(super) took: Option<Duration>,
    /// The same for the last pass that was not for an edit only.
    pub(super) took_whole: Duration,
    /// Where it was found, and why.
    pub seed: Arc<ProjectSeed>,
    /// The engine's result.
    pub resolution: Arc<Made>,
    /// Its findings, hints included.
    findings: Findings,
    pub(super) hints: ProjectHints,
    /// The results of the expectations in its configuration.
    pub(super) answers: Answers,
    engine: &'static dyn Engine,
    pub(crate) questions: Arc<Questions>,
    /// The state for the next pass; `None` if it starts from scratch.
    pub(super) carried: Option<Arc<Carried>>,
}

impl Project {
    /// A project that was found and has had no pass yet.
    pub(super) fn unseen(engine: &'static dyn Engine, seed: ProjectSeed) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            took: None,
            took_whole: Duration::ZERO,
            engine,
            seed: Arc::new(seed),
            findings: Findings::default(),
            hints: ProjectHints::default(),
            answers: Answers::default(),
            resolution: Arc::new(Made::nothing()),
            questions: Arc::default(),
            carried: None,
        }
    }

    /// The state after a pass over a state, with its duration, and that of the last pass that was not for an
    /// edit only.
    pub(super) fn after(
        &self,
        [took, took_whole]: [Duration; 2],
        made: Made,
        (findings, hints, answers): (Findings, ProjectHints, Answers),
        questions: Arc<Questions>,
        carried: Option<Arc<Carried>>,
    ) -> Self {
        Self {
            number: self.number,
            took: Some(took),
            took_whole,
            engine: self.engine,
            seed: self.seed.clone(),
            findings,
            hints,
            answers,
            resolution: Arc::new(made),
            questions,
            carried,
        }
    }

    /// The same state of the project with other hints.
    pub(super) fn with_hints(&self, hints: ProjectHints) -> Self {
        Self {
            findings: hints.beside(self.resolution.findings()),
            hints,
            ..self.same()
        }
    }

    /// The same state of the project after a pass that was stopped: with what it left to the next.
    pub(super) fn with_carried(&self, carried: Option<Arc<Carried>>, questions: Arc<Questions>) -> Self {
        Self {
            carried,
            questions,
            ..self.same()
        }
    }

    /// The same state of the project with other findings in a file.
    pub(super) fn with_findings_in(&self, file: FileId, found: &Findings) -> Self {
        Self {
            findings: self.findings.with_file(file, found),
            ..self.same()
        }
    }

    /// Whether it has had no pass yet.
    pub(super) const fn is_unseen(&self) -> bool {
        self.took.is_none()
    }

    fn same(&self) -> Self {
        Self {
            number: self.number,
            took: self.took,
            took_whole: self.took_whole,
            engine: self.engine,
            seed: self.seed.clone(),
            findings: self.findings.clone(),
            hints: self.hints.clone(),
            answers: self.answers.clone(),
            resolution: self.resolution.clone(),
            questions: self.questions.clone(),
            carried: self.carried.clone(),
        }
    }

    /// Whether one of some directories is a directory of the project.
    pub(super) fn is_around(&self, dirs: &FxHashSet<&str>) -> bool {
        let root = &*self.seed.root;
        dirs.contains(root.as_str()) || dirs.contains(root.parent().unwrap_or(root).as_str())
    }

    /// Where it was found, and its inputs.
    pub(super) fn places(&self) -> impl Iterator<Item = &Utf8Path> {
        let inputs = self.seed.inputs.iter();
        std::iter::once(&*self.seed.root).chain(inputs.map(|input| &**input))
    }

    /// Its findings, hints included.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// What could not be known, in sentences, with the place.
    pub fn unresolved(&self) -> impl Iterator<Item = (Option<Place>, &str)> {
        let limit = self.hints.limit.as_deref().map(|limit| (None, limit));
        let unresolved = self.resolution.unresolved().iter();
        unresolved
            .map(|(place, text)| (*place, text.as_str()))
            .chain(limit)
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &'static dyn Engine {
        self.engine
    }

    /// The view of it for an engine.
    #[must_use]
    pub fn view(&self) -> ProjectView<'_> {
        ProjectView {
            seed: &self.seed,
            resolution: &self.resolution,
        }
    }

    /// Its units by name and place, those of all variants together.
    #[must_use]
    pub fn units(&self) -> Cow<'_, [Declared]> {
        self.resolution.units()
    }

    /// The findings whose place is in a file.
    pub fn diagnostics_of(&self, file: FileId) -> impl Iterator<Item = &Diagnostic> {
        self.findings.of(file)
    }

    /// Whether a file belongs to the project.
    #[must_use]
    pub fn has_file(&self, file: FileId) -> bool {
        self.resolution.members().iter().any(|m| m.file == file) || !self.findings.has_none_in(file)
    }

    pub(super) fn members(&self) -> impl Iterator<Item = FileId> + Clone {
        self.resolution.members().iter().map(|member| member.file)
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = FileId> {
        self.members().chain(self.findings.files())
    }

    pub(crate) fn files_referring_to(&self, files: &FxHashSet<FileId>) -> impl Iterator<Item = FileId> {
        self.findings.referring_to(files)
    }

    /// Adds the files whose findings differ between two states of a project.
    pub(crate) fn differences(&self, old: &Project, files: &mut FxHashSet<FileId>) {
        files.extend(self.findings.differences(&old.findings));
    }
}
