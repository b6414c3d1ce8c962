//! A partial run for humans: what it includes, what it no longer orders, and what it leaves unchanged.

use std::io::{self, Write};

use applyorder_analysis::engine::{Operation, options};
use applyorder_drawing::NodeKind;

use super::Partial;
use crate::commands::lint::plural;
use crate::commands::order::Answer;
use crate::escape;
use crate::look::{Look, Style};
use crate::table::width;
use crate::units;

/// How many failed units are named in a row.
const MOST_NAMED: usize = 3;

/// A row: layer, unit, action, note.
type Row = [String; 4];

/// Writes the result of a partial run that has an order.
pub(super) fn write(w: &mut dyn Write, partial: &Partial<'_>, answer: Answer<'_>) -> io::Result<()> {
    let Answer { picture, look, .. } = answer;
    let meta = answer.project.engine().meta();
    let lost = |name: &str| -> Vec<&str> {
        let of = partial.lost.iter().filter(|l| {
            l.project == answer.ix
                && answer
                    .project
                    .resolution
                    .variants
                    .get(l.variant)
                    .is_some_and(|v| std::ptr::eq(v, answer.variant))
        });
        of.filter(|l| *l.unit == *name).map(|l| &*l.failed).collect()
    };
    let (rows, left) = rows(partial, answer, &lost);
    writeln!(w, "{}", header(partial, answer, rows.len()))?;
    if answer.project.seed.inferred {
        writeln!(w, "inferred project: {}", escape::line(&answer.project.seed.why))?;
    }
    if let Some(because) = answer.order.because.as_deref() {
        writeln!(w, "{}", escape::line(because))?;
    }
    writeln!(w)?;
    let has_acts = rows.iter().chain(&left).any(|row| !row[2].is_empty());
    let headings: Row = [
        "layer".to_owned(),
        meta.unit.to_owned(),
        if has_acts {
            "action".to_owned()
        } else {
            String::new()
        },
        String::new(),
    ];
    let mut widths = [0usize; 4];
    for row in std::iter::once(&headings).chain(&rows).chain(&left) {
        for (wide, cell) in widths.iter_mut().zip(row) {
            *wide = (*wide).max(width(cell));
        }
    }
    let line = |row: &Row, styles: [Option<Style>; 4]| {
        let mut text = String::new();
        for (n, ((cell, wide), style)) in row.iter().zip(widths).zip(styles).enumerate() {
            if wide == 0 {
                continue;
            }
            let pad = " ".repeat(wide.saturating_sub(width(cell)));
            let shown = style.map_or_else(|| cell.clone(), |style| look.paint(style, cell));
            if n == 0 {
                text.push_str(&format!("{pad}{shown}  "));
            } else {
                text.push_str(&format!("{shown}{pad}  "));
            }
        }
        text.truncate(text.trim_end().len());
        text
    };
    writeln!(w, "{}", line(&headings, [Some(Style::Bold); 4]))?;
    for row in &rows {
        writeln!(
            w,
            "{}",
            line(row, [None, Some(Style::Bold), None, Some(Style::Doubtful)])
        )?;
    }
    for row in &left {
        writeln!(w, "{}", line(row, [Some(Style::Dim); 4]))?;
    }
    let unresolved = answer.project.unresolved();
    for (_, text) in unresolved.filter(|(place, _)| place.is_none()) {
        writeln!(
            w,
            "{} not known: {}",
            look.paint(Style::Doubtful, "?"),
            escape::line(text)
        )?;
    }
    let broken: Vec<&str> = picture
        .nodes
        .iter()
        .filter(|n| n.kind == NodeKind::Unit)
        .filter_map(|n| Some(&*answer.variant.units.get(n.unit? as usize)?.name))
        .filter(|name| !lost(name).is_empty())
        .collect();
    let Some(first) = broken.first() else {
        return Ok(());
    };
    writeln!(w)?;
    let mut failed: Vec<&str> = broken.iter().flat_map(|name| lost(name)).collect();
    failed.sort_unstable();
    failed.dedup();
    let subject = if broken.len() == 1 {
        escape::line(first).into_owned()
    } else {
        plural(broken.len(), [meta.unit, meta.units])
    };
    let why = if partial.lost.iter().all(|lost| lost.is_left) {
        ": units outside this run order nothing"
    } else {
        ""
    };
    writeln!(
        w,
        "{} {subject} may start although {} failed{why}",
        look.paint(Style::Doubtful, "!"),
        named(&failed, look)
    )?;
    if let Some(way_out) = &partial.way_out {
        writeln!(w, "  To keep the order: {way_out}")?;
    }
    Ok(())
}

/// What runs after what, and how much of the project is included.
fn header(partial: &Partial<'_>, answer: Answer<'_>, part: usize) -> String {
    let Answer { picture, look, .. } = answer;
    let meta = answer.project.engine().meta();
    let dot = look.glyph("·");
    let operation = picture.operation;
    let command = answer
        .project
        .engine()
        .command_of(operation, &answer.session.options);
    let command = command.map_or_else(
        || {
            format!(
                "{} {}",
                meta.id,
                if operation == Operation::Apply {
                    "apply"
                } else {
                    "delete"
                }
            )
        },
        |command| meta.command_line(command),
    );
    let args = partial.args;
    let mut what: Vec<String> = Vec::new();
    if !args.failed.is_empty() {
        let failed: Vec<&str> = args.failed.iter().map(String::as_str).collect();
        what.push(format!("after {} failed", named(&failed, look)));
    }
    let value = |name: &str| {
        let given = &args.run.selection.options;
        given
            .iter()
            .find(|(option, _)| option.name == name)
            .map(|(_, values)| values)
    };
    if let Some(changed) = value(options::CHANGED.name) {
        let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
        what.push(format!("when only {} changed", named(&changed, look)));
    }
    if let Some(since) = &args.changed_since {
        what.push(format!("with what changed since {}", escape::line(since)));
    }
    if let Some(state) = value(options::STATE.name) {
        let state: Vec<&str> = state.iter().map(String::as_str).collect();
        what.push(format!("over the state in {}", named(&state, look)));
    }
    let runs = units::holds_in(answer.project, answer.variant)
        .map_or_else(String::new, |environments| format!(" {dot} {environments}"));
    let all = answer.variant.units.len();
    let is = if part == 1 { "is" } else { "are" };
    let done = match operation {
        Operation::Apply => "applied",
        Operation::Delete => "deleted",
    };
    format!(
        "{} {}{runs} {dot} {part} of {} {is} {done}",
        look.paint(Style::Bold, &command),
        what.join(", "),
        plural(all, [meta.unit, meta.units])
    )
}

/// The units that the run includes, and those left unchanged: grouped by action, or one by one.
fn rows<'a>(
    partial: &Partial<'_>,
    answer: Answer<'_>,
    lost: &impl Fn(&str) -> Vec<&'a str>,
) -> (Vec<Row>, Vec<Row>) {
    let variant = answer.variant;
    let look = answer.look;
    let name = |unit: usize| {
        let unit = variant.units.get(unit);
        unit.map_or_else(String::new, |u| answer.session.unit_name(answer.ix, &u.name))
    };
    // Actions are known for applying only.
    let acts = std::ptr::eq(answer.order, &variant.apply);
    let action = |unit: usize| {
        if acts {
            variant.actions.get(unit).copied()
        } else {
            None
        }
    };
    let mut is_part = vec![false; variant.units.len()];
    let mut rows = Vec::new();
    let layered = answer
        .order
        .layers
        .iter()
        .flat_map(|layers| layers.iter())
        .zip(1usize..);
    let mut layers: Vec<(String, &[_])> = layered.map(|(of, n)| (n.to_string(), &**of)).collect();
    if answer.order.layers.is_none() {
        let sequence = answer.order.sequence.as_deref().unwrap_or_default();
        layers = vec![(look.glyph("·").to_owned(), sequence)];
    }
    for (layer, of) in layers {
        for (n, unit) in of.iter().enumerate() {
            let unit = unit.0 as usize;
            if let Some(is_part) = is_part.get_mut(unit) {
                *is_part = true;
            }
            let failed = variant.units.get(unit).map_or_else(Vec::new, |u| lost(&u.name));
            rows.push([
                if n == 0 { layer.clone() } else { String::new() },
                name(unit),
                action(unit).unwrap_or("").to_owned(),
                if failed.is_empty() {
                    String::new()
                } else {
                    format!("! no longer waits for {}", named(&failed, look))
                },
            ]);
        }
    }
    let dot = || look.glyph("·").to_owned();
    let left = (0..variant.units.len()).filter(|unit| is_part.get(*unit) == Some(&false));
    let word = |unit: usize| match action(unit) {
        None | Some("noop") => "unchanged",
        Some(action) => action,
    };
    if partial.verbose {
        let row = |unit| [dot(), name(unit), word(unit).to_owned(), String::new()];
        return (rows, left.map(row).collect());
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for unit in left {
        match counts.iter_mut().find(|(known, _)| *known == word(unit)) {
            Some((_, count)) => *count += 1,
            None => counts.push((word(unit), 1)),
        }
    }
    let row = |(word, count): (&str, usize)| {
        [
            dot(),
            format!("{count} {word} (--verbose)"),
            String::new(),
            String::new(),
        ]
    };
    (rows, counts.into_iter().map(row).collect())
}

fn named(names: &[&str], look: Look) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(MOST_NAMED)
        .map(|name| look.paint(Style::Bold, &escape::line(name)))
        .collect();
    let more = names.len().saturating_sub(MOST_NAMED);
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
