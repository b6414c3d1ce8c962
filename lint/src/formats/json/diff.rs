//! The schema of the answer of `diff`; the human-readable output is made from the same values.

use schemars::JsonSchema;
use serde::Serialize;

use super::model::{Kind, Place};

/// The answer of `diff`.
#[derive(Serialize, JsonSchema)]
pub struct Diff {
    /// The version of the shape: 1.
    pub version: u32,
    /// What is compared.
    pub before: Revision,
    /// What it is compared with.
    pub after: Revision,
    /// The operation whose order is compared.
    pub operation: &'static str,
    /// Whether anything below differs.
    pub changed: bool,
    /// The projects that were asked about, those that differ and those that do not, by engine and root.
    pub projects: Vec<ProjectDiff>,
}

/// A state of the repository.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Revision {
    /// As it was asked for; `null` for the working tree.
    pub revision: Option<String>,
    /// The id of the commit that is read; of the working tree that of `HEAD`.
    pub commit: Option<String>,
}

/// What differs in a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectDiff {
    /// The engine's id.
    pub engine: &'static str,
    /// How the project is written before a unit.
    pub key: String,
    /// The project's name, where the configuration gives one.
    pub name: Option<String>,
    /// The file or directory that is its root.
    pub root: String,
    /// Whether it is there before and after.
    pub there: There,
    /// Whether anything below differs.
    pub changed: bool,
    /// The orders, by the environments that have them.
    pub runs: Vec<RunDiff>,
    /// Environments that are only there afterwards.
    pub environments_added: Vec<Option<String>>,
    /// Environments that are only there before.
    pub environments_removed: Vec<Option<String>>,
    /// What the engine's commands say otherwise than before.
    pub verdicts: Vec<VerdictChange>,
    /// What cannot be known before: what is said to be gained may have been there.
    pub unknown_before: Vec<String>,
    /// What cannot be known afterwards: what is said to be lost may still be there.
    pub unknown_after: Vec<String>,
    /// The engine's word for a unit, and for several.
    #[serde(skip)]
    #[schemars(skip)]
    pub words: [&'static str; 2],
}

/// Where a project is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum There {
    /// Before and after.
    Both,
    /// Only before.
    Before,
    /// Only after.
    After,
}

/// What differs in the order of a project.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct RunDiff {
    /// The environments it is so in; `null` is "none given".
    pub environments: Vec<Option<String>>,
    /// How much there was; `null` where there was nothing.
    pub before: Option<Extent>,
    /// How much there is; `null` where there is nothing.
    pub after: Option<Extent>,
    /// Cycles that were not there before.
    pub cycles: Vec<CycleChange>,
    /// Cycles that are not there any more.
    pub cycles_gone: Vec<CycleChange>,
    /// Who no longer waits: pairs that no other path orders.
    pub lost: Vec<WaitChange>,
    /// Who waits now: pairs that no other path ordered.
    pub gained: Vec<WaitChange>,
    /// Who waits for the same unit to come to something else.
    pub conditions: Vec<ConditionChange>,
    /// The engine's words for how it runs, where they changed.
    pub properties: Vec<PropertyChange>,
    /// Units in another layer.
    pub moved: Vec<Moved>,
    /// Units at another place of the engine's own sequence, in the same layer: as few as explain it.
    pub resequenced: Vec<String>,
    /// New units, with their layers.
    pub added: Vec<Placed>,
    /// Units that are gone, with the layers they were in.
    pub removed: Vec<Placed>,
    /// Units whose declaration is the same under another name.
    pub renamed: Vec<Renamed>,
    /// The longest chain, where it is longer or shorter.
    pub chain: Option<ChainChange>,
    /// How many units were not compared because a limit of applyorder was reached.
    pub uncompared: usize,
    /// Whether a layer starts only when the whole layer before it is done.
    #[serde(skip)]
    #[schemars(skip)]
    pub barrier: bool,
}

/// How much there is to order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Extent {
    /// The units that the run includes.
    pub units: usize,
    /// The layers; `null` on a cycle, or where they cannot be known.
    pub layers: Option<usize>,
    /// The units in the fullest layer.
    pub widest: Option<usize>,
}

/// A cycle.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CycleChange {
    /// The units, each waiting for the next, the last for the first.
    pub units: Vec<String>,
    /// Where the first waits for the second.
    pub place: Option<Place>,
}

/// A pair of units that is ordered on one side only.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WaitChange {
    /// The unit that waits.
    pub from: String,
    /// The unit that is awaited.
    pub to: String,
    /// What lies between and is there on this side only.
    pub via: Option<String>,
    /// Whether somebody wrote it.
    pub kind: Kind,
    /// Why, or the list or attribute it is written in.
    pub reason: Option<String>,
    /// Where it is written: of what is lost, in the state before.
    pub place: Option<Place>,
    /// How the two stand to each other on the other side.
    pub otherwise: Otherwise,
    /// The layers of `from` and `to` on the other side.
    pub layers: Option<[u32; 2]>,
    /// Whether nothing unknown on the other side could order them.
    pub certain: bool,
}

/// How two units stand to each other where the one does not wait for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Otherwise {
    /// The other way round: the second waits for the first.
    Reversed,
    /// In one layer: they may run at once.
    Beside,
    /// In an earlier layer than the second.
    Earlier,
    /// In a later layer than the second, which nothing but the layers keeps so.
    Later,
    /// There are no layers.
    Unknown,
}

/// A dependency with another condition.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ConditionChange {
    /// The unit that waits.
    pub from: String,
    /// The unit that is awaited.
    pub to: String,
    /// What it had to come to.
    pub before: Option<String>,
    /// What it has to come to.
    pub after: Option<String>,
    /// Where it is written now.
    pub place: Option<Place>,
}

/// A property of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PropertyChange {
    /// The engine's word.
    pub name: String,
    /// Its value before.
    pub before: Option<String>,
    /// Its value now.
    pub after: Option<String>,
}

/// A unit in another layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Moved {
    /// The unit.
    pub unit: String,
    /// Its layer before.
    pub before: u32,
    /// Its layer now.
    pub after: u32,
}

/// A unit that is there on one side only.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Placed {
    /// The unit.
    pub unit: String,
    /// Its layer.
    pub layer: Option<u32>,
    /// Its declaration.
    pub place: Place,
}

/// A unit with another name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Renamed {
    /// The name before.
    pub before: String,
    /// The name now.
    pub after: String,
}

/// The longest chain of units that wait for each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChainChange {
    /// The units before, the first one first.
    pub before: Vec<String>,
    /// The units now, the first one first.
    pub after: Vec<String>,
}

/// What a command of the engine says otherwise than before.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct VerdictChange {
    /// The command, as it is written in a terminal.
    pub command: String,
    /// The environment; `null` where none is given.
    pub environment: Option<String>,
    /// Whether the engine accepted it; `null` where that cannot be known, or there was no project.
    pub before: Option<bool>,
    /// Whether the engine accepts it; `null` where that cannot be known, or there is no project.
    pub after: Option<bool>,
    /// What the engine says first, or why it cannot be known.
    pub message: Option<String>,
}

impl RunDiff {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self {
            environments: _,
            before,
            after,
            cycles,
            cycles_gone,
            lost,
            gained,
            conditions,
            properties,
            moved,
            resequenced,
            added,
            removed,
            renamed,
            chain,
            uncompared,
            barrier: _,
        } = self;
        let layers = |extent: &Option<Extent>| extent.as_ref().map(|e| e.layers);
        cycles.is_empty()
            && cycles_gone.is_empty()
            && lost.is_empty()
            && gained.is_empty()
            && conditions.is_empty()
            && properties.is_empty()
            && moved.is_empty()
            && resequenced.is_empty()
            && added.is_empty()
            && removed.is_empty()
            && renamed.is_empty()
            && chain.is_none()
            && *uncompared == 0
            && layers(before) == layers(after)
    }
}
