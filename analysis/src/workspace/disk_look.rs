//! A check of paths at which something happened on the disk: made on any thread, and applied by the owner.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use tracing::debug_span;

use super::asked::Asking;
use super::candidates::recognise;
use super::job::Subject;
use super::{Analysis, Candidate, ProjectIx, Recognised, Stale, Text, Workspace};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{EngineIx, Engines, Offer};
use applyorder_core::files::{FileKind, Files, Overlay, Question, ReadError, as_text};
use applyorder_core::store::{File, Table};

/// The paths to check, and what is known of them.
pub struct DiskLook {
    paths: Vec<Known>,
    files: Overlay,
    table: Arc<Table>,
    engines: Engines,
    only: Option<EngineIx>,
    /// The askers, in the order of their queries.
    askers: Vec<Subject>,
    asking: Asking,
}

/// What is known of a path at which something happened.
struct Known {
    path: Utf8PathBuf,
    /// Its number if it was read as a file, and whether that has a content.
    file: Option<(FileId, bool)>,
    is_unsaved: bool,
    /// Whether an engine recognized it.
    is_candidate: bool,
    /// How it is recognized if it is offered now.
    offer: Offer,
    was_offered: bool,
    /// Whether it must be offered in any case.
    is_remembered: bool,
}

/// The result of checking some paths.
pub struct Seen {
    contents: Vec<(FileId, Text)>,
    recognised: Vec<(Utf8PathBuf, Recognised, Option<ReadError>)>,
    gone: Gone,
    came_or_went: Vec<Utf8PathBuf>,
    differing: Vec<Subject>,
    new: Vec<Utf8PathBuf>,
}

/// What was deleted.
#[derive(Default)]
pub(super) struct Gone {
    pub(super) paths: FxHashSet<String>,
    /// The files that were known at these paths and below.
    pub(super) below: Vec<Left>,
    /// How many files were known then.
    pub(super) of: usize,
}

/// The state of a file where something was deleted: it may exist again.
pub(super) struct Left {
    pub(super) file: FileId,
    pub(super) is_there: bool,
    /// Its current content, if its previous content was requested: what was read of it before must not stay.
    pub(super) content: Option<Text>,
}

impl Left {
    pub(super) fn of(id: FileId, file: &File, files: &Overlay) -> Self {
        Self {
            file: id,
            is_there: files.kind(file.path(), true).is_some(),
            content: file
                .was_read()
                .then(|| files.read(file.path()).and_then(|bytes| as_text(&bytes))),
        }
    }
}

/// The current state of one path.
#[derive(Default)]
struct Look {
    content: Option<(FileId, Text)>,
    recognised: Option<(Recognised, Option<ReadError>)>,
    is_gone: bool,
    came_or_went: bool,
    may_be_new: bool,
}

impl Workspace {
    /// Processes that something was created, changed or deleted on the disk: files, or directories with
    /// everything in them. A file that no engine knew is not offered by this.
    pub fn changed_on_disk(&mut self, paths: &[impl AsRef<Utf8Path>]) {
        let paths = paths.iter().map(|path| path.as_ref().to_owned());
        let seen = self.look_at(paths.collect()).run();
        self.take_seen(seen);
    }

    /// The same in two steps: the check, for any thread, and [`Self::take_seen`]. The result of an earlier
    /// check must have been applied.
    pub fn look_at(&mut self, paths: Vec<Utf8PathBuf>) -> DiskLook {
        self.recent.forget();
        self.files.forget_links();
        // Work that ends before the result is applied may have made queries before it happened.
        self.note_came_or_went(paths.iter().map(Utf8PathBuf::as_path));
        let table = self.store.snapshot();
        let known = |path: Utf8PathBuf| {
            let is_unsaved = self.files.text(&path).is_some();
            let id = table.id(&path);
            let candidate = id.and_then(|id| self.candidates.get(&id));
            let has_content = |id: FileId| table.get(id).is_some_and(|f| f.source().is_some());
            let offered = candidate.and_then(|c| c.offered);
            Known {
                // The content of a file that was never read is not needed.
                file: id.filter(|_| !is_unsaved).map(|id| (id, has_content(id))),
                is_unsaved,
                is_candidate: candidate.is_some_and(|c| !c.engines.is_empty()),
                offer: offered.max(Some(Offer::Found)).unwrap_or(Offer::Found),
                was_offered: offered.is_some(),
                is_remembered: candidate.is_some() || is_unsaved || self.unread.contains_key(&path),
                path,
            }
        };
        let projects = self.projects.iter();
        let projects = projects.map(|p| Subject::Project(p.number));
        let engines = self.engines.iter().map(|(engine, _)| Subject::Engine(engine));
        DiskLook {
            paths: paths.into_iter().map(known).collect(),
            files: self.files.clone(),
            table: table.clone(),
            engines: self.engines,
            only: self.only,
            askers: projects.chain(engines).collect(),
            asking: self.asking(),
        }
    }

    /// Applies the result of a check.
    pub fn take_seen(&mut self, seen: Seen) {
        let _span = debug_span!("take_seen").entered();
        self.recent.forget();
        self.take_below(seen.gone);
        for (path, engines, error) in seen.recognised {
            match error {
                Some(error) => drop(self.unread.insert(path.clone(), error)),
                None => drop(self.unread.remove(&path)),
            }
            if self.files.text(&path).is_none() {
                let before = self.known(&path).and_then(|c| c.offered);
                let offered = before.max(Some(Offer::Found));
                self.set_candidate(&path, Candidate { offered, engines });
            }
        }
        for (file, text) in seen.contents {
            if self.files.text(&self.store.path(file)).is_none() {
                self.take(file, text);
            }
        }
        self.note_came_or_went(seen.came_or_went.iter().map(Utf8PathBuf::as_path));
        for asker in seen.differing {
            match asker {
                Subject::Engine(engine) => drop(self.rediscover.insert(engine)),
                Subject::Project(number) => {
                    if let Some(i) = self.projects.index_of(number) {
                        self.note_stale(i, Stale::World);
                    }
                }
                Subject::File(_) | Subject::Look(..) => {}
            }
        }
    }
}

impl Gone {
    /// Whether a path was deleted, or one above it.
    pub(super) fn has(&self, path: &Utf8Path) -> bool {
        path.ancestors().any(|above| self.paths.contains(above.as_str()))
    }
}

impl Seen {
    /// The paths at which there may be something to offer: directories, and files that an engine would
    /// recognize or that are remembered, and that were not offered before.
    #[must_use]
    pub fn came(&self) -> &[Utf8PathBuf] {
        &self.new
    }
}

impl DiskLook {
    /// Checks only these of the paths.
    pub fn keep(&mut self, paths: &[Utf8PathBuf]) {
        if paths.len() < self.paths.len() {
            let kept: FxHashSet<&Utf8PathBuf> = paths.iter().collect();
            self.paths.retain(|known| kept.contains(&known.path));
        }
    }

    /// Runs the check.
    #[must_use]
    pub fn run(self) -> Seen {
        let looks: Vec<Look> = self.paths.par_iter().map(|known| self.look(known)).collect();
        let mut seen = Seen {
            contents: Vec::new(),
            recognised: Vec::new(),
            gone: Gone::default(),
            came_or_went: Vec::new(),
            differing: Vec::new(),
            new: Vec::new(),
        };
        for (known, look) in self.paths.iter().zip(looks) {
            let path = &known.path;
            seen.contents.extend(look.content);
            let recognised = look.recognised;
            seen.recognised
                .extend(recognised.map(|(engines, error)| (path.clone(), engines, error)));
            if look.is_gone {
                seen.gone.paths.insert(path.to_string());
            }
            if look.came_or_went {
                seen.came_or_went.push(path.clone());
            }
            if look.may_be_new {
                seen.new.push(path.clone());
            }
        }
        if !seen.gone.paths.is_empty() {
            let known: Vec<(FileId, &Arc<File>)> = self.table.iter().collect();
            let below = known.par_iter().filter(|(_, file)| seen.gone.has(file.path()));
            let below = below.map(|(id, file)| Left::of(*id, file, &self.files));
            seen.gone.below = below.collect();
            seen.gone.of = known.len();
        }
        seen.differing = self.differing(&seen.came_or_went);
        seen
    }

    /// The askers whose answers changed. Something may have been deleted and created again before it was
    /// checked, and queried in between: contents are compared with what was read, the rest with the answers.
    fn differing(&self, came_or_went: &[Utf8PathBuf]) -> Vec<Subject> {
        let came_or_went: FxHashSet<&Utf8Path> = came_or_went.iter().map(Utf8PathBuf::as_path).collect();
        let paths = self.paths.iter().map(|known| known.path.as_path());
        let (others, read): (Vec<&Utf8Path>, Vec<_>) = paths.partition(|path| came_or_went.contains(path));
        let mut differing: FxHashSet<u32> = FxHashSet::default();
        if !others.is_empty() {
            let compared: FxHashSet<&Utf8Path> = read.iter().copied().collect();
            let is_known = |path: &Utf8Path| compared.contains(path) || self.files.text(path).is_some();
            let asked = self.asking.about(&others);
            differing.extend(asked.differing_after(&others, &self.files, is_known));
        }
        if !read.is_empty() {
            let asked = self.asking.about_files(&read);
            differing.extend(asked.differing_after(&read, &self.files, |_| true));
        }
        let subject = |asker: u32| self.askers.get(asker as usize).copied();
        differing.into_iter().filter_map(subject).collect()
    }

    fn look(&self, known: &Known) -> Look {
        let path = &known.path;
        let mut look = Look::default();
        match known.file.map(|(id, had)| (id, had, self.files.read(path))) {
            Some((id, had_content, Ok(bytes))) => {
                let text = as_text(&bytes);
                look.came_or_went = !had_content;
                if known.is_candidate {
                    let (engines, error) = recognise(
                        self.engines,
                        self.only,
                        path,
                        known.offer,
                        &self.files,
                        text.as_deref().ok(),
                    );
                    look.recognised = Some((engines, error));
                }
                look.content = Some((id, text));
            }
            Some((_, _, Err(_))) => {
                look.is_gone = true;
                look.came_or_went = true;
            }
            None => {
                look.is_gone = !known.is_unsaved && self.files.kind(path, true) != Some(FileKind::File);
                look.came_or_went = true;
            }
        }
        look.may_be_new = !known.was_offered && self.may_be_new(known);
        look
    }

    fn may_be_new(&self, known: &Known) -> bool {
        match self.files.kind(&known.path, true) {
            None => false,
            Some(FileKind::Directory) => true,
            Some(_) => {
                known.is_remembered || {
                    let (engines, error) = recognise(
                        self.engines,
                        self.only,
                        &known.path,
                        Offer::Found,
                        &self.files,
                        None,
                    );
                    !engines.is_empty() || error.is_some()
                }
            }
        }
    }
}

/// Paths at which something happened that was not checked yet.
#[derive(Default)]
pub struct Happened {
    paths: FxHashSet<String>,
    dirs: FxHashSet<String>,
}

impl Happened {
    /// Adds some.
    pub fn add(&mut self, paths: &[Utf8PathBuf]) {
        self.dirs
            .extend(paths.iter().filter_map(|path| Some(path.parent()?.to_string())));
        self.paths.extend(paths.iter().map(Utf8PathBuf::to_string));
    }

    /// Whether a project that a file belongs to may change because of it: it queried one of the paths, the
    /// directory of one, or something below one.
    #[must_use]
    pub fn may_concern(&self, analysis: &Analysis, file: FileId) -> bool {
        if self.paths.is_empty() {
            return false;
        }
        let concerns = |question: &Question| {
            let path = question.path();
            self.dirs.contains(path.as_str())
                || path.ancestors().any(|above| self.paths.contains(above.as_str()))
        };
        let mut projects = analysis.projects_of(file).into_iter();
        let is_concerned =
            |(_, project): (ProjectIx, &Arc<super::Project>)| project.questions.iter().any(concerns);
        projects.any(is_concerned)
    }
}
