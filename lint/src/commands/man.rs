//! `man`: the manual pages, one for the program and one for each command.

use applyorder_analysis::engine::Engines;
use camino::Utf8PathBuf;
use clap::Command;

use crate::args::{self, ManArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::selectors::did_you_mean;
use crate::write;

/// Runs the command.
///
/// # Errors
/// When the command does not exist, or a page cannot be written.
pub fn run(engines: Engines, args: &ManArgs, out: &mut Output) -> Result<Exit, Failure> {
    let mut program = without_help(args::command(engines));
    program.build();
    let Some(dir) = &args.dir else {
        let page = page(named(&program, &args.command)?)?;
        out.print(&page)?;
        return Ok(Exit::Yes);
    };
    let failed =
        |path: &Utf8PathBuf, e: std::io::Error| Failure::new(format!("{}: {e}", escape::line(path.as_str())));
    write::create_dirs(dir).map_err(|e| failed(dir, e))?;
    let mut open = vec![&program];
    while let Some(command) = open.pop() {
        let path = dir.join(format!("{}.1", name(command)));
        write::put(&write::Machine, &path, page(command)?.as_bytes()).map_err(|e| failed(&path, e))?;
        open.extend(command.get_subcommands());
    }
    Ok(Exit::Yes)
}

/// `help` answers in the terminal, and has no page.
fn without_help(command: Command) -> Command {
    command
        .disable_help_subcommand(true)
        .mut_subcommands(without_help)
}

/// Looks up the command by its words, starting from the program.
fn named<'a>(program: &'a Command, words: &[String]) -> Result<&'a Command, Failure> {
    let mut command = program;
    for word in words {
        command = command.find_subcommand(word).ok_or_else(|| {
            let known = command.get_subcommands().map(Command::get_name);
            let hint = did_you_mean(word, known);
            Failure::new(format!("unknown command `{}`{hint}", escape::line(word)))
        })?;
    }
    Ok(command)
}

/// The name of its page: `applyorder-config-show`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn page(command: &Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    let source = concat!("applyorder ", env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(command.clone())
        .source(source)
        .render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
