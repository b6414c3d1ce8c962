//! One invocation of the command line: what is read, and which projects the user asked about.

mod checks;
mod command;
mod open;
mod options;
mod targets;
mod texts;
mod watched;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use applyorder_analysis::config::{ConfigSource, Configs};
use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::engine::{EngineIx, Engines, RunOptions};
use applyorder_analysis::files::DiskFiles;
use applyorder_analysis::workspace::{Analysis, Finding, Project, ProjectIx, RecognisedFiles, Workspace};
use camino::{Utf8Path, Utf8PathBuf};

use self::targets::Targets;
pub(crate) use self::watched::Watched;
use crate::edited::Edited;
use crate::escape;
use crate::exit::Failure;
use crate::output::Output;
use crate::place::Paths;
use crate::selectors::did_you_mean;
use crate::vcs::GitRoots;

/// What was read, and which part of it the user asked about.
pub struct Session {
    /// Everything that was read.
    pub analysis: Arc<Analysis>,
    /// The projects asked about, in the order of [`Analysis::projects`].
    pub selected: Vec<Selected>,
    /// The configurations.
    pub configs: Configs,
    /// Where they come from, and the directories for which they are read; `None` if they are never read again.
    configured: Option<(ConfigSource, Vec<Utf8PathBuf>)>,
    /// How paths are displayed.
    pub paths: Paths,
    /// The options of the run.
    pub options: RunOptions,
    /// Whether an input could not be read; this was reported to the user.
    failed: bool,
    /// Where projects were searched for.
    pub found: Looked,
    targets: Targets,
    /// Whether it is about the inputs of an engine's command line.
    is_of_command: bool,
    trees: OnceCell<BTreeSet<Utf8PathBuf>>,
    /// Paths with all links resolved, cached on demand.
    real_paths: RefCell<HashMap<Utf8PathBuf, Option<Utf8PathBuf>>>,
    ambiguous: OnceCell<HashSet<ProjectIx>>,
    workspace: Workspace,
    files: Arc<Edited>,
}

/// Where projects were searched for.
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// How many files were examined.
    pub files: usize,
    /// How many of them are in the named paths.
    pub named: usize,
    /// The directories that were searched.
    pub dirs: Vec<Utf8PathBuf>,
    /// Which of the files in the named paths each engine recognized.
    pub recognised: BTreeMap<EngineIx, RecognisedFiles>,
}

/// A project that the user asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selected {
    /// The project.
    pub project: ProjectIx,
    /// Whether it was asked about as a whole; else only what involves the given paths.
    pub whole: bool,
}

impl Session {
    /// Whether an input could not be read, or a configuration is invalid; this was reported to the user.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.failed || !self.configs.diagnostics().is_empty()
    }

    fn select(&self) -> Vec<Selected> {
        let select = |(ix, project): (ProjectIx, &Arc<Project>)| {
            let stdin = self.targets.stdin.as_deref();
            let whole = self.targets.is_below(&project.seed.root) || stdin == Some(&project.seed.root);
            let touched = whole || touches(&self.analysis, project, |p| self.targets.has(p));
            touched.then_some(Selected { project: ix, whole })
        };
        self.analysis.projects().filter_map(select).collect()
    }

    /// Whether any of the named paths exists.
    #[must_use]
    pub fn is_anything_named(&self) -> bool {
        let targets = &self.targets;
        !targets.dirs.is_empty() || !targets.files.is_empty() || targets.stdin.is_some()
    }

    fn say_what_was_found(&self, out: &mut Output) {
        out.detail(&format!(
            "looked at {} files in {} directories, read {}",
            self.found.files,
            self.found.dirs.len(),
            self.analysis.read_files().count()
        ));
        for (ix, project) in self.projects() {
            out.detail(&format!("{}: {}", self.key(ix), escape::line(&project.seed.why)));
        }
    }

    /// The projects that were asked about.
    pub fn projects(&self) -> impl Iterator<Item = (ProjectIx, &Arc<Project>)> {
        self.selected
            .iter()
            .filter_map(|s| Some((s.project, self.analysis.project(s.project)?)))
    }

    /// How a project was asked about; `None` if it was not.
    #[must_use]
    pub fn selected(&self, project: ProjectIx) -> Option<&Selected> {
        // Sorted by project.
        let at = self.selected.binary_search_by_key(&project, |s| s.project);
        self.selected.get(at.ok()?)
    }

    /// A project as written before a unit: `ENGINE:PROJECT`.
    #[must_use]
    pub fn key(&self, project: ProjectIx) -> String {
        self.analysis
            .project(project)
            .map_or_else(String::new, |project| key(project, &self.paths))
    }

    /// A unit's name in answers: qualified with its project if another project that was asked about shares a unit name
    /// with this one. So all names of a project have the same form.
    #[must_use]
    pub fn unit_name(&self, project: ProjectIx, name: &str) -> String {
        let shown = escape::line(name);
        if self
            .ambiguous
            .get_or_init(|| self.projects_with_equal_names())
            .contains(&project)
        {
            format!("{}#{shown}", self.key(project))
        } else {
            shown.into_owned()
        }
    }

    fn projects_with_equal_names(&self) -> HashSet<ProjectIx> {
        let mut first: HashMap<&str, ProjectIx> = HashMap::new();
        let mut equal = HashSet::new();
        if self.selected.len() < 2 {
            return equal;
        }
        for (ix, project) in self.projects() {
            for unit in project.resolution.variants.iter().flat_map(|v| &v.units) {
                let first = *first.entry(&*unit.name).or_insert(ix);
                if first != ix {
                    equal.extend([first, ix]);
                }
            }
        }
        equal
    }

    /// Whether the user asked about a finding. `whole`: everything in the projects is included.
    #[must_use]
    pub fn is_asked_about(&self, finding: &Finding<'_>, whole: bool) -> bool {
        let d = finding.diagnostic;
        let mut selected = finding
            .projects
            .iter()
            .filter_map(|p| self.selected(*p))
            .peekable();
        if finding.projects.is_empty() {
            return true;
        }
        if selected.peek().is_none() {
            return false;
        }
        whole
            || selected.any(|s| s.whole)
            || std::iter::once(d.place.file)
                .chain(d.related.iter().map(|r| r.place.file))
                .any(|file| self.targets.has(self.analysis.path(file)))
    }

    /// The files that belong to the projects asked about, without duplicates.
    #[must_use]
    pub fn files(&self) -> BTreeSet<FileId> {
        self.projects()
            .flat_map(|(_, p)| p.resolution.members.iter().map(|m| m.file))
            .collect()
    }
}

/// The disk, with the work trees according to git.
pub(crate) fn disk_files() -> DiskFiles {
    let git = GitRoots::default();
    DiskFiles::new(move |dir| git.root(dir))
}

fn key(project: &Project, paths: &Paths) -> String {
    let engine = project.engine().meta().id;
    let root = paths.show(&project.seed.root);
    let name = project.seed.name.as_deref().unwrap_or(&root);
    format!("{engine}:{}", escape::line(name))
}

/// Whether a project starts from, contains or refers to a file that matches `wanted`.
fn touches(analysis: &Analysis, project: &Project, wanted: impl Fn(&Utf8Path) -> bool) -> bool {
    let resolution = &project.resolution;
    project.seed.inputs.iter().any(|i| wanted(i))
        || resolution.members.iter().any(|m| wanted(analysis.path(m.file)))
        || resolution
            .diagnostics
            .iter()
            .any(|d| wanted(analysis.path(d.place.file)))
}

/// The index of the engine that a flag names.
///
/// # Errors
/// When the engine is unknown; suggests the nearest name.
pub fn engine_index(engines: Engines, id: &str) -> Result<EngineIx, Failure> {
    engines.index_of(id).ok_or_else(|| {
        let known: Vec<&str> = engines.ids().collect();
        Failure::new(format!(
            "--engine: unknown engine `{}`{}; expected one of {}",
            escape::line(id),
            did_you_mean(id, known.iter().copied()),
            known.join(", ")
        ))
    })
}
