//! What an engine may ask while it finds and resolves projects. Every query is recorded.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::carried::{Carried, KeptLoad, LoadKeys, World};
use super::{Engine, Facts, FactsInput};
use crate::config::{Config, Configs, RuleLevel};
use crate::declared::{DeclaredNames, NamesOfFiles};
use crate::diagnostic::Rule;
use crate::diagnostic::{At, EngineIx, FileId, Place};
use crate::files::{
    Answer, Asking, ByText, DirEntries, DirEntry, FileKind, Files, Question, Questions, ReadError,
    hidden_dirs, is_clean, named,
};
use crate::memo::{Memo, Stop};
use crate::store::{Shape, Shaped, Source, Store, Table};
use applyorder_syntax::text::Span;

/// The engine's view of the workspace. Shared between threads: an engine may use rayon.
pub struct Cx<'a> {
    store: &'a Store,
    files: &'a dyn Files,
    configs: &'a Configs,
    engine: &'static dyn Engine,
    engine_index: EngineIx,
    questions: Mutex<Asking>,
    /// What was at a path when it was first queried; the second map is with links followed.
    kinds: [Mutex<FxHashMap<ByText, Option<FileKind>>>; 2],
    carried: Arc<Carried>,
    /// The files whose content changed since the previous pass, if nothing else did.
    edited: Option<Vec<FileId>>,
    /// The files as they were when the pass first queried one by its number.
    table: OnceLock<Arc<Table>>,
    /// What was read while the stage `load` runs.
    loading: Mutex<LoadKeys>,
    is_loading: AtomicBool,
    chosen: bool,
    unwanted: &'a [&'static Rule],
    declared: Option<&'a DeclaredNames>,
    stop: Stop,
}

/// The facts of a file, as an engine's own type.
pub struct Read<F> {
    /// The file.
    pub file: FileId,
    /// The number of their shape: the part of a memo's key that identifies the file.
    pub shape: Shape,
    /// The facts.
    pub facts: Arc<F>,
}

impl<'a> Cx<'a> {
    /// For one pass of an engine over one project, or over all candidates.
    #[must_use]
    pub fn new(
        store: &'a Store,
        files: &'a dyn Files,
        configs: &'a Configs,
        engine: &'static dyn Engine,
        engine_index: EngineIx,
    ) -> Self {
        Self {
            store,
            files,
            configs,
            engine,
            engine_index,
            questions: Mutex::default(),
            kinds: Default::default(),
            carried: Arc::default(),
            edited: None,
            table: OnceLock::new(),
            loading: Mutex::default(),
            is_loading: AtomicBool::new(false),
            chosen: false,
            unwanted: &[],
            declared: None,
            stop: Stop::default(),
        }
    }

    /// For a run in which the reports of some rules are not used.
    #[must_use]
    pub fn without(mut self, unwanted: &'a [&'static Rule]) -> Self {
        self.unwanted = unwanted;
        self
    }

    /// With the names that files of the engine declare.
    #[must_use]
    pub fn knowing(mut self, declared: Option<&'a DeclaredNames>) -> Self {
        self.declared = declared;
        self
    }

    /// Whether the reports of a rule are used. If not, the engine need not search for them, but may.
    #[must_use]
    pub fn is_wanted(&self, rule: &Rule) -> bool {
        let engine = self.engine.meta().id;
        let is_off = |config: &Arc<Config>| {
            config
                .levels(rule, engine)
                .all(|level| level == Some(RuleLevel::Off))
        };
        !self.unwanted.iter().any(|r| r.id == rule.id) && !self.configs.all().all(is_off)
    }

    /// For a run that the user limited to this engine.
    #[must_use]
    pub fn chosen(mut self, chosen: bool) -> Self {
        self.chosen = chosen;
        self
    }

    /// Whether the user named this engine: then other named paths are meant for it.
    #[must_use]
    pub fn is_chosen(&self) -> bool {
        self.chosen
    }

    /// For a pass after another one: with the state that pass left and, if only the content of some files
    /// changed since, these files and the earlier queries, which remain recorded.
    #[must_use]
    pub fn after(mut self, carried: Arc<Carried>, edits: Option<(Vec<FileId>, Arc<Questions>)>) -> Self {
        self.carried = carried;
        if let Some((edited, before)) = edits {
            self.edited = Some(edited);
            self.questions = Mutex::new(Asking::on_top_of(Some(before)));
        }
        self
    }

    /// For work that may be canceled; call this last. It then unwinds with [`Stopped`](crate::memo::Stopped),
    /// and the queries recorded so far are still available.
    #[must_use]
    pub fn until(mut self, stop: &Stop) -> Self {
        self.stop = stop.clone();
        self.carried.memo.begin_pass(stop);
        self
    }

    /// Ends the work if that is requested. Queries for files and directories go through this, so that only
    /// steps that make no queries have to check for themselves.
    pub fn obey_stop(&self) {
        self.stop.obey();
    }

    /// The state that this pass leaves to the next.
    #[must_use]
    pub fn carried(&self) -> &Arc<Carried> {
        &self.carried
    }

    /// What earlier passes over the project computed.
    #[must_use]
    pub fn memo(&self) -> &Memo {
        &self.carried.memo
    }

    /// See [`World`].
    #[must_use]
    pub fn world(&self) -> World {
        self.carried.world
    }

    /// Runs the stage `load`, or returns its previous result if that cannot have changed: only the content of
    /// files changed, and in those that it read nothing that loading looks at.
    pub(crate) fn load_stage<T: Send + Sync + 'static>(&self, load: impl FnOnce() -> T) -> Arc<T> {
        if let Some(kept) = self.kept_load() {
            return kept;
        }
        self.is_loading.store(true, Ordering::Release);
        let loaded = Arc::new(load());
        self.is_loading.store(false, Ordering::Release);
        let mut keys = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        let keys = std::mem::take(&mut *keys);
        self.carried.keep_load(KeptLoad {
            value: loaded.clone(),
            keys: Arc::new(keys),
        });
        loaded
    }

    fn kept_load<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let edited = self.edited.as_ref()?;
        let kept = self.carried.kept_load()?;
        let is_same = |file: &FileId| match kept.keys.get(file) {
            None => true,
            Some(before) => {
                before.is_some()
                    && self
                        .facts_of(*file)
                        .is_ok_and(|now| now.facts.load_key() == *before)
            }
        };
        if edited.iter().all(is_same) {
            kept.value.downcast().ok()
        } else {
            None
        }
    }

    fn note_loaded(&self, file: FileId, key: Option<u64>) {
        if self.is_loading.load(Ordering::Acquire) {
            let mut keys = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
            let known = keys.entry(file).or_insert(key);
            if *known != key {
                *known = None;
            }
        }
    }

    /// Ends the pass: memo entries that it did not use are dropped.
    pub(crate) fn end_pass(&self) {
        self.carried.memo.end_pass();
    }

    /// The recorded queries.
    #[must_use]
    pub fn into_questions(self) -> Arc<Questions> {
        self.questions
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .finish()
    }

    fn ask(&self, question: Question, answer: Answer) {
        debug_assert!(is_clean(question.path()), "{question:?}");
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .ask(question, answer);
    }

    /// Records that a file's content was queried.
    fn ask_content(&self, path: &Utf8Path) -> FileId {
        let (file, path) = self.store.interned(path);
        self.ask(Question::Read(path), Answer::CONTENT);
        file
    }

    /// The engine's own index, for anchors.
    #[must_use]
    pub fn engine_index(&self) -> EngineIx {
        self.engine_index
    }

    /// This engine.
    #[must_use]
    pub fn engine(&self) -> &'static dyn Engine {
        self.engine
    }

    /// A place in the table of places of this engine's facts.
    #[must_use]
    pub fn place(&self, file: FileId, index: u32) -> Place {
        Place::anchor(file, self.engine_index, index)
    }

    /// The number of a path, whether or not a file exists there.
    #[must_use]
    pub fn file(&self, path: &Utf8Path) -> FileId {
        self.store.intern(path)
    }

    /// The path of a file.
    #[must_use]
    pub fn path(&self, file: FileId) -> Arc<Utf8Path> {
        self.store.path(file)
    }

    /// The text of a file, unsaved text first.
    ///
    /// # Errors
    /// When it cannot be read, or is not UTF-8.
    pub fn source(&self, path: &Utf8Path) -> Result<(FileId, Arc<Source>), ReadError> {
        let file = self.ask_content(path);
        self.note_loaded(file, None);
        let source = self.store.source_for(self.engine_index, file, self.files)?;
        Ok((file, source))
    }

    /// The bytes of a file, for texts that are not UTF-8.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn bytes(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        let file = self.ask_content(path);
        self.note_loaded(file, None);
        // A text that was read stays the same until the file is checked again.
        let was_read = self.store.snapshot().get(file).is_some_and(|f| f.was_read());
        let known = was_read.then(|| self.store.source_for(self.engine_index, file, self.files));
        match known {
            Some(Ok(source)) => Ok(source.text.clone().into()),
            None | Some(Err(ReadError::NotUtf8(_))) => self.files.read(path),
            Some(Err(error)) => Err(error),
        }
    }

    /// The facts of a file, as this engine reads them.
    ///
    /// # Errors
    /// When it cannot be read, or is not UTF-8.
    pub fn facts<F: Facts>(&self, path: &Utf8Path) -> Result<Read<F>, ReadError> {
        self.obey_stop();
        self.read(self.ask_content(path))
    }

    /// The facts of a file that an earlier stage or pass queried by its path: nothing is recorded, and no path
    /// is looked up.
    ///
    /// # Errors
    /// When it cannot be read, or is not UTF-8.
    pub fn read<F: Facts>(&self, file: FileId) -> Result<Read<F>, ReadError> {
        let table = self.table.get_or_init(|| self.store.snapshot());
        let known = table.get(file).and_then(|f| f.shaped(self.engine_index)).cloned();
        let shaped = known.map_or_else(|| self.facts_of(file), Ok);
        if self.is_loading.load(Ordering::Acquire) {
            let key = shaped.as_ref().ok().and_then(|shaped| shaped.facts.load_key());
            self.note_loaded(file, key);
        }
        let Shaped { facts, shape } = shaped?;
        match facts.into_any().downcast::<F>() {
            Ok(facts) => Ok(Read { file, shape, facts }),
            Err(_) => Err(ReadError::Other("its facts are of another engine".to_owned())),
        }
    }

    /// The byte range of a place in its file's current text; `None` for a whole file, and for a place whose
    /// facts are missing.
    #[must_use]
    pub fn span(&self, place: Place) -> Option<Span> {
        match place.at {
            At::Span(span) => Some(span),
            At::Anchor(anchor) => self.facts_of(place.file).ok()?.facts.span(anchor.index),
            At::File => None,
        }
    }

    fn facts_of(&self, file: FileId) -> Result<Shaped, ReadError> {
        let read = |input: &FactsInput<'_>| self.engine.facts(input);
        self.store.facts(file, self.engine_index, &read, self.files)
    }

    /// Reads the facts of many files on all processors, so that asking for them one by one is cheap.
    pub fn prefetch(&self, paths: &[Utf8PathBuf]) {
        paths.par_iter().for_each(|path| {
            self.obey_stop();
            let file = self.store.intern(path);
            // A failure is reported to the caller that asks for the file itself.
            drop(self.facts_of(file));
        });
    }

    /// The entries of a directory in byte order of their names, links not followed.
    ///
    /// # Errors
    /// When `dir` is not a readable directory.
    pub fn list(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError> {
        self.list_with_foreign(dir).map(named)
    }

    /// Like [`Self::list`], with the entries whose names are not UTF-8.
    ///
    /// # Errors
    /// When `dir` is not a readable directory.
    pub fn list_with_foreign(&self, dir: &Utf8Path) -> Result<DirEntries, ReadError> {
        self.obey_stop();
        let entries = self.files.list(dir);
        self.ask(Question::List(dir.into()), Answer::of_list(&entries));
        entries
    }

    /// Lists many directories on all processors, so that asking for them one by one is cheap.
    pub fn prefetch_lists(&self, dirs: &[Utf8PathBuf]) {
        let list = |dir: &Utf8PathBuf| {
            self.obey_stop();
            drop(self.files.list(dir));
        };
        dirs.par_iter().with_min_len(16).for_each(list);
    }

    /// Lists a directory and those below it on all processors, so that asking for them one by one is cheap.
    /// `skip` decides from the entries of a directory whether to skip its children; names that begin with a dot
    /// are skipped.
    pub fn prefetch_lists_below(&self, root: &Utf8Path, skip: impl Fn(&[DirEntry]) -> bool) {
        let mut level = vec![root.to_owned()];
        while !level.is_empty() {
            self.prefetch_lists(&level);
            let mut below = Vec::new();
            for dir in &level {
                let entries = self.files.list(dir).unwrap_or_default();
                if !skip(&entries) {
                    let dirs = entries.iter().filter(|e| e.kind == FileKind::Directory);
                    let seen = dirs.filter(|e| !e.name.starts_with('.') && e.foreign_name().is_none());
                    below.extend(seen.map(|e| dir.join(&e.name)));
                }
            }
            level = below;
        }
    }

    /// The directories in a directory whose names begin with a dot, in byte order.
    #[must_use]
    pub fn hidden_dirs(&self, dir: &Utf8Path) -> Vec<Utf8PathBuf> {
        self.obey_stop();
        let entries = self.files.list(dir).unwrap_or_default();
        self.ask(Question::Hidden(dir.into()), Answer::of_hidden(&entries));
        hidden_dirs(&entries).map(|entry| dir.join(&entry.name)).collect()
    }

    /// Which of some names are declared by files of this engine that are not one of the project's own, if the
    /// engine [shares names](Engine::shares_names). Looks at the names only, not at these files.
    #[must_use]
    pub fn declared_elsewhere(&self, names: &[&str], is_own: impl Fn(FileId) -> bool) -> Vec<bool> {
        let mut questions = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        names.iter().for_each(|name| questions.ask_for_name(name));
        drop(questions);
        match self.declared {
            Some(declared) => declared.elsewhere(names, is_own),
            None => vec![false; names.len()],
        }
    }

    /// The names that each of some files declares for projects that do not read it.
    #[must_use]
    pub fn declared_by(&self, files: &[FileId]) -> NamesOfFiles {
        let paths: Vec<Utf8PathBuf> = files.iter().map(|file| self.path(*file).to_path_buf()).collect();
        self.prefetch(&paths);
        let declared = files.iter().zip(&paths).map(|(file, path)| {
            self.obey_stop();
            let read = self.facts_of(self.ask_content(path));
            (*file, read.map(|read| read.facts.declared()).unwrap_or_default())
        });
        declared.collect()
    }

    /// What exists at a path.
    #[must_use]
    pub fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        let [here, followed] = &self.kinds;
        let kinds = if follow_links { followed } else { here };
        let kinds = || kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kinds().get(path.as_str()) {
            return *known;
        }
        let kind = self.files.kind(path, follow_links);
        let question = if follow_links {
            Question::Target
        } else {
            Question::Kind
        };
        let path: Arc<Utf8Path> = path.into();
        self.ask(question(path.clone()), Answer::of_kind(kind));
        kinds().insert(ByText(path), kind);
        kind
    }

    /// The path with all links resolved.
    #[must_use]
    pub fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let target = self.files.canonical(path);
        let answer = Answer::of_path(target.as_deref());
        self.ask(Question::Canonical(path.into()), answer);
        target
    }

    /// The root of the version-controlled tree that contains `dir`.
    #[must_use]
    pub fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        self.files.vcs_root(dir)
    }

    /// The configuration that applies to a path: the nearest file upwards.
    #[must_use]
    pub fn config(&self, path: &Utf8Path) -> Arc<Config> {
        self.configs.of(path)
    }

    /// Where a configuration names a path in its list `[SECTION] LIST`, or with a name in `files` of its table
    /// `[[SECTION.LIST]]` with that name.
    #[must_use]
    pub fn place_in_config(
        &self,
        config: &Config,
        list: [&str; 2],
        name: Option<&str>,
        path: &str,
    ) -> Option<Place> {
        let (id, source) = self.source(config.file.as_ref()?).ok()?;
        let span = config.place_of(&source.text, list, name, path)?;
        Some(Place::span(id, span))
    }

    /// Every configuration.
    pub fn configs(&self) -> impl Iterator<Item = &Arc<Config>> {
        self.configs.all()
    }

    /// The facts that an engine reads from a text that is not in a file.
    #[must_use]
    pub fn facts_of_text(&self, file: FileId, path: &Utf8Path, text: &Arc<str>) -> Arc<dyn Facts> {
        self.engine.facts(&FactsInput {
            file,
            path,
            text,
            previous: None,
            engine: self.engine_index,
        })
    }
}
