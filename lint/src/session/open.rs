//! Opens a session: the paths in the arguments are searched, read, rendered and resolved.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use std::time::Instant;

use applyorder_analysis::config::{ConfigSource, Configs};
use applyorder_analysis::engine::options::STATE;
use applyorder_analysis::engine::{EngineIx, Engines, Offer, Recognition, Render, RunOptions};
use applyorder_analysis::files::{Files, Listed};
use applyorder_analysis::rules::{Rule, unreadable_file};
use applyorder_analysis::store::Store;
use applyorder_analysis::workspace::{Progress, Workspace};
use camino::{Utf8Path, Utf8PathBuf};

use super::options::{changed_since, run_options, unreadable_inputs, with_plain_names};
use super::targets::{Targets, read_stdin, targets};
use super::{Looked, Session, disk_files, engine_index};
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
use crate::start::current_dir;
use crate::trust::Trust;

/// Where files are read from.
enum Base<'a> {
    Disk,
    /// The disk, without rendering.
    Sources,
    Tree(Arc<GitTree>),
    /// The disk, with the text of one file replaced.
    Edited(&'a Utf8Path, &'a str),
}

impl Base<'_> {
    fn files(&self, global: &Global) -> Arc<Edited> {
        let base: Arc<dyn Files> = match self {
            Base::Tree(tree) => tree.clone(),
            Base::Disk | Base::Sources | Base::Edited(..) => Arc::new(Listed::over(Arc::new(disk_files()))),
        };
        let base = match &global.reach {
            Some(reach) => Arc::new(Confined {
                base,
                reach: reach.clone(),
            }),
            None => base,
        };
        let files = Arc::new(Edited::over(base));
        if let Base::Edited(path, text) = self {
            files.set(path, text);
        }
        files
    }
}

/// What the arguments ask for.
struct Request {
    cwd: Utf8PathBuf,
    engine: Option<EngineIx>,
    options: RunOptions,
    targets: Targets,
    /// Whether a readable state file is given.
    has_state: bool,
    /// Whether an input could not be read; this has been reported.
    failed: bool,
}

impl Request {
    fn of(
        engines: Engines,
        run: &RunArgs,
        more: impl FnOnce(&mut RunOptions, &Utf8Path) -> Result<(), Failure>,
        disk: &Edited,
        out: &mut Output,
    ) -> Result<Self, Failure> {
        let cwd = current_dir()?;
        let engine = run.selection.engine.as_deref();
        let engine = engine.map(|id| engine_index(engines, id)).transpose()?;
        let meta = engine.and_then(|index| Some(engines.get(index)?.meta()));
        let mut options = run_options(&run.selection, meta, &cwd);
        more(&mut options, &cwd)?;
        if let Some(meta) = meta {
            options.check(meta).map_err(|e| Failure::new(e.to_string()))?;
        }
        let mut failed = false;
        let mut has_state = options.state.is_some();
        for (option, problem) in unreadable_inputs(&run.selection, &cwd, disk) {
            out.error(&problem);
            failed = true;
            has_state &= option != STATE.name;
        }
        let stdin_filename = run.selection.stdin_filename.as_deref();
        let mut targets = targets(&run.paths, stdin_filename, &cwd, disk, |e| {
            out.error(&e);
            failed = true;
        });
        if targets.stdin.is_some() && engine.is_none() && stdin_filename.is_none() {
            return Err(Failure::new(
                "standard input needs --stdin-filename or --engine: the engine cannot be inferred",
            ));
        }
        if run.paths.is_empty() {
            targets.dirs.insert(cwd.clone());
        }
        Ok(Self {
            cwd,
            engine,
            options,
            targets,
            has_state,
            failed,
        })
    }
}

impl Session {
    /// Reads what the arguments name, finds its projects and resolves them.
    ///
    /// # Errors
    /// When an argument is invalid. An input that cannot be read is reported to the user and recorded in
    /// [`Self::failed`].
    pub fn open(engines: Engines, global: &Global, run: &RunArgs, out: &mut Output) -> Result<Self, Failure> {
        Self::open_after(engines, global, run, &[], None, out)
    }

    /// The same for a caller that uses the findings of some rules only, given the configurations: expensive searches
    /// for others are skipped.
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

    /// The same, limited to what changed since a git revision, if one is given.
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
        let session = Self::open_with(engines, global, run, partial, &|_, _| false, out)?;
        session.say_what_is_wrong_in_configurations(out);
        Ok(session)
    }

    /// The same for the files of a commit or of the index, without rendering.
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

    /// The same for the sources as they are, without rendering.
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

    /// The same with the text of one file replaced, which need not exist. Without rendering.
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
        let disk = over.files(global);
        let Request {
            cwd,
            engine,
            options,
            mut targets,
            has_state,
            mut failed,
        } = Request::of(engines, run, more, &disk, out)?;
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
        failed |= say_unnamed(&found.unnamed, engines, engine, out);
        // The state file is read on demand, and is not part of a project.
        if let Some(state) = &options.state {
            found.files.retain(|path| path != state);
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
        workspace.set_searched(named_dirs);
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
        // Otherwise no command is run: what would be rendered is unknown.
        let renders = match over {
            Base::Disk => render::wanted(engines, &configs, engine, &targets.named, &cwd),
            Base::Sources | Base::Tree(_) | Base::Edited(..) => Vec::new(),
        };
        failed |= render_all(renders, global, run, &mut workspace, out)?;
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
            configured: Some((source, dirs)),
            paths,
            options,
            failed,
            found: Looked {
                files: found.files.len(),
                named: found.files.iter().filter(|path| targets.has(path)).count(),
                recognised: workspace.recognised_by(|path| targets.has(path)),
                dirs: std::mem::take(&mut found.dirs),
            },
            targets,
            is_of_command: false,
            trees: OnceCell::new(),
            real_paths: RefCell::default(),
            ambiguous: OnceCell::new(),
            workspace,
            files: disk.clone(),
        };
        session.selected = session.select();
        session.refuse_unknown_options(&run.selection.lenient)?;
        session.refuse_unknown_units()?;
        let tells = looks_at(&unreadable_file::RULE, &session.configs);
        session.say_what_cannot_be_read(&*disk, tells, out);
        if has_state {
            session.say_why_the_state_is_not_used(out);
        }
        if out.is_verbose() {
            session.say_what_was_found(out);
        }
        Ok(session)
    }
}

/// Reports files whose names are not UTF-8 if an engine might read them; returns whether there is one.
fn say_unnamed(unnamed: &[Utf8PathBuf], engines: Engines, only: Option<EngineIx>, out: &mut Output) -> bool {
    let could_be_ours = |path: &&Utf8PathBuf| {
        let mut all = engines
            .iter()
            .filter(|(index, _)| only.is_none_or(|only| only == *index));
        all.any(|(_, engine)| engine.recognise(path, Offer::Found, None) != Recognition::No)
    };
    let mut said = false;
    for path in unnamed.iter().filter(could_be_ours) {
        out.error(&format!("{}: its name is not UTF-8", escape::line(path.as_str())));
        said = true;
    }
    said
}

/// Runs the allowed commands and passes their output to the workspace; returns whether one failed.
fn render_all(
    renders: Vec<Render>,
    global: &Global,
    run: &RunArgs,
    workspace: &mut Workspace,
    out: &mut Output,
) -> Result<bool, Failure> {
    let renders_none = global.reach.is_some();
    let trust = if renders.is_empty() || run.selection.render || renders_none {
        Trust::default()
    } else {
        Trust::load()?
    };
    let mut failed = false;
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
    Ok(failed)
}
