//! `[ankaios]` of `applyorder.toml`, and the options that only Ankaios has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use applyorder_core::config::{EngineVersion, Named, Section, named_once};
use applyorder_core::engine::{RunOption, Takes};

/// The name of the table.
pub(crate) static SECTION: Section = Section::of::<AnkaiosConfig>("ankaios");

/// `--agent`
pub(crate) static AGENT: RunOption = RunOption::own(
    "agent",
    Takes::One,
    "NAME",
    "Agent that all workloads are assigned to",
)
.with_setting("agent");

/// Which Ankaios it is, and the manifests that are applied together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct AnkaiosConfig {
    /// The version of Ankaios in use.
    pub(crate) version: Option<EngineVersion>,
    /// The manifests that one `ank apply` is given.
    #[serde(deserialize_with = "named_once")]
    pub(crate) apply: Vec<AnkaiosApply>,
}

impl Named for AnkaiosApply {
    fn name(&self) -> &str {
        &self.name
    }
}

/// The manifests that one `ank apply` is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct AnkaiosApply {
    /// A name for reports.
    pub(crate) name: String,
    /// The manifests.
    #[schemars(extend("x-path" = true))]
    pub(crate) files: Vec<String>,
    /// The agent, as in `--agent`.
    pub(crate) agent: Option<String>,
}
