//! `[terramate]` of `applyorder.toml`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use applyorder_core::config::{EngineVersion, Section};

/// How the configuration names it.
pub(crate) static SECTION: Section = Section::of::<TerramateConfig>("terramate");

/// Which Terramate reads the project, and where its root is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TerramateConfig {
    /// The version of Terramate in use.
    pub(crate) version: Option<EngineVersion>,
    /// The directory of this file is the root of a project, whatever git says: it is a repository of its
    /// own elsewhere.
    pub(crate) root: bool,
}
