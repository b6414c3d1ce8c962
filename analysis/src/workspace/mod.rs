//! Which files there are, which projects they make up, what is memoised, and what an edit makes stale.
//!
//! A [`Workspace`] has one owner and changes; an [`Analysis`] is an immutable picture of it that can be
//! asked from any thread. Per file, text becomes facts, memoised; if an edit leaves the *shape* of the
//! facts alone, everything computed from it stays and only places move. Else the projects that read the
//! file are resolved anew.

mod analysis;
mod candidates;
mod fix_edits;
mod hints;
mod ignore_here;
mod ignores;
mod passes;
mod progress;
mod refresh;
mod second_look;
#[cfg(test)]
mod tests;
mod what_if;

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::debug_span;

use applyorder_core::config::{ConfigSource, Configs, SourceError};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::invocation::{Invocation, Refusal};
use applyorder_core::engine::{
    Cx, Engine, EngineIx, Engines, Facts, FactsInput, Offer, ProjectSeed, Render, RunOptions,
};
use applyorder_core::files::{AskedPaths, FileKind, Files, Overlay, Question, Questions, ReadError, Recent};
use applyorder_core::rules::Rule;
use applyorder_core::store::Store;
use passes::{Out, note_edit, note_other_world};

pub use analysis::{Analysis, Finding, Project, ProjectIx};
pub use candidates::{Sieve, Sifted};
pub use hints::HintTask;
use ignores::LookedFor;
pub use passes::{Passed, Passes};
pub use progress::Progress;
pub use second_look::{Differences, SecondLook};
use what_if::Ground;

/// What an edit or a change on the disk did.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Files whose findings may read otherwise now: others, or at other places.
    pub files: FxHashSet<FileId>,
    /// Whether the set of projects is another.
    pub projects: bool,
    /// Whether the order of some project may be another.
    pub orders: bool,
}

/// The state behind a command line run or a server: files, projects, memo. Has one owner.
pub struct Workspace {
    engines: Engines,
    /// Only this engine, where the user limited it.
    only: Option<EngineIx>,
    /// The one project of a command line; then no others are looked for.
    given: Option<ProjectSeed>,
    files: Overlay,
    /// What stands behind the unsaved texts.
    recent: Arc<Recent>,
    configs: Arc<Configs>,
    options: Arc<RunOptions>,
    unwanted: Arc<[&'static Rule]>,
    store: Arc<Store>,
    candidates: FxHashMap<FileId, Candidate>,
    /// What the user named, with its place among all that was named.
    named: FxHashMap<FileId, usize>,
    /// Files that an engine might recognize and that the system does not let us read.
    unread: BTreeMap<Utf8PathBuf, ReadError>,
    discovery: Vec<Discovery>,
    projects: Vec<Arc<Project>>,
    stale: FxHashMap<usize, Stale>,
    /// The passes that go on elsewhere.
    out: Vec<Out>,
    passes_begun: u64,
    moved: FxHashSet<FileId>,
    /// The engines that may find other projects.
    rediscover: FxHashSet<EngineIx>,
    questions_version: u64,
    progress: Arc<Progress>,
    /// Made when it is asked for.
    asked: Option<Arc<AskedPaths>>,
    snapshot: Option<Arc<Analysis>>,
}

#[derive(Clone, Default)]
struct Candidate {
    /// As what it was found or named; `None` for a document that was only opened.
    offered: Option<Offer>,
    /// The engines that recognised it, in order. None of them: while it is open only, so that it is known as what it
    /// was offered when it is closed.
    engines: Recognised,
}

/// The text of a file, or why there is none.
type Text = Result<Arc<str>, ReadError>;

/// Engines that recognised a file, in order: most files are one engine's.
type Recognised = Vec<EngineIx>;

#[derive(Default)]
struct Discovery {
    /// What the engine recognised, in order, and what of it the user named; `None` where it may be something else.
    found: Option<Found>,
    seeds: Vec<ProjectSeed>,
    questions: Arc<Questions>,
}

/// What an engine recognised.
#[derive(Default)]
struct Found {
    files: Vec<FileId>,
    explicit: Vec<FileId>,
}

/// Why a project has to be resolved anew.
#[derive(Clone)]
enum Stale {
    /// The content of these files has another shape; nothing else changed.
    Edited(Vec<FileId>),
    /// Other files or directories may be there.
    World,
    /// The configuration or the options are others.
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
            options: Arc::new(options),
            unwanted: Arc::default(),
            store: Arc::new(Store::new(engines.len())),
            candidates: FxHashMap::default(),
            named: FxHashMap::default(),
            unread: BTreeMap::new(),
            discovery: engines.iter().map(|_| Discovery::default()).collect(),
            projects: Vec::new(),
            stale: FxHashMap::default(),
            out: Vec::new(),
            passes_begun: 0,
            moved: FxHashSet::default(),
            rediscover: engines.iter().map(|(engine, _)| engine).collect(),
            questions_version: 0,
            progress: Arc::default(),
            asked: None,
            snapshot: None,
        }
    }

    /// Limits the workspace to one engine, by its index.
    pub fn only_engine(&mut self, engine: EngineIx) {
        self.only = Some(engine);
        self.rediscover_all();
    }

    /// Counts what is done where others can see it.
    pub fn set_progress(&mut self, progress: Arc<Progress>) {
        self.progress = progress;
    }

    /// Limits the workspace to what a command line of an engine reads.
    ///
    /// # Errors
    /// When it cannot be derived.
    pub fn only_command(&mut self, engine: EngineIx, invocation: &Invocation) -> Result<(), Refusal> {
        let Some(found) = self.engines.get(engine) else {
            return Err(Refusal::new("there is no such engine"));
        };
        let cx = Cx::new(&self.store, &self.files, &self.configs, found, engine);
        self.given = Some(found.seed_of(&cx, invocation)?);
        self.rediscover_all();
        Ok(())
    }

    /// Sets the configuration. What another one holds for now is resolved anew.
    pub fn set_configs(&mut self, configs: Configs) {
        let before = std::mem::replace(&mut self.configs, Arc::new(configs));
        let findings = before.diagnostics().iter().chain(self.configs.diagnostics());
        self.moved.extend(findings.map(|d| d.place.file));
        if before.excludes_some() || self.configs.excludes_some() {
            let files = self.projects.iter().flat_map(|project| project.files());
            self.moved.extend(files);
        }
        self.rediscover_all();
        let Some(differing) = self.configs.differing(&before, &self.engines.known()) else {
            self.all_stale();
            return;
        };
        self.snapshot = None;
        let is_concerned = |path: &Utf8Path| differing.iter().any(|dir| path.starts_with(dir));
        for (i, project) in self.projects.iter().enumerate() {
            let seed = &project.seed;
            let mut paths = std::iter::once(&seed.root).chain(&seed.inputs);
            let mut files = project.files();
            if paths.any(|path| is_concerned(path)) || files.any(|file| is_concerned(&self.store.path(file)))
            {
                self.stale.insert(i, Stale::Everything);
            }
        }
    }

    /// The files' numbers, for [`Configs::discover`].
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Reads the configurations that hold in some directories. What another one holds for now is resolved anew.
    ///
    /// # Errors
    /// When what the flags name is not there; what held before then holds on.
    pub fn load_configs(&mut self, source: &ConfigSource, dirs: &[Utf8PathBuf]) -> Result<(), SourceError> {
        let configs = source.load(dirs, &self.files, &self.store, &self.engines.known())?;
        self.set_configs(configs);
        Ok(())
    }

    /// Keeps the texts of the configurations: an editor asks about them and rewrites them, as it does with other files.
    pub fn keep_config_texts(&mut self) {
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

    /// The files that an engine recognised, in byte order.
    #[must_use]
    pub fn candidate_paths(&self) -> Vec<Utf8PathBuf> {
        let recognised = self.candidates.iter().filter(|(_, c)| !c.engines.is_empty());
        let mut paths: Vec<Utf8PathBuf> = recognised
            .map(|(id, _)| self.store.path(*id).to_path_buf())
            .collect();
        paths.sort();
        paths
    }

    /// How many files an engine recognised.
    #[must_use]
    pub fn candidate_count(&self) -> usize {
        let recognised = self.candidates.values().filter(|c| !c.engines.is_empty());
        recognised.count()
    }

    /// How many files were read by now, by passes too that go on.
    #[must_use]
    pub fn files_read(&self) -> usize {
        let stores = std::iter::once(&self.store).chain(self.out.iter().map(|out| &out.store));
        let read = |store: &Arc<Store>| {
            let table = store.snapshot();
            table.iter().filter(|(_, file)| file.was_read()).count()
        };
        stores.map(read).max().unwrap_or(0)
    }

    /// The commands of the configuration whose output is read in place of their sources.
    #[must_use]
    pub fn renders(&self) -> Vec<Render> {
        let engines = self.engines.iter();
        engines
            .flat_map(|(_, engine)| engine.renders(&self.configs))
            .collect()
    }

    /// Says whose findings nobody will look at: engines need not search for them, and what they find of them all the
    /// same stays. Everything is resolved anew.
    pub fn set_unwanted(&mut self, rules: Vec<&'static Rule>) {
        self.unwanted = rules.into();
        self.all_stale();
    }

    /// Sets the options of the run. Everything is resolved anew.
    pub fn set_options(&mut self, options: RunOptions) {
        self.options = Arc::new(options);
        self.all_stale();
    }

    /// Any engine may find other files and projects.
    fn rediscover_all(&mut self) {
        self.other_candidates(&self.engines.iter().map(|(engine, _)| engine).collect());
    }

    /// Some engines recognise other files.
    fn other_candidates(&mut self, engines: &Recognised) {
        for engine in engines {
            self.rediscover.insert(*engine);
            if let Some(discovery) = self.discovery.get_mut(engine.index()) {
                discovery.found = None;
            }
        }
    }

    fn all_stale(&mut self) {
        self.snapshot = None;
        self.rediscover_all();
        self.stale
            .extend((0..self.projects.len()).map(|i| (i, Stale::Everything)));
    }

    /// Takes a new unsaved text of a file: it is opened, or was edited.
    pub fn set_text(&mut self, path: &Utf8Path, text: Arc<str>) {
        let appears = self.files.kind(path, true).is_none();
        self.files.set(path, text.clone());
        let candidate = self.candidate(path, Offer::Opened, Some(&text));
        self.set_candidate(path, candidate);
        let id = self.store.intern(path);
        self.take(id, path, Ok(text));
        if appears {
            self.existence_changed(&[path]);
        }
    }

    /// Forgets the unsaved text of a file: it is closed. What is on the disk counts again, and as what the file was
    /// offered before it was opened.
    pub fn close(&mut self, path: &Utf8Path) {
        if !self.files.remove(path) {
            return;
        }
        let id = self.store.intern(path);
        if let Some(opened) = self.candidates.get(&id) {
            let candidate = match opened.offered {
                Some(offer) => self.candidate(path, offer, None),
                None => Candidate::default(),
            };
            self.set_candidate(path, candidate);
        }
        self.changed_on_disk(&[path]);
    }

    /// The unsaved text of a file.
    #[must_use]
    pub fn unsaved(&self, path: &Utf8Path) -> Option<&Arc<str>> {
        self.files.text(path)
    }

    /// Takes notice that something was created, changed or deleted on the disk: files, or directories with all that
    /// is in them. A file that no engine knew is not offered by this.
    pub fn changed_on_disk(&mut self, paths: &[impl AsRef<Utf8Path>]) {
        self.recent.forget();
        let table = self.store.snapshot();
        let mut came_or_went: Vec<&Utf8Path> = Vec::new();
        let mut gone: FxHashSet<&str> = FxHashSet::default();
        let mut known: Vec<Utf8PathBuf> = Vec::new();
        let mut read: Vec<(FileId, &Utf8Path, Text)> = Vec::new();
        for path in paths.iter().map(AsRef::as_ref) {
            // The content of what nobody ever looked at is of no interest.
            let id = table.id(path).filter(|_| self.files.text(path).is_none());
            let content = id.map(|id| (id, self.files.read(path)));
            match content {
                Some((id, Ok(bytes))) => {
                    let text = match std::str::from_utf8(&bytes) {
                        Ok(text) => Ok(Arc::from(text)),
                        Err(e) => Err(ReadError::NotUtf8(e.valid_up_to())),
                    };
                    if table.get(id).is_none_or(|f| f.source().is_none()) {
                        came_or_went.push(path);
                    }
                    if self.is_candidate(path) {
                        known.push(path.to_owned());
                    }
                    read.push((id, path, text));
                }
                Some((_, Err(_))) => {
                    gone.insert(path.as_str());
                    came_or_went.push(path);
                }
                None => {
                    if self.files.text(path).is_none() && self.files.kind(path, true) != Some(FileKind::File)
                    {
                        gone.insert(path.as_str());
                    }
                    came_or_went.push(path);
                }
            }
        }
        drop(table);
        self.forget_below(&gone);
        self.offer(&known, Offer::Found);
        for (id, path, text) in read {
            self.take(id, path, text);
        }
        self.existence_changed(&came_or_went);
    }

    /// Forgets what was read at some paths and below them, unsaved texts aside.
    fn forget_below(&mut self, gone: &FxHashSet<&str>) {
        if gone.is_empty() {
            return;
        }
        let is_gone = |path: &Utf8Path| path.ancestors().any(|above| gone.contains(above.as_str()));
        let table = self.store.snapshot();
        let below: Vec<(FileId, bool)> = table
            .iter()
            .filter(|(_, f)| is_gone(f.path()) && self.files.text(f.path()).is_none())
            .map(|(id, f)| (id, self.files.kind(f.path(), true).is_some()))
            .collect();
        drop(table);
        for (id, still_there) in below {
            if !still_there && let Some(gone) = self.candidates.remove(&id) {
                self.other_candidates(&gone.engines);
            }
            self.store.forget(id);
            self.note_change(id);
            self.moved.insert(id);
            self.snapshot = None;
        }
    }

    fn existence_changed(&mut self, paths: &[&Utf8Path]) {
        if paths.is_empty() {
            return;
        }
        for out in &mut self.out {
            out.happened.extend(paths.iter().map(|path| path.to_path_buf()));
        }
        let asked = self.asked();
        let is_unsaved = |path: &Utf8Path| self.files.text(path).is_some();
        for asker in asked.differing_after(paths, &self.files, is_unsaved) {
            let i = asker as usize;
            match i.checked_sub(self.projects.len()) {
                Some(engine) => {
                    let engine = self.engines.iter().nth(engine);
                    self.rediscover.extend(engine.map(|(engine, _)| engine));
                }
                None => note_other_world(&mut self.stale, i),
            }
        }
    }

    /// Notes for the passes that go on that they may see another content than there is now.
    fn note_change(&mut self, file: FileId) {
        for out in &mut self.out {
            out.changed.insert(file);
        }
    }

    /// What the projects asked, each by its index, and behind them what was asked to find them.
    fn asked(&mut self) -> Arc<AskedPaths> {
        if let Some(asked) = &self.asked {
            return asked.clone();
        }
        let projects = self.projects.iter().map(|p| &*p.questions);
        let discovery = self.discovery.iter().map(|d| &*d.questions);
        let asked = Arc::new(AskedPaths::new((0..).zip(projects.chain(discovery))));
        self.asked = Some(asked.clone());
        asked
    }

    fn is_known_text(&self, id: FileId, text: &Text) -> bool {
        let table = self.store.snapshot();
        let known = table.get(id).and_then(|f| f.source());
        matches!((known, text), (Some(known), Ok(text)) if known.text == *text)
    }

    /// Changes whenever [`Self::watched`] may give other places.
    #[must_use]
    pub fn questions_version(&self) -> u64 {
        self.questions_version
    }

    /// The places that projects asked about, in order: what a server has to watch.
    pub fn watched(&mut self) -> Vec<Utf8PathBuf> {
        let projects = self.projects.len();
        let asked = self.asked();
        let is_project = |asker| (asker as usize) < projects;
        asked.paths(is_project).map(Utf8Path::to_owned).collect()
    }

    /// Whether something was asked about a path, or about one below it.
    pub fn was_asked_about(&mut self, path: &Utf8Path) -> bool {
        self.asked().concern(path)
    }

    fn take(&mut self, id: FileId, path: &Utf8Path, text: Text) {
        if self.is_known_text(id, &text) {
            return;
        }
        self.snapshot = None;
        self.note_change(id);
        let change = debug_span!("read")
            .in_scope(|| self.store.set_text(id, text, readers(self.engines), &self.files));
        self.moved.insert(id);
        let question = Question::Read(path.into());
        if change.shape {
            for (i, project) in self.projects.iter().enumerate() {
                if project.questions.contain(&question) {
                    note_edit(&mut self.stale, i, id);
                }
            }
        }
        let candidate = self.candidates.get(&id);
        let looks_at_it = |engine: &EngineIx| {
            let discovery = self.discovery.get(engine.index());
            candidate.is_some_and(|c| c.engines.contains(engine))
                || discovery.is_some_and(|d| d.questions.contain(&question))
        };
        self.rediscover
            .extend(change.discovery.into_iter().filter(looks_at_it));
    }

    /// A picture of the workspace as it is after the last [`Self::refresh`].
    pub fn analysis(&mut self) -> Arc<Analysis> {
        if let Some(snapshot) = &self.snapshot {
            return snapshot.clone();
        }
        let snapshot = Arc::new(Analysis::new(
            self.engines,
            self.store.snapshot(),
            self.projects.clone(),
            Ground {
                engines: self.engines,
                store: self.store.fork(),
                files: self.files.clone(),
                configs: self.configs.clone(),
                options: self.options.clone(),
            },
            LookedFor {
                unwanted: self.unwanted.iter().map(|rule| rule.id).collect(),
                limited: self.only.is_some() || *self.options != RunOptions::default(),
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
