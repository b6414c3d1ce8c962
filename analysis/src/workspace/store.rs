//! The files that were read: their numbers, texts and facts.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use crate::diagnostic::FileId;
use crate::engines::{Engine, Facts, FactsInput};
use crate::files::{Files, ReadError, is_clean};
use crate::syntax::text::LineIndex;

/// How many engines can keep facts of one file.
const ENGINES: usize = 8;

/// A text with its lines.
#[derive(Debug)]
pub struct Source {
    /// The text.
    pub text: Arc<str>,
    lines: OnceLock<LineIndex>,
}

impl Source {
    /// A text; its lines are counted when they are asked for.
    #[must_use]
    pub fn new(text: Arc<str>) -> Self {
        Self {
            text,
            lines: OnceLock::new(),
        }
    }

    /// The starts of its lines.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }
}

type FactsSlots = [OnceLock<Arc<dyn Facts>>; ENGINES];

/// One state of one file.
pub(crate) struct File {
    path: Arc<Utf8Path>,
    source: OnceLock<Result<Arc<Source>, ReadError>>,
    facts: FactsSlots,
    /// The facts of the text before, for re-use.
    previous: Vec<Option<Arc<dyn Facts>>>,
}

impl File {
    fn new(path: &Utf8Path) -> Self {
        Self {
            path: path.into(),
            source: OnceLock::new(),
            facts: FactsSlots::default(),
            previous: Vec::new(),
        }
    }

    pub(crate) fn path(&self) -> &Arc<Utf8Path> {
        &self.path
    }

    pub(crate) fn source(&self) -> Option<&Arc<Source>> {
        self.source.get()?.as_ref().ok()
    }

    pub(crate) fn facts(&self, engine: u8) -> Option<&Arc<dyn Facts>> {
        self.facts.get(engine as usize)?.get()
    }

    /// Whether somebody asked for the content.
    pub(crate) fn was_read(&self) -> bool {
        self.source.get().is_some()
    }
}

/// A clean path as a key: compared by its text, where `Utf8Path` would take it apart each time.
#[derive(Clone)]
struct ByText(Arc<Utf8Path>);

impl Borrow<str> for ByText {
    fn borrow(&self) -> &str {
        self.0.as_str()
    }
}

impl Hash for ByText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_str().hash(state);
    }
}

impl PartialEq for ByText {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for ByText {}

/// The files by number and by path. Cloned only while a snapshot of it is in use elsewhere.
#[derive(Clone, Default)]
pub(crate) struct Table {
    ids: FxHashMap<ByText, FileId>,
    files: Vec<Arc<File>>,
}

impl Table {
    pub(crate) fn get(&self, file: FileId) -> Option<&Arc<File>> {
        self.files.get(file.0 as usize)
    }

    pub(crate) fn id(&self, path: &Utf8Path) -> Option<FileId> {
        self.ids.get(path.as_str()).copied()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (FileId, &Arc<File>)> {
        (0u32..).map(FileId).zip(&self.files)
    }
}

/// The table behind a lock that is held for look-ups only, never while a file is read or parsed.
#[derive(Default)]
pub struct Store {
    table: RwLock<Arc<Table>>,
}

/// What a new text changes.
pub(crate) struct ShapeChange {
    /// Engines whose facts have another shape.
    pub(crate) shape: bool,
    /// Engines whose projects may be others.
    pub(crate) discovery: bool,
}

impl Store {
    pub(crate) fn snapshot(&self) -> Arc<Table> {
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
        if let Some(id) = table.id(path) {
            return id;
        }
        let id = FileId(u32::try_from(table.files.len()).unwrap_or(u32::MAX));
        let file = Arc::new(File::new(path));
        table.ids.insert(ByText(file.path.clone()), id);
        table.files.push(file);
        id
    }

    /// The path of a file.
    pub fn path(&self, file: FileId) -> Arc<Utf8Path> {
        self.file(file)
            .map_or_else(|| Utf8PathBuf::new().into(), |f| f.path.clone())
    }

    pub(crate) fn source(&self, file: FileId, files: &dyn Files) -> Result<Arc<Source>, ReadError> {
        let file = self.file(file).ok_or(ReadError::NotFound)?;
        source_of(&file, files)
    }

    pub(crate) fn facts(
        &self,
        id: FileId,
        index: u8,
        engine: &'static dyn Engine,
        files: &dyn Files,
    ) -> Result<Arc<dyn Facts>, ReadError> {
        let file = self.file(id).ok_or(ReadError::NotFound)?;
        let source = source_of(&file, files)?;
        let Some(slot) = file.facts.get(index as usize) else {
            return Err(ReadError::Other("too many engines".to_owned()));
        };
        Ok(slot
            .get_or_init(|| {
                // One for each file: below what is printed to find a slow project.
                let _span =
                    tracing::trace_span!("facts", engine = engine.meta().id, file = file.path.as_str())
                        .entered();
                let previous = file.previous.get(index as usize).and_then(Option::as_deref);
                engine.facts(&FactsInput {
                    file: id,
                    path: &file.path,
                    text: &source.text,
                    previous,
                    engine: index,
                })
            })
            .clone())
    }

    /// Puts a new text in the place of what a file held. The facts that engines had of it are read anew,
    /// and compared.
    pub(crate) fn set_text(
        &self,
        id: FileId,
        text: Result<Arc<str>, ReadError>,
        engines: &[&'static dyn Engine],
        files: &dyn Files,
    ) -> ShapeChange {
        let Some(old) = self.file(id) else {
            return ShapeChange {
                shape: true,
                discovery: true,
            };
        };
        let previous: Vec<Option<Arc<dyn Facts>>> = old
            .facts
            .iter()
            .zip(0u8..)
            .map(|(slot, i)| {
                slot.get()
                    .cloned()
                    .or_else(|| old.previous.get(i as usize).cloned().flatten())
            })
            .collect();
        let failed = text.is_err();
        let mut new = File::new(&old.path);
        new.previous = previous;
        drop(new.source.set(text.map(|t| Arc::new(Source::new(t)))));
        self.replace(id, new);
        let had_text = old.source().is_some();
        let mut change = ShapeChange {
            shape: failed || !had_text,
            discovery: failed || !had_text,
        };
        for (index, engine) in (0u8..).zip(engines) {
            let Some(before) = old.facts(index) else { continue };
            match self.facts(id, index, *engine, files) {
                Ok(after) => {
                    change.shape |= !after.same_shape(before.as_ref());
                    change.discovery |= after.discovery_key() != before.discovery_key();
                }
                Err(_) => {
                    change = ShapeChange {
                        shape: true,
                        discovery: true,
                    }
                }
            }
        }
        self.forget_previous(id);
        change
    }

    /// Forgets the content of a file: the next who asks reads it anew.
    pub(crate) fn forget(&self, id: FileId) {
        if let Some(old) = self.file(id) {
            self.replace(id, File::new(&old.path));
        }
    }

    fn forget_previous(&self, id: FileId) {
        let mut guard = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let table = Arc::make_mut(&mut guard);
        if let Some(file) = table.files.get_mut(id.0 as usize).and_then(Arc::get_mut) {
            file.previous = Vec::new();
        }
    }

    fn replace(&self, id: FileId, file: File) {
        let mut guard = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = Arc::make_mut(&mut guard).files.get_mut(id.0 as usize) {
            *slot = Arc::new(file);
        }
    }
}

fn source_of(file: &File, files: &dyn Files) -> Result<Arc<Source>, ReadError> {
    file.source
        .get_or_init(|| {
            let bytes = files.read(&file.path)?;
            match std::str::from_utf8(&bytes) {
                Ok(text) => Ok(Arc::new(Source::new(text.into()))),
                Err(e) => Err(ReadError::NotUtf8(e.valid_up_to())),
            }
        })
        .clone()
}
