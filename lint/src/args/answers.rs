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
    /// Treat files changed since a git revision as changed, including uncommitted and untracked files
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// Operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated [default: human on a terminal, else table]
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<OrderFormat>::parser())]
    pub format: Vec<To<OrderFormat>>,
    /// Separate names by NUL
    #[arg(short = '0', long = "null")]
    pub null: bool,
    /// Edges to show: relations between groups as one entry each (in JSON), or every edge between two units
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pub edges: EdgesArg,
}

/// `graph`
#[derive(Clone, Debug, Default, Args)]
pub struct GraphArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Treat files changed since a git revision as changed, including uncommitted and untracked files
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// Operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Show only this unit and what runs before and after it
    #[arg(long, value_name = "UNIT")]
    pub focus: Option<String>,
    /// With --focus: maximum distance from the unit
    #[arg(long, value_name = "N", requires = "focus", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Output format, optionally to a file; may be repeated [default: from the extension of --output, else mermaid]
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<GraphFormat>::parser())]
    pub format: Vec<To<GraphFormat>>,
    /// File to write to
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<Utf8PathBuf>,
    /// Link target of places: a URL with {path}, {line} and {column}, or off [default: forge in CI, VS Code in HTML]
    #[arg(long, value_name = "URL")]
    pub source_url: Option<String>,
}

/// `simulate`
#[derive(Clone, Debug, Default, Args)]
pub struct SimulateArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Treat files changed since a git revision as changed, including uncommitted and untracked files
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// Treat these units as failed in the previous run
    #[arg(long, value_name = "UNITS", value_delimiter = ',')]
    pub failed: Vec<String>,
    /// Operation
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
    /// Operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<AnswerFormat>::parser(), default_value = "human")]
    pub format: Vec<To<AnswerFormat>>,
}

/// `why`
#[derive(Clone, Debug, Default, Args)]
pub struct WhyArgs {
    /// First unit
    #[arg(value_name = "A", required_unless_present = "selected")]
    pub from: Option<String>,
    /// Second unit
    #[arg(value_name = "B", required_unless_present = "selected")]
    pub to: Option<String>,
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Explain why the run described by the options includes or excludes this unit
    #[arg(long, value_name = "UNIT")]
    pub selected: Option<String>,
    /// Treat files changed since a git revision as changed, including uncommitted and untracked files
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// Operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<AnswerFormat>::parser(), default_value = "human")]
    pub format: Vec<To<AnswerFormat>>,
}

/// `deps`
#[derive(Clone, Debug, Default, Args)]
pub struct DepsArgs {
    /// Unit
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
    /// Operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<DepsFormat>::parser(), default_value = "tree")]
    pub format: Vec<To<DepsFormat>>,
}

/// `diff`
#[derive(Clone, Debug, Default, Args)]
pub struct DiffArgs {
    /// Revision to compare with: the merge base of REV and HEAD is used. REV..REV2 compares exactly these two
    #[arg(value_name = "REV|REV..REV2")]
    pub revision: String,
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Output format, optionally to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = To::<DiffFormat>::parser(), default_value = "human")]
    pub format: Vec<To<DiffFormat>>,
    /// Exit 1 if something differs
    #[arg(long)]
    pub exit_code: bool,
    /// Link target of places in Markdown: a URL with {commit}, {path} and {line}
    #[arg(long, value_name = "TEMPLATE")]
    pub source_url: Option<String>,
}
