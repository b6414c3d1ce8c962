//! The files that were read: their numbers, texts and facts.

mod facts;
mod source;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use camino::{Utf8Path, Utf8PathBuf};
use rpds::VectorSync;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{EngineIx, FileId};
use crate::files::{ByText, Files, ReadError, as_text, is_clean};

use facts::FactsSlots;
pub use facts::{Facts, FactsInput, LeftOut, ReadFacts, Shape, Shaped};
pub use source::Source;

/// One state of one file.
pub struct File {
    path: Arc<Utf8Path>,
    source: OnceLock<Result<Arc<Source>, ReadError>>,
    facts: FactsSlots,
    /// Whether an engine looks at its text and has no facts of it: then any other text is a change.
    is_read_as_text: AtomicBool,
    /// The facts of the text before, for reuse.
    previous: Mutex<Box<[(EngineIx, Shaped)]>>,
}

impl File {
    fn new(path: Arc<Utf8Path>) -> Self {
        Self {
            path,
            source: OnceLock::new(),
            facts: FactsSlots::default(),
            is_read_as_text: AtomicBool::new(false),
            previous: Mutex::default(),
        }
    }

    fn previous(&self, engine: EngineIx) -> Option<Shaped> {
        let all = self.all_previous();
        let before = all.iter().find(|(of, _)| *of == engine);
        before.map(|(_, before)| before.clone())
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Arc<Utf8Path> {
        &self.path
    }

    /// Its text, if it was read and is valid text.
    #[must_use]
    pub fn source(&self) -> Option<&Arc<Source>> {
        self.content()?.as_ref().ok()
    }

    /// The result of reading it, if its content was requested.
    #[must_use]
    pub fn content(&self) -> Option<&Result<Arc<Source>, ReadError>> {
        self.source.get()
    }

    /// What an engine read from it.
    #[must_use]
    pub fn facts(&self, engine: EngineIx) -> Option<&Arc<dyn Facts>> {
        Some(&self.shaped(engine)?.facts)
    }

    /// The same with the number of its shape.
    #[must_use]
    pub fn shaped(&self, engine: EngineIx) -> Option<&Shaped> {
        let mut all = self.facts.iter();
        all.find(|(of, _)| *of == engine).map(|(_, shaped)| shaped)
    }

    /// Whether some engine has facts of it.
    #[must_use]
    pub fn has_facts(&self) -> bool {
        self.facts.iter().next().is_some()
    }

    /// Whether everything that engines know of it is the same as in an earlier state.
    #[must_use]
    pub fn is_known_as(&self, before: &Self) -> bool {
        let mut facts = self.facts.iter();
        let is_same = |(engine, now): (EngineIx, &Shaped)| {
            before.shaped(engine).is_some_and(|before| {
                now.shape == before.shape && now.facts.discovery_key() == before.facts.discovery_key()
            })
        };
        self.source().is_some() && !self.is_read_as_text.load(Ordering::Acquire) && facts.all(is_same)
    }

    fn all_previous(&self) -> MutexGuard<'_, Box<[(EngineIx, Shaped)]>> {
        self.previous.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether its content was requested.
    #[must_use]
    pub fn was_read(&self) -> bool {
        self.content().is_some()
    }
}

/// The numbers of all paths.
type Ids = RwLock<FxHashMap<ByText, FileId>>;

/// The files by number and by path. A clone shares its data with the original.
#[derive(Clone, Default)]
pub struct Table {
    /// Shared by all stores that fork from the same state: a path whose number is not in `files` is not known
    /// here.
    ids: Arc<Ids>,
    files: VectorSync<Arc<File>>,
}

impl Table {
    /// A file by its number.
    #[must_use]
    pub fn get(&self, file: FileId) -> Option<&Arc<File>> {
        self.files.get(file.0 as usize)
    }

    /// The number of a path that was looked at.
    #[must_use]
    pub fn id(&self, path: &Utf8Path) -> Option<FileId> {
        let ids = self.ids.read().unwrap_or_else(PoisonError::into_inner);
        let id = ids.get(path.as_str()).copied()?;
        ((id.0 as usize) < self.files.len()).then_some(id)
    }

    /// Every file with its number.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Arc<File>)> {
        (0u32..).map(FileId).zip(&self.files)
    }

    /// How many files have a number.
    #[must_use]
    pub fn count(&self) -> usize {
        self.files.len()
    }

    fn replace(&mut self, id: FileId, file: Arc<File>) {
        if let Some(slot) = self.files.get_mut(id.0 as usize) {
            *slot = file;
        }
    }
}

/// The files as they are on the disk, one for each number. Stores that fork from the same state give a path the
/// same number, and what one of them read is not read again by another.
type OnDisk = Mutex<VectorSync<Arc<File>>>;

/// The table behind a lock that is held for look-ups only, never while a file is read or parsed.
#[derive(Default)]
pub struct Store {
    table: RwLock<Arc<Table>>,
    on_disk: Arc<OnDisk>,
    /// How many engines keep facts of a file.
    engines: usize,
}

/// What a new text changes.
pub struct ShapeChange {
    /// Whether the facts of some engine have another shape.
    pub shape: bool,
    /// The engines whose projects may change.
    pub discovery: Vec<EngineIx>,
}

impl Store {
    /// An empty store for the facts of some engines.
    #[must_use]
    pub fn new(engines: usize) -> Self {
        Self {
            engines,
            ..Self::default()
        }
    }

    /// An independent store that continues from the state of this one: for a caller that must not see
    /// concurrent changes.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            table: RwLock::new(self.snapshot()),
            on_disk: Arc::clone(&self.on_disk),
            engines: self.engines,
        }
    }

    /// Takes over what a fork read in addition, except for files that changed since the fork.
    pub fn join(&self, fork: &Self, changed: &FxHashSet<FileId>) {
        let read = fork.snapshot();
        let mut guard = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let table = Arc::make_mut(&mut guard);
        add_new(table, &self.on_disk());
        // Most files are the same in both.
        let own = table.files.clone();
        let others = read
            .iter()
            .zip(&own)
            .filter(|((_, file), own)| !Arc::ptr_eq(file, own));
        for ((id, file), own) in others {
            if file.was_read() && !own.was_read() && !changed.contains(&id) {
                table.replace(id, file.clone());
            }
        }
    }

    fn on_disk(&self) -> MutexGuard<'_, VectorSync<Arc<File>>> {
        self.on_disk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files as they are now.
    pub fn snapshot(&self) -> Arc<Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn file(&self, file: FileId) -> Option<Arc<File>> {
        self.table
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(file)
            .cloned()
    }

    /// The number of a path.
    pub fn intern(&self, path: &Utf8Path) -> FileId {
        debug_assert!(is_clean(path), "{path}");
        if let Some(id) = self.table.read().unwrap_or_else(PoisonError::into_inner).id(path) {
            return id;
        }
        let mut guard = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let table = Arc::make_mut(&mut guard);
        let mut on_disk = self.on_disk();
        let id = {
            let mut ids = table.ids.write().unwrap_or_else(PoisonError::into_inner);
            ids.get(path.as_str()).copied().unwrap_or_else(|| {
                let id = FileId(u32::try_from(on_disk.len()).unwrap_or(u32::MAX));
                let path: Arc<Utf8Path> = path.into();
                ids.insert(ByText(path.clone()), id);
                on_disk.push_back_mut(Arc::new(File::new(path)));
                id
            })
        };
        add_new(table, &on_disk);
        id
    }

    /// The number of a path, and the path as the store has it.
    pub(crate) fn interned(&self, path: &Utf8Path) -> (FileId, Arc<Utf8Path>) {
        let file = self.intern(path);
        (file, self.path(file))
    }

    /// The path of a file.
    pub fn path(&self, file: FileId) -> Arc<Utf8Path> {
        self.file(file)
            .map_or_else(|| Utf8PathBuf::new().into(), |f| f.path.clone())
    }

    /// The text of a file, read on first request.
    ///
    /// # Errors
    /// When it cannot be read, or is not UTF-8.
    pub fn source(&self, file: FileId, files: &dyn Files) -> Result<Arc<Source>, ReadError> {
        let file = self.file(file).ok_or(ReadError::NotFound)?;
        source_of(&file, files)
    }

    /// The same for an engine: for a file that it has no facts of, any other text is a change.
    ///
    /// # Errors
    /// When it cannot be read, or is not UTF-8.
    pub fn source_for(
        &self,
        engine: EngineIx,
        file: FileId,
        files: &dyn Files,
    ) -> Result<Arc<Source>, ReadError> {
        let file = self.file(file).ok_or(ReadError::NotFound)?;
        if file.shaped(engine).is_none() {
            file.is_read_as_text.store(true, Ordering::Release);
        }
        source_of(&file, files)
    }

    /// The facts an engine has of a file, read on first request.
    ///
    /// # Errors
    /// When it cannot be read, or is not UTF-8.
    pub fn facts(
        &self,
        id: FileId,
        engine: EngineIx,
        read: ReadFacts<'_>,
        files: &dyn Files,
    ) -> Result<Shaped, ReadError> {
        let file = self.file(id).ok_or(ReadError::NotFound)?;
        let source = source_of(&file, files)?;
        if engine.index() >= self.engines {
            return Err(ReadError::Other("not one of the engines".to_owned()));
        }
        Ok(file
            .facts
            .of(engine)
            .get_or_init(|| {
                // One for each file: below the level that is printed to find a slow project.
                let _span = tracing::trace_span!("facts", file = file.path.as_str()).entered();
                let previous = file.previous(engine);
                let facts = read(&FactsInput {
                    file: id,
                    path: &file.path,
                    text: &source.text,
                    previous: previous.as_ref().map(|p| &*p.facts),
                    engine,
                });
                let same = previous.filter(|p| facts.same_shape(&*p.facts));
                let shape = same.map_or_else(Shape::fresh, |p| p.shape);
                Shaped { facts, shape }
            })
            .clone())
    }

    /// Replaces the text of a file. The facts that engines had of it are read again and compared. The same as
    /// [`Self::put_text`] and [`Self::compare`].
    pub fn set_text<R: Fn(&FactsInput<'_>) -> Arc<dyn Facts>>(
        &self,
        id: FileId,
        text: Result<Arc<str>, ReadError>,
        engines: impl Iterator<Item = (EngineIx, R)>,
        files: &dyn Files,
    ) -> ShapeChange {
        match self.put_text(id, text) {
            Some(old) => self.compare(id, &old, engines, files),
            None => ShapeChange {
                shape: true,
                discovery: engines.map(|(engine, _)| engine).collect(),
            },
        }
    }

    /// Replaces the text of a file, and returns the previous state. Nothing is read.
    pub fn put_text(&self, id: FileId, text: Result<Arc<str>, ReadError>) -> Option<Arc<File>> {
        let old = self.file(id)?;
        let known = old.facts.iter().map(|(engine, shaped)| (engine, shaped.clone()));
        let mut previous: Vec<(EngineIx, Shaped)> = known.collect();
        let is_known = |engine: EngineIx| old.shaped(engine).is_some();
        previous.extend(
            old.all_previous()
                .iter()
                .filter(|(engine, _)| !is_known(*engine))
                .cloned(),
        );
        let mut new = File::new(old.path.clone());
        *new.is_read_as_text.get_mut() = old.is_read_as_text.load(Ordering::Acquire);
        *new.all_previous() = previous.into();
        drop(new.source.set(text.map(|t| Arc::new(Source::new(t)))));
        self.replace(id, new);
        Some(old)
    }

    /// Reads the facts that engines had of a file again, and compares them.
    pub fn compare<R: Fn(&FactsInput<'_>) -> Arc<dyn Facts>>(
        &self,
        id: FileId,
        old: &File,
        engines: impl Iterator<Item = (EngineIx, R)>,
        files: &dyn Files,
    ) -> ShapeChange {
        let failed = self.file(id).is_none_or(|now| now.source().is_none());
        let comes_or_goes = failed || old.source().is_none();
        let mut change = ShapeChange {
            shape: comes_or_goes || old.is_read_as_text.load(Ordering::Acquire),
            discovery: Vec::new(),
        };
        for (engine, read) in engines {
            let Some(before) = old.shaped(engine) else {
                change.discovery.extend(comes_or_goes.then_some(engine));
                continue;
            };
            let is_other = match self.facts(id, engine, &read, files) {
                Ok(after) => {
                    change.shape |= after.shape != before.shape;
                    comes_or_goes || after.facts.discovery_key() != before.facts.discovery_key()
                }
                Err(_) => {
                    change.shape = true;
                    true
                }
            };
            change.discovery.extend(is_other.then_some(engine));
        }
        if let Some(file) = self.file(id) {
            *file.all_previous() = Box::default();
        }
        change
    }

    fn replace(&self, id: FileId, file: File) {
        let mut guard = self.table.write().unwrap_or_else(PoisonError::into_inner);
        // A store that interns the file from now on reads its content at that time.
        if let Some(slot) = self.on_disk().get_mut(id.0 as usize) {
            *slot = Arc::new(File::new(slot.path.clone()));
        }
        Arc::make_mut(&mut guard).replace(id, Arc::new(file));
    }
}

/// Adds to a table all files that have a number.
fn add_new(table: &mut Table, on_disk: &VectorSync<Arc<File>>) {
    for number in table.files.len()..on_disk.len() {
        if let Some(file) = on_disk.get(number) {
            table.files.push_back_mut(file.clone());
        }
    }
}

fn source_of(file: &File, files: &dyn Files) -> Result<Arc<Source>, ReadError> {
    file.source
        .get_or_init(|| {
            let text = as_text(&files.read(&file.path)?)?;
            Ok(Arc::new(Source::new(text)))
        })
        .clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;

    #[test]
    fn a_fork_gives_the_same_numbers_and_shares_what_is_read() {
        let mut files = MemoryFiles::new();
        for path in ["/a", "/b", "/c", "/d"] {
            files.insert(path, path);
        }
        let store = Store::new(0);
        let a = store.intern("/a".into());
        let fork = store.fork();
        let b = fork.intern("/b".into());
        let c = store.intern("/c".into());
        assert_ne!(b, c);
        assert_eq!((store.intern("/b".into()), fork.intern("/c".into())), (b, c));
        for id in [a, b, c] {
            assert!(fork.source(id, &files).is_ok());
        }
        let table = store.snapshot();
        let text = |table: &Table, id| table.get(id)?.source().map(|s| s.text.to_string());
        for (id, path) in [(a, "/a"), (b, "/b"), (c, "/c")] {
            assert_eq!(text(&table, id).as_deref(), Some(path));
        }
        // A change is seen only by the store that made it, and by one that interns the file later.
        store.put_text(c, Ok("edited".into()));
        let d = fork.intern("/d".into());
        assert!(fork.source(d, &files).is_ok());
        fork.put_text(d, Ok("edited".into()));
        assert_eq!(text(&fork.snapshot(), c).as_deref(), Some("/c"));
        assert_eq!(store.intern("/d".into()), d);
        assert_eq!(text(&store.snapshot(), d), None);
        store.join(&fork, &FxHashSet::from_iter([c, d]));
        assert_eq!(text(&store.snapshot(), c).as_deref(), Some("edited"));
        assert_eq!(text(&store.snapshot(), d), None);
        store.join(&fork, &FxHashSet::from_iter([c]));
        assert_eq!(text(&store.snapshot(), d).as_deref(), Some("edited"));
    }
}
