//! An immutable picture of the workspace, to be asked from any thread.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use camino::Utf8Path;
use rustc_hash::{FxHashMap, FxHashSet};

use super::expectations::{Answers, Unexpected};
use super::fix_edits::LastTree;
use super::hints::ProjectHints;
use super::ignores::{Ignores, LookedFor};
use super::made::{Declared, Made};
use super::what_if::Ground;
use applyorder_core::config::RuleLevel;
use applyorder_core::diagnostic::{At, Diagnostic, FileId, Place};
use applyorder_core::engine::{
    Carried, Engine, EngineIx, Engines, Facts, Findings, ProjectSeed, ProjectView, View,
};
use applyorder_core::files::{DirEntry, FileKind, Files, Questions};
use applyorder_core::rules::{Rule, Status};
use applyorder_core::store::{Source, Table};
use applyorder_syntax::text::Span;

/// Index of a project in [`Analysis::projects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectIx(pub u32);

/// A project and what its engine made of it.
pub struct Project {
    /// The same for all states of one project.
    pub(super) number: u64,
    /// How long the pass took that made this state; `None` before the first.
    pub(super) took: Option<Duration>,
    /// The same of the last pass that was not over an edit only.
    pub(super) took_whole: Duration,
    /// Where it was found, and why.
    pub seed: Arc<ProjectSeed>,
    /// What the engine made of it.
    pub resolution: Arc<Made>,
    /// Its findings, hints included.
    findings: Findings,
    pub(super) hints: ProjectHints,
    /// What became of what its configuration expects of its order.
    pub(super) answers: Answers,
    engine: &'static dyn Engine,
    pub(crate) questions: Arc<Questions>,
    /// What the next pass over it gets; nothing where it begins anew.
    pub(super) carried: Option<Arc<Carried>>,
}

impl Project {
    /// A project that was found and that no pass has seen yet.
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

    /// The state that a pass over a state has made. How long that took, and the last that was not over an edit only.
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

    /// Whether no pass has seen it.
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

    /// Whether one of some directories is where the project is.
    pub(super) fn is_around(&self, dirs: &FxHashSet<&str>) -> bool {
        let root = &*self.seed.root;
        dirs.contains(root.as_str()) || dirs.contains(root.parent().unwrap_or(root).as_str())
    }

    /// Where it was found, and what it is about.
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

    /// What an engine may see of it.
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

    /// The paths of its files, and those that its files name.
    pub fn files_and_links<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = &'a Utf8Path> {
        let members = self.resolution.members().iter().map(|m| analysis.path(m.file));
        members.chain(self.resolution.links().iter().map(|l| &*l.target))
    }

    pub(super) fn members(&self) -> impl Iterator<Item = FileId> + Clone {
        self.resolution.members().iter().map(|member| member.file)
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = FileId> {
        self.members().chain(self.findings.files())
    }

    pub(crate) fn files_speaking_of(&self, files: &FxHashSet<FileId>) -> impl Iterator<Item = FileId> {
        self.findings.speaking_of(files)
    }

    /// Adds the files whose findings differ between two states of a project.
    pub(crate) fn differences(&self, old: &Project, files: &mut FxHashSet<FileId>) {
        files.extend(self.findings.differences(&old.findings));
    }
}

/// A finding, and the projects in which it is found alike.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    /// The finding, as it is where it is most severe.
    pub diagnostic: &'a Diagnostic,
    /// The projects; empty: it belongs to none (a configuration file).
    pub projects: Vec<ProjectIx>,
}

/// A picture of the workspace: projects, findings, texts. Everything a user sees is asked of it.
pub struct Analysis {
    engines: Engines,
    table: Arc<Table>,
    projects: Vec<Arc<Project>>,
    config_diagnostics: Vec<Diagnostic>,
    ground: Ground,
    looked_for: LookedFor,
    pub(super) last_tree: LastTree,
    ignores: OnceLock<Ignores>,
    unexpected: OnceLock<Unexpected>,
    of_files: OfFiles,
}

/// Which projects a file belongs to. Made when that was asked so often of many projects that it pays off: most
/// pictures are asked about one or two files.
#[derive(Default)]
struct OfFiles {
    asked: AtomicU32,
    index: OnceLock<FxHashMap<FileId, Vec<ProjectIx>>>,
}

/// So many questions are answered by looking at each project.
const ASKED_WITHOUT_INDEX: u32 = 8;

/// So many projects are looked at one by one.
const PROJECTS_WITHOUT_INDEX: usize = 32;

impl Analysis {
    pub(super) fn new(
        engines: Engines,
        table: Arc<Table>,
        projects: Vec<Arc<Project>>,
        ground: Ground,
        looked_for: LookedFor,
    ) -> Self {
        Self {
            engines,
            table,
            projects,
            config_diagnostics: ground.configs.diagnostics().to_vec(),
            ground,
            looked_for,
            last_tree: LastTree::default(),
            ignores: OnceLock::new(),
            unexpected: OnceLock::new(),
            of_files: OfFiles::default(),
        }
    }

    /// The engines that it was made by.
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

    /// The projects that a file belongs to, in order.
    fn projects_with(&self, file: FileId) -> Vec<(ProjectIx, &Arc<Project>)> {
        let index = match self.of_files.index.get() {
            Some(index) => index,
            None if self.projects.len() <= PROJECTS_WITHOUT_INDEX
                || self.of_files.asked.fetch_add(1, Ordering::Relaxed) < ASKED_WITHOUT_INDEX =>
            {
                return self.projects().filter(|(_, p)| p.has_file(file)).collect();
            }
            None => self.of_files.index.get_or_init(|| self.by_file()),
        };
        let projects = index.get(&file).into_iter().flatten();
        projects
            .filter_map(|ix| Some((*ix, self.project(*ix)?)))
            .collect()
    }

    fn by_file(&self) -> FxHashMap<FileId, Vec<ProjectIx>> {
        let mut index: FxHashMap<FileId, Vec<ProjectIx>> = FxHashMap::default();
        for (ix, project) in self.projects() {
            for file in project.files() {
                let projects = index.entry(file).or_default();
                if projects.last() != Some(&ix) {
                    projects.push(ix);
                }
            }
        }
        index
    }

    /// The number of a path that was looked at.
    #[must_use]
    pub fn file(&self, path: &Utf8Path) -> Option<FileId> {
        self.table.id(path)
    }

    /// Whether somebody asked for the content of a path, readable or not.
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
        match place.at {
            At::Span(span) => span,
            At::Anchor(anchor) => self
                .facts(place.file, anchor.engine)
                .and_then(|f| f.span(anchor.index))
                .unwrap_or_default(),
            At::File => {
                let text = self.source(place.file).map_or("", |s| &s.text);
                Span::from_usize(0, text.find(['\r', '\n']).unwrap_or(text.len()))
            }
        }
    }

    /// What stands at a path, links followed.
    #[must_use]
    pub fn kind(&self, path: &Utf8Path) -> Option<FileKind> {
        self.ground.files.kind(path, true)
    }

    pub(super) fn ground(&self) -> &Ground {
        &self.ground
    }

    fn ignores(&self) -> &Ignores {
        self.ignores.get_or_init(|| Ignores::new(self))
    }

    fn unexpected(&self) -> &Unexpected {
        self.unexpected.get_or_init(|| Unexpected::new(self))
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

    /// A finding of ours in the first of some projects as the configuration of its file wants it.
    pub(super) fn adjusted(&self, finding: Diagnostic, projects: &[ProjectIx]) -> Option<Diagnostic> {
        let project = self.project(*projects.first()?)?;
        let path = self.path(finding.place.file);
        let config = self.ground.configs.of(path);
        config.adjusted(finding, project.engine().meta().id, Some(path))
    }

    /// The findings in a file, in the order of their places; what several projects find alike once. Those that a
    /// comment ignores are left out, and all of a file that the configuration excludes.
    #[must_use]
    pub fn findings_of(&self, file: FileId) -> Vec<Finding<'_>> {
        let mut found = self.all_findings_of(file);
        if self.ground.configs.is_excluded(self.path(file)) {
            found.retain(|f| f.projects.is_empty());
            return found;
        }
        self.keep_certain(file, &mut found);
        let ignores = self.ignores();
        let is_ignored = |rule: &Rule, place: Place| {
            let line = |source: &Arc<Source>| source.lines().line(self.span(place).start);
            let line = self.source(place.file).map(line);
            line.is_some_and(|line| ignores.hides(self, place.file, rule, line))
        };
        found.retain(|f| {
            let d = f.diagnostic;
            let places = [Some(d.place), d.part_of].into_iter().flatten();
            f.projects.is_empty() || !places.into_iter().any(|place| is_ignored(d.rule, place))
        });
        let before = found.len();
        found.extend(ignores.unused(self, file));
        if found.len() > before {
            self.sort(&mut found);
        }
        found
    }

    /// Whether there are more findings in a file than so many, ignored ones included.
    #[must_use]
    pub fn has_more_findings_in(&self, file: FileId, count: usize) -> bool {
        let projects = self.projects_with(file).into_iter();
        let mut found = projects.flat_map(|(_, project)| project.diagnostics_of(file));
        found.nth(count).is_some()
    }

    /// The same with those that comments ignore.
    pub(super) fn all_findings_of(&self, file: FileId) -> Vec<Finding<'_>> {
        let mut found: Vec<Finding<'_>> = Vec::new();
        let mut known: FxHashMap<(&'static str, Span, &str), usize> = FxHashMap::default();
        let own = self
            .config_diagnostics
            .iter()
            .filter(|d| d.place.file == file)
            .map(|d| (None, d))
            .chain(self.unexpected().of(file));
        let projects = self.projects_with(file).into_iter();
        let projects = projects.flat_map(|(ix, p)| p.diagnostics_of(file).map(move |d| (Some(ix), d)));
        for (project, diagnostic) in own.chain(projects) {
            let at = *known
                .entry((
                    diagnostic.rule.id,
                    self.span(diagnostic.place),
                    &diagnostic.message,
                ))
                .or_insert(found.len());
            match found.get_mut(at) {
                Some(finding) => {
                    // They come one after the other.
                    let another = project.filter(|p| finding.projects.last() != Some(p));
                    finding.projects.extend(another);
                    // One project may reject what the other only loses.
                    if diagnostic.severity > finding.diagnostic.severity {
                        finding.diagnostic = diagnostic;
                    }
                }
                None => found.push(Finding {
                    diagnostic,
                    projects: project.into_iter().collect(),
                }),
            }
        }
        self.sort(&mut found);
        found
    }

    fn sort(&self, found: &mut [Finding<'_>]) {
        found.sort_by_cached_key(|f| {
            let d = f.diagnostic;
            (
                self.span(d.place),
                std::cmp::Reverse(d.severity),
                d.rule.id,
                d.message.clone(),
            )
        });
    }

    /// Whether a finding holds in the projects as they are now; see [`Project::confirms`].
    #[must_use]
    pub fn confirms(&self, finding: &Finding<'_>) -> bool {
        let mut projects = finding.projects.iter().filter_map(|p| self.project(*p));
        projects.all(|p| p.confirms(finding.diagnostic))
    }

    /// The files that have findings, in the byte order of their paths.
    #[must_use]
    pub fn files_with_findings(&self) -> Vec<FileId> {
        let mut files: Vec<FileId> = self
            .projects
            .iter()
            .flat_map(|p| p.findings.files())
            .chain(self.config_diagnostics.iter().map(|d| d.place.file))
            .chain(self.unexpected().files())
            .chain(self.ignores().files(self))
            .collect();
        files.sort_by(|a, b| self.path(*a).cmp(self.path(*b)));
        files.dedup();
        files
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

    fn list(&self, dir: &Utf8Path) -> Arc<[DirEntry]> {
        self.ground.files.list(dir).unwrap_or_default()
    }

    fn projects_of(&self, file: FileId) -> Vec<ProjectView<'_>> {
        self.projects_of(file)
            .into_iter()
            .map(|(_, project)| project.view())
            .collect()
    }
}
