//! An order for humans: the meaning of a layer, then columns or a table with what each unit waits for. Without an
//! order: the part that is ordered anyway, the cycle, and what is stuck behind it.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use applyorder_analysis::diagnostic::{Place, Severity};
use applyorder_analysis::engine::{Operation, OrderOf, Variant};
use applyorder_analysis::rules::unknown_dependency;
use applyorder_analysis::workspace::{Project, ProjectIx};
use applyorder_drawing::{Column, Edge, Node, NodeKind, Picture};

use super::columns;
use crate::look::{Look, Style};
use crate::session::Session;
use crate::table::width;

/// Cycles with more rows are abbreviated in the middle.
const MOST_OF_A_RING: usize = 8;
const RING_START: usize = 5;
const RING_END: usize = 2;
/// How many units stuck behind a cycle are named.
const MOST_STUCK: usize = 20;
/// How many names of what a unit waits for are listed.
const MOST_NAMES: usize = 3;

/// The question: an order and its picture.
#[derive(Clone, Copy)]
pub(in crate::commands) struct Answer<'a> {
    pub(in crate::commands) session: &'a Session,
    pub(in crate::commands) ix: ProjectIx,
    pub(in crate::commands) project: &'a Project,
    pub(in crate::commands) variant: &'a Variant,
    pub(in crate::commands) order: &'a OrderOf,
    pub(in crate::commands) picture: &'a Picture,
    /// Whether columns are requested, even if they do not fit.
    pub(in crate::commands) columns: bool,
    pub(in crate::commands) look: Look,
}

/// Writes the answer.
pub(super) fn write(w: &mut dyn Write, answer: Answer<'_>) -> io::Result<()> {
    let Answer { picture, look, .. } = answer;
    let layers = columns::layers(picture);
    header(w, answer, columns::rows(&layers))?;
    if !picture.ordered {
        writeln!(w)?;
        return without_order(w, answer);
    }
    if picture.nodes.is_empty() {
        return Ok(());
    }
    writeln!(w)?;
    let acts = std::ptr::eq(answer.order, &answer.variant.apply) && !answer.variant.actions.is_empty();
    let in_columns = if answer.columns {
        columns::can_be_drawn(&layers)
    } else {
        !acts && columns::fit(&layers, look)
    };
    if in_columns {
        let chain = picture
            .nodes
            .iter()
            .filter(|n| n.chain && n.kind == NodeKind::Unit);
        let several = answer.order.graph.critical_units().len() > chain.count();
        columns::write(w, picture, &layers, several, look)
    } else {
        let mut table = Table::new(answer, acts);
        table.layers(|_| true);
        table.write(w)
    }
}

fn header(w: &mut dyn Write, answer: Answer<'_>, most: usize) -> io::Result<()> {
    let Answer { picture, look, .. } = answer;
    let operation = match picture.operation {
        Operation::Apply => "apply",
        Operation::Delete => "delete",
    };
    let dot = look.glyph("·");
    let runs = picture
        .environments
        .as_ref()
        .map_or_else(String::new, |e| format!(" {dot} {e}"));
    let engine = look.paint(Style::Bold, picture.engine);
    writeln!(w, "{engine}  {} {dot} {operation}{runs}", picture.root)?;
    if answer.project.seed.inferred {
        writeln!(
            w,
            "inferred project: {}",
            crate::escape::line(&answer.project.seed.why)
        )?;
    }
    if !picture.ordered {
        let because = match starts_nothing(answer) {
            Some(command) => format!("no order: {command} starts nothing until this is fixed"),
            None => picture.summary.clone(),
        };
        return writeln!(
            w,
            "{}",
            look.paint(Style::Bad, &format!("{} {because}", look.glyph("✗")))
        );
    }
    let mut parts = vec![picture.summary.clone()];
    if most > 1 {
        parts.push(format!("at most {most} at once"));
    }
    parts.push(picture.meaning.to_owned());
    writeln!(w, "{}", parts.join(&format!(" {dot} ")))?;
    if let Some(because) = answer.order.because.as_deref() {
        writeln!(w, "{}", crate::escape::line(because))?;
    }
    Ok(())
}

/// The command that the engine would reject, if it would.
fn starts_nothing(answer: Answer<'_>) -> Option<String> {
    let engine = answer.project.engine();
    let command = engine.command_of(answer.picture.operation, &answer.session.options)?;
    let of = |v: &&applyorder_analysis::engine::Verdict| {
        v.command == command && answer.variant.environments.contains(&v.environment)
    };
    let verdict = answer.project.resolution.verdicts.iter().find(of)?;
    (verdict.ok == Some(false)).then(|| engine.meta().command_line(command))
}

/// Shows what is certain without an order.
pub(super) fn without_order(w: &mut dyn Write, answer: Answer<'_>) -> io::Result<()> {
    let picture = answer.picture;
    let mut table = Table::new(answer, false);
    let dangling = picture.edges.iter();
    let dangling: Vec<&Edge> = dangling.filter(|e| table.is_obeyed(e) == Some(true)).collect();
    let lost: HashSet<usize> = dangling.iter().map(|e| e.after).collect();
    table.layers(|at| !lost.contains(&at));
    let mut explain = None;
    for ring in rings(picture) {
        explain = explain.or_else(|| {
            let unit = picture.nodes.get(ring.first()?.after)?.unit?;
            let unit = answer.variant.units.get(unit as usize)?;
            Some(answer.session.unit_name(answer.ix, &unit.name))
        });
        table.ring(&ring);
    }
    table.stuck();
    for edge in dangling {
        table.lost(edge);
    }
    table.write(w)?;
    if let Some(name) = explain {
        let name = pasted(&name);
        writeln!(w, "explain: applyorder why {name} {name}")?;
    }
    Ok(())
}

/// The units that wait for something that does not exist but that the engine requires, or that can't be known. A
/// dangling entry that the engine ignores leaves its unit in its layer.
fn without_layer(answer: Answer<'_>) -> HashSet<u32> {
    let findings = answer.project.findings();
    let errors = findings
        .of_rule(&unknown_dependency::RULE)
        .filter(|found| found.severity == Severity::Error);
    let rejected: HashSet<Place> = errors.map(|found| found.place).collect();
    let dangling = answer
        .variant
        .dependencies
        .iter()
        .filter(|d| d.targets.is_empty());
    dangling
        .filter(|d| d.unknown || rejected.contains(&d.place))
        .map(|d| d.unit.0)
        .collect()
}

/// A name in shell syntax.
pub(in crate::commands) fn pasted(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-@:+,=".contains(c);
    if !name.is_empty() && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "'\\''"))
    }
}

/// The cycles, each as its edges starting with the one to cut, in the direction of waiting.
pub(super) fn rings(picture: &Picture) -> Vec<Vec<&Edge>> {
    let all = picture.edges.iter().filter(|e| e.ring.is_some());
    // A unit on a cycle may depend on itself as well.
    let (own, all): (Vec<&Edge>, Vec<&Edge>) = all.partition(|e| e.after == e.before);
    let waits: HashMap<usize, &Edge> = all.iter().map(|e| (e.after, *e)).collect();
    let mut starts = all.clone();
    starts.sort_by_key(|e| e.ring.is_none_or(|r| !r.cut));
    let mut seen: HashSet<usize> = HashSet::new();
    let mut rings = Vec::new();
    for start in starts {
        let mut ring = Vec::new();
        let mut edge = Some(start);
        while let Some(at) = edge.filter(|e| seen.insert(e.after)) {
            ring.push(at);
            edge = waits.get(&at.before).copied();
        }
        if !ring.is_empty() {
            rings.push(ring);
        }
    }
    rings.extend(own.into_iter().map(|edge| vec![edge]));
    rings
}

/// Rows of: layer, rail, unit, what it waits for, place, a note.
struct Table<'a> {
    answer: Answer<'a>,
    acts: bool,
    rows: Vec<[String; 7]>,
    styles: Vec<Style>,
    before: Vec<Vec<usize>>,
    /// The units of [`without_layer`].
    without_layer: HashSet<u32>,
}

impl<'a> Table<'a> {
    fn new(answer: Answer<'a>, acts: bool) -> Self {
        let mut table = Self {
            answer,
            acts,
            rows: Vec::new(),
            styles: Vec::new(),
            before: vec![Vec::new(); answer.picture.nodes.len()],
            without_layer: without_layer(answer),
        };
        for edge in answer.picture.edges.iter().filter(|e| !e.needless) {
            let is_ignored = table.is_obeyed(edge) == Some(false);
            if let Some(of) = table.before.get_mut(edge.after).filter(|_| !is_ignored) {
                of.push(edge.before);
            }
        }
        table
    }

    /// For a dangling edge, whether the engine obeys it; `None` for any other edge.
    fn is_obeyed(&self, edge: &Edge) -> Option<bool> {
        self.node(edge.before)
            .filter(|node| node.kind == NodeKind::Unknown)?;
        let waits = self.node(edge.after)?.unit?;
        Some(self.without_layer.contains(&waits))
    }

    fn node(&self, at: usize) -> Option<&'a Node> {
        self.answer.picture.nodes.get(at)
    }

    fn place(node: &Node) -> String {
        node.spot
            .as_ref()
            .map_or_else(String::new, applyorder_drawing::Spot::show)
    }

    /// What a unit waits for, passing through joins.
    fn waits_for(&self, at: usize) -> String {
        let mut names: Vec<&str> = Vec::new();
        let mut more = 0usize;
        for before in self.before.get(at).into_iter().flatten() {
            let Some(node) = self.node(*before) else { continue };
            match node.kind {
                NodeKind::Join { awaited, .. } => {
                    let first = self.before.get(*before).and_then(|of| of.first());
                    names.extend(first.and_then(|n| self.node(*n)).map(|n| n.name.as_str()));
                    more += awaited.saturating_sub(1);
                }
                _ => names.push(&node.name),
            }
        }
        if names.is_empty() {
            return "nothing".to_owned();
        }
        more += names.len().saturating_sub(MOST_NAMES);
        names.truncate(MOST_NAMES);
        let mut text = names.join(", ");
        if more > 0 {
            text.push_str(&format!(", {more} more"));
        }
        text
    }

    fn layers(&mut self, is_shown: impl Fn(usize) -> bool) {
        let look = self.answer.look;
        let picture = self.answer.picture;
        let mut by_column: Vec<Vec<usize>> = vec![Vec::new(); picture.columns.len()];
        for (at, node) in picture.nodes.iter().enumerate() {
            if let Some(of) = by_column
                .get_mut(node.column)
                .filter(|_| node.kind == NodeKind::Unit && is_shown(at))
            {
                of.push(at);
            }
        }
        for (column, mut of) in picture.columns.iter().zip(by_column) {
            if !matches!(column, Column::Layer(_)) {
                continue;
            }
            of.sort_by_key(|at| self.node(*at).is_none_or(|n| !n.chain));
            let last = of.len().saturating_sub(1);
            for (n, at) in of.iter().enumerate() {
                let Some(node) = self.node(*at) else { continue };
                let rail = match n {
                    _ if last == 0 => " ",
                    0 => look.glyph("╭"),
                    n if n == last => look.glyph("╰"),
                    _ => look.glyph("│"),
                };
                let rail = rail.chars().next().unwrap_or(' ');
                let mark = if node.chain {
                    look.glyph("●")
                } else {
                    look.glyph("○")
                };
                let mark = if picture.ordered { mark } else { " " };
                let action = node
                    .unit
                    .and_then(|u| self.answer.variant.actions.get(u as usize).copied());
                self.styles
                    .push(if node.chain { Style::Chain } else { Style::Dim });
                self.rows.push([
                    if n == 0 { column.title() } else { String::new() },
                    format!("{rail} {mark}"),
                    node.name.clone(),
                    if self.acts {
                        action.unwrap_or("").to_owned()
                    } else {
                        String::new()
                    },
                    self.waits_for(*at),
                    Self::place(node),
                    String::new(),
                ]);
            }
        }
    }

    fn ring(&mut self, ring: &[&Edge]) {
        let look = self.answer.look;
        let last = ring.len().saturating_sub(1);
        let folded = ring.len() > MOST_OF_A_RING;
        for (n, edge) in ring.iter().enumerate() {
            if folded && n >= RING_START && n + RING_END < ring.len() {
                if n == RING_START {
                    let more = ring.len() - RING_START - RING_END;
                    self.styles.push(Style::Bad);
                    self.rows.push([
                        String::new(),
                        format!("{}  ", look.glyph("│")),
                        format!("{} {more} more", look.glyph("…")),
                        String::new(),
                        String::new(),
                        String::new(),
                        String::new(),
                    ]);
                }
                continue;
            }
            let rail = match n {
                _ if last == 0 => format!("{} ", look.glyph("──")),
                0 => format!("{} ", look.glyph("╭─")),
                n if n == last => format!("{} ", look.glyph("╰─")),
                _ => format!("{}  ", look.glyph("│")),
            };
            let name = |at: usize| self.node(at).map_or_else(String::new, |n| n.name.clone());
            let place = edge.spot.as_ref().map(applyorder_drawing::Spot::show);
            let place = place.or_else(|| edge.reason.clone()).unwrap_or_default();
            let cut = edge.ring.is_some_and(|r| r.cut);
            let (after, before) = (name(edge.after), name(edge.before));
            self.styles.push(Style::Bad);
            self.rows.push([
                if n == 0 {
                    look.glyph("↻").to_owned()
                } else {
                    String::new()
                },
                rail,
                after,
                String::new(),
                before,
                place,
                if cut { "cut here".to_owned() } else { String::new() },
            ]);
        }
    }

    fn stuck(&mut self) {
        let look = self.answer.look;
        let picture = self.answer.picture;
        let is_stuck = |node: &&Node| picture.columns.get(node.column) == Some(&Column::Stuck);
        let stuck: Vec<&Node> = picture
            .nodes
            .iter()
            .filter(is_stuck)
            .filter(|n| n.kind == NodeKind::Unit)
            .collect();
        for (n, node) in stuck.iter().enumerate().take(MOST_STUCK + 1) {
            let name = if n == MOST_STUCK {
                format!("{} more", stuck.len() - MOST_STUCK)
            } else {
                node.name.clone()
            };
            self.styles.push(Style::Doubtful);
            self.rows.push([
                look.glyph("…").to_owned(),
                "   ".to_owned(),
                name,
                String::new(),
                format!("stuck behind {}", look.glyph("↻")),
                if n == MOST_STUCK {
                    String::new()
                } else {
                    Self::place(node)
                },
                String::new(),
            ]);
        }
    }

    /// Adds a unit that waits for something that does not exist.
    fn lost(&mut self, edge: &Edge) {
        let (Some(after), Some(before)) = (self.node(edge.after), self.node(edge.before)) else {
            return;
        };
        self.styles.push(Style::Doubtful);
        self.rows.push([
            "?".to_owned(),
            "   ".to_owned(),
            after.name.clone(),
            String::new(),
            before.name.clone(),
            edge.spot
                .as_ref()
                .map_or_else(String::new, applyorder_drawing::Spot::show),
            before.detail.clone(),
        ]);
    }

    fn write(&self, w: &mut dyn Write) -> io::Result<()> {
        let look = self.answer.look;
        let headings = [
            "layer",
            "",
            self.answer.picture.words[0],
            if self.acts { "action" } else { "" },
            "waits for",
            "place",
            "",
        ];
        let mut widths = headings.map(width);
        for row in &self.rows {
            for (wide, cell) in widths.iter_mut().zip(row) {
                *wide = (*wide).max(width(cell));
            }
        }
        let line = |row: &[String], style: Option<Style>| {
            let mut text = String::new();
            for (n, (cell, wide)) in row.iter().zip(widths).enumerate() {
                if wide == 0 {
                    continue;
                }
                let pad = " ".repeat(wide.saturating_sub(width(cell)));
                let shown = match (n, style) {
                    (_, None) => look.paint(Style::Bold, cell),
                    (2, Some(_)) => look.paint(Style::Bold, cell),
                    (5, Some(_)) => look.paint(Style::Place, cell),
                    (0 | 1 | 6, Some(style)) => look.paint(style, cell),
                    _ => cell.clone(),
                };
                // Layers are numbers, so they are right-aligned; the rail is next to the name.
                if n == 0 {
                    text.push_str(&format!("{pad}{shown} "));
                } else if n == 1 {
                    text.push_str(&format!("{shown}{pad} "));
                } else {
                    text.push_str(&format!("{shown}{pad}  "));
                }
            }
            text.truncate(text.trim_end().len());
            text
        };
        writeln!(w, "{}", line(&headings.map(str::to_owned), None))?;
        for (row, style) in self.rows.iter().zip(&self.styles) {
            writeln!(w, "{}", line(row, Some(*style)))?;
        }
        Ok(())
    }
}
