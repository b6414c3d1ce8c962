//! `simulate`: what a run would do if only some units change, after some failed, or on top of what is already applied.

mod human;
mod lost;

use applyorder_analysis::engine::{Engines, Operation, options};

use self::lost::Lost;
use super::order::{self, Shown};
use crate::args::{EdgesArg, Global, SimulateArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::{Output, is_stdin};
use crate::session::Session;

/// The parameters of a partial run, and its result.
pub(super) struct Partial<'a> {
    args: &'a SimulateArgs,
    /// What this run no longer orders.
    lost: Vec<Lost>,
    /// The command line of a run that orders all of it.
    way_out: Option<String>,
    verbose: bool,
}

impl Partial<'_> {
    pub(super) fn write(&self, w: &mut dyn std::io::Write, answer: order::Answer<'_>) -> std::io::Result<()> {
        human::write(w, self, answer)
    }
}

/// Runs the command.
///
/// # Errors
/// When no answer can be given, or when no option makes the run differ from a complete one.
pub fn run(
    engines: Engines,
    global: &Global,
    args: &SimulateArgs,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let selection = &args.run.selection;
    let since = args.changed_since.as_deref();
    let is_partial = selection.has(&options::CHANGED) || since.is_some() || !args.failed.is_empty();
    if !is_partial && !selection.has(&options::STATE) {
        return Err(Failure::new(
            "specify at least one of --changed UNITS, --changed-since REV, --failed UNITS, --state FILE",
        ));
    }
    let session = Session::open_after(engines, global, &args.run, &args.failed, since, out)?;
    let again = !args.run.paths.iter().any(|path| is_stdin(path));
    let people = args
        .format
        .iter()
        .any(|to| to.file.is_none() && to.format.is_for_people());
    let mut partial = Partial {
        args,
        lost: Vec::new(),
        way_out: None,
        verbose: global.verbose,
    };
    if again && !args.failed.is_empty() && (people || args.format.is_empty()) {
        partial.lost = lost::find(engines, global, args, &session)?;
        partial.way_out = lost::way_out(engines, global, args, &session, &partial.lost);
    }
    let shown = Shown {
        operation: Operation::from(args.operation),
        edges: EdgesArg::Groups,
        end: '\n',
        left_alone: true,
        partial: Some(&partial),
    };
    let exit = order::answer(&session, shown, &args.format, out)?;
    if order::shows_tables(&args.format, out) {
        for lost in &partial.lost {
            out.print(&format!(
                "! {} no longer waits for {}, which failed and is not part of this run\n",
                escape::line(&lost.unit),
                escape::line(&lost.failed)
            ))?;
        }
        if let Some(way_out) = &partial.way_out {
            out.print(&format!("  to keep the order: {way_out}\n"))?;
        }
    }
    Ok(exit)
}
