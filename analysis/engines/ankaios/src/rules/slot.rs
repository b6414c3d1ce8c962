//! One manifest among those of its project: what the checks of how its workloads relate may see, and what that is made
//! from.

use std::sync::Arc;

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Dependency, Unit, UnitIx};
use applyorder_core::layer::{Fingerprint, Mix, Scopes};
use applyorder_core::store::Shape;

use super::InProject;
use crate::load::{GivenAgent, Role};
use crate::model::{Block, Lookup, Source, UnitOf};
use crate::read::{Condition, Workload};

/// Checks of one manifest among others.
pub(crate) struct Among;

impl Scopes for Among {
    type Source<'a> = Slot<'a>;
    type Project<'a> = ();
}

/// One manifest among others. What it shows of them is in its fingerprint.
pub(crate) struct Slot<'a> {
    project: &'a InProject<'a>,
    number: u32,
    source: &'a Source,
}

/// Which workload of which manifest.
type Identity = (FileId, Shape, u32);

impl<'a> Slot<'a> {
    pub(super) fn new(project: &'a InProject<'a>, number: u32, source: &'a Source) -> Self {
        Self {
            project,
            number,
            source,
        }
    }

    fn identity(&self, unit: UnitIx) -> Option<Identity> {
        let unit = self.project.model.units.get(unit.0 as usize)?;
        let source = self.project.model.source(unit.source)?;
        Some((source.file, source.shape, unit.workload))
    }

    /// Of all that the checks may see.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        let model = self.project.model;
        let mut mix = Mix::default();
        mix.add(&(self.source.file, self.source.shape, self.role()));
        mix.add(&(self.concludes(), model.is_broken, model.snapshot_shape));
        mix.add(&self.given_agent().map(|given| &given.text));
        for (unit, _) in self.units() {
            mix.add(&self.identity(unit).map(|(.., workload)| workload));
            for (_, written) in self.dependencies(unit) {
                let target = written.targets.first();
                mix.add(&target.map(|t| (*t == unit, self.identity(*t), self.is_unscheduled(*t))));
            }
            for (by, _) in self.project.related.gates(unit) {
                mix.add(&(by == unit, self.identity(by)));
            }
            if let Some(own) = self.unit_of(unit)
                && self.workload(unit).is_some_and(|w| !w.configs.is_empty())
            {
                mix.add(&(&own.own_agent, &own.agent));
            }
        }
        for used in self.workloads().iter().flat_map(|workload| &workload.configs) {
            let config = model.configs.get(&*used.config.value);
            let place = config.and_then(|(source, number)| Some((model.source(*source)?, number)));
            mix.add(&place.map(|(source, number)| (source.file, source.shape, number)));
        }
        mix.finish()
    }

    pub(super) fn role(&self) -> Role {
        self.project.role()
    }

    /// Whether findings that rest on what several workloads say belong to this project.
    pub(super) fn concludes(&self) -> bool {
        self.project.concludes()
    }

    pub(super) fn is_broken(&self) -> bool {
        self.project.model.is_broken
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

    /// The workload of a unit that is declared here or that one of those waits for.
    pub(super) fn workload(&self, unit: UnitIx) -> Option<&'a Workload> {
        Some(self.project.model.workload(unit)?.1)
    }

    /// The name of a unit that is declared here, that one of those waits for, or that holds back one of those.
    pub(super) fn name(&self, unit: UnitIx) -> &'a Arc<str> {
        static NONE: std::sync::LazyLock<Arc<str>> = std::sync::LazyLock::new(Arc::default);
        let all = &self.project.related.variant.units;
        all.get(unit.0 as usize).map_or(&NONE, |u| &u.name)
    }

    /// Whether a unit that one of those declared here waits for has no agent.
    pub(super) fn is_unscheduled(&self, unit: UnitIx) -> bool {
        let block = self.project.related.blocked.get(unit.0 as usize);
        block.copied().flatten() == Some(Block::Unscheduled)
    }

    /// The workloads that hold back the update and removal of one that is declared here.
    pub(super) fn gates(&self, unit: UnitIx) -> Vec<(UnitIx, Place)> {
        self.project.related.gates(unit)
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
