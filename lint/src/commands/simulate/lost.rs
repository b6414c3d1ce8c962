//! What a partial run no longer orders: a unit that it includes, and a failed unit that the first one would wait for in
//! a complete run but that this run leaves unchanged.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use applyorder_analysis::engine::{Engines, Operation, Takes, UnitIx, Variant, options};
use applyorder_analysis::graph::{Direction, Edge, NodeId, NodeKind};
use applyorder_analysis::workspace::{Project, ProjectIx};

use crate::args::{Global, OperationArg, SimulateArgs};
use crate::commands::order::pasted;
use crate::exit::Failure;
use crate::output::Output;
use crate::session::Session;

/// An order that a run does not keep.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lost {
    pub(super) project: ProjectIx,
    /// The index of the project's variant.
    pub(super) variant: usize,
    pub(super) unit: Arc<str>,
    pub(super) failed: Arc<str>,
    /// Whether the run leaves the failed unit unchanged, so that it orders nothing.
    pub(super) is_left: bool,
}

/// The projects of a run by key.
fn by_key(session: &Session) -> HashMap<String, &Project> {
    let mut projects = HashMap::new();
    for (ix, project) in session.projects() {
        projects.entry(session.key(ix)).or_insert(&**project);
    }
    projects
}

/// The units that a run includes, by name.
fn taking_part(variant: &Variant, operation: Operation) -> HashMap<Arc<str>, UnitIx> {
    let layers = variant.order_of(operation).layers.as_ref();
    let all = layers.into_iter().flat_map(|layers| layers.iter()).flatten();
    let named = all.filter_map(|unit| Some((variant.units.get(unit.0 as usize)?.name.clone(), *unit)));
    named.collect()
}

/// All of them, ordered by project and name.
pub(super) fn find(
    engines: Engines,
    global: &Global,
    args: &SimulateArgs,
    session: &Session,
) -> Result<Vec<Lost>, Failure> {
    let mut run = args.run.clone();
    let limits = [options::CHANGED.name, options::STATE.name];
    run.selection
        .options
        .retain(|(option, _)| !limits.contains(&option.name));
    let whole = Session::open(engines, global, &run, &mut Output::silent())?;
    let operation = Operation::from(args.operation);
    let whole = by_key(&whole);
    let mut out = BTreeSet::new();
    for (ix, project) in session.projects() {
        let Some(whole) = whole.get(&session.key(ix)) else {
            continue;
        };
        for (number, variant) in project.resolution.variants.iter().enumerate() {
            let mut same = whole.resolution.variants.iter();
            let Some(all) = same.find(|v| v.environments == variant.environments) else {
                continue;
            };
            let taking_part = taking_part(variant, operation);
            let graph = &all.order_of(operation).graph;
            let part = |node: NodeId| {
                let unit = graph.kind(node).and_then(NodeKind::unit);
                let unit = unit.and_then(|u| all.units.get(u as usize));
                unit.filter(|u| taking_part.contains_key(&u.name))
            };
            for failed in &session.options.failed {
                let Some(at) = all.units.iter().position(|u| *u.name == **failed) else {
                    continue;
                };
                let Ok(at) = u32::try_from(at) else { continue };
                if part(NodeId(at)).is_some() {
                    continue;
                }
                let here = variant.units.iter().position(|u| *u.name == **failed);
                let action = here.and_then(|here| variant.actions.get(here));
                let is_left = matches!(action, None | Some(&"noop"));
                // Also through units that the run does not include.
                let mut seen = HashSet::from([NodeId(at)]);
                let mut open = vec![NodeId(at)];
                while let Some(node) = open.pop() {
                    for link in graph.distinct(node, Direction::Dependents) {
                        // A condition itself says what a failure means, and the engine has already evaluated it.
                        let has_condition = |edge: &Edge| edge.condition.is_some();
                        if graph.edge(link.edge).is_some_and(has_condition) || !seen.insert(link.node) {
                            continue;
                        }
                        match part(link.node) {
                            Some(unit) => drop(out.insert(Lost {
                                project: ix,
                                variant: number,
                                unit: unit.name.clone(),
                                failed: failed.as_str().into(),
                                is_left,
                            })),
                            None => open.push(link.node),
                        }
                    }
                }
            }
        }
    }
    Ok(out.into_iter().collect())
}

/// How many units are written into one command line.
const MOST_NAMED: usize = 20;

/// The command line of a run in which each unit waits for the failed one again; `None` if a trial shows that it would
/// not.
pub(super) fn way_out(
    engines: Engines,
    global: &Global,
    args: &SimulateArgs,
    session: &Session,
    lost: &[Lost],
) -> Option<String> {
    if !lost.iter().all(|lost| lost.is_left) {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for l in lost {
        let engine = session.analysis.project(l.project)?.engine();
        if !engine.meta().has_option(options::CHANGED.name) {
            return None;
        }
        for name in [&l.failed, &l.unit] {
            let name = session.unit_name(l.project, name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    if names.is_empty() || names.len() > MOST_NAMED {
        return None;
    }
    let mut run = args.run.clone();
    let given = &mut run.selection.options;
    given.retain(|(option, _)| option.name != options::CHANGED.name);
    given.push((&options::CHANGED, names));
    let other = Session::open(engines, global, &run, &mut Output::silent()).ok()?;
    let operation = Operation::from(args.operation);
    let projects = by_key(&other);
    let is_kept = |lost: &Lost| {
        let project = projects.get(&session.key(lost.project))?;
        let variant = project.resolution.variants.get(lost.variant)?;
        let part = taking_part(variant, operation);
        let (unit, failed) = (part.get(&lost.unit)?, part.get(&lost.failed)?);
        let graph = &variant.order_of(operation).graph;
        graph.shortest_path(NodeId(unit.0), NodeId(failed.0)).map(drop)
    };
    if !lost.iter().all(|lost| is_kept(lost).is_some()) {
        return None;
    }
    let mut line = vec!["applyorder simulate".to_owned()];
    if args.operation == OperationArg::Delete {
        line.push("--for delete".to_owned());
    }
    if let Some(engine) = &run.selection.engine {
        line.push(format!("--engine {}", pasted(engine)));
    }
    let given = run.selection.options.iter();
    for (option, values) in given.filter(|(option, _)| !run.selection.lenient.contains(&option.name)) {
        let values = match option.takes {
            // The values may be secrets.
            Takes::Pairs => return None,
            Takes::List => vec![values.join(",")],
            _ => values.clone(),
        };
        line.extend(values.iter().map(|v| format!("--{} {}", option.name, pasted(v))));
    }
    line.extend(run.paths.iter().map(|path| pasted(path.as_str())));
    Some(line.join(" "))
}
