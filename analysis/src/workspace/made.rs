//! An engine's result for a project, and the part of it that is kept for inactive projects.
//!
//! In a workspace with many projects most are never looked at individually. What is needed of all of them is
//! kept: findings, files, links and the names of units. The rest (graphs, orders, what the engine's editor
//! functions look at) is recomputed from the files as they were, on demand.

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

/// The maximum number of files of a project that rests: recomputing it takes a few milliseconds.
const MOST_FILES: usize = 256;

/// An engine's result for a project: its complete [`Resolution`], recomputed if only a part was kept.
pub struct Made {
    whole: OnceLock<Resolution>,
    kept: Option<Box<Kept>>,
}

/// The kept part of a project that rests.
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
    /// The location of its name, else of its declaration.
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

/// The inputs of a pass. Texts that changed since are kept as they were.
pub(super) struct PassGround {
    pub(super) store: Arc<Store>,
    pub(super) files: Overlay,
    pub(super) configs: Arc<Configs>,
    pub(super) options: Arc<RunOptions>,
    pub(super) unwanted: Arc<[&'static Rule]>,
    pub(super) names: SharedNames,
}

impl PassGround {
    /// The context with which an engine resolves a project again.
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
    /// An engine's result, kept as a whole.
    pub(super) fn whole(resolution: Resolution) -> Self {
        Self {
            whole: resolution.into(),
            kept: None,
        }
    }

    /// The result for a project without a pass yet.
    pub(super) const fn nothing() -> Self {
        Self {
            whole: OnceLock::new(),
            kept: None,
        }
    }

    /// Keeps a part of an engine's result, if the rest is quickly recomputed and no search is pending in it.
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

    /// Whether only a part of it is kept.
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

    /// What could not be known: empty for a project that rests.
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
        // Not inside the lock: a pass may continue in other threads, which may come here as well.
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
