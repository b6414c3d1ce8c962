//! `why`: the path that orders two units, each step with its place. With `--selected` see
//! [`super::why_selected`].

use std::borrow::Cow;
use std::io::{self, Write};

use applyorder_analysis::engine::{Engines, Operation};
use applyorder_analysis::graph::{EdgeId, OrderGraph, Path, Step};

use crate::args::{AnswerFormat, Global, WhyArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::formats::json::{self, model};
use crate::output::Output;
use crate::place::Position;
use crate::session::Session;
use crate::units::{self, Found};

/// Runs the command.
///
/// # Errors
/// When a unit is not found, or both are not of one project.
pub fn run(engines: Engines, global: &Global, args: &WhyArgs, out: &mut Output) -> Result<Exit, Failure> {
    if let Some(unit) = &args.selected {
        return super::why_selected::run(engines, global, args, unit, out);
    }
    let session = Session::open_since(engines, global, &args.run, args.changed_since.as_deref(), out)?;
    let operation = Operation::from(args.operation);
    let a = units::find(&session, args.from.as_deref().unwrap_or_default())?;
    let b = units::find(&session, args.to.as_deref().unwrap_or_default())?;
    let pair = a.iter().find_map(|a| {
        let same = |b: &&Found<'_>| std::ptr::eq(a.variant, b.variant);
        b.iter().find(same).map(|b| (*a, *b))
    });
    let Some((first_a, first_b)) = pair else {
        let why = match (a.first(), b.first()) {
            (Some(a), Some(b)) if a.ix == b.ix => "no environment has both".to_owned(),
            (Some(a), Some(b)) => format!(
                "no order between the projects {} and {}",
                session.key(a.ix),
                session.key(b.ix)
            ),
            _ => "there is no such pair".to_owned(),
        };
        out.error(&why);
        return Ok(Exit::No);
    };
    // The first environment in which one waits for the other.
    let answer = a
        .iter()
        .filter_map(|a| Some((a, b.iter().find(|b| std::ptr::eq(a.variant, b.variant))?)))
        .find_map(|(a, b)| {
            let graph = &*units::order_of(a.variant, operation).graph;
            let there = graph.shortest_path(a.node(), b.node()).map(|path| (*a, *b, path));
            there.or_else(|| graph.shortest_path(b.node(), a.node()).map(|path| (*b, *a, path)))
        });
    for to in &args.format {
        out.answer(to, |w, _| match to.format {
            AnswerFormat::Human => match &answer {
                Some((from, to, path)) => {
                    write_path(w, &session, operation, *from, *to, path)?;
                    // Turned around only where the way that was asked about leads nowhere.
                    if from.unit != first_a.unit {
                        writeln!(
                            w,
                            "{} does not wait for {}",
                            name(&session, to),
                            name(&session, from)
                        )?;
                    }
                    Ok(())
                }
                None => writeln!(
                    w,
                    "no order between {} and {}",
                    name(&session, &first_a),
                    name(&session, &first_b)
                ),
            },
            AnswerFormat::Json => json::write_value(w, &why(&session, operation, first_a, answer.as_ref())),
        })?;
    }
    Ok(match (session.failed, answer.is_some()) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::Yes,
        (false, false) => Exit::No,
    })
}

fn name(session: &Session, found: &Found<'_>) -> String {
    found
        .variant
        .units
        .get(found.unit.0 as usize)
        .map_or_else(String::new, |u| session.unit_name(found.ix, &u.name))
}

fn write_path(
    w: &mut dyn Write,
    session: &Session,
    operation: Operation,
    from: Found<'_>,
    to: Found<'_>,
    path: &Path,
) -> io::Result<()> {
    let graph = &*units::order_of(from.variant, operation).graph;
    let steps = if path.len() == 1 {
        "1 step".to_owned()
    } else {
        format!("{} steps", path.len())
    };
    let environments = units::environments(from.project, from.variant)
        .map_or_else(String::new, |e| format!(" (environments: {e})"));
    writeln!(
        w,
        "{} waits for {} in {steps}{environments}",
        escape::line_start(&name(session, &from)),
        name(session, &to)
    )?;
    for (step, n) in path.steps().zip(1..) {
        write_step(w, session, from, graph, step, n)?;
    }
    Ok(())
}

fn write_step(
    w: &mut dyn Write,
    session: &Session,
    found: Found<'_>,
    graph: &OrderGraph,
    step: Step<'_>,
    n: usize,
) -> io::Result<()> {
    let node = |id| escape::line(&json::node_name(found.variant, graph, id)).into_owned();
    writeln!(w, "{n:>3}. {} waits for {}", node(step.from), node(step.to))?;
    for edge in step.edges.iter().filter_map(|id: &EdgeId| graph.edge(*id)) {
        let (kind, reason, place) = json::origin(found.variant, edge.kind);
        let reason = reason.map_or_else(String::new, |r| format!(": {}", escape::line(r)));
        let kind = match kind {
            model::Kind::Explicit => "explicit",
            model::Kind::Implicit => "implicit",
        };
        let condition = edge
            .condition
            .and_then(|c| found.variant.conditions.get(c as usize))
            .map_or_else(String::new, |c| format!(", until {}", escape::line(c)));
        // An implicit edge has no text: the unit that is waited for is shown. One end may be a group.
        let ends = [edge.to, edge.from].into_iter();
        let mut units = ends.filter_map(|end| found.variant.units.get(graph.kind(end)?.unit()? as usize));
        let unit = units.next().map(|u| u.header);
        let at = place.or(unit).map_or_else(String::new, |p| {
            format!("  at {}", Position::of(&session.analysis, p).show(&session.paths))
        });
        writeln!(w, "     {kind}{reason}{condition}{at}")?;
    }
    Ok(())
}

fn why<'a>(
    session: &Session,
    operation: Operation,
    asked: Found<'a>,
    answer: Option<&(Found<'a>, Found<'a>, Path)>,
) -> model::Why<'a> {
    let found = answer.map_or(asked, |(from, _, _)| *from);
    let graph = &*units::order_of(found.variant, operation).graph;
    let unit = |f: &Found<'a>| {
        f.variant
            .units
            .get(f.unit.0 as usize)
            .map(|u| Cow::Borrowed(&*u.name))
    };
    model::Why {
        version: model::VERSION,
        project: session.key(found.ix),
        environments: json::environments(found.variant),
        from: answer.and_then(|(from, _, _)| unit(from)),
        to: answer.and_then(|(_, to, _)| unit(to)),
        path: answer.map(|(_, _, path)| {
            path.edges()
                .iter()
                .filter_map(|id| graph.edge(*id))
                .map(|edge| json::edge(session, found.variant, graph, edge))
                .collect()
        }),
    }
}
