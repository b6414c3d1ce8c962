//! `why`: the path that orders two units, each step with its place. For `--selected` see [`super::why_selected`].

mod way;

use std::borrow::Cow;

use applyorder_analysis::engine::{Engines, Operation};
use applyorder_analysis::graph::Path;

use crate::args::{AnswerFormat, Global, WhyArgs};
use crate::exit::{Exit, Failure};
use crate::formats::json::{self, model};
use crate::output::Output;
use crate::session::Session;
use crate::units::{self, Found};

/// Runs the command.
///
/// # Errors
/// When a unit is not found, or the two belong to different projects.
pub fn run(engines: Engines, global: &Global, args: &WhyArgs, out: &mut Output) -> Result<Exit, Failure> {
    if let Some(unit) = &args.selected {
        return super::why_selected::run(engines, global, args, unit, out);
    }
    let session = Session::open_since(engines, global, &args.run, args.changed_since.as_deref(), out)?;
    let operation = Operation::from(args.operation);
    let asked = [&args.from, &args.to].map(|name| name.as_deref().unwrap_or_default());
    let [a, b] = units::find_two(&session, asked)?;
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
            _ => "no such pair exists".to_owned(),
        };
        out.error(&why);
        return Ok(Exit::No);
    };
    // The first environment in which one waits for the other.
    let answer = a
        .iter()
        .filter_map(|a| Some((a, b.iter().find(|b| std::ptr::eq(a.variant, b.variant))?)))
        .find_map(|(a, b)| {
            let graph = &*a.variant.order_of(operation).graph;
            let there = graph.shortest_path(a.node(), b.node()).map(|path| (*a, *b, path));
            there.or_else(|| graph.shortest_path(b.node(), a.node()).map(|path| (*b, *a, path)))
        });
    for to in &args.format {
        out.answer_looking(to, |w, look| match to.format {
            AnswerFormat::Human => match &answer {
                Some((from, to, path)) => {
                    way::write(w, &session, operation, (*from, *to), path, look)?;
                    // Swapped only if the given direction has no path.
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
                None => way::write_none(w, &session, operation, first_a, first_b),
            },
            AnswerFormat::Json => json::write_value(w, &why(&session, operation, first_a, answer.as_ref())),
        })?;
    }
    Ok(match (session.failed(), answer.is_some()) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::Yes,
        (false, false) => Exit::No,
    })
}

pub(super) fn name(session: &Session, found: &Found<'_>) -> String {
    found
        .variant
        .units
        .get(found.unit.0 as usize)
        .map_or_else(String::new, |u| session.unit_name(found.ix, &u.name))
}

fn why<'a>(
    session: &Session,
    operation: Operation,
    asked: Found<'a>,
    answer: Option<&(Found<'a>, Found<'a>, Path)>,
) -> model::Why<'a> {
    let found = answer.map_or(asked, |(from, _, _)| *from);
    let graph = &*found.variant.order_of(operation).graph;
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
