//! One run of the command line: what is read, and which projects the user asked about.

mod checks;
mod command;
mod options;
mod targets;
mod texts;
mod watched;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use applyorder_analysis::config::{ConfigSource, Configs};
use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::engine::{EngineIx, Engines, Offer, Recognition, Render, RunOptions};
use applyorder_analysis::files::{DiskFiles, Files};
use applyorder_analysis::rules::Rule;
use applyorder_analysis::store::Store;
use applyorder_analysis::workspace::{Analysis, Finding, Progress, Project, ProjectIx, Workspace};
use camino::{Utf8Path, Utf8PathBuf};

use self::options::{changed_since, run_options, with_plain_names};
use self::targets::{Targets, read_stdin, targets};
pub(crate) use self::watched::Watched;
use crate::args::{Global, RunArgs};
use crate::configuration::{choice, no_config, source};
use crate::discovery::{self, Found};
use crate::edited::Edited;
use crate::escape;
use crate::exit::Failure;
use crate::git_tree::GitTree;
use crate::output::Output;
use crate::place::Paths;
use crate::progress::Line;
use crate::reach::Confined;
use crate::render;
use crate::selectors::did_you_mean;
use crate::start::current_dir;
use crate::trust::Trust;
use crate::vcs::GitRoots;

/// What was read, and what of it the user asked about.
pub struct Session {
    /// Everything that was read.
    pub analysis: Arc<Analysis>,
    /// The projects asked about, in the order of [`Analysis::projects`].
    pub selected: Vec<Selected>,
    /// The configurations.
    pub configs: Configs,
    /// How paths are shown.
    pub paths: Paths,
    /// The options of the run.
    pub options: RunOptions,
    /// Whether an input could not be read; it was said to the user.
    pub failed: bool,
    /// The commands of the configuration that were not run because nothing is rendered here.
    pub(crate) unrendered: Vec<Render>,
    /// Where projects were looked for.
    pub found: Looked,
    targets: Targets,
    /// Whether it is about what the command line of an engine reads.
    is_of_command: bool,
    trees: OnceCell<BTreeSet<Utf8PathBuf>>,
    /// Of which files lines may be shown.
    quotable: RefCell<HashMap<FileId, bool>>,
    ambiguous: HashSet<Arc<str>>,
    workspace: Workspace,
    files: Arc<Edited>,
}

/// Where projects were looked for.
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// How many files were looked at.
    pub files: usize,
    /// The directories that were looked through.
    pub dirs: Vec<Utf8PathBuf>,
    /// How many of the files each engine recognised.
    pub recognised: BTreeMap<EngineIx, usize>,
}

/// What files are read from.
enum Base<'a> {
    Disk,
    /// The disk, where nothing is rendered.
    Sources,
    Tree(Arc<GitTree>),
    /// The disk, with another text in a file.
    Edited(&'a Utf8Path, &'a str),
}

/// A project that the user asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selected {
    /// The project.
    pub project: ProjectIx,
    /// Whether it was asked about as a whole; else only what touches the paths given.
    pub whole: bool,
}

impl Session {
    /// Reads what the arguments name, finds its projects and resolves them.
    ///
    /// # Errors
    /// When an argument cannot be followed. An input that cannot be read is said to the user and noted in
    /// [`Self::failed`].
    pub fn open(engines: Engines, global: &Global, run: &RunArgs, out: &mut Output) -> Result<Self, Failure> {
        Self::open_with(engines, global, run, |_, _| Ok(()), &|_, _| false, out)
    }

    /// The same for who looks at the findings of some rules, given the configurations: of the others none are
    /// searched that take long.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_for(
        engines: Engines,
        global: &Global,
        run: &RunArgs,
        looks_at: &dyn Fn(&Rule, &Configs) -> bool,
        out: &mut Output,
    ) -> Result<Self, Failure> {
        Self::open_with(engines, global, run, |_, _| Ok(()), looks_at, out)
    }

    /// The same, limited to what changed since a git revision, where one is given.
    ///
    /// # Errors
    /// As [`Self::open`]; also when git does not know the revision.
    pub fn open_since(
        engines: Engines,
        global: &Global,
        run: &RunArgs,
        since: Option<&str>,
        out: &mut Output,
    ) -> Result<Self, Failure> {
        Self::open_after(engines, global, run, &[], since, out)
    }

    /// The same, after a run in which some units failed.
    ///
    /// # Errors
    /// As [`Self::open_since`].
    pub fn open_after(
        engines: Engines,
        global: &Global,
        run: &RunArgs,
        failed: &[String],
        since: Option<&str>,
        out: &mut Output,
    ) -> Result<Self, Failure> {
        let partial = |options: &mut RunOptions, cwd: &Utf8Path| {
            options.failed = failed.to_vec();
            if let Some(revision) = since {
                options.changed_files = Some(changed_since(&run.paths, revision, cwd)?);
            }
            Ok(())
        };
        Self::open_with(engines, global, run, partial, &|_, _| false, out)
    }

    /// The same over the files of a commit or of the index. Nothing is rendered there.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn open_tree(
        engines: Engines,
        global: &Global,
        run: &RunArgs,
        tree: Arc<GitTree>,
        looks_at: &dyn Fn(&Rule, &Configs) -> bool,
        out: &mut Output,
    ) -> Result<Self, Failure> {
        Self::open_over(
            engines,
            global,
            run,
            |_, _| Ok(()),
            looks_at,
            Base::Tree(tree),
            out,
        )
    }

    fn open_with(
        engines: Engines,
        global: &Global,
        run: &RunArgs,
        more: impl FnOnce(&mut RunOptions, &Utf8Path) -> Result<(), Failure>,
        looks_at: &dyn Fn(&Rule, &Configs) -> bool,
        out: &mut Output,
    ) -> Result<Self, Failure> {
        Self::open_over(engines, global, run, more, looks_at, Base::Disk, out)
    }

    /// The same from the sources as they are: nothing is rendered.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn open_sources(
        engines: Engines,
        global: &Global,
        run: &RunArgs,
        out: &mut Output,
    ) -> Result<Self, Failure> {
        let base = Base::Sources;
        Self::open_over(engines, global, run, |_, _| Ok(()), &|_, _| false, base, out)
    }

    /// The same as it would be with another text in a file, which need not be there. Nothing is rendered.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn open_with_text(
        engines: Engines,
        global: &Global,
        run: &RunArgs,
        (path, text): (&Utf8Path, &str),
        out: &mut Output,
    ) -> Result<Self, Failure> {
        let base = Base::Edited(path, text);
        Self::open_over(engines, global, run, |_, _| Ok(()), &|_, _| false, base, out)
    }

    fn open_over(
        engines: Engines,
        global: &Global,
        run: &RunArgs,
        more: impl FnOnce(&mut RunOptions, &Utf8Path) -> Result<(), Failure>,
        looks_at: &dyn Fn(&Rule, &Configs) -> bool,
        over: Base<'_>,
        out: &mut Output,
    ) -> Result<Self, Failure> {
        let began = Instant::now();
        let cwd = current_dir()?;
        let base: Arc<dyn Files> = match &over {
            Base::Tree(tree) => tree.clone(),
            Base::Disk | Base::Sources | Base::Edited(..) => Arc::new(disk_files()),
        };
        let base = match &global.reach {
            Some(reach) => Arc::new(Confined {
                base,
                reach: reach.clone(),
            }),
            None => base,
        };
        let disk = Arc::new(Edited::over(base));
        if let Base::Edited(path, text) = &over {
            disk.set(path, text);
        }
        let engine = run.selection.engine.as_deref();
        let engine = engine.map(|id| engine_index(engines, id)).transpose()?;
        let meta = engine.and_then(|index| Some(engines.get(index)?.meta()));
        let mut options = run_options(&run.selection, meta, &cwd);
        more(&mut options, &cwd)?;
        if let Some(meta) = meta {
            options.check(meta).map_err(|e| Failure::new(e.to_string()))?;
        }
        let mut failed = false;
        let mut targets = targets(
            &run.paths,
            run.selection.stdin_filename.as_deref(),
            &cwd,
            &*disk,
            |e| {
                out.error(&e);
                failed = true;
            },
        );
        if targets.stdin.is_some() && engine.is_none() && run.selection.stdin_filename.is_none() {
            return Err(Failure::new(
                "standard input needs --stdin-filename or --engine: the engine cannot be inferred",
            ));
        }
        if run.paths.is_empty() {
            targets.dirs.insert(cwd.clone());
        }
        let named_files: Vec<Utf8PathBuf> = targets.files.iter().chain(&targets.stdin).cloned().collect();
        let named_dirs: Vec<Utf8PathBuf> = targets.dirs.iter().cloned().collect();
        let source = ConfigSource {
            choice: choice(run, &targets.named_anyhow(&*disk), &cwd)?,
            ..source(global, &cwd)
        };
        let load = |dirs: &[Utf8PathBuf], store: &Store| {
            let configs = source.load(dirs, &*disk, store, &engines.known());
            configs.map_err(|e| no_config(&e))
        };
        let above = load(&targets.directories(&cwd), &Store::default())?;
        let mut found = match &over {
            Base::Tree(tree) => Found {
                files: tree.found(),
                dirs: tree.dirs(),
                ..Found::default()
            },
            Base::Disk | Base::Sources | Base::Edited(..) => {
                let files: Arc<dyn Files> = disk.clone();
                discovery::discover(&named_dirs, &named_files, &cwd, &files, &above)
            }
        };
        for problem in &found.problems {
            out.error(&escape::line(problem));
            failed = true;
        }
        let could_be_ours = |path: &&Utf8PathBuf| {
            let mut all = engines
                .iter()
                .filter(|(index, _)| engine.is_none_or(|only| only == *index));
            all.any(|(_, engine)| engine.recognise(path, Offer::Found, None) != Recognition::No)
        };
        for path in found.unnamed.iter().filter(could_be_ours) {
            out.error(&format!("{}: its name is not UTF-8", escape::line(path.as_str())));
            failed = true;
        }
        let mut workspace = Workspace::new(engines, disk.clone(), options.clone());
        if let Some(engine) = engine {
            workspace.only_engine(engine);
        }
        let paths = Paths { cwd: cwd.clone() };
        let mut dirs = targets.directories(&cwd);
        dirs.extend_from_slice(&found.dirs);
        let configs = load(&dirs, workspace.store())?;
        if configs.excludes_some() {
            found.files.retain(|path| !configs.is_excluded(path));
            targets.leave_out(&configs);
        }
        let mut unwanted = engines.rules();
        unwanted.retain(|rule| !looks_at(rule, &configs));
        workspace.set_unwanted(unwanted);
        workspace.set_configs(configs.clone());
        if let Some(path) = &targets.stdin {
            workspace.set_text(path, read_stdin()?);
        }
        let progress = Arc::new(Progress::default());
        workspace.set_progress(progress.clone());
        let reading = |out: &Output| match out.shows_progress() {
            true => Line::reading(&progress, found.files.len(), began),
            false => Line::default(),
        };
        let line = reading(out);
        workspace.offer(&found.files, Offer::Found);
        workspace.offer(&targets.named, Offer::Explicit);
        drop(line);
        let mut renders = render::wanted(engines, &configs, engine, &targets.named, &cwd);
        let unrendered = match over {
            Base::Disk => Vec::new(),
            Base::Sources | Base::Tree(_) | Base::Edited(..) => std::mem::take(&mut renders),
        };
        let renders_none = global.reach.is_some();
        let trust = if renders.is_empty() || run.selection.render || renders_none {
            Trust::default()
        } else {
            Trust::load()?
        };
        for render in renders {
            if renders_none || (!run.selection.render && !trust.allows(&render)) {
                out.warning(&render::not_run(&render));
                continue;
            }
            match render::run(&render) {
                Ok(text) => workspace.set_text(&render.into, text),
                Err(e) => {
                    out.error(&e);
                    failed = true;
                }
            }
        }
        let line = reading(out);
        workspace.refresh();
        let options = match with_plain_names(&options, &workspace.analysis(), &paths) {
            Some(options) => {
                workspace.set_options(options.clone());
                workspace.refresh();
                options
            }
            None => options,
        };
        workspace.search_hints();
        drop(line);
        for (path, error) in workspace.unread() {
            out.error(&format!("{}: {error}", escape::line(&paths.show(path))));
            failed = true;
        }
        targets.add_canonical(&*disk);
        let mut session = Self {
            analysis: workspace.analysis(),
            selected: Vec::new(),
            configs,
            paths,
            options,
            failed,
            unrendered,
            found: Looked {
                files: found.files.len(),
                recognised: workspace.recognised_by(),
                dirs: std::mem::take(&mut found.dirs),
            },
            targets,
            is_of_command: false,
            trees: OnceCell::new(),
            quotable: RefCell::default(),
            ambiguous: HashSet::new(),
            workspace,
            files: disk.clone(),
        };
        session.selected = session.select();
        session.refuse_unknown_options(&run.selection.lenient)?;
        session.refuse_unknown_units()?;
        session.failed |= !session.configs.diagnostics().is_empty();
        session.say_what_cannot_be_read(&*disk, out);
        session.ambiguous = session.ambiguous_names();
        if out.is_verbose() {
            session.say_what_was_found(out);
        }
        Ok(session)
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

    /// The projects asked about.
    pub fn projects(&self) -> impl Iterator<Item = (ProjectIx, &Arc<Project>)> {
        self.selected
            .iter()
            .filter_map(|s| Some((s.project, self.analysis.project(s.project)?)))
    }

    /// A project as it is written before a unit: `ENGINE:PROJECT`.
    #[must_use]
    pub fn key(&self, project: ProjectIx) -> String {
        self.analysis
            .project(project)
            .map_or_else(String::new, |project| key(project, &self.paths))
    }

    /// A unit's name as it is written in answers: with its project before it where several projects that
    /// were asked about have one of that name.
    #[must_use]
    pub fn unit_name(&self, project: ProjectIx, name: &Arc<str>) -> String {
        let shown = escape::line(name);
        if self.ambiguous.contains(name) {
            format!("{}#{shown}", self.key(project))
        } else {
            shown.into_owned()
        }
    }

    fn ambiguous_names(&self) -> HashSet<Arc<str>> {
        let mut first: BTreeMap<&Arc<str>, ProjectIx> = BTreeMap::new();
        let mut ambiguous = HashSet::new();
        if self.selected.len() < 2 {
            return ambiguous;
        }
        for (ix, project) in self.projects() {
            for unit in project.resolution.variants.iter().flat_map(|v| &v.units) {
                if *first.entry(&unit.name).or_insert(ix) != ix {
                    ambiguous.insert(unit.name.clone());
                }
            }
        }
        ambiguous
    }

    /// Whether a finding is one that the user asked about. `whole`: everything in the projects counts.
    #[must_use]
    pub fn is_asked_about(&self, finding: &Finding<'_>, whole: bool) -> bool {
        let d = finding.diagnostic;
        let of = |project| self.selected.iter().find(|s| s.project == project);
        let mut selected = finding.projects.iter().filter_map(|p| of(*p)).peekable();
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

    /// The files that belong to the projects asked about, each once.
    #[must_use]
    pub fn files(&self) -> BTreeSet<FileId> {
        self.projects()
            .flat_map(|(_, p)| p.resolution.members.iter().map(|m| m.file))
            .collect()
    }
}

/// The disk, with the trees that git knows.
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

/// Whether a project starts from, holds or speaks of a file that is wanted.
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
/// When there is none of that name; names the nearest.
pub fn engine_index(engines: Engines, id: &str) -> Result<EngineIx, Failure> {
    engines.index_of(id).ok_or_else(|| {
        let known: Vec<&str> = engines.ids().collect();
        Failure::new(format!(
            "--engine {}: unknown engine{}; expected one of {}",
            escape::line(id),
            did_you_mean(id, known.iter().copied()),
            known.join(", ")
        ))
    })
}
