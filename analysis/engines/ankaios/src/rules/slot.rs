//! One manifest among those of its project: what the checks of relations between its workloads may see, and its
//! inputs.

use std::sync::Arc;

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Unit, UnitIx};
use applyorder_core::layer::{Fingerprint, Mix, Scopes, Sym};

use super::InProject;
use crate::load::{GivenAgent, Role};
use crate::model::{Agents, Block, Lookup, Public, Source};
use crate::read::Workload;
use crate::relate::Wait;

/// Checks of one manifest among others.
pub(crate) struct Among;

impl Scopes for Among {
    type Source<'a> = Slot<'a>;
    type Project<'a> = ();
}

/// What the checks of one manifest may see of a unit, wherever it is declared.
struct Shown {
    name: Sym,
    file: FileId,
    seen: Fingerprint,
    is_unscheduled: bool,
    /// Whether its manifest can be read.
    is_readable: bool,
}

impl Shown {
    /// File and flags as one number; `is_own`: for the unit itself.
    fn bits(&self, is_own: bool) -> u64 {
        let flags = [is_own, self.is_unscheduled, self.is_readable];
        let flags = flags.iter().fold(1, |bits, flag| bits << 1 | u64::from(*flag));
        u64::from(self.file.0) << 32 | flags
    }
}

/// What the checks of one manifest may see of each unit of the project.
pub(super) struct Others(Vec<Shown>);

impl Others {
    pub(super) fn of(project: &InProject<'_>) -> Self {
        let model = project.model;
        let mut all = Vec::with_capacity(model.units.len());
        for (of, blocked) in model.units.iter().zip(&project.related.blocked) {
            let source = model.source(of.source);
            let stated = source.and_then(|source| source.piece.workloads.get(of.workload as usize));
            let Some((source, stated)) = source.zip(stated) else {
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

    /// The fingerprint of everything that the checks may see.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        let model = self.project.model;
        let mut mix = Mix::default();
        mix.add(&(self.source.file, self.source.shape, self.role()));
        mix.add(&(self.is_broken(), model.snapshot_shape));
        mix.add(&self.given_agent().map(|given| &given.text));
        for unit in model.units_of(self.number).map(UnitIx) {
            let own = model.units.get(unit.0 as usize);
            mix.add(&own.map_or(0, |own| u64::from(own.workload) + 1));
            for (_, wait) in self.waits(unit) {
                match wait
                    .target
                    .and_then(|target| Some((target, self.others.get(target)?)))
                {
                    Some((target, shown)) => {
                        mix.add(&shown.bits(target == unit));
                        mix.add(&shown.seen);
                    }
                    None => mix.add(&0u64),
                }
            }
            for (by, place) in self.gates(unit) {
                let name = self.others.get(by).map_or(0, |by| by.name.index() as u64 + 1);
                mix.add(&(name << 1 | u64::from(by == unit)));
                mix.add(&place);
            }
            let uses = || model.stated(unit).is_some_and(|stated| stated.uses_configs);
            if !self.source.piece.used.is_empty() && uses() {
                mix.add(&model.agents_by_others(unit));
            }
        }
        for used in &self.source.piece.used {
            let config = model.config_of_sym(*used);
            let place = config.and_then(|(source, number)| Some((model.source(source)?, number)));
            mix.add(&place.map(|(source, number)| (source.file, source.shape, number)));
        }
        mix.finish()
    }

    pub(super) fn role(&self) -> Role {
        self.project.role()
    }

    /// Whether findings that depend on several workloads belong to this project, and this manifest can be read.
    pub(super) fn concludes(&self) -> bool {
        self.role().applies() && !self.source.manifest().is_broken
    }

    /// Whether it is unknown what is written here, or in the configs that are used here.
    pub(super) fn is_broken(&self) -> bool {
        let model = self.project.model;
        let used = self.source.piece.used.iter();
        let mut sources = used.filter_map(|name| model.source(model.config_of_sym(*name)?.0));
        self.source.manifest().is_broken || sources.any(|source| source.manifest().is_broken)
    }

    /// Whether the manifest of a unit can be read.
    fn is_readable(&self, unit: UnitIx) -> bool {
        self.others.get(unit).is_some_and(|shown| shown.is_readable)
    }

    /// The value of `--agent`.
    pub(super) fn given_agent(&self) -> Option<&'a GivenAgent> {
        self.project.model.loaded.agent.as_ref()
    }

    pub(super) fn is_wanted(&self, rule: &'static applyorder_core::diagnostic::Rule) -> bool {
        self.project.pass.cx.is_wanted(rule)
    }

    /// All workloads that are written here, whether or not their names are already used.
    pub(super) fn workloads(&self) -> &'a [Workload] {
        &self.source.manifest().workloads
    }

    /// The units that are declared here.
    pub(super) fn units(&self) -> impl Iterator<Item = (UnitIx, &'a Unit)> {
        let model = self.project.model;
        let own = model.units_of(self.number).map(UnitIx);
        own.filter_map(|unit| Some((unit, &model.stated(unit)?.unit)))
    }

    /// The agents of a unit that is declared here.
    pub(super) fn agents(&self, unit: UnitIx) -> Agents {
        self.project.model.agents(unit)
    }

    /// The dependencies of a unit that is declared here, by number.
    pub(super) fn waits(&self, unit: UnitIx) -> impl Iterator<Item = (u32, &'a Wait)> + use<'a> {
        let related = self.project.related;
        related.waits_of(unit)
    }

    /// The name in such a dependency.
    pub(super) fn text(&self, number: u32) -> &'a Arc<str> {
        self.project.related.text(number)
    }

    /// The workload of a unit that is declared here.
    pub(super) fn own(&self, unit: UnitIx) -> Option<&'a Workload> {
        let model = self.project.model;
        let of = model.units.get(unit.0 as usize);
        let of = of.filter(|of| of.source == self.number)?;
        self.workloads().get(of.workload as usize)
    }

    /// What is visible of a unit that one of those declared here waits for, if it can be read.
    pub(super) fn public(&self, unit: UnitIx) -> Option<&'a Public> {
        let stated = self.project.model.stated(unit)?;
        self.is_readable(unit).then_some(&stated.public)
    }

    /// The name of a unit that is declared here, that one of those waits for, or that blocks the removal of one
    /// of those.
    pub(super) fn name(&self, unit: UnitIx) -> &'a Arc<str> {
        static NONE: std::sync::LazyLock<Arc<str>> = std::sync::LazyLock::new(Arc::default);
        self.project.model.name(unit).unwrap_or(&NONE)
    }

    /// Whether a unit that one of those declared here waits for has no agent.
    pub(super) fn is_unscheduled(&self, unit: UnitIx) -> bool {
        self.others.get(unit).is_some_and(|shown| shown.is_unscheduled)
    }

    /// The workloads that block the update and removal of one that is declared here, if they can be read.
    pub(super) fn gates(&self, unit: UnitIx) -> impl Iterator<Item = (UnitIx, Place)> {
        let gates = self.project.related.gates(unit);
        gates.filter(|(by, _)| self.is_readable(*by))
    }

    /// The values of the variables of a workload that is declared here.
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
