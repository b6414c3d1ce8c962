//! What an engine may ask while it finds and resolves projects. Every question is recorded.

use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{Engine, Facts, FactsInput};
use crate::config::{Config, Configs, RuleLevel};
use crate::diagnostic::Rule;
use crate::diagnostic::{EngineIx, FileId, Place};
use crate::files::{Asking, DirEntry, FileKind, Files, Question, Questions, ReadError, is_clean};
use crate::store::{Source, Store};

/// The engine's view of the workspace. Shared between threads: an engine may use rayon.
pub struct Cx<'a> {
    store: &'a Store,
    files: &'a dyn Files,
    configs: &'a Configs,
    engine: &'static dyn Engine,
    engine_index: EngineIx,
    questions: Mutex<Asking>,
    /// What stood at a path when it was first asked; with links followed, the second.
    kinds: [Mutex<FxHashMap<String, Option<FileKind>>>; 2],
    edited: Option<Vec<FileId>>,
    chosen: bool,
    unwanted: &'a [&'static Rule],
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
            edited: None,
            chosen: false,
            unwanted: &[],
        }
    }

    /// For a run in which nobody looks at what some rules report.
    #[must_use]
    pub fn without(mut self, unwanted: &'a [&'static Rule]) -> Self {
        self.unwanted = unwanted;
        self
    }

    /// Whether somebody looks at what a rule reports. Else an engine need not search for it, and may all the same.
    #[must_use]
    pub fn is_wanted(&self, rule: &Rule) -> bool {
        let is_off = |config: &Arc<Config>| config.level(rule) == Some(RuleLevel::Off);
        !self.unwanted.iter().any(|r| r.id == rule.id) && !self.configs.all().all(is_off)
    }

    /// For a run that the user limited to this engine.
    #[must_use]
    pub fn chosen(mut self, chosen: bool) -> Self {
        self.chosen = chosen;
        self
    }

    /// Whether the user named this engine: then what is named besides is meant for it.
    #[must_use]
    pub fn is_chosen(&self) -> bool {
        self.chosen
    }

    /// For a project of which nothing changed but the content of some files. What was asked before stays
    /// asked.
    #[must_use]
    pub fn after_edits(mut self, edited: Vec<FileId>, before: Arc<Questions>) -> Self {
        self.edited = Some(edited);
        self.questions = Mutex::new(Asking::on_top_of(Some(before)));
        self
    }

    /// What was asked.
    #[must_use]
    pub fn into_questions(self) -> Arc<Questions> {
        self.questions
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .finish()
    }

    /// The files whose content changed since the previous resolution, when nothing else did: which files and
    /// directories there are, and the configuration, are as they were, and what was asked then need not
    /// be asked again. `None`: anything may have changed.
    #[must_use]
    pub fn edited(&self) -> Option<&[FileId]> {
        self.edited.as_deref()
    }

    fn ask(&self, question: Question) {
        debug_assert!(is_clean(question.path()), "{question:?}");
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .ask(question);
    }

    /// The engine's own index, for anchors.
    #[must_use]
    pub fn engine_index(&self) -> EngineIx {
        self.engine_index
    }

    /// A place in the table of places of this engine's facts.
    #[must_use]
    pub fn place(&self, file: FileId, index: u32) -> Place {
        Place::anchor(file, self.engine_index, index)
    }

    /// The number of a path, whether or not a file stands there.
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
    /// When it can't be read, or is not UTF-8.
    pub fn source(&self, path: &Utf8Path) -> Result<(FileId, Arc<Source>), ReadError> {
        self.ask(Question::Read(path.to_owned()));
        let file = self.store.intern(path);
        Ok((file, self.store.source(file, self.files)?))
    }

    /// The bytes of a file, for what has to be known of a text that is not UTF-8.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn bytes(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        self.ask(Question::Read(path.to_owned()));
        self.files.read(path)
    }

    /// The facts of a file, as this engine reads them.
    ///
    /// # Errors
    /// When it can't be read, or is not UTF-8.
    pub fn facts<F: Facts>(&self, path: &Utf8Path) -> Result<(FileId, Arc<F>), ReadError> {
        let (file, _) = self.source(path)?;
        let facts = self.facts_of(file)?;
        match facts.into_any().downcast::<F>() {
            Ok(facts) => Ok((file, facts)),
            Err(_) => Err(ReadError::Other("its facts are of another engine".to_owned())),
        }
    }

    fn facts_of(&self, file: FileId) -> Result<Arc<dyn Facts>, ReadError> {
        let read = |input: &FactsInput<'_>| self.engine.facts(input);
        self.store.facts(file, self.engine_index, &read, self.files)
    }

    /// The facts of a file that was asked for before, without noting the question again.
    ///
    /// # Errors
    /// When it can't be read, or is not UTF-8.
    pub fn facts_again<F: Facts>(&self, file: FileId) -> Result<Arc<F>, ReadError> {
        let facts = self.facts_of(file)?;
        facts
            .into_any()
            .downcast::<F>()
            .map_err(|_| ReadError::Other("its facts are of another engine".to_owned()))
    }

    /// Reads the facts of many files on all processors, so that asking for them one by one is cheap.
    pub fn prefetch(&self, paths: &[Utf8PathBuf]) {
        paths.par_iter().for_each(|path| {
            let file = self.store.intern(path);
            // A failure is reported to who asks for the file itself.
            drop(self.facts_of(file));
        });
    }

    /// The entries of a directory in byte order of their names, links not followed.
    ///
    /// # Errors
    /// When no readable directory stands there.
    pub fn list(&self, dir: &Utf8Path) -> Result<Arc<[DirEntry]>, ReadError> {
        self.ask(Question::List(dir.to_owned()));
        self.files.list(dir)
    }

    /// Lists many directories on all processors, so that asking for them one by one is cheap.
    pub fn prefetch_lists(&self, dirs: &[Utf8PathBuf]) {
        let list = |dir: &Utf8PathBuf| drop(self.files.list(dir));
        dirs.par_iter().with_min_len(16).for_each(list);
    }

    /// Lists a directory and those below it on all processors, so that asking for them one by one is cheap.
    /// `skip` says of a directory, by its entries, whether to leave alone what is below it; names that begin
    /// with a dot are left alone.
    pub fn prefetch_lists_below(&self, root: &Utf8Path, skip: impl Fn(&[DirEntry]) -> bool) {
        let mut level = vec![root.to_owned()];
        while !level.is_empty() {
            self.prefetch_lists(&level);
            let mut below = Vec::new();
            for dir in &level {
                let entries = self.files.list(dir).unwrap_or_default();
                if !skip(&entries) {
                    let dirs = entries.iter().filter(|e| e.kind == FileKind::Directory);
                    let seen = dirs.filter(|e| !e.name.starts_with('.'));
                    below.extend(seen.map(|e| dir.join(&e.name)));
                }
            }
            level = below;
        }
    }

    /// What stands at a path.
    #[must_use]
    pub fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        let [here, followed] = &self.kinds;
        let kinds = if follow_links { followed } else { here };
        let kinds = || kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kinds().get(path.as_str()) {
            return *known;
        }
        self.ask(Question::Kind(path.to_owned()));
        let kind = self.files.kind(path, follow_links);
        kinds().insert(path.as_str().to_owned(), kind);
        kind
    }

    /// The path with all links resolved.
    #[must_use]
    pub fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.ask(Question::Kind(path.to_owned()));
        self.files.canonical(path)
    }

    /// The top of the version-controlled tree that `dir` lies in.
    #[must_use]
    pub fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        self.files.vcs_root(dir)
    }

    /// The configuration that holds for a path: the nearest file upwards.
    #[must_use]
    pub fn config(&self, path: &Utf8Path) -> Arc<Config> {
        self.configs.of(path)
    }

    /// Every configuration there is.
    pub fn configs(&self) -> impl Iterator<Item = &Arc<Config>> {
        self.configs.all()
    }

    /// The facts that an engine makes of a text which is in no file.
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
