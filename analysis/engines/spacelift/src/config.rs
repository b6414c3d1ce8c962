//! `[spacelift]` of `applyorder.toml`, and the options that only Spacelift has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use applyorder_core::config::Section;
use applyorder_core::engine::{RunOption, Takes};

/// How the configuration names it.
pub(crate) static SECTION: Section = Section::of::<SpaceliftConfig>("spacelift");

/// `--var`
pub(crate) static VAR: RunOption = RunOption::own(
    "var",
    Takes::Pairs,
    "NAME=VALUE",
    "Value of a variable of the root module",
);

/// `--var-file`
pub(crate) static VAR_FILE: RunOption = RunOption::own(
    "var-file",
    Takes::Files,
    "FILE",
    "File of values for variables of the root module",
)
.with_setting("varFiles");

/// `--unchanged-output`
pub(crate) static UNCHANGED_OUTPUT: RunOption = RunOption::own(
    "unchanged-output",
    Takes::Many,
    "STACK.OUTPUT",
    "Treat this output of a stack as unchanged",
);

/// The flavor that the program of a command line has. No flag of ours: the configuration says it otherwise.
pub(crate) static FLAVOR: RunOption = RunOption {
    flag: false,
    ..RunOption::own("flavor", Takes::One, "FLAVOR", "Flavor of the files")
};

/// What the environment of a command line gives variables of the root module. No flag of ours: an editor has another
/// environment.
pub(crate) static ENVIRONMENT: RunOption = RunOption {
    flag: false,
    ..RunOption::own(
        "environment",
        Takes::Pairs,
        "NAME=VALUE",
        "Variables by the environment",
    )
};

/// Where a command line has its installed modules.
pub(crate) static DATA_DIR: RunOption = RunOption {
    flag: false,
    ..RunOption::own("data-dir", Takes::One, "DIR", "Directory of installed modules")
};

/// The workspace that the environment of a command line chooses.
pub(crate) static WORKSPACE: RunOption = RunOption {
    flag: false,
    ..RunOption::own("workspace", Takes::One, "NAME", "Chosen workspace")
};

/// Whose rules say which files of a directory count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Flavor {
    /// OpenTofu's where a directory has a file that only OpenTofu reads.
    #[default]
    Auto,
    /// Terraform's.
    Terraform,
    /// OpenTofu's.
    OpenTofu,
}

/// What reads the modules, and the values that it is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SpaceliftConfig {
    /// Whose rules say which files of a directory count.
    pub(crate) flavor: Flavor,
    /// Files of values for variables of the root module, as in `--var-file`.
    #[schemars(extend("x-path" = true))]
    pub(crate) var_files: Vec<String>,
}
