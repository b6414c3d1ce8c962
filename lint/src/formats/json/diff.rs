//! The schema of the answer of `diff`; the human-readable output is made from the same values.

use schemars::JsonSchema;
use serde::Serialize;

use super::model::{Kind, Place};

/// Output of `diff`.
#[derive(Serialize, JsonSchema)]
pub struct Diff {
    /// The version of this format: 1.
    pub version: u32,
    /// The old state.
    pub before: Revision,
    /// The new state.
    pub after: Revision,
    /// The operation whose order is compared.
    pub operation: &'static str,
    /// Whether anything below differs.
    pub changed: bool,
    /// The requested projects, including those that do not differ, by engine and root.
    pub projects: Vec<ProjectDiff>,
}

/// A state of the repository.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Revision {
    /// As given; `null` for the working tree.
    pub revision: Option<String>,
    /// The ID of the commit; for the working tree, that of `HEAD`.
    pub commit: Option<String>,
}

/// What differs in a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectDiff {
    /// The engine's ID.
    pub engine: &'static str,
    /// The key of the project, as written before a unit.
    pub key: String,
    /// The project's name, if the configuration gives one.
    pub name: Option<String>,
    /// The file or directory that is its root.
    pub root: String,
    /// The states that contain it.
    pub there: There,
    /// Whether anything below differs.
    pub changed: bool,
    /// The differences in the orders, by environments.
    pub runs: Vec<RunDiff>,
    /// Environments that exist only after.
    pub environments_added: Vec<Option<String>>,
    /// Environments that exist only before.
    pub environments_removed: Vec<Option<String>>,
    /// The verdicts that changed.
    pub verdicts: Vec<VerdictChange>,
    /// What cannot be known of the state before: gained pairs may have existed there.
    pub unknown_before: Vec<String>,
    /// What cannot be known of the state after: lost pairs may still exist there.
    pub unknown_after: Vec<String>,
    /// The engine's word for a unit, and for several.
    #[serde(skip)]
    #[schemars(skip)]
    pub words: [&'static str; 2],
}

/// The states that contain a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum There {
    /// Both before and after.
    Both,
    /// Only before.
    Before,
    /// Only after.
    After,
}

/// What differs in the order of a project.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct RunDiff {
    /// The environments with these differences; `null` is "none given".
    pub environments: Vec<Option<String>>,
    /// The size of the order before; `null` if it did not exist.
    pub before: Option<Extent>,
    /// The size of the order after; `null` if it does not exist.
    pub after: Option<Extent>,
    /// New cycles.
    pub cycles: Vec<CycleChange>,
    /// Cycles that no longer exist.
    pub cycles_gone: Vec<CycleChange>,
    /// Pairs that are no longer ordered, by any path.
    pub lost: Vec<WaitChange>,
    /// Pairs that are newly ordered and were not ordered by any path.
    pub gained: Vec<WaitChange>,
    /// Dependencies whose condition changed.
    pub conditions: Vec<ConditionChange>,
    /// Properties of the run that changed, in the engine's terms.
    pub properties: Vec<PropertyChange>,
    /// Units in another layer.
    pub moved: Vec<Moved>,
    /// Units at another position of the engine's own sequence, in the same layer: as few as explain the change.
    pub resequenced: Vec<String>,
    /// New units, with their layers.
    pub added: Vec<Placed>,
    /// Removed units, with their former layers.
    pub removed: Vec<Placed>,
    /// Units with the same declaration under another name.
    pub renamed: Vec<Renamed>,
    /// The longest chain, if its length changed.
    pub chain: Option<ChainChange>,
    /// How many units were not compared because a limit of applyorder was reached.
    pub uncompared: usize,
    /// Whether a layer starts only when the whole layer before it is done.
    #[serde(skip)]
    #[schemars(skip)]
    pub barrier: bool,
}

/// The size of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Extent {
    /// The number of units that the run includes.
    pub units: usize,
    /// The number of layers; `null` on a cycle, or if it cannot be known.
    pub layers: Option<usize>,
    /// The number of units in the largest layer.
    pub widest: Option<usize>,
}

/// A cycle.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CycleChange {
    /// The units, each waiting for the next, the last for the first.
    pub units: Vec<String>,
    /// Where the first unit waits for the second.
    pub place: Option<Place>,
}

/// A pair of units that is ordered in one state only.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WaitChange {
    /// The unit that waits.
    pub from: String,
    /// The unit that it waits for.
    pub to: String,
    /// The unit between them that exists in this state only.
    pub via: Option<String>,
    /// Explicit or implicit.
    pub kind: Kind,
    /// The cause, or the list or attribute that contains it.
    pub reason: Option<String>,
    /// Where it is written; for a lost pair, in the state before.
    pub place: Option<Place>,
    /// How the two relate in the other state.
    pub otherwise: Otherwise,
    /// The layers of `from` and `to` in the other state.
    pub layers: Option<[u32; 2]>,
    /// Whether nothing unknown in the other state could order them.
    pub certain: bool,
}

/// How two units relate if the first does not wait for the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Otherwise {
    /// Reversed: the second waits for the first.
    Reversed,
    /// In the same layer: they may run in parallel.
    Beside,
    /// The first is in an earlier layer than the second.
    Earlier,
    /// The first is in a later layer than the second, but does not wait for it.
    Later,
    /// The layers are unknown.
    Unknown,
}

/// A dependency with another condition.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ConditionChange {
    /// The unit that waits.
    pub from: String,
    /// The unit that it waits for.
    pub to: String,
    /// The condition before.
    pub before: Option<String>,
    /// The condition now.
    pub after: Option<String>,
    /// Where it is written now.
    pub place: Option<Place>,
}

/// A property of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PropertyChange {
    /// Its name, in the engine's terms.
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

/// A unit that exists in one state only.
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

/// A changed verdict of a command of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct VerdictChange {
    /// The command line.
    pub command: String,
    /// The environment; `null` if none is given.
    pub environment: Option<String>,
    /// Whether the engine accepted it; `null` if it cannot be known or the project did not exist.
    pub before: Option<bool>,
    /// Whether the engine accepts it; `null` if it cannot be known or the project does not exist.
    pub after: Option<bool>,
    /// The engine's first message, or why it cannot be known.
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
