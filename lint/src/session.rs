//! One run of the command line: what is read, and which projects the user asked about.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;
use std::sync::Arc;

use applyorder_analysis::config::Configs;
use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::engines::{self, Engine, EngineMeta, Offer, RunOptions};
use applyorder_analysis::files::{self, DiskFiles, FileKind, Files, MAX_FILE_SIZE, ReadError};
use applyorder_analysis::workspace::{Analysis, Finding, Project, ProjectIx, Workspace};
use camino::{Utf8Path, Utf8PathBuf};

use crate::args::{Global, RunArgs, SelectionArgs};
use crate::configuration::load_configs;
use crate::discovery::{self, Found};
use crate::escape;
use crate::exit::Failure;
use crate::output::{Output, is_stdin};
use crate::place::Paths;
use crate::render;
use crate::selectors::did_you_mean;
use crate::vcs::{self, GitRoots};

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
    targets: Targets,
    ambiguous: HashSet<Arc<str>>,
}

/// A project that the user asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selected {
    /// The project.
    pub project: ProjectIx,
    /// Whether it was asked about as a whole; else only what touches the paths given.
    pub whole: bool,
}

/// The paths that the user named, absolute and clean.
#[derive(Clone, Debug, Default)]
struct Targets {
    dirs: BTreeSet<Utf8PathBuf>,
    files: BTreeSet<Utf8PathBuf>,
    stdin: Option<Utf8PathBuf>,
    /// All of them in the order in which they were named: to some engines it says something.
    named: Vec<Utf8PathBuf>,
}

impl Targets {
    fn is_below(&self, path: &Utf8Path) -> bool {
        path.ancestors().any(|p| self.dirs.contains(p))
    }

    fn has(&self, path: &Utf8Path) -> bool {
        self.files.contains(path) || self.stdin.as_deref() == Some(path) || self.is_below(path)
    }

    /// Links may lead engines to other names of what the user named.
    fn add_canonical(&mut self, disk: &dyn Files) {
        for set in [&mut self.dirs, &mut self.files] {
            let other: Vec<_> = set.iter().filter_map(|p| disk.canonical(p)).collect();
            set.extend(other);
        }
    }
}

impl Session {
    /// Reads what the arguments name, finds its projects and resolves them.
    ///
    /// # Errors
    /// When an argument cannot be followed. An input that cannot be read is said to the user and noted in
    /// [`Self::failed`].
    pub fn open(global: &Global, run: &RunArgs, out: &mut Output) -> Result<Self, Failure> {
        Self::open_since(global, run, None, out)
    }

    /// The same, limited to what changed since a git revision, where one is given.
    ///
    /// # Errors
    /// As [`Self::open`]; also when git does not know the revision.
    pub fn open_since(
        global: &Global,
        run: &RunArgs,
        since: Option<&str>,
        out: &mut Output,
    ) -> Result<Self, Failure> {
        let cwd = current_dir()?;
        let git = GitRoots::default();
        let disk: Arc<dyn Files> = Arc::new(DiskFiles::new(move |dir| git.root(dir)));
        let engine = run.selection.engine.as_deref().map(engine_index).transpose()?;
        let mut options = run_options(&run.selection, &cwd);
        if let Some(revision) = since {
            options.changed_files = Some(changed_since(&run.paths, revision, &cwd)?);
        }
        if let Some(meta) = engine.and_then(meta) {
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
        if targets.stdin.is_some() && engine.is_none() {
            return Err(Failure::new(
                "standard input needs --engine: its text alone does not say whose it is",
            ));
        }
        if run.paths.is_empty() {
            targets.dirs.insert(cwd.clone());
        }
        let named_files: Vec<Utf8PathBuf> = targets.files.iter().cloned().collect();
        let named_dirs: Vec<Utf8PathBuf> = targets.dirs.iter().cloned().collect();
        let found = discovery::discover(&named_dirs, &named_files, &cwd, &*disk);
        for problem in &found.problems {
            out.error(&escape::line(problem));
            failed = true;
        }
        let mut workspace = Workspace::new(disk.clone(), options.clone());
        if let Some(engine) = engine {
            workspace.only_engine(engine);
        }
        let paths = Paths { cwd: cwd.clone() };
        let configs = configs(global, &found, &targets, &*disk, &workspace, &cwd)?;
        workspace.set_configs(configs.clone());
        workspace.offer(&found.files, Offer::Found);
        if let Some(path) = &targets.stdin {
            workspace.set_text(path, read_stdin()?);
        }
        workspace.offer(&targets.named, Offer::Explicit);
        for render in render::wanted(&configs, engine, &targets.named, &cwd) {
            match render::run(&render) {
                Ok(text) => workspace.set_text(&render.into, text),
                Err(e) => {
                    out.error(&e);
                    failed = true;
                }
            }
        }
        workspace.refresh();
        let options = match with_plain_names(&options, &workspace.analysis(), &paths) {
            Some(options) => {
                workspace.set_options(options.clone());
                workspace.refresh();
                options
            }
            None => options,
        };
        targets.add_canonical(&*disk);
        let mut session = Self {
            analysis: workspace.analysis(),
            selected: Vec::new(),
            configs,
            paths,
            options,
            failed,
            targets,
            ambiguous: HashSet::new(),
        };
        session.selected = session.select();
        session.refuse_unknown_options()?;
        session.refuse_unknown_units()?;
        session.failed |= !session.configs.diagnostics().is_empty();
        session.say_what_cannot_be_read(&*disk, out);
        session.ambiguous = session.ambiguous_names();
        if out.is_verbose() {
            session.say_what_was_found(&found, out);
        }
        Ok(session)
    }

    fn select(&self) -> Vec<Selected> {
        let select = |(ix, project): (ProjectIx, &Arc<Project>)| {
            let stdin = self.targets.stdin.as_deref();
            let whole = self.targets.is_below(&project.seed.root)
                || stdin.is_some_and(|path| touches(&self.analysis, project, |p| p == path));
            let touched = whole || touches(&self.analysis, project, |p| self.targets.has(p));
            touched.then_some(Selected { project: ix, whole })
        };
        self.analysis.projects().filter_map(select).collect()
    }

    /// Every engine that has a part in the answer must know every option.
    fn refuse_unknown_options(&self) -> Result<(), Failure> {
        let engines = self.projects().filter_map(|(_, p)| p.engine());
        let engines: BTreeMap<&str, &dyn Engine> = engines.map(|e| (e.meta().id, e)).collect();
        for engine in engines.values() {
            if let Err(e) = self.options.check(engine.meta()) {
                let hint = if engines.len() > 1 {
                    "; limit the run with --engine"
                } else {
                    ""
                };
                return Err(Failure::new(format!("{e}{hint}")));
            }
            let known = engine.commands();
            if let Some(command) = self.options.command.as_deref().filter(|c| !known.contains(c)) {
                return Err(Failure::new(format!(
                    "--as {}: {} has no such command here{}; known are {}",
                    escape::line(command),
                    engine.meta().title,
                    did_you_mean(command, known.iter().copied()),
                    known.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// A unit that is named as an option must be one, of whichever project.
    fn refuse_unknown_units(&self) -> Result<(), Failure> {
        let units = || {
            let variants = self.projects().flat_map(|(_, p)| &p.resolution.variants);
            variants.flat_map(|v| &v.units).map(|u| &*u.name)
        };
        let given: Vec<(&str, &String)> = self
            .options
            .changed
            .iter()
            .flatten()
            .map(|name| ("--changed", name))
            .chain(self.options.failed.iter().map(|name| ("--failed", name)))
            .collect();
        if given.is_empty() || self.selected.is_empty() {
            return Ok(());
        }
        let known: BTreeSet<&str> = units().collect();
        match given.into_iter().find(|(_, name)| !known.contains(name.as_str())) {
            None => Ok(()),
            Some((flag, name)) => Err(Failure::new(format!(
                "{flag} {}: no such unit{}",
                escape::line(name),
                did_you_mean(name, known)
            ))),
        }
    }

    fn say_what_cannot_be_read(&mut self, disk: &dyn Files, out: &mut Output) {
        let mut unread: BTreeSet<&Utf8Path> = BTreeSet::new();
        for (_, project) in self.projects() {
            let roots = project.seed.inputs.iter().map(Utf8PathBuf::as_path);
            let members = project
                .resolution
                .members
                .iter()
                .map(|m| self.analysis.path(m.file));
            unread.extend(roots.chain(members).filter(|p| !self.was_read(p)));
        }
        let asked = LazyCell::new(|| self.analysis.read_files().map(|(_, p)| p).collect::<HashSet<_>>());
        let mut problems: Vec<(String, ReadError)> = Vec::new();
        for path in unread.into_iter().filter(|p| asked.contains(p)) {
            let root = self
                .projects()
                .any(|(_, p)| p.seed.inputs.iter().any(|i| i == path));
            let kind = disk.kind(path, true);
            if kind == Some(FileKind::File) || (root && kind.is_some()) {
                let error = disk.read(path).err().unwrap_or(ReadError::NotUtf8(0));
                problems.push((self.paths.show(path), error));
            }
        }
        let mut nobodys = Vec::new();
        for path in self
            .targets
            .files
            .iter()
            .filter(|p| !self.was_read(p) && !asked.contains(p.as_path()))
        {
            match disk.read(path) {
                Err(e) => problems.push((self.paths.show(path), e)),
                Ok(_)
                    if self
                        .projects()
                        .any(|(_, p)| touches(&self.analysis, p, |f| f == path)) => {}
                Ok(_) => nobodys.push(self.paths.show(path)),
            }
        }
        problems.dedup();
        for (path, error) in problems {
            self.failed = true;
            match error {
                ReadError::NotUtf8(0) => out.error(&format!("{}: is not UTF-8", escape::line(&path))),
                error => out.error(&format!("{}: {error}", escape::line(&path))),
            }
        }
        nobodys.dedup();
        if let Some(first) = nobodys.first() {
            let more = match nobodys.len() {
                1 => String::new(),
                n => format!(" (and {} more)", n - 1),
            };
            out.warning(&format!("{}{more}: belongs to no project", escape::line(first)));
        }
    }

    fn was_read(&self, path: &Utf8Path) -> bool {
        self.analysis
            .file(path)
            .is_some_and(|file| self.analysis.source(file).is_some())
    }

    fn say_what_was_found(&self, found: &Found, out: &mut Output) {
        out.detail(&format!(
            "looked at {} files in {} directories, read {}",
            found.files.len(),
            found.dirs.len(),
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

fn key(project: &Project, paths: &Paths) -> String {
    let engine = project.engine().map_or("", |e| e.meta().id);
    let root = paths.show(&project.seed.root);
    let name = project.seed.name.as_deref().unwrap_or(&root);
    format!("{engine}:{}", escape::line(name))
}

/// The options with `ENGINE:PROJECT#NAME` written as `NAME`, where one is written so.
fn with_plain_names(options: &RunOptions, analysis: &Analysis, paths: &Paths) -> Option<RunOptions> {
    let named = options.changed.iter().flatten().chain(&options.failed);
    if !named.clone().any(|name| name.contains('#')) {
        return None;
    }
    let keys: Vec<String> = analysis
        .projects()
        .map(|(_, p)| format!("{}#", key(p, paths)))
        .collect();
    let plain = |name: &mut String| {
        if let Some(rest) = keys.iter().find_map(|key| name.strip_prefix(key.as_str())) {
            *name = rest.to_owned();
        }
    };
    let mut options = options.clone();
    options.changed.iter_mut().flatten().for_each(plain);
    options.failed.iter_mut().for_each(plain);
    Some(options)
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
pub fn engine_index(id: &str) -> Result<u8, Failure> {
    engines::index_of(id).ok_or_else(|| {
        let known: Vec<&str> = engines::all().iter().map(|e| e.meta().id).collect();
        Failure::new(format!(
            "--engine {}: no such engine{}; known are {}",
            escape::line(id),
            did_you_mean(id, known.iter().copied()),
            known.join(", ")
        ))
    })
}

fn meta(index: u8) -> Option<&'static EngineMeta> {
    engines::all().get(index as usize).map(|e| e.meta())
}

/// The directory the command was started in.
///
/// # Errors
/// When it is gone, or its name is not UTF-8.
pub fn current_dir() -> Result<Utf8PathBuf, Failure> {
    let dir = std::env::current_dir().map_err(|e| Failure::new(format!("the current directory: {e}")))?;
    Utf8PathBuf::from_path_buf(dir)
        .map_err(|d| Failure::new(format!("{}: the directory's name is not UTF-8", d.display())))
}

/// A path as the user gave it, absolute and clean.
#[must_use]
pub fn absolute(cwd: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    files::clean(cwd.join(path).as_str())
}

fn targets(
    paths: &[Utf8PathBuf],
    stdin_name: Option<&Utf8Path>,
    cwd: &Utf8Path,
    disk: &dyn Files,
    mut problem: impl FnMut(String),
) -> Targets {
    let mut targets = Targets::default();
    for path in paths {
        if is_stdin(path) {
            let full = absolute(cwd, stdin_name.unwrap_or(Utf8Path::new("<stdin>")));
            targets.named.push(full.clone());
            targets.stdin = Some(full);
            continue;
        }
        let full = absolute(cwd, path);
        match disk.kind(&full, true) {
            Some(FileKind::Directory) => {
                targets.named.push(full.clone());
                targets.dirs.insert(full);
            }
            Some(_) => {
                targets.named.push(full.clone());
                targets.files.insert(full);
            }
            None => {
                let error = disk.read(&full).err().unwrap_or(ReadError::NotFound);
                problem(format!("{}: {error}", escape::line(path.as_str())));
            }
        }
    }
    targets
}

fn run_options(selection: &SelectionArgs, cwd: &Utf8Path) -> RunOptions {
    let own = selection.clone();
    RunOptions {
        environments: own.env,
        tags: own.tags,
        no_tags: own.no_tags,
        cwd: own.cwd.map(|dir| absolute(cwd, &dir)),
        changed: own.changed,
        namespace: own.namespace,
        into_namespace: own.into_ns,
        agent: own.agent,
        vars: own.var.into_iter().collect(),
        var_files: own.var_file.iter().map(|f| absolute(cwd, f)).collect(),
        state: own.state.map(|f| absolute(cwd, &f)),
        command: own.command,
        ..RunOptions::default()
    }
}

/// The files that changed since a revision, in all work trees that the paths given lie in.
fn changed_since(paths: &[Utf8PathBuf], revision: &str, cwd: &Utf8Path) -> Result<Vec<Utf8PathBuf>, Failure> {
    let git = GitRoots::default();
    let mut named: Vec<Utf8PathBuf> = paths
        .iter()
        .filter(|p| !is_stdin(p))
        .map(|p| absolute(cwd, p))
        .collect();
    if named.is_empty() {
        named.push(cwd.to_owned());
    }
    let mut roots: BTreeSet<Utf8PathBuf> = BTreeSet::new();
    for path in &named {
        let dir = path.ancestors().find(|dir| dir.is_dir());
        let Some(root) = dir.and_then(|dir| git.root(dir)) else {
            return Err(Failure::new(format!(
                "--since {}: {} lies in no git work tree",
                escape::line(revision),
                escape::line(path.as_str())
            )));
        };
        roots.insert(root);
    }
    let mut changed = Vec::new();
    for root in roots {
        let files = vcs::changed_files(&root, revision)
            .map_err(|e| Failure::new(format!("--since {}: {e}", escape::line(revision))))?;
        changed.extend(files);
    }
    Ok(changed)
}

fn configs(
    global: &Global,
    found: &Found,
    targets: &Targets,
    disk: &dyn Files,
    workspace: &Workspace,
    cwd: &Utf8Path,
) -> Result<Configs, Failure> {
    let mut dirs = found.dirs.clone();
    dirs.extend(
        targets
            .files
            .iter()
            .chain(&targets.stdin)
            .filter_map(|f| Some(f.parent()?.to_owned())),
    );
    dirs.push(cwd.to_owned());
    load_configs(global, &dirs, disk, workspace.store(), cwd)
}

fn read_stdin() -> Result<Arc<str>, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_FILE_SIZE + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Failure::new(format!("standard input: {e}")))?;
    if bytes.len() as u64 > MAX_FILE_SIZE {
        return Err(Failure::new(format!(
            "standard input {}",
            ReadError::TooLarge(bytes.len() as u64)
        )));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(e) => Err(Failure::new(format!(
            "standard input {}",
            ReadError::NotUtf8(e.utf8_error().valid_up_to())
        ))),
    }
}
