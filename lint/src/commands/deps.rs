//! `deps`: what a unit waits for, or what waits for it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};

use applyorder_analysis::engine::{Engines, Operation};
use applyorder_analysis::graph::{Direction, NodeId, NodeKind, OrderGraph, Reached};
use applyorder_analysis::syntax::text::Encoding;

use crate::args::{DepsArgs, DepsFormat, Global};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::formats::json::{self, model};
use crate::output::Output;
use crate::place::Position;
use crate::session::Session;
use crate::table::{self, Align};
use crate::units::{self, Found};

/// Runs the command.
///
/// # Errors
/// When the unit is not found.
pub fn run(engines: Engines, global: &Global, args: &DepsArgs, out: &mut Output) -> Result<Exit, Failure> {
    let session = Session::open(engines, global, &args.run, out)?;
    let found = units::find(&session, &args.unit)?;
    let Some(found) = found.first().copied() else {
        return Err(Failure::new("unknown unit"));
    };
    let question = Question {
        session: &session,
        found,
        graph: &units::order_of(found.variant, Operation::from(args.operation)).graph,
        direction: if args.reverse {
            Direction::Dependents
        } else {
            Direction::Dependencies
        },
        depth: args.depth.unwrap_or(u32::MAX),
    };
    let reached = question
        .graph
        .reached(found.node(), question.direction, question.depth);
    for to in &args.format {
        out.answer(to, |w, color| match to.format {
            DepsFormat::Tree => question.write_tree(w, &reached),
            DepsFormat::Table => question.write_table(w, &reached, color),
            DepsFormat::Plain => reached
                .iter()
                .try_for_each(|r| writeln!(w, "{}", escape::line_start(&question.name(r.node)))),
            DepsFormat::Json => json::write_value(w, &question.answer(&reached)),
        })?;
    }
    Ok(if session.failed { Exit::Failed } else { Exit::Yes })
}

struct Question<'a> {
    session: &'a Session,
    found: Found<'a>,
    graph: &'a OrderGraph,
    direction: Direction,
    depth: u32,
}

impl<'a> Question<'a> {
    fn name(&self, node: NodeId) -> String {
        match self.found.variant.units.get(node.index()) {
            Some(unit) => self.session.unit_name(self.found.ix, &unit.name),
            None => json::node_name(self.found.variant, self.graph, node).into_owned(),
        }
    }

    fn place(&self, node: NodeId) -> String {
        let Some(unit) = self.found.variant.units.get(node.index()) else {
            return String::new();
        };
        let at = Position::of(&self.session.analysis, unit.header);
        let line = u64::from(at.start(Encoding::Utf32).line) + 1;
        format!("{}:{line}", escape::line(&self.session.paths.show(at.path)))
    }

    /// The neighbours of a node that are shown: joins are passed through. Each once, in edge order.
    fn next(&self, node: NodeId) -> Vec<NodeId> {
        let mut out = Vec::new();
        let mut seen: HashSet<NodeId> = HashSet::new();
        let mut open: Vec<NodeId> = vec![node];
        while let Some(at) = open.pop() {
            let links: Vec<NodeId> = self.graph.distinct(at, self.direction).map(|l| l.node).collect();
            for there in links {
                if !seen.insert(there) {
                    continue;
                }
                if self.graph.kind(there).is_some_and(NodeKind::is_passed) {
                    open.push(there);
                } else {
                    out.push(there);
                }
            }
        }
        out
    }

    /// Each unit with its own is shown once; later it is only named.
    fn write_tree(&self, w: &mut dyn Write, reached: &[Reached]) -> io::Result<()> {
        let start = self.found.node();
        let verb = match self.direction {
            Direction::Dependencies => "waits for",
            Direction::Dependents => "is awaited by",
        };
        let count = match reached.len() {
            0 => "nothing".to_owned(),
            n => n.to_string(),
        };
        writeln!(w, "{} {verb} {count}", escape::line_start(&self.name(start)))?;
        let mut shown: HashSet<NodeId> = HashSet::from([start]);
        let mut open: Vec<(NodeId, u32)> = self.next(start).into_iter().rev().map(|n| (n, 1)).collect();
        while let Some((node, depth)) = open.pop() {
            // Deep chains stay readable, and their output linear.
            let indent = "  ".repeat(depth.min(40) as usize);
            let again = !shown.insert(node);
            let next = if depth < self.depth {
                self.next(node)
            } else {
                Vec::new()
            };
            let above = if again && !next.is_empty() {
                " (shown above)"
            } else {
                ""
            };
            let name = self.name(node);
            writeln!(
                w,
                "{indent}{}  {}{above}",
                escape::line_start(&name),
                self.place(node)
            )?;
            if !again {
                open.extend(next.into_iter().rev().map(|n| (n, depth + 1)));
            }
        }
        Ok(())
    }

    fn write_table(&self, w: &mut dyn Write, reached: &[Reached], color: bool) -> io::Result<()> {
        let word = self.found.project.engine().meta().unit;
        let rows: Vec<Vec<String>> = reached
            .iter()
            .map(|r| vec![r.depth.to_string(), self.name(r.node), self.place(r.node)])
            .collect();
        let headings = [
            ("steps", Align::Right),
            (word, Align::Left),
            ("file", Align::Left),
        ];
        table::write(w, &headings, &rows, color)
    }

    fn answer(&self, reached: &[Reached]) -> model::Deps<'a> {
        let variant = self.found.variant;
        let unit = |node: NodeId| variant.units.get(node.index());
        model::Deps {
            version: model::VERSION,
            project: self.session.key(self.found.ix),
            environments: json::environments(variant),
            unit: unit(self.found.node()).map_or(Cow::Borrowed(""), |u| Cow::Borrowed(&*u.name)),
            reverse: self.direction == Direction::Dependents,
            units: reached
                .iter()
                .map(|r| model::Reached {
                    name: json::node_name(variant, self.graph, r.node),
                    depth: r.depth,
                    place: unit(r.node).map(|u| json::place(self.session, u.header)),
                })
                .collect(),
        }
    }
}
