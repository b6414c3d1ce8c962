//! The flags of the commands that answer a question about an order.

use camino::Utf8PathBuf;
use clap::{Args, ValueHint};

use super::selection::RunArgs;
use super::values::{
    AnswerFormat, DepsFormat, DiffFormat, EdgesArg, GraphFormat, OperationArg, OrderFormat, To,
};

/// `order`
#[derive(Clone, Debug, Default, Args)]
pub struct OrderArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Treat files changed since a git revision as changed, uncommitted and untracked ones too
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated [default: human on a terminal, else table]
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<OrderFormat>::parser())]
    pub format: Vec<To<OrderFormat>>,
    /// Separate names by NUL
    #[arg(short = '0', long = "null")]
    pub null: bool,
    /// Which edges to show: relations of groups as one each (in JSON), or every edge of two units
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pub edges: EdgesArg,
}

/// `graph`
#[derive(Clone, Debug, Default, Args)]
pub struct GraphArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Treat files changed since a git revision as changed, uncommitted and untracked ones too
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Only this unit, and what runs before and after it
    #[arg(long, value_name = "UNIT")]
    pub focus: Option<String>,
    /// With --focus: maximum distance
    #[arg(long, value_name = "N", requires = "focus", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Output format, optionally to a file; may be repeated [default: what --output is named, else mermaid]
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<GraphFormat>::parser())]
    pub format: Vec<To<GraphFormat>>,
    /// File to write to
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<Utf8PathBuf>,
    /// Where a place opens: a URL with {path}, {line} and {column}, or off [default: the forge in CI, else VS Code from HTML]
    #[arg(long, value_name = "URL")]
    pub source_url: Option<String>,
}

/// `simulate`
#[derive(Clone, Debug, Default, Args)]
pub struct SimulateArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Treat files changed since a git revision as changed, uncommitted and untracked ones too
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// Treat these units as failed in the previous run
    #[arg(long, value_name = "UNITS", value_delimiter = ',')]
    pub failed: Vec<String>,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated [default: human on a terminal, else table]
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<OrderFormat>::parser())]
    pub format: Vec<To<OrderFormat>>,
}

/// `check`
#[derive(Clone, Debug, Default, Args)]
pub struct ExpectArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<AnswerFormat>::parser(), default_value = "human")]
    pub format: Vec<To<AnswerFormat>>,
}

/// `why`
#[derive(Clone, Debug, Default, Args)]
pub struct WhyArgs {
    /// A unit
    #[arg(value_name = "A", required_unless_present = "selected")]
    pub from: Option<String>,
    /// Another unit
    #[arg(value_name = "B", required_unless_present = "selected")]
    pub to: Option<String>,
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Instead: why this unit is part of the run that the options describe, or is not
    #[arg(long, value_name = "UNIT")]
    pub selected: Option<String>,
    /// Treat files changed since a git revision as changed, uncommitted and untracked ones too
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<AnswerFormat>::parser(), default_value = "human")]
    pub format: Vec<To<AnswerFormat>>,
}

/// `deps`
#[derive(Clone, Debug, Default, Args)]
pub struct DepsArgs {
    /// The unit
    #[arg(value_name = "UNIT")]
    pub unit: String,
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Show dependents instead of dependencies
    #[arg(long)]
    pub reverse: bool,
    /// Maximum distance
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<DepsFormat>::parser(), default_value = "tree")]
    pub format: Vec<To<DepsFormat>>,
}

/// `diff`
#[derive(Clone, Debug, Default, Args)]
pub struct DiffArgs {
    /// What to compare with: the commit that REV and HEAD have in common. REV..REV2 compares exactly these two
    #[arg(value_name = "REV|REV..REV2")]
    pub revision: String,
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// The operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<DiffFormat>::parser(), default_value = "human")]
    pub format: Vec<To<DiffFormat>>,
    /// Exit 1 when something differs
    #[arg(long)]
    pub exit_code: bool,
    /// Where places in Markdown lead: an address with {commit}, {path} and {line}
    #[arg(long, value_name = "TEMPLATE")]
    pub source_url: Option<String>,
}
