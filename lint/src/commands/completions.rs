//! `completions`: a completion script for a shell.

use applyorder_analysis::engine::Engines;

use crate::args::{self, CompletionsArgs};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Runs the command.
///
/// # Errors
/// When the output cannot be written.
pub fn run(engines: Engines, args: &CompletionsArgs, out: &mut Output) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(engines), "applyorder", &mut script);
    out.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Yes)
}
