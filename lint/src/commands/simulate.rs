//! `simulate`: what a run would do when only some units change, after some failed, or over what is already applied.

use applyorder_analysis::engine::{Engines, Operation, options};

use super::order::{self, Shown};
use crate::args::{EdgesArg, Global, SimulateArgs};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::session::Session;

/// Runs the command.
///
/// # Errors
/// When it gives no answer at all, or when nothing is said to be other than in a whole run.
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
    let shown = Shown {
        operation: Operation::from(args.operation),
        edges: EdgesArg::Groups,
        end: '\n',
        left_alone: true,
    };
    order::answer(&session, shown, &args.format, out)
}
