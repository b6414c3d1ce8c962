//! A cycle as a closed rail: one row for each edge, starting with the one to cut.

use std::collections::BTreeSet;

use applyorder_analysis::diagnostic::{Diagnostic, Waits};
use applyorder_analysis::engine::Variant;
use applyorder_analysis::graph::{Direction, NodeId, NodeKind};
use applyorder_analysis::syntax::text::Encoding;
use applyorder_analysis::workspace::Finding;

use super::human::HumanOptions;
use super::links::link;
use crate::escape;
use crate::look::Style;
use crate::place::Position;
use crate::repository::url_path;
use crate::session::Session;
use crate::table::width;

/// Cycles with more rows are abbreviated in the middle.
const MOST_ROWS: usize = 8;
const ROWS_BEFORE: usize = 5;
const ROWS_AFTER: usize = 2;
/// How many units that wait for the cycle are named.
const MOST_STUCK: usize = 5;
/// The limit of steps in the search for them: a report has many findings, and a project many units.
const MOST_STEPS: usize = 10_000;

/// The edges of the cycle that a finding is about; empty for other findings.
fn edges(d: &Diagnostic) -> Vec<(&Waits, applyorder_analysis::diagnostic::Place)> {
    // An implicit edge is reported at both of its units.
    let told = d
        .related
        .iter()
        .filter_map(|r| Some((r.waits.as_deref()?, r.place)));
    let mut edges: Vec<(&Waits, _)> = told.collect();
    edges.dedup_by(|a, b| a.0 == b.0);
    if edges.len() < 2 || d.part_of.is_some() {
        edges.clear();
    }
    edges
}

/// Whether a finding is drawn as a ring.
pub(super) fn is_ring(d: &Diagnostic) -> bool {
    !edges(d).is_empty()
}

/// The text at the place of the edge to cut.
pub(super) fn cut(d: &Diagnostic) -> Option<String> {
    let at = d.related.iter().find(|r| r.place == d.place)?;
    let cut = at.waits.as_deref()?.cut.as_deref()?;
    Some(format!("cut here: {cut}"))
}

/// The rows of a ring.
pub(super) fn rows(session: &Session, d: &Diagnostic, options: HumanOptions<'_>) -> Vec<String> {
    let (look, whole) = (options.look, options.verbose);
    let edges = edges(d);
    let last = edges.len().saturating_sub(1);
    let folded = edges.len() > MOST_ROWS && !whole;
    let name = |name: &str| escape::line(name).into_owned();
    let shown: Vec<usize> = (0..edges.len())
        .filter(|n| !folded || *n < ROWS_BEFORE || n + ROWS_AFTER > last)
        .collect();
    let links = options.links.filter(|_| look.color);
    let mut urls: Vec<Option<String>> = Vec::new();
    let cells: Vec<[String; 4]> = shown
        .iter()
        .filter_map(|n| edges.get(*n))
        .map(|(waits, place)| {
            let at = match &waits.reason {
                Some(reason) => {
                    urls.push(None);
                    escape::line(reason).into_owned()
                }
                None => {
                    let at = Position::of(&session.analysis, *place);
                    let start = at.start(Encoding::Utf32);
                    let (line, column) = (u64::from(start.line) + 1, u64::from(start.col) + 1);
                    urls.push(links.map(|links| links.of(&url_path(at.path), line, column)));
                    format!("{}:{line}", escape::line(&session.paths.show(at.path)))
                }
            };
            let cut = waits.cut.as_ref().map_or("", |_| "cut here");
            [name(&waits.from), name(&waits.to), at, cut.to_owned()]
        })
        .collect();
    let mut wide = [0usize; 4];
    for row in &cells {
        for (wide, cell) in wide.iter_mut().zip(row) {
            *wide = (*wide).max(width(cell));
        }
    }
    let mut lines = Vec::with_capacity(cells.len() + 1);
    for ((n, [from, to, at, cut]), url) in shown.into_iter().zip(&cells).zip(urls) {
        if folded && n + ROWS_AFTER == last + 1 {
            let more = edges.len() - ROWS_BEFORE - ROWS_AFTER;
            let rail = look.paint(Style::Bad, look.glyph("│"));
            lines.push(format!("{rail}  {} {more} more (--verbose)", look.glyph("…")));
        }
        let rail = match n {
            0 => look.glyph("╭─"),
            n if n == last => look.glyph("╰─"),
            _ => look.glyph("│"),
        };
        let painted = look.paint(Style::Place, at);
        let place = url.map_or(painted.clone(), |url| link(&url, &painted));
        let pad = |text: &str, wide: usize| " ".repeat(wide.saturating_sub(width(text)));
        let line = format!(
            "{}{} {}{}  waits for  {}{}  {}{}  {}",
            look.paint(Style::Bad, rail),
            pad(rail, 2),
            look.paint(Style::Bold, from),
            pad(from, wide[0]),
            look.paint(Style::Bold, to),
            pad(to, wide[1]),
            place,
            pad(at, wide[2]),
            look.paint(Style::Bad, cut),
        );
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// The units outside a cycle that wait for it, so that they never start either.
pub(super) fn stuck(session: &Session, finding: &Finding<'_>) -> Option<String> {
    let d = finding.diagnostic;
    if !is_ring(d) {
        return None;
    }
    let project = session.analysis.project(*finding.projects.first()?)?;
    let in_cycles: BTreeSet<&str> = d.units.iter().map(|name| &**name).collect();
    let is_meant = |v: &&Variant| {
        d.environments.is_empty()
            || v.environments.iter().any(|e| {
                d.environments
                    .iter()
                    .any(|name| **name == *e.as_deref().unwrap_or(""))
            })
    };
    let variant = project.resolution.variants.iter().find(is_meant)?;
    let graph = &variant.apply.graph;
    let numbered = variant.units.iter().zip(0u32..);
    let mut open: Vec<NodeId> = numbered
        .filter(|(unit, _)| in_cycles.contains(&*unit.name))
        .map(|(_, n)| NodeId(n))
        .collect();
    let mut seen: BTreeSet<NodeId> = open.iter().copied().collect();
    let mut names = Vec::new();
    let mut steps = 0usize;
    while let Some(node) = open.pop() {
        for link in graph.distinct(node, Direction::Dependents) {
            steps += 1;
            if steps > MOST_STEPS {
                return None;
            }
            if !seen.insert(link.node) {
                continue;
            }
            open.push(link.node);
            let unit = graph.kind(link.node).and_then(NodeKind::unit);
            names.extend(unit.and_then(|u| Some(&*variant.units.get(u as usize)?.name)));
        }
    }
    if names.is_empty() {
        return None;
    }
    names.sort_unstable();
    let shown: Vec<_> = names
        .iter()
        .take(MOST_STUCK)
        .map(|name| escape::line(name))
        .collect();
    let more = names.len().saturating_sub(MOST_STUCK);
    let more = if more > 0 {
        format!(", {more} more")
    } else {
        String::new()
    };
    Some(format!("stuck behind it: {}{more}", shown.join(", ")))
}
