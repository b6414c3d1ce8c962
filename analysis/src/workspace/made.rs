//! What an engine made of a project, and how little of that is kept of projects that nobody works at.
//!
//! In a workspace of many projects most are never looked at by themselves. What is asked of all of them stays: findings,
//! files, links and the names of units. The rest (graphs, orders, what the engine's editor functions look at) is made
//! again from the files as they were, when somebody asks.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use applyorder_core::config::Configs;
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{
    Cx, Engine, EngineIx, Findings, Lazy, Link, Member, ProjectSeed, Resolution, RunOptions, Unit,
};
use applyorder_core::files::Overlay;
use applyorder_core::rules::Rule;
use applyorder_core::store::Store;
use rustc_hash::FxHashSet;

use super::names::SharedNames;

/// The most files of a project that rests: to make it again takes a few milliseconds.
const MOST_FILES: usize = 256;

/// What an engine made of a project: all of its [`Resolution`], made again where only a part was kept.
pub struct Made {
    whole: OnceLock<Resolution>,
    kept: Option<Box<Kept>>,
}

/// What stays of a project that rests.
struct Kept {
    members: Arc<[Member]>,
    links: Arc<[Link]>,
    findings: Findings,
    units: Box<[Declared]>,
    engine: &'static dyn Engine,
    seed: Arc<ProjectSeed>,
    ground: Arc<PassGround>,
}

/// A unit by its name, and where it is declared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Declared {
    /// Its name.
    pub name: Arc<str>,
    /// Where its name stands, or else what declares it.
    pub place: Place,
}

impl Declared {
    fn new(unit: &Unit) -> Self {
        Self {
            name: unit.name.clone(),
            place: unit.place(),
        }
    }
}

/// What a pass was made with. Texts that changed since are there as they were.
pub(super) struct PassGround {
    pub(super) store: Arc<Store>,
    pub(super) files: Overlay,
    pub(super) configs: Arc<Configs>,
    pub(super) options: Arc<RunOptions>,
    pub(super) unwanted: Arc<[&'static Rule]>,
    pub(super) names: SharedNames,
}

impl PassGround {
    /// What an engine is given to resolve a project again.
    pub(super) fn cx(&self, engine: &'static dyn Engine, index: EngineIx) -> Cx<'_> {
        Cx::new(&self.store, &self.files, &self.configs, engine, index)
            .without(&self.unwanted)
            .knowing(self.names.of(index))
    }

    fn resolve(&self, engine: &'static dyn Engine, seed: &ProjectSeed) -> Resolution {
        let options = self.options.only(engine.meta().options);
        engine.resolve(&self.cx(engine, seed.engine), seed, &options)
    }
}

impl Made {
    /// What an engine made, kept as a whole.
    pub(super) fn whole(resolution: Resolution) -> Self {
        Self {
            whole: resolution.into(),
            kept: None,
        }
    }

    /// What no pass has seen yet.
    pub(super) const fn nothing() -> Self {
        Self {
            whole: OnceLock::new(),
            kept: None,
        }
    }

    /// Keeps a part of what an engine made, where the rest is quickly made again and nothing waits to be searched in it.
    pub(super) fn resting(
        resolution: Resolution,
        engine: &'static dyn Engine,
        seed: &Arc<ProjectSeed>,
        ground: &Arc<PassGround>,
    ) -> Self {
        if resolution.members.len() > MOST_FILES || !resolution.unresolved.is_empty() {
            return Self::whole(resolution);
        }
        let units = declared(&resolution);
        Self {
            whole: OnceLock::new(),
            kept: Some(Box::new(Kept {
                members: resolution.members,
                links: resolution.links,
                findings: resolution.diagnostics,
                units: units.into(),
                engine,
                seed: seed.clone(),
                ground: ground.clone(),
            })),
        }
    }

    /// Whether only a part of it is there.
    pub(super) fn rests(&self) -> bool {
        self.kept.is_some() && self.whole.get().is_none()
    }

    pub(super) fn members(&self) -> &Arc<[Member]> {
        match &self.kept {
            Some(kept) => &kept.members,
            None => &self.members,
        }
    }

    pub(super) fn links(&self) -> &Arc<[Link]> {
        match &self.kept {
            Some(kept) => &kept.links,
            None => &self.links,
        }
    }

    pub(super) fn findings(&self) -> &Findings {
        match &self.kept {
            Some(kept) => &kept.findings,
            None => &self.diagnostics,
        }
    }

    /// What could not be known: nothing of what rests.
    pub(super) fn unresolved(&self) -> &[(Option<Place>, String)] {
        match &self.kept {
            Some(_) => &[],
            None => &self.unresolved,
        }
    }

    pub(super) fn has_hint_search(&self) -> bool {
        self.kept.is_none() && self.hints.is_some()
    }

    pub(super) fn units(&self) -> Cow<'_, [Declared]> {
        match &self.kept {
            Some(kept) => Cow::Borrowed(&kept.units),
            None => Cow::Owned(declared(self)),
        }
    }
}

/// The units of all variants, each once.
fn declared(resolution: &Resolution) -> Vec<Declared> {
    let units = || {
        resolution
            .variants
            .iter()
            .flat_map(|v| &v.units)
            .map(Declared::new)
    };
    if let [_] = resolution.variants.as_slice() {
        return units().collect();
    }
    let mut seen = FxHashSet::default();
    units().filter(|unit| seen.insert(unit.clone())).collect()
}

impl Deref for Made {
    type Target = Resolution;

    fn deref(&self) -> &Resolution {
        if let Some(whole) = self.whole.get() {
            return whole;
        }
        // Not inside of the lock: a pass may go on in other threads, which may come here as well.
        let made = match &self.kept {
            Some(kept) => kept.ground.resolve(kept.engine, &kept.seed),
            None => nothing(),
        };
        self.whole.get_or_init(|| made)
    }
}

fn nothing() -> Resolution {
    Resolution {
        members: Arc::default(),
        variants: Vec::new().into(),
        verdicts: Vec::new(),
        diagnostics: Findings::default(),
        links: Arc::default(),
        symbols: Lazy::from(Vec::new()),
        unresolved: Vec::new(),
        engine_version: String::new(),
        state: None,
        hints: None,
    }
}

#[cfg(test)]
mod tests;
