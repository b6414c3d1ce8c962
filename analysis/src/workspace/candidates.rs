//! Which files are offered to the engines, and which engine recognises them.

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use super::{Candidate, Recognised, Workspace};
use applyorder_core::engine::{EngineIx, Engines, Offer, Recognition};
use applyorder_core::files::{FileKind, Files};

impl Workspace {
    /// Offers files that were found, opened or named. Engines look at names first, then, where they must,
    /// at bytes; nothing is parsed, and of files that are nobody's nothing is kept.
    pub fn offer(&mut self, paths: &[Utf8PathBuf], offer: Offer) {
        // Who looks at bytes now often reads the whole file next.
        self.recent.keep(true);
        let this = &*self;
        let recognised: Vec<(usize, Candidate)> = paths
            .par_iter()
            .enumerate()
            .map(|(i, path)| (i, this.candidate(path, offer, None)))
            .filter(|(i, c)| !c.engines.is_empty() || paths.get(*i).is_some_and(|p| this.is_candidate(p)))
            .collect();
        self.recent.keep(false);
        if offer == Offer::Explicit {
            for path in paths {
                let place = self.named.len();
                self.named.entry(self.store.intern(path)).or_insert(place);
            }
        }
        for (i, candidate) in recognised {
            if let Some(path) = paths.get(i) {
                self.set_candidate(path, candidate);
            }
        }
    }

    /// Whether an engine recognised a file.
    pub(super) fn is_candidate(&self, path: &Utf8Path) -> bool {
        let id = self.store.snapshot().id(path);
        id.is_some_and(|id| self.candidates.contains_key(&id))
    }

    /// What the engines say of a file that is offered, and was offered before perhaps.
    pub(super) fn candidate(&self, path: &Utf8Path, offer: Offer, text: Option<&str>) -> Candidate {
        let known = self.store.snapshot().id(path);
        let before = known.and_then(|id| self.candidates.get(&id));
        let offer = before.map_or(offer, |b| b.offer.max(offer));
        let engines = recognise(self.engines, self.only, path, offer, &self.files, text);
        Candidate { offer, engines }
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
) -> Recognised {
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
        return recognised;
    }
    let read = match text {
        Some(_) => None,
        None => files.read(path).ok(),
    };
    let Some(bytes) = text.map(str::as_bytes).or(read.as_deref()) else {
        return recognised;
    };
    wanting.retain(|(_, engine)| engine.recognise(path, offer, Some(bytes)) == Recognition::Yes);
    recognised.extend(wanting.into_iter().map(|(index, _)| index));
    recognised.sort_unstable();
    recognised
}
