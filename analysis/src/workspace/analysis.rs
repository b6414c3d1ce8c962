//! An immutable snapshot of the workspace that can be queried from any thread.

use std::sync::{Arc, OnceLock};

use camino::Utf8Path;

use super::expectations::Unexpected;
use super::ignores::{Ignores, LookedFor};
use super::parsed::LastTrees;
use super::project::{Project, ProjectIx};
use super::projects::ProjectIndex;
use super::what_if::Ground;
use applyorder_core::config::RuleLevel;
use applyorder_core::diagnostic::{At, Diagnostic, FileId, Place};
use applyorder_core::engine::{EngineIx, Engines, Facts, ProjectView, View};
use applyorder_core::files::{DirEntries, FileKind, Files, named};
use applyorder_core::rules::{Rule, Status};
use applyorder_core::store::{Source, Table};
use applyorder_syntax::text::Span;

/// A snapshot of the workspace: projects, findings, texts. Everything a user sees comes from it.
pub struct Analysis {
    engines: Engines,
    table: Arc<Table>,
    projects: Vec<Arc<Project>>,
    config_diagnostics: Vec<Diagnostic>,
    ground: Ground,
    looked_for: LookedFor,
    pub(super) last_trees: LastTrees,
    ignores: OnceLock<Ignores>,
    unexpected: OnceLock<Unexpected>,
    index: ProjectIndex,
}

impl Analysis {
    pub(super) fn new(
        engines: Engines,
        table: Arc<Table>,
        projects: (Vec<Arc<Project>>, ProjectIndex),
        ground: Ground,
        looked_for: LookedFor,
    ) -> Self {
        let (projects, index) = projects;
        Self {
            engines,
            table,
            projects,
            config_diagnostics: ground.configs.diagnostics().to_vec(),
            ground,
            looked_for,
            last_trees: LastTrees::default(),
            ignores: OnceLock::new(),
            unexpected: OnceLock::new(),
            index,
        }
    }

    /// The engines that it was made with.
    #[must_use]
    pub fn engines(&self) -> Engines {
        self.engines
    }

    /// Every project, by engine and root.
    pub fn projects(&self) -> impl Iterator<Item = (ProjectIx, &Arc<Project>)> {
        (0u32..).map(ProjectIx).zip(&self.projects)
    }

    /// A project.
    #[must_use]
    pub fn project(&self, project: ProjectIx) -> Option<&Arc<Project>> {
        self.projects.get(project.0 as usize)
    }

    /// The projects that a file belongs to, the nearest root first.
    #[must_use]
    pub fn projects_of(&self, file: FileId) -> Vec<(ProjectIx, &Arc<Project>)> {
        let path = self.path(file);
        let mut found = self.projects_with(file);
        found.sort_by_key(|(ix, p)| {
            let shared = p
                .seed
                .root
                .components()
                .zip(path.components())
                .take_while(|(a, b)| a == b)
                .count();
            (p.seed.root != path, std::cmp::Reverse(shared), *ix)
        });
        found
    }

    /// The paths of a project's files, and those that its files name.
    pub fn files_and_links<'a>(&'a self, project: &'a Project) -> impl Iterator<Item = &'a Utf8Path> {
        let members = project.resolution.members().iter().map(|m| self.path(m.file));
        members.chain(project.resolution.links().iter().map(|l| &*l.target))
    }

    /// The projects that a file belongs to, in order.
    pub(super) fn projects_with(&self, file: FileId) -> Vec<(ProjectIx, &Arc<Project>)> {
        let mut of_file: Vec<usize> = self.index.of_file(file).collect();
        of_file.sort_unstable();
        of_file.dedup();
        let project = |i: usize| Some((ProjectIx(u32::try_from(i).ok()?), self.projects.get(i)?));
        of_file.into_iter().filter_map(project).collect()
    }

    /// The number of a path that was queried.
    #[must_use]
    pub fn file(&self, path: &Utf8Path) -> Option<FileId> {
        self.table.id(path)
    }

    /// Whether the content of a path was requested, readable or not.
    #[must_use]
    pub fn was_asked_for(&self, path: &Utf8Path) -> bool {
        let file = self.file(path).and_then(|id| self.table.get(id));
        file.is_some_and(|file| file.was_read())
    }

    /// The path of a file; empty for a number of another workspace.
    #[must_use]
    pub fn path(&self, file: FileId) -> &Utf8Path {
        self.table.get(file).map_or(Utf8Path::new(""), |f| f.path())
    }

    /// The text of a file that was read.
    #[must_use]
    pub fn source(&self, file: FileId) -> Option<&Arc<Source>> {
        self.table.get(file)?.source()
    }

    /// The facts an engine has of a file.
    #[must_use]
    pub fn facts(&self, file: FileId, engine: EngineIx) -> Option<&Arc<dyn Facts>> {
        self.table.get(file)?.facts(engine)
    }

    /// The facts an engine has of a file, as its own type.
    #[must_use]
    pub fn facts_as<F: Facts>(&self, file: FileId, engine: EngineIx) -> Option<&F> {
        self.facts(file, engine)?.as_any().downcast_ref()
    }

    /// The files whose content was read, with their paths.
    pub fn read_files(&self) -> impl Iterator<Item = (FileId, &Utf8Path)> {
        self.table
            .iter()
            .filter(|(_, f)| f.was_read())
            .map(|(id, f)| (id, &**f.path()))
    }

    /// The byte range of a place in its file's current text. The whole file is its first line.
    #[must_use]
    pub fn span(&self, place: Place) -> Span {
        span_in(&self.table, place)
    }

    /// What exists at a path, links followed.
    #[must_use]
    pub fn kind(&self, path: &Utf8Path) -> Option<FileKind> {
        self.ground.files.kind(path, true)
    }

    pub(super) fn ground(&self) -> &Ground {
        &self.ground
    }

    pub(super) fn ignores(&self) -> &Ignores {
        self.ignores.get_or_init(|| Ignores::new(self.table.count()))
    }

    pub(super) fn unexpected(&self) -> &Unexpected {
        self.unexpected.get_or_init(|| Unexpected::new(self))
    }

    pub(super) fn config_diagnostics(&self) -> &[Diagnostic] {
        &self.config_diagnostics
    }

    pub(super) fn looked_for(&self) -> &LookedFor {
        &self.looked_for
    }

    /// Whether the configuration of a file lets a rule report in a project.
    pub(super) fn is_on(&self, rule: &Rule, project: &Project, file: FileId) -> bool {
        let path = self.path(file);
        let config = self.ground.configs.of(path);
        match config.level_in(rule, project.engine().meta().id, path) {
            None => rule.status != Status::Preview || config.preview,
            Some(level) => level != RuleLevel::Off,
        }
    }

    /// A finding of ours in the first of some projects, adjusted as the configuration of its file says.
    pub(super) fn adjusted(&self, finding: Diagnostic, projects: &[ProjectIx]) -> Option<Diagnostic> {
        let project = self.project(*projects.first()?)?;
        let path = self.path(finding.place.file);
        let config = self.ground.configs.of(path);
        config.adjusted(finding, project.engine().meta().id, Some(path))
    }
}

/// The byte range of a place in the text of its file in a table.
pub(super) fn span_in(table: &Table, place: Place) -> Span {
    let file = table.get(place.file);
    match place.at {
        At::Span(span) => span,
        At::Anchor(anchor) => file
            .and_then(|file| file.facts(anchor.engine)?.span(anchor.index))
            .unwrap_or_default(),
        At::File => {
            let text = file.and_then(|file| file.source()).map_or("", |s| &s.text);
            Span::from_usize(0, text.find(['\r', '\n']).unwrap_or(text.len()))
        }
    }
}

impl View for Analysis {
    fn path(&self, file: FileId) -> &Utf8Path {
        self.path(file)
    }

    fn source(&self, file: FileId) -> Option<&Arc<Source>> {
        self.source(file)
    }

    fn facts(&self, file: FileId, engine: EngineIx) -> Option<&Arc<dyn Facts>> {
        self.facts(file, engine)
    }

    fn read_files(&self) -> Box<dyn Iterator<Item = (FileId, &Utf8Path)> + '_> {
        Box::new(self.read_files())
    }

    fn span(&self, place: Place) -> Span {
        self.span(place)
    }

    fn kind(&self, path: &Utf8Path) -> Option<FileKind> {
        self.kind(path)
    }

    fn list(&self, dir: &Utf8Path) -> DirEntries {
        self.ground.files.list(dir).map(named).unwrap_or_default()
    }

    fn projects_of(&self, file: FileId) -> Vec<ProjectView<'_>> {
        self.projects_of(file)
            .into_iter()
            .map(|(_, project)| project.view())
            .collect()
    }
}
