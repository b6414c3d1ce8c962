//! `deps`: what a unit waits for, or what waits for it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use applyorder_analysis::engine::{Engines, Operation};
use applyorder_analysis::graph::{Direction, Edge, EdgeId, Link, NodeId, OrderGraph, Reached};
use applyorder_analysis::syntax::text::Encoding;

use super::lint::plural;
use crate::args::{DepsArgs, DepsFormat, Global};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::formats::json::{self, model};
use crate::look::{Look, Style};
use crate::output::Output;
use crate::place::Position;
use crate::session::Session;
use crate::table::{self, Align, width};
use crate::units::{self, Found};

/// Runs the command.
///
/// # Errors
/// When the unit is not found.
pub fn run(engines: Engines, global: &Global, args: &DepsArgs, out: &mut Output) -> Result<Exit, Failure> {
    let session = Session::open(engines, global, &args.run, out)?;
    let found = units::find(&session, &args.unit)?;
    let Some(found) = found.first().copied() else {
        return Err(Failure::new("the unit is not part of an order"));
    };
    let order = found.variant.order_of(Operation::from(args.operation));
    let layers = order.layers.iter().flat_map(|layers| layers.iter().zip(1..));
    let question = Question {
        session: &session,
        found,
        graph: &order.graph,
        layers: layers
            .flat_map(|(of, n)| of.iter().map(move |u| (NodeId(u.0), n)))
            .collect(),
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
        out.answer_looking(to, |w, look| match to.format {
            DepsFormat::Tree => question.write_tree(w, &reached, look),
            DepsFormat::Table => question.write_table(w, &reached, look.color),
            DepsFormat::Plain => reached
                .iter()
                .try_for_each(|r| writeln!(w, "{}", escape::line_start(&question.name(r.node)))),
            DepsFormat::Json => json::write_value(w, &question.answer(&reached)),
        })?;
    }
    Ok(if session.failed() { Exit::Failed } else { Exit::Yes })
}

/// Deeper levels of the tree are not indented further.
const MOST_INDENTED: u32 = 40;

/// A pending node of the tree.
struct Open {
    node: NodeId,
    edge: Edge,
    depth: u32,
    prefix: String,
    is_last: bool,
}

/// A line of the tree.
struct Row {
    prefix: String,
    name: String,
    layer: String,
    place: String,
    reason: String,
    is_above: bool,
}

struct Question<'a> {
    session: &'a Session,
    found: Found<'a>,
    graph: &'a OrderGraph,
    direction: Direction,
    depth: u32,
    /// The layer of each unit that has one.
    layers: HashMap<NodeId, usize>,
}

impl<'a> Question<'a> {
    fn name(&self, node: NodeId) -> String {
        match self.found.variant.units.get(node.index()) {
            Some(unit) => self.session.unit_name(self.found.ix, &unit.name),
            None => self.found.variant.name_of(self.graph, node).into_owned(),
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

    /// The displayed neighbors of a node, each with the edge that explains it; joins are passed through. Each neighbor
    /// occurs once, in edge order.
    fn next(&self, node: NodeId) -> Vec<(NodeId, Edge)> {
        let mut out = Vec::new();
        let mut seen: HashSet<NodeId> = HashSet::new();
        let mut open: Vec<(NodeId, Vec<EdgeId>)> = vec![(node, Vec::new())];
        while let Some((at, way)) = open.pop() {
            let links: Vec<Link> = self.graph.distinct(at, self.direction).collect();
            for link in links {
                if !seen.insert(link.node) {
                    continue;
                }
                let mut way = way.clone();
                way.push(link.edge);
                if self.graph.is_passed(link.node) {
                    // For a long path through joins, its ends are enough.
                    way.truncate(2);
                    open.push((link.node, way));
                } else if let Some(edge) = self.graph.main_edge(&way) {
                    out.push((link.node, *edge));
                }
            }
        }
        out
    }

    /// Shows the neighbors of each unit once; repeated units are only named.
    fn write_tree(&self, w: &mut dyn Write, reached: &[Reached], look: Look) -> io::Result<()> {
        let start = self.found.node();
        let rows = self.tree_rows(look);
        let name = escape::line_start(&self.name(start)).into_owned();
        let others = reached.iter().filter(|reached| reached.node != start).count();
        let meta = self.found.project.engine().meta();
        let count = match (others, others < reached.len()) {
            (0, false) => "nothing".to_owned(),
            (0, true) => "itself".to_owned(),
            (_, false) => plural(others, [meta.unit, meta.units]),
            (_, true) => format!("{} and itself", plural(others, [meta.unit, meta.units])),
        };
        let side = if self.is_reverse() { "before" } else { "after" };
        let dot = look.glyph("·");
        let layer = self.layer(start);
        let layer = if layer.is_empty() {
            String::new()
        } else {
            format!(" {dot} layer {layer}")
        };
        let head = format!("{}{layer} {dot} {side} {count}", look.paint(Style::Bold, &name));
        let plain_head = width(&name) + width(&layer) + width(&count) + side.len() + 4;
        let names = rows
            .iter()
            .map(|row| width(&row.prefix) + width(&row.name))
            .max()
            .unwrap_or(0);
        let names = names.max(if rows.is_empty() { 0 } else { plain_head });
        if rows.is_empty() {
            return writeln!(w, "{head}");
        }
        let pad = " ".repeat(names.saturating_sub(plain_head));
        writeln!(
            w,
            "{head}{pad}  {}  {}",
            look.paint(Style::Bold, "layer"),
            look.paint(Style::Bold, "place")
        )?;
        for row in &rows {
            let pad = " ".repeat(names.saturating_sub(width(&row.prefix) + width(&row.name)));
            let line = format!(
                "{}{}{pad}  {:>5}  {}{}",
                look.paint(Style::Dim, &row.prefix),
                look.paint(Style::Bold, &row.name),
                row.layer,
                look.paint(Style::Place, &row.place),
                row.reason
            );
            writeln!(w, "{}", line.trim_end())?;
        }
        if look.terminal {
            let above = rows.iter().any(|row| row.is_above);
            let up = if above {
                format!("{} shown above {dot} ", look.glyph("↑"))
            } else {
                String::new()
            };
            let flag = if self.is_reverse() { "" } else { "--reverse " };
            writeln!(w, "{up}the other way: applyorder deps {flag}{name}")?;
        }
        Ok(())
    }

    fn is_reverse(&self) -> bool {
        self.direction == Direction::Dependents
    }

    fn layer(&self, node: NodeId) -> String {
        self.layers
            .get(&node)
            .map_or_else(String::new, ToString::to_string)
    }

    fn tree_rows(&self, look: Look) -> Vec<Row> {
        let start = self.found.node();
        let mut rows = Vec::new();
        let mut shown: HashSet<NodeId> = HashSet::from([start]);
        let mut way: Vec<NodeId> = vec![start];
        let mut on_way: HashSet<NodeId> = HashSet::from([start]);
        let mut open: Vec<Open> = Vec::new();
        let push = |open: &mut Vec<Open>, node: NodeId, depth: u32, prefix: &str| {
            let next = self.next(node);
            let last = next.len().saturating_sub(1);
            for (n, (node, edge)) in next.into_iter().enumerate().rev() {
                open.push(Open {
                    node,
                    edge,
                    depth,
                    prefix: prefix.to_owned(),
                    is_last: n == last,
                });
            }
        };
        push(&mut open, start, 1, "");
        while let Some(at) = open.pop() {
            let Open {
                node,
                edge,
                depth,
                prefix,
                is_last,
            } = at;
            while way.len() > depth as usize {
                if let Some(left) = way.pop() {
                    on_way.remove(&left);
                }
            }
            let rings = !on_way.insert(node);
            if !rings {
                way.push(node);
            }
            let again = !shown.insert(node);
            let goes_on =
                depth < self.depth && !rings && self.graph.distinct(node, self.direction).next().is_some();
            let branch = match (is_last, edge.kind.is_explicit()) {
                (false, true) => "├─ ",
                (false, false) => "├┄ ",
                (true, true) => "└─ ",
                (true, false) => "└┄ ",
            };
            let variant = self.found.variant;
            let condition = edge.condition.and_then(|c| variant.conditions.get(c as usize));
            let condition = condition.map_or_else(String::new, |c| format!(" ({})", escape::line(c)));
            let mark = match (rings, again && goes_on) {
                (true, _) => format!(" {}", look.glyph("↻")),
                (false, true) => format!(" {}", look.glyph("↑")),
                (false, false) => String::new(),
            };
            let reason = match json::origin(variant, edge.kind) {
                (model::Kind::Implicit, Some(reason), _) => format!("  {}", escape::line(reason)),
                _ => String::new(),
            };
            rows.push(Row {
                prefix: format!("{prefix}{}", look.glyph(branch)),
                name: format!("{}{condition}{mark}", self.name(node)),
                layer: self.layer(node),
                place: self.place(node),
                reason,
                is_above: again && goes_on,
            });
            if !again && goes_on {
                // Keeps deep chains readable, and their output linear.
                let prefix = if depth >= MOST_INDENTED {
                    prefix
                } else {
                    format!("{prefix}{}", if is_last { "   " } else { look.glyph("│  ") })
                };
                push(&mut open, node, depth + 1, &prefix);
            }
        }
        rows
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
                    name: variant.name_of(self.graph, r.node),
                    depth: r.depth,
                    place: unit(r.node).map(|u| json::place(self.session, u.header)),
                })
                .collect(),
        }
    }
}
