//! Which files are offered to the engines, and which engine recognises them.

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use super::{Candidate, Recognised, Workspace};
use applyorder_core::engine::{EngineIx, Engines, Offer, Recognition};
use applyorder_core::files::{FileKind, Files, ReadError};

impl Workspace {
    /// Offers files that were found, opened or named. Engines look at names first, then, where they must,
    /// at bytes; nothing is parsed, and of files that are nobody's nothing is kept.
    pub fn offer(&mut self, paths: &[Utf8PathBuf], offer: Offer) {
        // Who looks at bytes now often reads the whole file next.
        self.recent.keep(true);
        let this = &*self;
        let recognised: Vec<(usize, Candidate, Option<ReadError>)> = paths
            .par_iter()
            .enumerate()
            .map(|(i, path)| {
                let (candidate, error) = this.recognised(path, offer, None);
                (i, candidate, error)
            })
            .filter(|(i, c, error)| {
                let is_known = || {
                    paths
                        .get(*i)
                        .is_some_and(|p| this.is_candidate(p) || this.unread.contains_key(p))
                };
                !c.engines.is_empty() || error.is_some() || is_known()
            })
            .collect();
        self.recent.keep(false);
        if offer == Offer::Explicit {
            for path in paths {
                let place = self.named.len();
                self.named.entry(self.store.intern(path)).or_insert(place);
            }
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

    /// The files that an engine might recognize and that the system does not let us read, with the reason.
    pub fn unread(&self) -> impl Iterator<Item = (&Utf8Path, &ReadError)> {
        self.unread.iter().map(|(path, error)| (path.as_path(), error))
    }

    /// Whether an engine recognised a file.
    pub(super) fn is_candidate(&self, path: &Utf8Path) -> bool {
        let id = self.store.snapshot().id(path);
        id.is_some_and(|id| self.candidates.contains_key(&id))
    }

    /// What the engines say of a file that is offered, and was offered before perhaps.
    pub(super) fn candidate(&self, path: &Utf8Path, offer: Offer, text: Option<&str>) -> Candidate {
        self.recognised(path, offer, text).0
    }

    fn recognised(
        &self,
        path: &Utf8Path,
        offer: Offer,
        text: Option<&str>,
    ) -> (Candidate, Option<ReadError>) {
        let known = self.store.snapshot().id(path);
        let before = known.and_then(|id| self.candidates.get(&id));
        let offer = before.map_or(offer, |b| b.offer.max(offer));
        let (engines, error) = recognise(self.engines, self.only, path, offer, &self.files, text);
        (Candidate { offer, engines }, error)
    }

    pub(super) fn set_candidate(&mut self, path: &Utf8Path, candidate: Candidate) {
        let id = self.store.intern(path);
        let before = self.candidates.remove(&id);
        self.rediscover |= match &before {
            Some(before) => *before != candidate,
            None => !candidate.engines.is_empty(),
        };
        if !candidate.engines.is_empty() {
            self.candidates.insert(id, candidate);
        }
    }

    /// Withdraws a file from the candidates.
    pub fn withdraw(&mut self, path: &Utf8Path) {
        let id = self.store.intern(path);
        self.rediscover |= self.candidates.remove(&id).is_some();
    }
}

fn recognise(
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
        // What the user names together with an engine is that engine's.
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
