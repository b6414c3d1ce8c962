//! Workloads, names and references of a project, its templates rendered.

mod change;
mod render;
pub(crate) mod snapshot;

use std::collections::hash_map::Entry;
use std::sync::Arc;

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::UnitIx;
use applyorder_core::layer::Pass;
use applyorder_core::store::Shape;
use rustc_hash::FxHashMap;

pub(crate) use change::Change;
pub(crate) use render::{Lookup, RenderFault, RenderFaultKind, Rendered};

use crate::load::{Loaded, Role};
use crate::read::{AnkaiosFacts, Manifest, Workload};
use render::Configs;
use snapshot::Snapshot;

/// A manifest of a project.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) file: FileId,
    pub(crate) shape: Shape,
    pub(crate) facts: Arc<AnkaiosFacts>,
}

impl Source {
    pub(crate) fn manifest(&self) -> &Manifest {
        &self.facts.manifest
    }
}

/// A workload as a unit: the first of its name.
#[derive(Clone, Debug)]
pub(crate) struct UnitOf {
    pub(crate) name: Arc<str>,
    pub(crate) source: u32,
    pub(crate) workload: u32,
    /// The agent that its manifest says, templates rendered.
    pub(crate) own_agent: Rendered,
    /// The agent it is scheduled to: that of `--agent`, or its own.
    pub(crate) agent: Rendered,
}

/// Why a workload cannot start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// It has no agent.
    Unscheduled,
    /// It waits for a name that no workload has: the number of the dependency.
    Dangling(u32),
    /// It waits for a workload that cannot start: the number of the dependency.
    Behind(u32),
}

/// See the module.
pub struct Model {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) sources: Vec<Source>,
    pub(crate) units: Vec<UnitOf>,
    pub(crate) by_name: FxHashMap<Arc<str>, UnitIx>,
    /// Workloads whose name another one has already: source and workload.
    pub(crate) repeated: Vec<(u32, u32)>,
    /// The first config of each name: source and config.
    pub(crate) configs: FxHashMap<Arc<str>, (u32, u32)>,
    /// Configs whose name another one has already.
    pub(crate) repeated_configs: Vec<(u32, u32)>,
    /// What the cluster has already, where a snapshot of it is given.
    pub(crate) snapshot: Option<Snapshot>,
    /// Whether parts of some manifest could not be read: what is absent may be there.
    pub(crate) is_broken: bool,
}

impl Model {
    pub(crate) fn role(&self) -> Role {
        self.loaded.role
    }

    pub(crate) fn source(&self, number: u32) -> Option<&Source> {
        self.sources.get(number as usize)
    }

    /// The workload of a unit, with its source.
    pub(crate) fn workload(&self, unit: UnitIx) -> Option<(&Source, &Workload)> {
        let unit = self.units.get(unit.0 as usize)?;
        let source = self.source(unit.source)?;
        Some((source, source.manifest().workloads.get(unit.workload as usize)?))
    }

    /// The unit that a workload of a source is.
    pub(crate) fn unit_of(&self, source: u32, workload: u32) -> Option<UnitIx> {
        let own = self.source(source)?.manifest().workloads.get(workload as usize)?;
        let unit = *self.by_name.get(&*own.name.value)?;
        let known = self.units.get(unit.0 as usize)?;
        (known.source == source && known.workload == workload).then_some(unit)
    }

    /// Whether nothing at all would be updated by `ank apply`.
    pub(crate) fn updates_nothing(&self) -> bool {
        self.sources.iter().all(|s| s.manifest().updates.is_empty())
    }

    pub(crate) fn lookup(&self) -> Lookup<'_> {
        Lookup {
            configs: Configs::after(self),
        }
    }

    /// A place of a source.
    pub(crate) fn place(&self, pass: &Pass<'_>, source: u32, index: u32) -> Place {
        match self.source(source) {
            Some(source) => pass.cx.place(source.file, index),
            None => Place::file(FileId(0)),
        }
    }
}

pub(crate) fn model(pass: &Pass<'_>, loaded: &Arc<Loaded>) -> Model {
    let sources: Vec<Source> = loaded
        .inputs
        .iter()
        .filter(|input| input.failure.is_none())
        .filter_map(|input| {
            let read = pass.cx.read::<AnkaiosFacts>(input.file).ok()?;
            Some(Source {
                file: read.file,
                shape: read.shape,
                facts: read.facts,
            })
        })
        .collect();
    let snapshot = loaded.state.as_ref().and_then(|input| {
        let read = pass.cx.read::<AnkaiosFacts>(input.file).ok()?;
        Snapshot::new(read.facts)
    });
    let mut model = Model {
        loaded: loaded.clone(),
        is_broken: sources.iter().any(|s| s.manifest().is_broken),
        sources,
        units: Vec::new(),
        by_name: FxHashMap::default(),
        repeated: Vec::new(),
        configs: FxHashMap::default(),
        repeated_configs: Vec::new(),
        snapshot,
    };
    for (number, source) in (0u32..).zip(&model.sources) {
        let manifest = source.manifest();
        for (at, config) in (0u32..).zip(&manifest.configs) {
            let name: Arc<str> = (*config.name.value).into();
            match model.configs.entry(name) {
                Entry::Occupied(_) => model.repeated_configs.push((number, at)),
                Entry::Vacant(free) => {
                    free.insert((number, at));
                }
            }
        }
        for (at, workload) in (0u32..).zip(&manifest.workloads) {
            if model.by_name.contains_key(&*workload.name.value) {
                model.repeated.push((number, at));
                continue;
            }
            let name: Arc<str> = (*workload.name.value).into();
            let unit = UnitIx(u32::try_from(model.units.len()).unwrap_or(u32::MAX));
            model.by_name.insert(name.clone(), unit);
            model.units.push(UnitOf {
                name,
                source: number,
                workload: at,
                own_agent: Rendered::Unknown,
                agent: Rendered::Unknown,
            });
        }
    }
    let agents: Vec<(Rendered, Rendered)> = model.units.iter().map(|u| agents(&model, u)).collect();
    for (unit, (own, agent)) in model.units.iter_mut().zip(agents) {
        unit.own_agent = own;
        unit.agent = agent;
    }
    model
}

/// The agent that a workload's manifest says, and the one that it gets.
fn agents(model: &Model, unit: &UnitOf) -> (Rendered, Rendered) {
    let workload = model
        .source(unit.source)
        .and_then(|s| s.manifest().workloads.get(unit.workload as usize));
    let Some(workload) = workload else {
        return (Rendered::Unknown, Rendered::Unknown);
    };
    let own = match &workload.agent {
        Some(agent) => model
            .lookup()
            .render(workload, &agent.text.value, &agent.template),
        None => Rendered::Unknown,
    };
    let given = model.loaded.agent.as_ref();
    let text = match (given, &workload.agent) {
        (Some(given), _) => Some((&given.text, &given.template)),
        (None, Some(own)) => Some((&own.text.value, &own.template)),
        (None, None) => None,
    };
    let agent = match text {
        // What uses no configs any more keeps its braces.
        Some((text, _)) if workload.loses("configs") => Rendered::Text((**text).into()),
        Some((text, template)) if given.is_some() => model.lookup().render(workload, text, template),
        _ => own.clone(),
    };
    (own, agent)
}
