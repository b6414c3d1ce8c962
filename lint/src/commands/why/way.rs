//! The path between two units in time order: what is written between each two of them, and whether it matters.

use std::collections::HashMap;
use std::io::{self, Write};

use applyorder_analysis::diagnostic::Place;
use applyorder_analysis::engine::{Dependency, Operation, Variant};
use applyorder_analysis::graph::{Direction, EdgeKind, NodeId, NodeKind, OrderGraph, Path, Step};

use super::name;
use crate::escape;
use crate::formats::json;
use crate::look::{Look, Style};
use crate::place::Position;
use crate::session::Session;
use crate::table::width;
use crate::units::{self, Found};

/// For longer paths we do not check which lines matter: each check is a graph traversal.
const MOST_ASKED: usize = 64;
/// Longer lines are cut.
const LONGEST: usize = 80;

/// Writes the path that makes one unit wait for another.
pub(super) fn write(
    w: &mut dyn Write,
    session: &Session,
    operation: Operation,
    (from, to): (Found<'_>, Found<'_>),
    path: &Path,
    look: Look,
) -> io::Result<()> {
    let order = from.variant.order_of(operation);
    let graph = &*order.graph;
    let steps = if path.len() == 1 {
        "1 step".to_owned()
    } else {
        format!("{} steps", path.len())
    };
    let environments = units::environments(from.project, from.variant)
        .map_or_else(String::new, |e| format!(" (environments: {e})"));
    let (last, first) = (name(session, &from), name(session, &to));
    if from.unit == to.unit {
        writeln!(
            w,
            "{} waits for itself, {steps}{environments}",
            escape::line_start(&last)
        )?;
    } else {
        writeln!(
            w,
            "{} runs after {first}, {steps}{environments}",
            escape::line_start(&last)
        )?;
    }
    let numbered = order.layers.iter().flat_map(|layers| layers.iter().zip(1usize..));
    let layers: HashMap<u32, usize> = numbered
        .flat_map(|(of, n)| of.iter().map(move |u| (u.0, n)))
        .collect();
    let layer = |node: NodeId| {
        let number = layers.get(&node.0).map(ToString::to_string);
        number.unwrap_or_else(|| look.glyph("·").to_owned())
    };
    let unit = |node: NodeId| {
        let unit = graph.kind(node).and_then(NodeKind::unit);
        let unit = unit.and_then(|u| from.variant.units.get(u as usize));
        let shown = unit.map_or_else(
            || escape::line(&from.variant.name_of(graph, node)).into_owned(),
            |unit| session.unit_name(from.ix, &unit.name),
        );
        look.paint(Style::Bold, &shown)
    };
    let mut steps: Vec<Step<'_>> = path.steps().collect();
    steps.reverse();
    let lines: Vec<Vec<Line>> = steps
        .iter()
        .map(|step| lines(session, from.variant, graph, *step))
        .collect();
    let wide = lines
        .iter()
        .flatten()
        .map(|line| width(&line.at))
        .max()
        .unwrap_or(0);
    if let Some(step) = steps.first() {
        writeln!(w, "{:>3}  {}", layer(step.to), unit(step.to))?;
    }
    for (step, lines) in steps.iter().zip(&lines) {
        for line in lines {
            let rail = look.glyph(if line.written { "│" } else { "┊" });
            let pad = " ".repeat(wide.saturating_sub(width(&line.at)));
            let text = format!(
                "     {rail}  {}{pad}    {}",
                look.paint(Style::Place, &line.at),
                line.text
            );
            writeln!(w, "{}", text.trim_end())?;
        }
        writeln!(w, "{:>3}  {}", layer(step.from), unit(step.from))?;
    }
    writeln_matters(w, session, from, to, graph, path)
}

/// What is between two units.
struct Line {
    at: String,
    text: String,
    written: bool,
}

fn lines(session: &Session, variant: &Variant, graph: &OrderGraph, step: Step<'_>) -> Vec<Line> {
    let mut out = Vec::new();
    for edge in step.edges.iter().filter_map(|id| graph.edge(*id)) {
        let (_, reason, place) = json::origin(variant, edge.kind);
        let condition = edge.condition.and_then(|c| variant.conditions.get(c as usize));
        let condition = condition.map_or_else(String::new, |c| format!(" (until {})", escape::line(c)));
        let reason = reason.unwrap_or("");
        out.push(match place {
            Some(place) => {
                let text = written(session, place);
                let text = if text.contains(reason) {
                    text
                } else {
                    format!("{reason}: {text}")
                };
                Line {
                    at: Position::of(&session.analysis, place).show(&session.paths),
                    text: format!("{text}{condition}"),
                    written: true,
                }
            }
            // An implicit edge: show the unit that is waited for. One end may be a group.
            None => {
                let ends = [edge.to, edge.from].into_iter();
                let mut units = ends.filter_map(|end| variant.units.get(graph.kind(end)?.unit()? as usize));
                let at = units
                    .next()
                    .map(|u| Position::of(&session.analysis, u.header).show(&session.paths));
                Line {
                    at: at.unwrap_or_default(),
                    text: format!("{}{condition}", escape::line(reason)),
                    written: false,
                }
            }
        });
    }
    out
}

/// The line that contains a place, without its indentation.
fn written(session: &Session, place: Place) -> String {
    let at = Position::of(&session.analysis, place);
    let text = session.analysis.source(place.file).map_or("", |s| &*s.text);
    let (before, behind) = text
        .split_at_checked(at.span.start as usize)
        .unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    let end = before.len() + behind.find('\n').unwrap_or(behind.len());
    let text = text.get(start..end).unwrap_or("").trim();
    let text = text.strip_prefix("- ").unwrap_or(text);
    if text.chars().count() > LONGEST {
        let head: String = text.chars().take(LONGEST - 1).collect();
        return format!("{}…", escape::line(&head));
    }
    escape::line(text).into_owned()
}

/// Says whether a line on the path can be removed without losing the order.
fn writeln_matters(
    w: &mut dyn Write,
    session: &Session,
    from: Found<'_>,
    to: Found<'_>,
    graph: &OrderGraph,
    path: &Path,
) -> io::Result<()> {
    let edges = path.edges().iter().filter_map(|id| graph.edge(*id));
    let mut written: Vec<u32> = edges.filter_map(|edge| edge.kind.dependency()).collect();
    written.sort_unstable();
    written.dedup();
    if from.unit == to.unit || written.is_empty() || path.len() > MOST_ASKED {
        return Ok(());
    }
    let (last, first) = (name(session, &from), name(session, &to));
    let needed: Vec<u32> = written
        .iter()
        .copied()
        .filter(|dependency| !runs_after(graph, from.node(), to.node(), *dependency))
        .collect();
    let at = |dependency: &u32| {
        let written = from.variant.dependencies.get(*dependency as usize)?;
        Some(Position::of(&session.analysis, written.place).show(&session.paths))
    };
    match needed.as_slice() {
        [] => {
            let any = if written.len() == 1 {
                "this line"
            } else {
                "any one of these lines"
            };
            writeln!(
                w,
                "Not the only way: without {any} {last} would still run after {first}."
            )
        }
        all => {
            let places: Vec<String> = all.iter().filter_map(at).collect();
            writeln!(w, "Nothing else orders them: it takes {}.", places.join(" and "))
        }
    }
}

/// Whether one unit waits for the other even without the edges of one explicit dependency.
fn runs_after(graph: &OrderGraph, from: NodeId, to: NodeId, without: u32) -> bool {
    let mut seen = vec![false; graph.node_count()];
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for link in graph.links(node, Direction::Dependencies) {
            let kind = graph.edge(link.edge).map(|edge| edge.kind);
            if matches!(kind, Some(EdgeKind::Explicit { dependency }) if dependency == without) {
                continue;
            }
            if link.node == to {
                return true;
            }
            if let Some(seen) = seen.get_mut(link.node.index()).filter(|seen| !**seen) {
                *seen = true;
                open.push(link.node);
            }
        }
    }
    false
}

/// Says that nothing orders two units, what separates them anyway, and how to guarantee an order.
pub(super) fn write_none(
    w: &mut dyn Write,
    session: &Session,
    operation: Operation,
    a: Found<'_>,
    b: Found<'_>,
) -> io::Result<()> {
    if (a.ix, a.unit) == (b.ix, b.unit) {
        return writeln!(w, "{} does not wait for itself", name(session, &a));
    }
    writeln!(
        w,
        "nothing orders {} and {}",
        name(session, &a),
        name(session, &b)
    )?;
    let order = a.variant.order_of(operation);
    let layer = |unit: &Found<'_>| -> Option<usize> {
        let layers = order.layers.as_ref()?;
        Some(layers.iter().position(|of| of.contains(&unit.unit))? + 1)
    };
    let (Some(of_a), Some(of_b)) = (layer(&a), layer(&b)) else {
        return Ok(());
    };
    if of_a == of_b {
        return writeln!(w, "They may run in parallel, in layer {of_a}.");
    }
    let (first, then, earlier, later) = if of_a < of_b {
        (&a, &b, of_a, of_b)
    } else {
        (&b, &a, of_b, of_a)
    };
    let engine = a.project.engine();
    let title = engine.meta().title;
    if engine.layer_meaning(a.variant, operation).barrier {
        writeln!(
            w,
            "They run one after the other, in layers {earlier} and {later}, only because {title}'s layers are barriers."
        )?;
    } else {
        writeln!(
            w,
            "They are in layers {earlier} and {later}, which is only the earliest that each can start."
        )?;
    }
    let Some(list) = list_of_names(then) else {
        return Ok(());
    };
    let place = Position::of(&session.analysis, list.place).show(&session.paths);
    writeln!(
        w,
        "To promise it: add {} to `{}` of {}   {place}",
        name(session, first),
        list.attribute,
        name(session, then)
    )
}

/// A dependency of a unit that names another unit literally, if it has one, so that another name can be added.
fn list_of_names<'a>(unit: &Found<'a>) -> Option<&'a Dependency> {
    let own = unit.variant.dependencies.iter().filter(|d| d.unit == unit.unit);
    own.into_iter().find(|d| {
        let only = match *d.targets {
            [only] => unit.variant.units.get(only.0 as usize),
            _ => None,
        };
        only.is_some_and(|target| target.name == d.text)
    })
}
