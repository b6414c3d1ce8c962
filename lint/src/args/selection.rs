//! Which files a command reads, and which run of an engine it is about.

use applyorder_analysis::engine::RunOption;
use camino::Utf8PathBuf;
use clap::{Args, ValueHint};

use super::run::ENGINE_OPTIONS;

/// The heading of the flags that select files.
const CHOOSING: &str = "Choosing files";

/// Which files are looked at, and which run of the engine is asked about.
#[derive(Clone, Debug, Default, Args)]
pub struct RunArgs {
    /// Directories (the projects below them), files (the projects they belong to), or - for standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<Utf8PathBuf>,
    /// Patterns, as in a .gitignore, to exclude from discovery and findings, in addition to those of the configuration
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',', help_heading = CHOOSING)]
    pub exclude: Vec<String>,
    /// Apply exclusions even to files named as a PATH
    #[arg(long, help_heading = CHOOSING)]
    pub force_exclude: bool,
    /// Whether everything is looked at, whatever is excluded.
    #[arg(skip)]
    pub exclude_nothing: bool,
    /// What the run is limited to.
    #[command(flatten)]
    pub selection: SelectionArgs,
}

/// What a run is limited to and run with.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = ENGINE_OPTIONS)]
pub struct SelectionArgs {
    /// Only use this engine
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<String>,
    /// Path of standard input
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub stdin_filename: Option<Utf8PathBuf>,
    /// Run the render commands of the configuration
    #[arg(long)]
    pub render: bool,
    /// The options that the engines have, each with its values.
    #[arg(skip)]
    pub options: Vec<(&'static RunOption, Vec<String>)>,
    /// Those of them that the environment gives, so that they count only where an engine has them.
    #[arg(skip)]
    pub lenient: Vec<&'static str>,
}

impl SelectionArgs {
    /// Whether an option is given.
    #[must_use]
    pub fn has(&self, option: &RunOption) -> bool {
        self.options.iter().any(|(given, _)| given.name == option.name)
    }
}
