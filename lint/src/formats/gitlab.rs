//! GitLab's code quality report.

use std::io::{self, Write};

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::syntax::text::Encoding;
use serde::Serialize;

use super::{Report, json};

#[derive(Serialize)]
struct Issue<'a> {
    description: &'a str,
    check_name: &'a str,
    fingerprint: &'a str,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// Writes the findings.
///
/// # Errors
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: Report<'_>) -> io::Result<()> {
    let issues: Vec<Issue<'_>> = report
        .findings
        .iter()
        .map(|reported| {
            let d = reported.finding.diagnostic;
            let (start, end) = report.range(d.place, Encoding::Utf16);
            Issue {
                description: &d.message,
                check_name: d.rule.id,
                fingerprint: reported.fingerprint(),
                severity: severity(d.severity),
                location: Location {
                    path: report.path(d.place),
                    lines: Lines {
                        begin: start.line,
                        end: end.line,
                    },
                },
            }
        })
        .collect();
    json::write_value(out, &issues)
}

const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "critical",
        Severity::Warning => "major",
        Severity::Info => "minor",
        Severity::Hint => "info",
    }
}
