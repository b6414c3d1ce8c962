//! `exec` and `apply`: the commands that start an engine.

use std::ffi::OsString;

use applyorder_analysis::diagnostic::Severity;
use camino::Utf8PathBuf;
use clap::{Args, ValueHint};

use super::RunArgs;
use super::values::{OperationArg, severity};

/// What is checked before an engine is started.
#[derive(Clone, Debug, Default, Args)]
pub struct CheckArgs {
    /// Lowest severity that prevents starting the engine; what the engine itself rejects always prevents it
    /// [default: error]
    #[arg(long, value_name = "SEVERITY", value_parser = severity())]
    pub fail_on: Option<Severity>,
    /// Do not start the engine if something could not be checked
    #[arg(long)]
    pub require_complete: bool,
    /// File to write a JSON report to: whether the engine was started, and how it ended
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report_file: Option<Utf8PathBuf>,
    /// Do not start the engine if checking takes longer [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
}

/// `exec`
#[derive(Clone, Debug, Default, Args)]
pub struct ExecArgs {
    /// Engine, if it cannot be inferred from the program's name
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<String>,
    /// What is checked.
    #[command(flatten)]
    pub check: CheckArgs,
    /// Engine command: program and arguments, started without a shell
    #[arg(last = true, required = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

/// `apply`
#[derive(Clone, Debug, Default, Args)]
pub struct ApplyArgs {
    /// Files and run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Operation
    #[arg(long = "for", value_name = "OPERATION", value_enum, default_value_t)]
    pub operation: OperationArg,
    /// Print the command with secrets masked, without running it
    #[arg(long)]
    pub print_command: bool,
    /// Run the command here even if the configuration shows that a service runs it
    #[arg(long)]
    pub local: bool,
    /// What is checked.
    #[command(flatten)]
    pub check: CheckArgs,
}
