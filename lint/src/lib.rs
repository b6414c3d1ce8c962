//! The command line of applyorder: which files are read, what is asked of the analysis, and how answers are written.
//! Independent of individual engines.

pub mod args;
pub mod baseline;
pub mod commands;
pub mod configuration;
mod diff;
pub mod discovery;
mod edited;
pub mod escape;
pub mod exit;
pub mod fingerprint;
pub mod formats;
mod git_tree;
pub mod log;
pub mod look;
pub mod markdown;
pub mod output;
pub mod place;
mod progress;
pub mod reach;
pub mod redacted;
pub mod render;
pub mod repository;
pub mod selectors;
pub mod session;
#[cfg(test)]
#[path = "../../tests/support/skipped.rs"]
mod skipped;
pub mod start;
pub mod table;
#[cfg(test)]
#[path = "../../tests/support/temp.rs"]
mod temp;
pub mod trust;
pub mod units;
pub mod vcs;
mod write;

use applyorder_analysis::config::ConfigSource;
use applyorder_analysis::engine::Engines;
use args::{Cli, Command};
use exit::{Exit, Failure};
use output::Output;

/// Runs a command with the given engines and returns the exit code. The language server is not part of this crate: the
/// caller that parses the arguments starts it.
#[must_use]
pub fn run(engines: Engines, cli: &Cli) -> u8 {
    let mut out = Output::standard(&cli.global);
    let result = log::start(&cli.global).and_then(|()| run_into(engines, cli, &mut out));
    if cli.command.hands_over() {
        // The engine's result takes precedence over errors of our own output.
        return result.map_or_else(
            |failure| commands::exec::not_started(failure, &mut out),
            Exit::code,
        );
    }
    let result = result.and_then(|exit| out.flush().map(|()| exit));
    match result {
        Ok(exit) => exit.code(),
        // The reader closed our output because it has seen enough.
        Err(Failure::BrokenPipe) => Exit::Yes.code(),
        Err(Failure::Message(message)) => {
            out.error(&message);
            Exit::Failed.code()
        }
    }
}

/// The configuration source and the log of the language server that a command line asks for; else the exit code, after
/// an error was printed.
///
/// # Errors
/// When a flag names a file that does not exist, or an override that is invalid.
pub fn for_server(engines: Engines, cli: &Cli) -> Result<(ConfigSource, Option<log::Layer>), u8> {
    let wanted = || {
        Ok((
            configuration::of_server(engines, &cli.global)?,
            log::layer(&cli.global)?,
        ))
    };
    wanted().map_err(|failure| {
        if let Failure::Message(message) = failure {
            Output::standard(&cli.global).error(&message);
        }
        Exit::Failed.code()
    })
}

/// Runs a command that writes to the given outputs.
///
/// # Errors
/// When no answer can be given.
pub fn run_into(engines: Engines, cli: &Cli, out: &mut Output) -> Result<Exit, Failure> {
    let _span = tracing::debug_span!("command", name = cli.command.name()).entered();
    match &cli.command {
        Command::Lint(args) => commands::lint::run(engines, &cli.global, args, out),
        Command::Order(args) => commands::order::run(engines, &cli.global, args, out),
        Command::Graph(args) => commands::graph::run(engines, &cli.global, args, out),
        Command::Simulate(args) => commands::simulate::run(engines, &cli.global, args, out),
        Command::Check(args) => commands::check::run(engines, &cli.global, args, out),
        Command::Why(args) => commands::why::run(engines, &cli.global, args, out),
        Command::Deps(args) => commands::deps::run(engines, &cli.global, args, out),
        Command::Diff(args) => commands::diff::run(engines, &cli.global, args, out),
        Command::Init(args) => commands::init::run(engines, &cli.global, args, out),
        Command::Exec(args) => Ok(commands::exec::run(engines, &cli.global, args, out)),
        Command::Apply(args) => commands::apply::run(engines, &cli.global, args, out),
        Command::Mv(args) => commands::mv::run(engines, &cli.global, args, out),
        Command::Trust(args) => commands::trust::run(engines, &cli.global, args, out),
        Command::Rules(args) => commands::rules::run(engines, args, out),
        Command::Explain(args) => commands::explain::run(engines, args, out),
        Command::Config(command) => commands::config::run(engines, &cli.global, command, out),
        Command::Server(_) | Command::Mcp(_) => {
            Err(Failure::new("servers are started by the program itself"))
        }
        Command::Completions(args) => commands::completions::run(args, out),
        Command::Man(args) => commands::man::run(engines, args, out),
    }
}
