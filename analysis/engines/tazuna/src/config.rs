//! `[tazuna]` of `applyorder.toml`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use applyorder_core::config::{EngineVersion, Section};

/// The name of the table.
pub(crate) static SECTION: Section = Section::of::<TazunaConfig>("tazuna");

/// Which Tazuna reads the files, and which of them are roots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TazunaConfig {
    /// Which generation of Tazuna's behavior: `G1` to `G5`, the newest without it.
    pub(crate) generation: Option<TazunaGeneration>,
    /// The version of Tazuna in use, for `spec.minimumSupportedTazunaVersion`.
    pub(crate) version: Option<EngineVersion>,
    /// Files that are roots although another file includes them, or whatever their name is.
    #[schemars(extend("x-path" = true))]
    pub(crate) roots: Vec<String>,
}

/// A generation of Tazuna's behavior.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub(crate) enum TazunaGeneration {
    G1,
    G2,
    G3,
    G4,
    #[default]
    G5,
}
