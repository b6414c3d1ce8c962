//! The summary of a step of GitHub Actions: for each project the order as a picture, and a table of the findings.

use std::collections::HashMap;
use std::fmt::Write;

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::markdown;
use applyorder_analysis::syntax::text::Encoding;
use applyorder_analysis::workspace::ProjectIx;
use applyorder_drawing::{Drawing, Format, Picture};

use super::Report;
use crate::escape;
use crate::fingerprint::Reported;

/// GitHub does not show larger summaries.
pub const MOST_BYTES: usize = 1 << 20;

/// Bytes reserved for the note on what was cut.
const CLOSING: usize = 400;

/// How many pictures are drawn: a page with more of them loads slowly.
const MOST_PICTURES: usize = 20;

/// The summary in at most `room` bytes. `drawing` is a drawing of [`Report::session`]; `link` returns the URL of a
/// place.
#[must_use]
pub fn text(
    report: Report<'_>,
    drawing: &Drawing,
    link: &dyn Fn(&Reported<'_>) -> Option<String>,
    room: usize,
) -> String {
    let room = room.saturating_sub(CLOSING);
    let mut out = String::new();
    let mut cut = Cut::default();
    let mut pictures = 0;
    let mut by_key: HashMap<&str, Vec<Picture>> = HashMap::new();
    for picture in &drawing.pictures {
        by_key.entry(&picture.key).or_default().push(picture.clone());
    }
    let mut by_project: HashMap<Option<ProjectIx>, Vec<&Reported<'_>>> = HashMap::new();
    for reported in report.worst_first() {
        let first = reported.finding.projects.first().copied();
        by_project.entry(first).or_default().push(reported);
    }
    for (ix, _) in report.session.projects() {
        let own = Drawing {
            pictures: by_key.remove(report.session.key(ix).as_str()).unwrap_or_default(),
            links: Vec::new(),
        };
        let found = by_project.remove(&Some(ix)).unwrap_or_default();
        let heading = heading(report, ix, &own, &found);
        if out.len() + heading.len() > room {
            cut.projects += 1;
            cut.findings += found.len();
            continue;
        }
        out.push_str(&heading);
        pictures += 1;
        if pictures <= MOST_PICTURES {
            picture(&mut out, &own, &found, room, &mut cut);
        } else {
            cut.pictures += 1;
        }
        table(&mut out, report, &found, link, room, &mut cut);
    }
    let without_project = by_project.remove(&None).unwrap_or_default();
    table(&mut out, report, &without_project, link, room, &mut cut);
    out.push_str(&cut.words());
    out
}

/// What was cut for lack of space.
#[derive(Default)]
struct Cut {
    projects: usize,
    pictures: usize,
    findings: usize,
}

impl Cut {
    fn words(&self) -> String {
        let mut parts = Vec::new();
        for (n, one) in [
            (self.projects, "project"),
            (self.pictures, "picture"),
            (self.findings, "finding"),
        ] {
            if n > 0 {
                parts.push(format!("{n} {one}{}", if n == 1 { "" } else { "s" }));
            }
        }
        if parts.is_empty() {
            return String::new();
        }
        format!(
            "\n{} more: GitHub shows no summary above 1 MiB, and pages with many pictures slowly.\n",
            parts.join(", ")
        )
    }
}

fn heading(report: Report<'_>, ix: ProjectIx, own: &Drawing, found: &[&Reported<'_>]) -> String {
    let count = |severity| {
        found
            .iter()
            .filter(|r| r.finding.diagnostic.severity == severity)
            .count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let ordered = own.pictures.iter().all(|p| p.ordered);
    let mut words = vec![match own.pictures.first() {
        Some(picture) if ordered => picture.summary.clone(),
        _ => "no order".to_owned(),
    }];
    for (n, one) in [(errors, "error"), (warnings, "warning")] {
        if n > 0 {
            words.push(format!("{n} {one}{}", if n == 1 { "" } else { "s" }));
        }
    }
    let glyph = match (ordered && errors == 0, warnings) {
        (false, _) => "✗",
        (true, 0) => "✓",
        (true, _) => "!",
    };
    let name = report
        .session
        .analysis
        .project(ix)
        .map_or_else(String::new, |project| report.repository.shown(&project.seed.root));
    format!(
        "### {glyph} {}: {}\n\n",
        markdown::escape(&escape::line(&name)),
        markdown::escape(&words.join(", "))
    )
}

/// The picture; collapsed if nothing is wrong.
fn picture(out: &mut String, own: &Drawing, found: &[&Reported<'_>], room: usize, cut: &mut Cut) {
    let chart = own.write(Format::Mermaid);
    let text = if found.is_empty() && own.pictures.iter().all(|p| p.ordered) {
        format!("<details><summary>picture</summary>\n\n```mermaid\n{chart}```\n\n</details>\n\n")
    } else {
        format!("```mermaid\n{chart}```\n\n")
    };
    if out.len() + text.len() > room {
        cut.pictures += 1;
    } else {
        out.push_str(&text);
    }
}

fn table(
    out: &mut String,
    report: Report<'_>,
    found: &[&Reported<'_>],
    link: &dyn Fn(&Reported<'_>) -> Option<String>,
    room: usize,
    cut: &mut Cut,
) {
    let mut rows = 0;
    for (n, reported) in found.iter().enumerate() {
        let d = reported.finding.diagnostic;
        let (start, _) = report.range(d.place, Encoding::Utf16);
        let at = format!("{}:{}", report.path(d.place), start.line);
        let at = markdown::escape(&escape::line(&at));
        let at = link(reported).map_or_else(|| at.clone(), |url| format!("[{at}]({url})"));
        let glyph = match d.severity {
            Severity::Error => "✗",
            Severity::Warning => "!",
            Severity::Info | Severity::Hint => "·",
        };
        let message = escape::line(&markdown::plain(&d.message)).into_owned();
        let mut row = String::new();
        if rows == 0 {
            row.push_str("| | finding | place |\n|---|---|---|\n");
        }
        let _ = writeln!(row, "| {glyph} | {} | {at} |", markdown::escape(&message));
        if out.len() + row.len() > room {
            cut.findings += found.len() - n;
            break;
        }
        out.push_str(&row);
        rows += 1;
    }
    if rows > 0 {
        out.push('\n');
    }
}
