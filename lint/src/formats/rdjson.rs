//! The Reviewdog Diagnostic Format, as one JSON document.

use std::io::{self, Write};

use applyorder_analysis::diagnostic::{Diagnostic, Place};
use applyorder_analysis::syntax::text::Encoding;
use serde::Serialize;

use super::{Report, docs_page, json, of_three};

#[derive(Serialize)]
struct Document<'a> {
    source: Source,
    diagnostics: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
    url: &'static str,
}

#[derive(Serialize)]
struct Entry<'a> {
    message: &'a str,
    location: Location,
    severity: &'static str,
    code: Code<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Related<'a>>,
}

#[derive(Serialize)]
struct Location {
    path: String,
    range: Range,
}

#[derive(Serialize)]
struct Range {
    start: Point,
    end: Point,
}

/// Columns count bytes from 1.
#[derive(Serialize)]
struct Point {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct Code<'a> {
    value: &'a str,
    url: String,
}

#[derive(Serialize)]
struct Suggestion {
    range: Range,
    text: String,
}

#[derive(Serialize)]
struct Related<'a> {
    message: &'a str,
    location: Location,
}

/// Writes the findings.
///
/// # Errors
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: Report<'_>) -> io::Result<()> {
    let entry = |d| entry(report, d);
    let document = Document {
        source: Source {
            name: "applyorder",
            url: env!("CARGO_PKG_REPOSITORY"),
        },
        diagnostics: report
            .findings
            .iter()
            .map(|r| entry(r.finding.diagnostic))
            .collect(),
    };
    json::write_value(out, &document)
}

fn entry<'a>(report: Report<'_>, d: &'a Diagnostic) -> Entry<'a> {
    Entry {
        message: &d.message,
        location: location(report, d.place),
        severity: of_three(d.severity, ["ERROR", "WARNING", "INFO"]),
        code: Code {
            value: d.rule.id,
            url: docs_page(d.rule.id),
        },
        suggestions: suggestions(report, d),
        related_locations: d
            .related
            .iter()
            .map(|r| Related {
                message: &r.message,
                location: location(report, r.place),
            })
            .collect(),
    }
}

/// The fixes that consist of one edit in the same file: suggestions cannot represent others.
fn suggestions(report: Report<'_>, d: &Diagnostic) -> Vec<Suggestion> {
    let one = |fix| match report.session.analysis.edits(fix).as_slice() {
        [(file, edits)] if *file == d.place.file => match edits.as_slice() {
            [edit] => Some(Suggestion {
                range: range(report, Place::span(*file, edit.span)),
                text: edit.text.clone(),
            }),
            _ => None,
        },
        _ => None,
    };
    d.fixes.iter().filter_map(one).collect()
}

fn location(report: Report<'_>, place: Place) -> Location {
    Location {
        path: report.path(place),
        range: range(report, place),
    }
}

fn range(report: Report<'_>, place: Place) -> Range {
    let (start, end) = report.range(place, Encoding::Utf8);
    let [start, end] = [start, end].map(|at| Point {
        line: at.line,
        column: at.col,
    });
    Range { start, end }
}
