//! `simulate`: what a run would do when only some units change, after some failed, or over what is already applied.

use std::collections::HashSet;
use std::sync::Arc;

use applyorder_analysis::engine::{Engines, Operation, UnitIx, Variant, options};
use applyorder_analysis::graph::{Direction, NodeId, NodeKind};

use super::order::{self, Shown};
use crate::args::{EdgesArg, Global, SimulateArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::{Output, is_stdin};
use crate::session::Session;
use crate::units;

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
    let exit = order::answer(&session, shown, &args.format, out)?;
    let people = args
        .format
        .iter()
        .any(|to| to.file.is_none() && to.format.is_for_people());
    let again = !args.run.paths.iter().any(|path| is_stdin(path));
    if again && !args.failed.is_empty() && (people || args.format.is_empty()) {
        for (unit, failed) in lost(engines, global, args, &session)? {
            out.print(&format!(
                "! {unit} no longer waits for {failed}, which failed and has no part in this run\n"
            ))?;
        }
    }
    Ok(exit)
}

/// What this run no longer orders: a unit that takes part in it, and a failed one that it would wait for in a whole run
/// and that this run leaves as it is.
fn lost(
    engines: Engines,
    global: &Global,
    args: &SimulateArgs,
    session: &Session,
) -> Result<Vec<(String, String)>, Failure> {
    let mut run = args.run.clone();
    let limits = [options::CHANGED.name, options::STATE.name];
    run.selection
        .options
        .retain(|(option, _)| !limits.contains(&option.name));
    let whole = Session::open(engines, global, &run, &mut Output::silent())?;
    let operation = Operation::from(args.operation);
    let mut out = Vec::new();
    for (ix, project) in session.projects() {
        let key = session.key(ix);
        let Some((_, whole)) = whole.projects().find(|(ix, _)| whole.key(*ix) == key) else {
            continue;
        };
        for variant in &project.resolution.variants {
            let mut same = whole.resolution.variants.iter();
            let Some(all) = same.find(|v| v.environments == variant.environments) else {
                continue;
            };
            let names = |variant: &Variant, units: &[UnitIx]| -> HashSet<Arc<str>> {
                let of = units.iter().filter_map(|u| variant.units.get(u.0 as usize));
                of.map(|u| u.name.clone()).collect()
            };
            let layers = &units::order_of(variant, operation).layers;
            let taking_part = layers
                .as_ref()
                .map_or_else(HashSet::new, |l| names(variant, &l.concat()));
            let graph = &units::order_of(all, operation).graph;
            let part = |node: NodeId| {
                let unit = graph.kind(node).and_then(NodeKind::unit);
                let unit = unit.and_then(|u| all.units.get(u as usize));
                unit.filter(|u| taking_part.contains(&u.name))
            };
            for failed in &session.options.failed {
                let Some(at) = all.units.iter().position(|u| *u.name == **failed) else {
                    continue;
                };
                let Ok(at) = u32::try_from(at) else { continue };
                if part(NodeId(at)).is_some() {
                    continue;
                }
                // Over what has no part in the run either.
                let mut seen = HashSet::from([NodeId(at)]);
                let mut open = vec![NodeId(at)];
                while let Some(node) = open.pop() {
                    for link in graph.distinct(node, Direction::Dependents) {
                        if !seen.insert(link.node) {
                            continue;
                        }
                        match part(link.node) {
                            Some(unit) => {
                                let unit = escape::line(&unit.name).into_owned();
                                out.push((unit, escape::line(failed).into_owned()));
                            }
                            None => open.push(link.node),
                        }
                    }
                }
            }
        }
    }
    out.sort();
    out.dedup();
    Ok(out)
}
