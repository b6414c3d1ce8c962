//! Which files exist, which projects they form, what is memoized, and what an edit makes stale.
//!
//! A [`Workspace`] has one owner and changes; an [`Analysis`] is an immutable snapshot of it that can be
//! queried from any thread. Per file, text becomes facts, memoized; if an edit does not change the *shape* of
//! the facts, everything computed from it stays valid and only places move. Otherwise the projects that read
//! the file are resolved again. Long tasks are done elsewhere ([`Work`]).

mod aliases;
mod analysis;
mod asked;
mod candidates;
mod configuration;
mod disk_look;
mod expectations;
mod findings;
mod fix_edits;
mod hints;
mod ignore_here;
mod ignores;
mod job;
mod made;
mod names;
mod nowhere;
mod paired;
mod parsed;
mod passes;
mod progress;
mod project;
mod projects;
mod rejected;
mod search;
mod second_look;
mod settled;
mod sight;
mod since;
#[cfg(test)]
mod tests;
mod texts;
mod what_if;
mod work;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use rustc_hash::{FxHashMap, FxHashSet};

use applyorder_core::config::Configs;
use applyorder_core::declared::NamesOfFiles;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::invocation::{Invocation, Refusal};
use applyorder_core::engine::{
    Cx, Engine, EngineIx, Engines, Facts, FactsInput, Offer, ProjectSeed, Render, RunOptions,
};
use applyorder_core::files::{AskedPaths, Files, Overlay, Questions, ReadError, Recent};
use applyorder_core::rules::Rule;
use applyorder_core::store::Store;

pub use analysis::Analysis;
pub use asked::{Asked, Asking};
pub use candidates::{RecognisedFiles, Sieve, Sifted};
use configuration::Unconfigured;
pub use configuration::{ConfigLoad, LoadedConfigs};
pub use disk_look::{DiskLook, Happened, Seen};
pub use expectations::{Answers, Suggestion, Unmet};
pub use findings::Finding;
pub use hints::{FoundHints, HintTask};
use ignores::LookedFor;
pub use job::Work;
use made::PassGround;
pub use made::{Declared, Made};
pub(crate) use paired::paired;
pub use progress::Progress;
pub use project::{Project, ProjectIx};
use projects::Projects;
pub use rejected::by_stage;
pub use second_look::{Differences, SecondLook};
pub use settled::Settled;
use sight::AtSight;
use texts::Newer;
use what_if::Ground;
pub use what_if::WhatIf;
use work::Out;

/// The effects of an edit or a change on the disk.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Files whose findings may have changed: others, or at other places.
    pub files: FxHashSet<FileId>,
    /// Whether the set of projects changed.
    pub projects: bool,
    /// Whether the order of some project may have changed.
    pub orders: bool,
}

/// The state behind a command line run or a server: files, projects, memo. Has one owner.
pub struct Workspace {
    engines: Engines,
    /// Only this engine, if the user limited it.
    only: Option<EngineIx>,
    /// The only project of a command line; then no others are searched for.
    given: Option<ProjectSeed>,
    files: Overlay,
    /// The files below the unsaved texts.
    recent: Arc<Recent>,
    configs: Arc<Configs>,
    /// The directories, with all their parents, whose configuration is known.
    config_dirs: Arc<FxHashSet<Utf8PathBuf>>,
    /// Where another configuration may apply than the known one; nothing is done there until that is
    /// determined.
    unconfigured: Option<Unconfigured>,
    options: Arc<RunOptions>,
    unwanted: Arc<[&'static Rule]>,
    /// The directories in which all projects were searched for.
    searched: Vec<Utf8PathBuf>,
    store: Arc<Store>,
    candidates: FxHashMap<FileId, Candidate>,
    /// What the user named, with its positions among all that was named.
    named: FxHashMap<FileId, Vec<usize>>,
    /// How much was named.
    count_named: usize,
    /// Files that an engine might recognize and that the system denies access to.
    unread: BTreeMap<Utf8PathBuf, ReadError>,
    discovery: Vec<Discovery>,
    projects: Projects,
    stale: FxHashMap<usize, Stale>,
    /// The work that is running elsewhere.
    out: Vec<Out>,
    /// The projects whose last pass took longer than estimated, by number.
    slow: FxHashSet<u64>,
    /// The files with another text than engines have read.
    newer: FxHashMap<FileId, Newer>,
    /// The files opened since work was last started.
    opened: Vec<Utf8PathBuf>,
    at_sight: AtSight,
    moved: FxHashSet<FileId>,
    /// The engines that may find other projects.
    rediscover: FxHashSet<EngineIx>,
    /// The files that are the reason.
    unsought: FxHashSet<FileId>,
    /// Whether the engines found other projects than the current ones.
    seeds_differ: bool,
    questions_version: u64,
    progress: Arc<Progress>,
    /// Whether inactive projects rest ([`Made`]).
    lets_rest: bool,
    /// Computed on demand.
    asked: Option<Arc<AskedPaths>>,
    /// Incremented with each change.
    asks: u64,
    snapshot: Option<Arc<Analysis>>,
}

#[derive(Clone, Default)]
struct Candidate {
    /// How it was found or named; `None` for a document that was only opened.
    offered: Option<Offer>,
    /// The engines that recognized it, in order. Empty only while it is open, so that how it was offered is
    /// known when it is closed.
    engines: Recognised,
}

/// The text of a file, or why it cannot be read.
type Text = Result<Arc<str>, ReadError>;

/// Engines that recognized a file, in order: most files belong to one engine.
type Recognised = Vec<EngineIx>;

#[derive(Default)]
struct Discovery {
    /// What the engine recognized, in order, and which of it the user named; `None` if it may have changed.
    found: Option<Arc<Found>>,
    seeds: Vec<ProjectSeed>,
    questions: Arc<Questions>,
    /// What the files that it recognized declare for projects that do not read them; `None` if no project asks.
    names: Option<NamesOfFiles>,
    /// How long the last search took.
    took: Option<Duration>,
    /// The number of bytes in files that it recognized since, or no longer recognizes.
    others: usize,
}

/// What an engine recognized.
#[derive(Default)]
struct Found {
    files: Vec<FileId>,
    explicit: Vec<FileId>,
}

/// Why a project has to be resolved again.
#[derive(Clone)]
enum Stale {
    /// The content of these files has another shape; nothing else changed.
    Edited(FxHashSet<FileId>),
    /// Files or directories may have been added or removed.
    World,
    /// The configuration or the options changed.
    Everything,
}

impl Workspace {
    /// An empty workspace of some engines over some files.
    #[must_use]
    pub fn new(engines: Engines, files: Arc<dyn Files>, options: RunOptions) -> Self {
        let recent = Arc::new(Recent::new(files));
        Self {
            engines,
            only: None,
            given: None,
            files: Overlay::new(recent.clone()),
            recent,
            configs: Arc::default(),
            config_dirs: Arc::default(),
            unconfigured: None,
            options: Arc::new(options),
            unwanted: Arc::default(),
            searched: Vec::new(),
            store: Arc::new(Store::new(engines.len())),
            candidates: FxHashMap::default(),
            named: FxHashMap::default(),
            count_named: 0,
            unread: BTreeMap::new(),
            discovery: engines.iter().map(|_| Discovery::default()).collect(),
            projects: Projects::default(),
            stale: FxHashMap::default(),
            out: Vec::new(),
            slow: FxHashSet::default(),
            newer: FxHashMap::default(),
            opened: Vec::new(),
            at_sight: AtSight::default(),
            moved: FxHashSet::default(),
            rediscover: engines.iter().map(|(engine, _)| engine).collect(),
            unsought: FxHashSet::default(),
            seeds_differ: false,
            questions_version: 0,
            progress: Arc::default(),
            lets_rest: false,
            asked: None,
            asks: 0,
            snapshot: None,
        }
    }

    /// From now on the unsaved text of a file is visible under all names that lead to it. Must be called before
    /// files are read.
    pub fn follow_links(&mut self) {
        self.files.follow_links();
    }

    /// Limits the workspace to one engine, by its index.
    pub fn only_engine(&mut self, engine: EngineIx) {
        self.only = Some(engine);
        self.rediscover_all();
    }

    /// Keeps little of inactive projects: for long-running processes that are rarely asked about one of them.
    pub fn let_rest(&mut self) {
        self.lets_rest = true;
    }

    /// Counts progress where others can see it.
    pub fn set_progress(&mut self, progress: Arc<Progress>) {
        self.progress = progress;
    }

    /// Limits the workspace to what a command line of an engine reads.
    ///
    /// # Errors
    /// When it cannot be derived.
    pub fn only_command(&mut self, engine: EngineIx, invocation: &Invocation) -> Result<(), Refusal> {
        let Some(found) = self.engines.get(engine) else {
            return Err(Refusal::new("unknown engine"));
        };
        let cx = Cx::new(&self.store, &self.files, &self.configs, found, engine);
        self.given = Some(found.seed_of(&cx, invocation)?);
        self.rediscover_all();
        Ok(())
    }

    /// The files' numbers, for [`Configs::discover`].
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The files that an engine recognized, in byte order.
    #[must_use]
    pub fn candidate_paths(&self) -> Vec<Utf8PathBuf> {
        let recognised = self.candidates.iter().filter(|(_, c)| !c.engines.is_empty());
        let mut paths: Vec<Utf8PathBuf> = recognised
            .map(|(id, _)| self.store.path(*id).to_path_buf())
            .collect();
        paths.sort();
        paths
    }

    /// How many files an engine recognized.
    #[must_use]
    pub fn candidate_count(&self) -> usize {
        let recognised = self.candidates.values().filter(|c| !c.engines.is_empty());
        recognised.count()
    }

    /// How many files were read so far, including by running passes.
    #[must_use]
    pub fn files_read(&self) -> usize {
        let stores = std::iter::once(&self.store).chain(self.out.iter().map(|out| &out.shared.ground.store));
        let read = |store: &Arc<Store>| {
            let table = store.snapshot();
            table.iter().filter(|(_, file)| file.was_read()).count()
        };
        stores.map(read).max().unwrap_or(0)
    }

    /// The commands of the configuration whose output is read instead of their sources.
    #[must_use]
    pub fn renders(&self) -> Vec<Render> {
        let engines = self.engines.iter();
        engines
            .flat_map(|(_, engine)| engine.renders(&self.configs))
            .collect()
    }

    /// Sets the rules whose findings will not be used: engines need not search for them, and findings that they
    /// still report stay. Everything is resolved again.
    pub fn set_unwanted(&mut self, rules: Vec<&'static Rule>) {
        self.unwanted = rules.into();
        self.all_stale();
    }

    /// Sets the directories in which all projects were searched for.
    pub fn set_searched(&mut self, dirs: Vec<Utf8PathBuf>) {
        if self.searched != dirs {
            self.searched = dirs;
            self.snapshot = None;
            self.moved.extend(expectations::files(&self.configs, &self.store));
        }
    }

    /// Sets the options of the run. Everything is resolved again.
    pub fn set_options(&mut self, options: RunOptions) {
        self.options = Arc::new(options);
        self.all_stale();
    }

    /// Any engine may find other files and projects.
    fn rediscover_all(&mut self) {
        self.other_candidates(&self.engines.iter().map(|(engine, _)| engine).collect(), 0);
    }

    /// Some engines recognize other files, of `size` bytes.
    fn other_candidates(&mut self, engines: &Recognised, size: usize) {
        for engine in engines {
            self.rediscover.insert(*engine);
            if let Some(discovery) = self.discovery.get_mut(engine.index()) {
                discovery.found = None;
                discovery.others = discovery.others.saturating_add(size);
            }
        }
    }

    fn all_stale(&mut self) {
        self.snapshot = None;
        self.stale
            .extend((0..self.projects.len()).map(|i| (i, Stale::Everything)));
    }

    /// Brings everything up to date, and returns what changed.
    pub fn refresh(&mut self) -> Changes {
        let mut changes = Changes::default();
        loop {
            let (found, work) = self.begin(Duration::MAX);
            changes.add(found);
            let Some(work) = work else { break };
            work.run(&|| {});
            changes.add(self.take_over());
        }
        changes
    }

    /// Adds the files whose text moved, and those with findings that refer to them.
    fn report_moved(&mut self, changes: &mut Changes) {
        let moved = std::mem::take(&mut self.moved);
        if !moved.is_empty() {
            for project in self.projects.iter() {
                changes.files.extend(project.files_referring_to(&moved));
            }
            changes.files.extend(moved);
        }
    }

    /// A snapshot of the workspace as it is after the last [`Self::refresh`].
    pub fn analysis(&mut self) -> Arc<Analysis> {
        if let Some(snapshot) = &self.snapshot {
            return snapshot.clone();
        }
        let snapshot = Arc::new(Analysis::new(
            self.engines,
            self.store.snapshot(),
            (self.projects.to_vec(), self.projects.index().clone()),
            Ground {
                engines: self.engines,
                store: self.store.fork(),
                files: self.files.clone(),
                configs: self.configs.clone(),
                options: self.options.clone(),
                names: self.declared_names(),
            },
            LookedFor {
                unwanted: self.unwanted.iter().map(|rule| rule.id).collect(),
                limited: self.only.is_some() || self.options.is_limited(),
                searched: self.searched.clone(),
            },
        ));
        self.snapshot = Some(snapshot.clone());
        snapshot
    }
}

/// How each engine reads facts.
fn readers(engines: Engines) -> impl Iterator<Item = (EngineIx, impl Fn(&FactsInput<'_>) -> Arc<dyn Facts>)> {
    let reader = |(index, engine): (EngineIx, &'static dyn Engine)| {
        (index, move |input: &FactsInput<'_>| engine.facts(input))
    };
    engines.iter().map(reader)
}
