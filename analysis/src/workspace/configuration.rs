//! Configurations: loaded on any thread, and applied by the owner.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use tracing::debug_span;

use super::{Project, Stale, Workspace, expectations};
use applyorder_core::config::{ConfigChange, ConfigSource, Configs, SourceError};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Engines;
use applyorder_core::files::Overlay;
use applyorder_core::store::{Store, Table};

/// Up to this many files are checked at once: the wait is not noticeable.
const FEW: usize = 256;

/// The same for directories that are added.
const FEW_DIRS: usize = 32;

/// What is to be loaded.
pub struct ConfigLoad {
    source: ConfigSource,
    engines: Engines,
    files: Overlay,
    store: Arc<Store>,
    before: Arc<Configs>,
    known: Arc<FxHashSet<Utf8PathBuf>>,
    dirs: Vec<Utf8PathBuf>,
    scope: Scope,
    projects: Vec<Arc<Project>>,
}

enum Scope {
    /// All: for the directories, and for the directories of these files.
    Whole(Vec<FileId>, Arc<Table>),
    /// Only checks whether the directories bring a configuration.
    Added,
}

/// What was loaded.
pub struct LoadedConfigs {
    before: Arc<Configs>,
    dirs: Arc<FxHashSet<Utf8PathBuf>>,
    outcome: Outcome,
    concerned: Concerned,
}

/// The projects whose configuration changed.
#[derive(Default)]
struct Concerned {
    /// Those that were checked.
    projects: Vec<Arc<Project>>,
    /// The numbers of those that are affected.
    numbers: FxHashSet<u64>,
}

enum Outcome {
    Loaded(Result<(Arc<Configs>, ConfigChange), SourceError>),
    /// The previous configurations still apply, also in the added directories.
    Same,
    /// All have to be loaded: a configuration was added.
    MustLoad,
}

/// Where it is unknown which configuration applies, besides in directories that were not checked.
#[derive(Default)]
pub(super) struct Unconfigured {
    everywhere: bool,
    dirs: FxHashSet<Utf8PathBuf>,
}

impl ConfigLoad {
    /// Whether it takes so little time that it need not be done elsewhere.
    #[must_use]
    pub fn is_short(&self) -> bool {
        match &self.scope {
            Scope::Whole(files, _) => files.len() <= FEW,
            Scope::Added => self.dirs.len() <= FEW_DIRS,
        }
    }

    /// Loads.
    #[must_use]
    pub fn run(self) -> LoadedConfigs {
        let _span = debug_span!("configurations").entered();
        let mut concerned = Concerned::default();
        let (dirs, outcome) = match self.scope {
            Scope::Added => {
                let is_known = |dir: &Utf8Path| self.known.contains(dir);
                let is_given = self.source.file.is_some() || self.source.isolated;
                if !is_given && Configs::first_file(&self.dirs, is_known, &self.files).is_some() {
                    (self.known, Outcome::MustLoad)
                } else {
                    let mut known = self.known;
                    add_with_those_above(Arc::make_mut(&mut known), &self.dirs);
                    (known, Outcome::Same)
                }
            }
            Scope::Whole(files, table) => {
                let dir_of = |file: &FileId| Some(table.get(*file)?.path().parent()?.to_owned());
                let mut dirs: Vec<Utf8PathBuf> = files.iter().filter_map(dir_of).chain(self.dirs).collect();
                dirs.sort_unstable();
                dirs.dedup();
                let names = self.engines.known();
                let loaded = self.source.load(&dirs, &self.files, &self.store, &names);
                let loaded = loaded.map(|configs| {
                    let change = configs.change_since(&self.before, &names);
                    concerned = Concerned::of(self.projects, &change, &table);
                    (Arc::new(configs), change)
                });
                let mut known = FxHashSet::default();
                add_with_those_above(&mut known, &dirs);
                (Arc::new(known), Outcome::Loaded(loaded))
            }
        };
        LoadedConfigs {
            before: self.before,
            dirs,
            outcome,
            concerned,
        }
    }
}

impl Concerned {
    fn of(projects: Vec<Arc<Project>>, change: &ConfigChange, table: &Table) -> Self {
        let Some(dirs) = &change.dirs else {
            return Self::default();
        };
        let concerned = projects.par_iter().filter(|p| p.is_concerned(dirs, table));
        let numbers = concerned.map(|project| project.number).collect();
        Self { projects, numbers }
    }

    /// Whether a project is affected, if exactly this state of it was checked as the one with this index.
    fn has(&self, i: usize, project: &Arc<Project>) -> Option<bool> {
        let looked_at = self.projects.get(i);
        looked_at
            .filter(|p| Arc::ptr_eq(p, project))
            .map(|_| self.numbers.contains(&project.number))
    }
}

impl Project {
    /// Whether it is in some directories, or reads a file there.
    fn is_concerned(&self, dirs: &FxHashSet<Utf8PathBuf>, table: &Table) -> bool {
        let is_concerned = |path: &Utf8Path| path.ancestors().any(|dir| dirs.contains(dir));
        let is_in = |file: FileId| table.get(file).is_some_and(|file| is_concerned(file.path()));
        self.places().any(is_concerned) || self.files().any(is_in)
    }
}

fn add_with_those_above(known: &mut FxHashSet<Utf8PathBuf>, dirs: &[Utf8PathBuf]) {
    for dir in dirs {
        let mut new = dir.ancestors().take_while(|dir| !known.contains(*dir));
        let new: Vec<Utf8PathBuf> = new.by_ref().map(Utf8Path::to_owned).collect();
        known.extend(new);
    }
}

impl Workspace {
    /// Sets the configuration. Projects whose configuration changed are resolved again.
    pub fn set_configs(&mut self, configs: Configs) {
        let change = configs.change_since(&self.configs, &self.engines.known());
        self.put_configs(Arc::new(configs), &change, &Concerned::default());
    }

    fn put_configs(&mut self, configs: Arc<Configs>, change: &ConfigChange, looked: &Concerned) {
        let before = std::mem::replace(&mut self.configs, configs);
        self.snapshot = None;
        let findings = before.diagnostics().iter().chain(self.configs.diagnostics());
        self.moved.extend(findings.map(|d| d.place.file));
        for configs in [&before, &self.configs] {
            self.moved.extend(expectations::files(configs, &self.store));
        }
        if before.excludes_some() || self.configs.excludes_some() {
            let files = self.projects.iter().flat_map(|project| project.files());
            self.moved.extend(files);
        }
        if change.finds_others {
            self.rediscover_all();
        }
        let Some(dirs) = &change.dirs else {
            self.all_stale();
            return;
        };
        if dirs.is_empty() {
            return;
        }
        let table = self.store.snapshot();
        let projects = self.projects.iter().enumerate();
        let concerned = projects.filter(|(i, project)| {
            let known = looked.has(*i, project);
            known.unwrap_or_else(|| project.is_concerned(dirs, &table))
        });
        let concerned: Vec<usize> = concerned.map(|(i, _)| i).collect();
        for i in concerned {
            self.note_stale(i, Stale::Everything);
        }
    }

    /// Reads the configurations that apply in some directories. Projects whose configuration changed are
    /// resolved again.
    ///
    /// # Errors
    /// When what the flags name does not exist; the previous configurations then still apply.
    pub fn load_configs(&mut self, source: &ConfigSource, dirs: &[Utf8PathBuf]) -> Result<(), SourceError> {
        let mut load = self.config_load(source, dirs.to_vec());
        load.scope = Scope::Whole(Vec::new(), Arc::default());
        self.take_configs(load.run()).map(drop)
    }

    /// The load of all configurations that apply in some directories and where files were recognized.
    #[must_use]
    pub fn config_load(&self, source: &ConfigSource, dirs: Vec<Utf8PathBuf>) -> ConfigLoad {
        let recognised = self.candidates.iter().filter(|(_, c)| !c.engines.is_empty());
        let recognised = recognised.map(|(file, _)| *file).collect();
        let whole = Scope::Whole(recognised, self.store.snapshot());
        self.load_of(source, dirs, whole)
    }

    /// The check whether some directories bring a configuration.
    #[must_use]
    pub fn added_config_dirs(&self, source: &ConfigSource, dirs: Vec<Utf8PathBuf>) -> ConfigLoad {
        self.load_of(source, dirs, Scope::Added)
    }

    fn load_of(&self, source: &ConfigSource, dirs: Vec<Utf8PathBuf>, scope: Scope) -> ConfigLoad {
        ConfigLoad {
            source: source.clone(),
            engines: self.engines,
            files: self.files.clone(),
            store: self.store.clone(),
            before: self.configs.clone(),
            known: self.config_dirs.clone(),
            dirs,
            projects: match scope {
                Scope::Whole(..) => self.projects.to_vec(),
                Scope::Added => Vec::new(),
            },
            scope,
        }
    }

    /// Applies what was loaded. Returns whether all have to be loaded now.
    ///
    /// # Errors
    /// When what the flags name does not exist; the previous configurations then still apply.
    pub fn take_configs(&mut self, loaded: LoadedConfigs) -> Result<bool, SourceError> {
        self.config_dirs = loaded.dirs;
        let (configs, change) = match loaded.outcome {
            Outcome::MustLoad => return Ok(true),
            Outcome::Same => {
                self.unconfigured = None;
                return Ok(false);
            }
            Outcome::Loaded(loaded) => {
                self.unconfigured = None;
                loaded?
            }
        };
        if Arc::ptr_eq(&loaded.before, &self.configs) {
            self.put_configs(configs, &change, &loaded.concerned);
        } else {
            let change = configs.change_since(&self.configs, &self.engines.known());
            self.put_configs(configs, &change, &Concerned::default());
        }
        self.keep_config_texts();
        Ok(false)
    }

    /// Whether the configuration of a directory was determined.
    #[must_use]
    pub fn knows_config_of(&self, dir: &Utf8Path) -> bool {
        self.config_dirs.contains(dir)
    }

    /// Records that another configuration may apply below some directories, or anywhere, until
    /// [`Self::take_configs`]: projects there are not resolved.
    pub fn await_configs(&mut self, everywhere: bool, dirs: &[Utf8PathBuf]) {
        let unconfigured = self.unconfigured.get_or_insert_default();
        unconfigured.everywhere |= everywhere;
        unconfigured.dirs.extend(dirs.iter().cloned());
    }

    /// The files that configurations were read from, or that could not be read.
    #[must_use]
    pub fn config_files(&self) -> &[Utf8PathBuf] {
        self.configs.files()
    }

    /// Keeps the texts of the configurations: editors query and rewrite them like other files.
    fn keep_config_texts(&mut self) {
        let files: FxHashSet<&Utf8PathBuf> = self.configs.all().filter_map(|c| c.file.as_ref()).collect();
        for path in files {
            let file = self.store.intern(path);
            if self
                .store
                .snapshot()
                .get(file)
                .is_none_or(|f| f.source().is_none())
            {
                drop(self.store.source(file, &self.files));
                self.snapshot = None;
            }
        }
    }

    /// Whether it is unknown which configuration applies to a project.
    pub(super) fn awaits_config(&self, project: &Project, table: &Table) -> bool {
        if self.unconfigured.is_none() {
            return false;
        }
        let is_in = |file: FileId| {
            table
                .get(file)
                .is_some_and(|file| self.is_unconfigured(file.path()))
        };
        project.places().any(|path| self.is_unconfigured(path)) || project.files().any(is_in)
    }

    /// Whether it is not known yet which configuration applies to a path.
    pub(super) fn is_unconfigured(&self, path: &Utf8Path) -> bool {
        let Some(unconfigured) = &self.unconfigured else {
            return false;
        };
        let is_changing = || path.ancestors().any(|dir| unconfigured.dirs.contains(dir));
        let is_unknown = || path.parent().is_some_and(|dir| !self.config_dirs.contains(dir));
        unconfigured.everywhere || is_unknown() || is_changing()
    }
}
