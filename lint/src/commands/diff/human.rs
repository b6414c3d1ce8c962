//! A difference for a terminal.

use std::io::{self, Write};

use super::sections::{self, Piece, Row, Section};
use super::words;
use crate::commands::lint::plural;
use crate::commands::marks::Mark;
use crate::escape;
use crate::formats::json::diff::{Diff, Moved, ProjectDiff, RunDiff};
use crate::look::{Look, Style};
use crate::table::width;

/// How many rows of each kind are shown.
const MOST_ROWS: usize = 20;

/// Writes everything; sections have at most [`MOST_ROWS`] rows unless `whole`.
pub(super) fn write(w: &mut dyn Write, diff: &Diff, look: Look, whole: bool) -> io::Result<()> {
    let labels = words::labels(&diff.projects);
    let (before, after) = (words::revision(&diff.before), words::revision(&diff.after));
    let mut is_first = true;
    for (project, label) in diff.projects.iter().zip(&labels).filter(|(p, _)| p.changed) {
        if !std::mem::take(&mut is_first) {
            writeln!(w)?;
        }
        let mut head = vec![label.clone(), format!("{before} {} {after}", look.glyph("→"))];
        head.extend((diff.operation == "delete").then(|| "delete".to_owned()));
        head.extend(words::there(project).map(str::to_owned));
        write_project(w, project, head, look, whole)?;
    }
    let same = diff.projects.iter().filter(|p| !p.changed);
    let (count, unknown) = same.fold((0, 0), |(n, u), p| (n + 1, u + p.unknown_after.len()));
    let ok = Mark::Ok.shown(look);
    let known = if unknown > 0 {
        format!(
            ", as far as known: {} unknown",
            plural(unknown, ["part is", "parts are"])
        )
    } else {
        String::new()
    };
    match (diff.changed, count) {
        // It was already reported that no project was found.
        (false, 0) => Ok(()),
        (false, _) => writeln!(w, "{ok} same order as {before}{known}"),
        (true, 0) => Ok(()),
        (true, n) => {
            let others = plural(n, ["other project", "other projects"]);
            writeln!(w, "\n{ok} same order in {others}{known}")
        }
    }
}

fn write_project(
    w: &mut dyn Write,
    project: &ProjectDiff,
    head: Vec<String>,
    look: Look,
    whole: bool,
) -> io::Result<()> {
    let separator = format!(" {} ", look.glyph("·"));
    let mut head = Some(head);
    let of_project = sections::of_project(project);
    let changed: Vec<&RunDiff> = project.runs.iter().filter(|run| !run.is_empty()).collect();
    if changed.is_empty() || project.runs.len() > 1 {
        let head = head.take().unwrap_or_default();
        writeln!(w, "{}", escape::line_start(&head.join(&separator)))?;
    }
    let mut of_project = Some(of_project);
    for run in changed {
        let mut parts = head
            .take()
            .unwrap_or_else(|| vec![format!("in {}", words::environments(&run.environments))]);
        parts.push(words::layers(run, look.glyph("→")));
        parts.extend(words::moves(project, run));
        writeln!(w, "{}", escape::line_start(&parts.join(&separator)))?;
        // The engine's own rejection is shown after new cycles, before all else.
        let mut all = sections::of_run(run);
        let behind = all.iter().take_while(|s| s.mark == Mark::Cycle).count();
        let of_project = of_project.take().unwrap_or_default();
        all.splice(behind..behind, of_project);
        writeln!(w)?;
        for section in &all {
            write_section(w, section, look, whole)?;
        }
        write_moved(w, &run.moved, look, whole)?;
        write_chain(w, run, look)?;
    }
    for section in of_project.unwrap_or_default() {
        write_section(w, &section, look, whole)?;
    }
    Ok(())
}

fn write_section(w: &mut dyn Write, section: &Section, look: Look, whole: bool) -> io::Result<()> {
    let glyph = section.mark.glyph(look);
    let title = format!("{glyph} {}", section.title);
    writeln!(w, "{}", section.mark.paint(look, &title))?;
    let shown = if whole { section.rows.len() } else { MOST_ROWS };
    let rows: Vec<[String; 5]> = section.rows.iter().take(shown).map(cells).collect();
    let mut widths = [0; 5];
    for row in &rows {
        for (most, cell) in widths.iter_mut().zip(row) {
            *most = (*most).max(width(cell));
        }
    }
    for row in &rows {
        let mut line = String::from("    ");
        for ((cell, most), column) in row.iter().zip(widths).zip(0..) {
            if most == 0 {
                continue;
            }
            let padding = " ".repeat(most.saturating_sub(width(cell)) + 2);
            let shown = match column {
                0 | 2 => look.paint(Style::Bold, cell),
                3 => look.paint(Style::Place, cell),
                _ => cell.clone(),
            };
            line.push_str(&shown);
            line.push_str(&padding);
        }
        writeln!(w, "{}", line.trim_end())?;
    }
    write_more(w, section.rows.len(), rows.len(), look)
}

fn write_more(w: &mut dyn Write, all: usize, shown: usize, look: Look) -> io::Result<()> {
    if all > shown {
        let dots = look.glyph("…");
        writeln!(w, "    {dots} {} more (--verbose)", all - shown)?;
    }
    Ok(())
}

/// Subject, verb, the rest of the sentence, place, remark.
fn cells(row: &Row) -> [String; 5] {
    let piece = |piece: &Piece| match piece {
        Piece::Word(word) => word.clone(),
        Piece::Name(name) => escape::line(name).into_owned(),
    };
    let mut pieces = row.text.iter().map(piece);
    let verb = pieces.next().unwrap_or_default();
    let rest: Vec<String> = pieces.collect();
    let place = row.place.as_ref().map_or_else(String::new, |place| {
        format!("{}:{}", escape::line(&place.path), place.start.line)
    });
    // Indentation does not protect against CI systems that look for `::` after spaces.
    let subject = escape::line_start(&row.subject).into_owned();
    [subject, verb, rest.join(" "), place, row.remark.clone()]
}

/// Two units per line, because names are short.
fn write_moved(w: &mut dyn Write, moved: &[Moved], look: Look, whole: bool) -> io::Result<()> {
    if moved.is_empty() {
        return Ok(());
    }
    writeln!(w, "{}", look.paint(Style::Bold, "  moved"))?;
    let shown = if whole { moved.len() } else { MOST_ROWS };
    let cell = |m: &Moved| {
        let (glyph, style) = if m.after < m.before {
            ("◂", Style::Good)
        } else {
            ("▸", Style::Doubtful)
        };
        (
            look.paint(style, look.glyph(glyph)),
            escape::line(&m.unit).into_owned(),
            format!("{} {} {}", m.before, look.glyph("→"), m.after),
        )
    };
    let cells: Vec<_> = moved.iter().take(shown).map(cell).collect();
    let names = cells.iter().map(|(_, name, _)| width(name)).max().unwrap_or(0);
    let numbers = cells.iter().map(|(_, _, n)| width(n)).max().unwrap_or(0);
    for pair in cells.chunks(2) {
        let mut line = String::from("    ");
        for (glyph, name, number) in pair {
            let name_padding = " ".repeat(names.saturating_sub(width(name)));
            let padding = " ".repeat(numbers.saturating_sub(width(number)) + 4);
            line.push_str(&format!("{glyph} {name}{name_padding}  {number}{padding}"));
        }
        writeln!(w, "{}", line.trim_end())?;
    }
    write_more(w, moved.len(), cells.len(), look)
}

fn write_chain(w: &mut dyn Write, run: &RunDiff, look: Look) -> io::Result<()> {
    let Some(chain) = &run.chain else { return Ok(()) };
    let known: std::collections::HashSet<&String> = chain.before.iter().collect();
    let mut new = chain.after.iter().filter(|unit| !known.contains(unit));
    let through = new.next().map_or_else(String::new, |first| {
        let more = new.count();
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!(", now through {}{more}", escape::line(first))
    });
    let text = format!(
        "  longest chain {} {} {}{through}",
        chain.before.len(),
        look.glyph("→"),
        chain.after.len()
    );
    writeln!(w, "{}", look.paint(Style::Chain, &text))
}
