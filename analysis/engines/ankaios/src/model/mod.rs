//! Workloads, names and references of a project, with its templates rendered.

mod change;
mod piece;
mod render;
pub(crate) mod snapshot;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::UnitIx;
use applyorder_core::layer::{Pass, Sym};
use applyorder_core::store::Shape;
use rustc_hash::FxHashMap;

pub(crate) use change::Change;
pub(crate) use render::{Lookup, Outcome, RenderFault, RenderFaultKind, Rendered};

use crate::load::{Loaded, Role};
use crate::read::{AnkaiosFacts, Manifest, Workload};
use piece::Piece;
pub(crate) use piece::{Need, Public, Stated};
use render::Configs;
use snapshot::Snapshot;

/// A manifest of a project.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) file: FileId,
    pub(crate) shape: Shape,
    pub(crate) facts: Arc<AnkaiosFacts>,
    pub(crate) piece: Arc<Piece>,
    /// The first unit that it declares.
    pub(crate) first_unit: u32,
}

/// The inputs of a piece.
#[derive(PartialEq, Eq, Hash)]
struct PieceKey(FileId, Shape);

impl Source {
    pub(crate) fn manifest(&self) -> &Manifest {
        &self.facts.manifest
    }
}

/// A workload as a unit: the first of its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitOf {
    pub(crate) source: u32,
    pub(crate) workload: u32,
}

/// The agents of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Agents {
    /// The one in its manifest, with templates rendered.
    pub(crate) own: Rendered,
    /// The one it is scheduled to: that of `--agent`, or its own.
    pub(crate) given: Rendered,
}

/// Why a workload cannot start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// It has no agent.
    Unscheduled,
    /// It waits for a name that no workload has: the index of the dependency.
    Dangling(u32),
    /// It waits for a workload that cannot start: the index of the dependency.
    Behind(u32),
}

/// See the module.
pub struct Model {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) sources: Vec<Source>,
    pub(crate) units: Vec<UnitOf>,
    by_name: OnceLock<FxHashMap<Arc<str>, UnitIx>>,
    /// By name as a number: the unit with that name.
    by_sym: Vec<Option<UnitIx>>,
    /// The agents of the units whose manifest alone does not determine them.
    agents: FxHashMap<u32, Agents>,
    /// Workloads whose name is already used: source and workload.
    pub(crate) repeated: Vec<(u32, u32)>,
    /// The first config with each name: source and config.
    pub(crate) configs: FxHashMap<Arc<str>, (u32, u32)>,
    /// By name as a number: the first config with that name.
    config_by_sym: Vec<Option<(u32, u32)>>,
    /// Configs whose name is already used.
    pub(crate) repeated_configs: Vec<(u32, u32)>,
    /// What the cluster already contains, if a snapshot of it is given.
    pub(crate) snapshot: Option<Snapshot>,
    /// The shape of the snapshot.
    pub(crate) snapshot_shape: Option<Shape>,
    /// Whether parts of some manifest could not be read: what is missing may be there.
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
        let unit = self.named(&own.name.value)?;
        let known = self.units.get(unit.0 as usize)?;
        (known.source == source && known.workload == workload).then_some(unit)
    }

    /// The unit with a name.
    pub(crate) fn named(&self, name: &str) -> Option<UnitIx> {
        let names = || {
            self.stated_units()
                .map(|(n, stated)| (stated.unit.name.clone(), n))
        };
        self.by_name.get_or_init(|| names().collect()).get(name).copied()
    }

    /// The unit with a name that some piece has.
    pub(crate) fn unit_of_sym(&self, name: Sym) -> Option<UnitIx> {
        self.by_sym.get(name.index()).copied().flatten()
    }

    /// The first config with a name that some piece has.
    pub(crate) fn config_of_sym(&self, name: Sym) -> Option<(u32, u32)> {
        self.config_by_sym.get(name.index()).copied().flatten()
    }

    /// A unit as it is written.
    pub(crate) fn stated(&self, unit: UnitIx) -> Option<&Stated> {
        self.stated_of(*self.units.get(unit.0 as usize)?)
    }

    fn stated_of(&self, unit: UnitOf) -> Option<&Stated> {
        self.source(unit.source)?
            .piece
            .workloads
            .get(unit.workload as usize)
    }

    /// The units as they are written.
    pub(crate) fn stated_units(&self) -> impl Iterator<Item = (UnitIx, &Stated)> {
        let units = (0u32..).zip(&self.units);
        units.filter_map(|(n, unit)| Some((UnitIx(n), self.stated_of(*unit)?)))
    }

    /// The name of a unit.
    pub(crate) fn name(&self, unit: UnitIx) -> Option<&Arc<str>> {
        Some(&self.stated(unit)?.unit.name)
    }

    /// The agents of a unit.
    pub(crate) fn agents(&self, unit: UnitIx) -> Agents {
        let plain = || self.stated(unit)?.own_agent.clone();
        self.agents.get(&unit.0).cloned().unwrap_or_else(|| {
            let own = plain().unwrap_or(Rendered::Unknown);
            Agents {
                given: own.clone(),
                own,
            }
        })
    }

    /// The same if its manifest alone does not determine them.
    pub(crate) fn agents_by_others(&self, unit: UnitIx) -> Option<&Agents> {
        self.agents.get(&unit.0)
    }

    /// Whether no agent runs a unit.
    pub(crate) fn is_unscheduled(&self, unit: UnitIx, stated: &Stated) -> bool {
        let is_none = |agent: &Rendered| matches!(agent, Rendered::Text(text) if text.is_empty());
        match self.agents.get(&unit.0).filter(|_| !self.agents.is_empty()) {
            Some(agents) => is_none(&agents.given),
            None => stated.own_agent.as_ref().is_some_and(is_none),
        }
    }

    /// The units that a source declares.
    pub(crate) fn units_of(&self, source: u32) -> Range<u32> {
        let first = |source: u32| self.source(source).map(|s| s.first_unit);
        let all = u32::try_from(self.units.len()).unwrap_or(u32::MAX);
        first(source).unwrap_or(all)..first(source + 1).unwrap_or(all)
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
    let pieces = pass.cx.memo().table::<PieceKey, Piece>();
    let sources: Vec<Source> = loaded
        .inputs
        .iter()
        .filter(|input| input.failure.is_none())
        .filter_map(|input| {
            let read = pass.cx.read::<AnkaiosFacts>(input.file).ok()?;
            let key = PieceKey(read.file, read.shape);
            Some(Source {
                piece: pieces.get(key, || Piece::new(pass, read.file, &read.facts.manifest)),
                file: read.file,
                shape: read.shape,
                facts: read.facts,
                first_unit: 0,
            })
        })
        .collect();
    let state = loaded.state.as_ref();
    let state = state.and_then(|input| pass.cx.read::<AnkaiosFacts>(input.file).ok());
    let names = pass.cx.memo().names().len();
    let mut model = Model {
        loaded: loaded.clone(),
        is_broken: sources.iter().any(|s| s.manifest().is_broken),
        sources,
        units: Vec::new(),
        by_name: OnceLock::new(),
        by_sym: vec![None; names],
        config_by_sym: vec![None; names],
        agents: FxHashMap::default(),
        repeated: Vec::new(),
        configs: FxHashMap::default(),
        repeated_configs: Vec::new(),
        snapshot_shape: state.as_ref().map(|read| read.shape),
        snapshot: state.and_then(|read| Snapshot::new(read.facts)),
    };
    for (number, source) in (0u32..).zip(&mut model.sources) {
        source.first_unit = u32::try_from(model.units.len()).unwrap_or(u32::MAX);
        for (at, (sym, name)) in (0u32..).zip(&source.piece.configs) {
            let slot = model.config_by_sym.get_mut(sym.index());
            if let Some(slot @ None) = slot {
                *slot = Some((number, at));
                model.configs.insert(name.clone(), (number, at));
            } else {
                model.repeated_configs.push((number, at));
            }
        }
        for (at, stated) in (0u32..).zip(&source.piece.workloads) {
            let slot = model.by_sym.get_mut(stated.name.index());
            if let Some(slot @ None) = slot {
                *slot = Some(UnitIx(u32::try_from(model.units.len()).unwrap_or(u32::MAX)));
                model.units.push(UnitOf {
                    source: number,
                    workload: at,
                });
            } else {
                model.repeated.push((number, at));
            }
        }
    }
    let is_given = model.loaded.agent.is_some();
    let needs_more = |stated: &Stated| stated.own_agent.is_none() || stated.loses_configs || is_given;
    let several = model.stated_units().filter(|(_, stated)| needs_more(stated));
    model.agents = several
        .filter_map(|(unit, stated)| Some((unit.0, agents(&model, unit, stated)?)))
        .collect();
    model
}

/// The agents of a workload if its manifest alone does not determine them.
fn agents(model: &Model, unit: UnitIx, stated: &Stated) -> Option<Agents> {
    let (_, workload) = model.workload(unit)?;
    let plain = |text: &Option<Arc<str>>| text.clone().map_or(Rendered::Unknown, Rendered::Text);
    let own = match (&stated.own_agent, &workload.agent) {
        (Some(own), _) => own.clone(),
        (None, Some(agent)) => model
            .lookup()
            .render(workload, &agent.text.value, &agent.template),
        (None, None) => plain(&stated.agent),
    };
    let given = match &model.loaded.agent {
        // A template without configs keeps its braces.
        Some(given) if stated.loses_configs => Rendered::Text((*given.text).into()),
        None if stated.loses_configs => plain(&stated.agent),
        Some(given) => model.lookup().render(workload, &given.text, &given.template),
        None => own.clone(),
    };
    Some(Agents { own, given })
}
