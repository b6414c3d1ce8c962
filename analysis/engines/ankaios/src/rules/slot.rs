//! One manifest among those of its project: what the checks of how its workloads relate may see, and what that is made
//! from.

use std::sync::Arc;

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Dependency, Unit, UnitIx};
use applyorder_core::layer::{Fingerprint, Mix, Scopes, Sym};

use super::InProject;
use crate::load::{GivenAgent, Role};
use crate::model::{Block, Lookup, Public, Source, UnitOf};
use crate::read::{Condition, ConfigUse, Workload};

/// Checks of one manifest among others.
pub(crate) struct Among;

impl Scopes for Among {
    type Source<'a> = Slot<'a>;
    type Project<'a> = ();
}

/// What the checks of one manifest may see of a unit, wherever that is declared.
struct Shown {
    name: Sym,
    file: FileId,
    seen: Fingerprint,
    is_unscheduled: bool,
    /// Whether its manifest can be read.
    is_readable: bool,
}

/// What the checks of one manifest may see of each unit of the project.
pub(super) struct Others(Vec<Shown>);

impl Others {
    pub(super) fn of(project: &InProject<'_>) -> Self {
        let model = project.model;
        let mut all = Vec::with_capacity(model.units.len());
        for (of, blocked) in model.units.iter().zip(&project.related.blocked) {
            let Some((source, stated)) = model.source(of.source).zip(model.stated(of)) else {
                break;
            };
            all.push(Shown {
                name: stated.name,
                file: source.file,
                seen: stated.seen,
                is_unscheduled: *blocked == Some(Block::Unscheduled),
                is_readable: !source.manifest().is_broken,
            });
        }
        Self(all)
    }

    fn get(&self, unit: UnitIx) -> Option<&Shown> {
        self.0.get(unit.0 as usize)
    }
}

/// One manifest among others. What it shows of them is in its fingerprint.
pub(crate) struct Slot<'a> {
    project: &'a InProject<'a>,
    others: &'a Others,
    number: u32,
    source: &'a Source,
}

impl<'a> Slot<'a> {
    pub(super) fn new(
        project: &'a InProject<'a>,
        others: &'a Others,
        number: u32,
        source: &'a Source,
    ) -> Self {
        Self {
            project,
            others,
            number,
            source,
        }
    }

    /// Of all that the checks may see.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        let model = self.project.model;
        let mut mix = Mix::default();
        mix.add(&(self.source.file, self.source.shape, self.role()));
        mix.add(&(self.is_broken(), model.snapshot_shape));
        mix.add(&self.given_agent().map(|given| &given.text));
        for (unit, _) in self.units() {
            let own = self.unit_of(unit);
            mix.add(&own.map(|own| own.workload));
            for (_, written) in self.dependencies(unit) {
                let target = written.targets.first();
                let shown = target.and_then(|target| Some((*target == unit, self.others.get(*target)?)));
                mix.add(&shown.map(|(is_own, t)| (is_own, t.is_readable, t.is_unscheduled, t.file, t.seen)));
            }
            for (by, place) in self.gates(unit) {
                mix.add(&(by == unit, self.others.get(by).map(|by| by.name), place));
            }
            if let Some(own) = own.filter(|own| model.stated(own).is_some_and(|s| s.uses_configs)) {
                mix.add(&(&own.own_agent, &own.agent));
            }
        }
        for used in self.used_configs() {
            let config = model.configs.get(&*used.config.value);
            let place = config.and_then(|(source, number)| Some((model.source(*source)?, number)));
            mix.add(&place.map(|(source, number)| (source.file, source.shape, number)));
        }
        mix.finish()
    }

    /// The configs that workloads use here.
    fn used_configs(&self) -> impl Iterator<Item = &'a ConfigUse> {
        let workloads = self.workloads().iter().filter(|_| self.source.piece.uses_configs);
        workloads.flat_map(|workload| &workload.configs)
    }

    pub(super) fn role(&self) -> Role {
        self.project.role()
    }

    /// Whether findings that rest on what several workloads say belong to this project, and this manifest can be read.
    pub(super) fn concludes(&self) -> bool {
        self.role().applies() && !self.source.manifest().is_broken
    }

    /// Whether it is not known what is written here, or in the configs that are used here.
    pub(super) fn is_broken(&self) -> bool {
        let model = self.project.model;
        let configs = self
            .used_configs()
            .filter_map(|used| model.configs.get(&*used.config.value));
        let mut sources = configs.filter_map(|(source, _)| model.source(*source));
        self.source.manifest().is_broken || sources.any(|source| source.manifest().is_broken)
    }

    /// Whether the manifest of a unit can be read.
    fn is_readable(&self, unit: UnitIx) -> bool {
        self.others.get(unit).is_some_and(|shown| shown.is_readable)
    }

    /// What `--agent` says.
    pub(super) fn given_agent(&self) -> Option<&'a GivenAgent> {
        self.project.model.loaded.agent.as_ref()
    }

    pub(super) fn is_wanted(&self, rule: &'static applyorder_core::diagnostic::Rule) -> bool {
        self.project.pass.cx.is_wanted(rule)
    }

    /// All workloads that are written here, whether or not another one has the name already.
    pub(super) fn workloads(&self) -> &'a [Workload] {
        &self.source.manifest().workloads
    }

    /// The units that are declared here.
    pub(super) fn units(&self) -> impl Iterator<Item = (UnitIx, &'a Unit)> {
        let all = &self.project.related.variant.units;
        let own = self.project.model.units_of(self.number);
        own.filter_map(|n| Some((UnitIx(n), all.get(n as usize)?)))
    }

    /// The agents of a unit that is declared here.
    pub(super) fn unit_of(&self, unit: UnitIx) -> Option<&'a UnitOf> {
        self.project.model.units.get(unit.0 as usize)
    }

    /// The dependencies of a unit that is declared here, with their conditions.
    pub(super) fn dependencies(
        &self,
        unit: UnitIx,
    ) -> impl Iterator<Item = (Option<Condition>, &'a Dependency)> {
        let related = self.project.related;
        let all = related.dependencies(unit);
        all.map(|(number, written)| (related.condition(number), written))
    }

    /// The workload of a unit that is declared here.
    pub(super) fn own(&self, unit: UnitIx) -> Option<&'a Workload> {
        let of = self.unit_of(unit).filter(|of| of.source == self.number)?;
        self.workloads().get(of.workload as usize)
    }

    /// What is to be seen of a unit that one of those declared here waits for, where it can be read.
    pub(super) fn public(&self, unit: UnitIx) -> Option<&'a Public> {
        let of = self.project.model.units.get(unit.0 as usize)?;
        let stated = self.project.model.stated(of)?;
        self.is_readable(unit).then_some(&stated.public)
    }

    /// The name of a unit that is declared here, that one of those waits for, or that holds back one of those.
    pub(super) fn name(&self, unit: UnitIx) -> &'a Arc<str> {
        static NONE: std::sync::LazyLock<Arc<str>> = std::sync::LazyLock::new(Arc::default);
        let all = &self.project.related.variant.units;
        all.get(unit.0 as usize).map_or(&NONE, |u| &u.name)
    }

    /// Whether a unit that one of those declared here waits for has no agent.
    pub(super) fn is_unscheduled(&self, unit: UnitIx) -> bool {
        self.others.get(unit).is_some_and(|shown| shown.is_unscheduled)
    }

    /// The workloads that hold back the update and removal of one that is declared here, where they can be read.
    pub(super) fn gates(&self, unit: UnitIx) -> impl Iterator<Item = (UnitIx, Place)> {
        let gates = self.project.related.gates(unit);
        gates.filter(|(by, _)| self.is_readable(*by))
    }

    /// What the variables of a workload that is declared here stand for.
    pub(super) fn lookup(&self) -> Lookup<'a> {
        self.project.model.lookup()
    }

    /// Whether a config that a workload declared here uses is in one of the files.
    pub(super) fn has_config(&self, name: &str) -> bool {
        self.project.model.configs.contains_key(name)
    }

    /// A place in this manifest.
    pub(super) fn place(&self, index: u32) -> Place {
        self.project.place(self.number, index)
    }

    /// A place in the manifest of a unit.
    pub(super) fn place_of(&self, unit: UnitIx, index: u32) -> Place {
        self.project.place_of(unit, index)
    }
}
