//! Which files are offered to the engines, and which engine recognizes them.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{Candidate, Recognised, Workspace};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{EngineIx, Engines, LeftOut, Offer, Recognition};
use applyorder_core::files::{FileKind, Files, Overlay, ReadError};

/// The files that an engine recognized.
#[derive(Clone, Debug, Default)]
pub struct RecognisedFiles {
    /// How many there are.
    pub count: usize,
    /// How many of them begin no project, by the reason.
    pub left_out: BTreeMap<LeftOut, usize>,
}

impl Workspace {
    /// Offers files that were found, opened or named. Engines look at names first, then, if they must, at
    /// bytes; nothing is parsed, and nothing is kept of files that no engine recognizes.
    pub fn offer(&mut self, paths: &[Utf8PathBuf], offer: Offer) {
        // An engine that looks at bytes now often reads the whole file next.
        self.recent.keep(true);
        let this = &*self;
        let recognised: Vec<(usize, Candidate, Option<ReadError>)> = paths
            .par_iter()
            .enumerate()
            .map(|(i, path)| {
                let (candidate, error) = this.recognised(path, offer, None);
                this.progress.look_at_one();
                (i, candidate, error)
            })
            .filter(|(i, c, error)| {
                let is_known = || {
                    paths
                        .get(*i)
                        .is_some_and(|p| this.is_remembered(p) || this.unread.contains_key(p))
                };
                !c.engines.is_empty() || error.is_some() || is_known()
            })
            .collect();
        self.recent.keep(false);
        if offer == Offer::Explicit {
            self.name(paths);
        }
        for (i, candidate, error) in recognised {
            let Some(path) = paths.get(i) else { continue };
            match error {
                Some(error) => drop(self.unread.insert(path.clone(), error)),
                None => drop(self.unread.remove(path)),
            }
            self.set_candidate(path, candidate);
        }
    }

    /// Records the places of named files, also of a file that is named again; naming the same files in a later
    /// call changes nothing.
    fn name(&mut self, paths: &[Utf8PathBuf]) {
        let mut times: FxHashMap<FileId, usize> = FxHashMap::default();
        for path in paths {
            let file = self.store.intern(path);
            let time = times.entry(file).or_default();
            *time += 1;
            let places = self.named.entry(file).or_default();
            if places.len() < *time {
                places.push(self.count_named);
                self.count_named += 1;
            }
        }
    }

    /// The filter that decides on any thread which files are worth being offered.
    #[must_use]
    pub fn sieve(&self) -> Sieve {
        Sieve {
            engines: self.engines,
            only: self.only,
            files: self.files.clone(),
        }
    }

    /// Offers files that a sieve kept: its result is checked again only where it may have changed.
    pub fn offer_sifted(&mut self, sifted: Vec<Sifted>) {
        let mut again = Vec::new();
        for Sifted { path, engines, error } in sifted {
            if error.is_some() || self.is_remembered(&path) || self.unread.contains_key(&path) {
                again.push(path);
                continue;
            }
            let offered = Some(Offer::Found);
            self.set_candidate(&path, Candidate { offered, engines });
        }
        self.offer(&again, Offer::Found);
    }

    /// The files that an engine might recognize and that the system denies access to, with the reason.
    pub fn unread(&self) -> impl Iterator<Item = (&Utf8Path, &ReadError)> {
        self.unread.iter().map(|(path, error)| (path.as_path(), error))
    }

    /// Which of the offered files at some paths each engine recognized.
    #[must_use]
    pub fn recognised_by(&self, is_asked: impl Fn(&Utf8Path) -> bool) -> BTreeMap<EngineIx, RecognisedFiles> {
        let mut all: BTreeMap<EngineIx, RecognisedFiles> = BTreeMap::new();
        let table = self.store.snapshot();
        let asked = self
            .candidates
            .iter()
            .filter(|(id, _)| is_asked(&self.store.path(**id)));
        for (id, engine) in asked.flat_map(|(id, c)| c.engines.iter().map(move |engine| (*id, *engine))) {
            let found = all.entry(engine).or_default();
            found.count += 1;
            let shaped = table.get(id).and_then(|file| file.shaped(engine));
            if let Some(left_out) = shaped.and_then(|shaped| shaped.facts.left_out()) {
                *found.left_out.entry(left_out).or_default() += 1;
            }
        }
        all
    }

    pub(super) fn known(&self, path: &Utf8Path) -> Option<&Candidate> {
        self.candidates.get(&self.store.snapshot().id(path)?)
    }

    fn is_remembered(&self, path: &Utf8Path) -> bool {
        self.known(path).is_some() || self.files.text(path).is_some()
    }

    /// The engines' decision on a file that is offered, possibly not for the first time.
    pub(super) fn candidate(&self, path: &Utf8Path, offer: Offer, text: Option<&str>) -> Candidate {
        self.recognised(path, offer, text).0
    }

    fn recognised(
        &self,
        path: &Utf8Path,
        offer: Offer,
        text: Option<&str>,
    ) -> (Candidate, Option<ReadError>) {
        let before = self.known(path).and_then(|c| c.offered);
        let offered = match offer {
            Offer::Opened => before,
            _ => before.max(Some(offer)),
        };
        let opened = self.files.text(path).map(|_| Offer::Opened);
        let strongest = offered.max(opened).unwrap_or(offer);
        let (engines, error) = recognise(self.engines, self.only, path, strongest, &self.files, text);
        (Candidate { offered, engines }, error)
    }

    /// The amount to read of a file that an engine requests; large if unknown.
    fn size_to_read(&self, file: FileId) -> usize {
        let table = self.store.snapshot();
        let path = table.get(file).map(|f| f.path());
        let unsaved = path.and_then(|path| self.files.text(path));
        let source = table.get(file).and_then(|f| f.source());
        let text = unsaved.or(source.map(|source| &source.text));
        text.map_or(usize::MAX, |text| text.len())
    }

    pub(super) fn set_candidate(&mut self, path: &Utf8Path, candidate: Candidate) {
        let id = self.store.intern(path);
        let before = self.candidates.remove(&id).unwrap_or_default();
        let is_explicit = |c: &Candidate| c.offered == Some(Offer::Explicit);
        if before.engines != candidate.engines || is_explicit(&before) != is_explicit(&candidate) {
            self.unsought.insert(id);
            let size = self.size_to_read(id);
            self.other_candidates(&before.engines, 0);
            self.other_candidates(&candidate.engines, size);
        }
        let is_open = self.files.text(path).is_some();
        if !candidate.engines.is_empty() || is_open && candidate.offered.is_some() {
            self.candidates.insert(id, candidate);
        }
    }

    /// The files that were offered and kept, in no order.
    #[must_use]
    pub fn kept(&self) -> Vec<FileId> {
        self.candidates.keys().copied().collect()
    }

    /// Withdraws those of some files that are no longer needed.
    pub fn withdraw_where(&mut self, files: &[FileId], is_unwanted: impl Fn(&Utf8Path) -> bool) {
        let table = self.store.snapshot();
        let of_candidates = files.iter().filter(|file| self.candidates.contains_key(file));
        let paths = of_candidates.filter_map(|file| Some((*file, table.get(*file)?.path())));
        let unwanted = paths.filter(|(_, path)| is_unwanted(path));
        let unwanted: Vec<FileId> = unwanted.map(|(file, _)| file).collect();
        drop(table);
        for file in unwanted {
            self.withdraw_file(file);
        }
    }

    /// Withdraws a file from the candidates.
    pub fn withdraw(&mut self, path: &Utf8Path) {
        let file = self.store.intern(path);
        self.withdraw_file(file);
    }

    fn withdraw_file(&mut self, file: FileId) {
        if let Some(gone) = self.candidates.remove(&file) {
            self.unsought.insert(file);
            self.other_candidates(&gone.engines, 0);
        }
    }
}

/// Decides which files are worth being offered, as far as their names and the disk tell.
pub struct Sieve {
    engines: Engines,
    only: Option<EngineIx>,
    files: Overlay,
}

/// A file that is worth being offered.
pub struct Sifted {
    path: Utf8PathBuf,
    engines: Recognised,
    error: Option<ReadError>,
}

impl Sifted {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }
}

impl Sieve {
    /// A found file, if an engine recognizes it or it cannot be read.
    #[must_use]
    pub fn sift(&self, path: Utf8PathBuf) -> Option<Sifted> {
        let (engines, error) = recognise(self.engines, self.only, &path, Offer::Found, &self.files, None);
        (!engines.is_empty() || error.is_some()).then_some(Sifted { path, engines, error })
    }
}

/// The engines that recognize a file.
pub(super) fn recognise(
    engines: Engines,
    only: Option<EngineIx>,
    path: &Utf8Path,
    offer: Offer,
    files: &dyn Files,
    text: Option<&str>,
) -> (Recognised, Option<ReadError>) {
    let mut recognised = Recognised::new();
    let mut wanting = Vec::new();
    for (index, engine) in engines.iter() {
        if only.is_some_and(|only| only != index) {
            continue;
        }
        // A file that the user names together with an engine belongs to that engine.
        if only == Some(index)
            && offer == Offer::Explicit
            && (engine.takes_directories() || files.kind(path, true) != Some(FileKind::Directory))
        {
            recognised.push(index);
            continue;
        }
        match engine.recognise(path, offer, None) {
            Recognition::Yes => recognised.push(index),
            Recognition::NeedsBytes => wanting.push((index, engine)),
            Recognition::No => {}
        }
    }
    if wanting.is_empty() {
        return (recognised, None);
    }
    let read = match text.map_or_else(|| files.read(path).map(Some), |_| Ok(None)) {
        Ok(read) => read,
        Err(error @ (ReadError::PermissionDenied | ReadError::Other(_))) => return (recognised, Some(error)),
        Err(_) => return (recognised, None),
    };
    let Some(bytes) = text.map(str::as_bytes).or(read.as_deref()) else {
        return (recognised, None);
    };
    wanting.retain(|(_, engine)| engine.recognise(path, offer, Some(bytes)) == Recognition::Yes);
    recognised.extend(wanting.into_iter().map(|(index, _)| index));
    recognised.sort_unstable();
    (recognised, None)
}
