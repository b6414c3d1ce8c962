//! `--statistics`: how often each rule reports, and how many findings can be fixed.

use std::collections::BTreeMap;
use std::io::{self, Write};

use applyorder_analysis::diagnostic::{Safety, Severity};

use crate::args::{LintFormat, To};
use crate::commands::fix;
use crate::escape;
use crate::exit::Failure;
use crate::fingerprint::Reported;
use crate::formats::json::{self, model};
use crate::table::{self, Align};

/// Rejects formats that contain findings but no counts.
///
/// # Errors
/// The message for the user.
pub(super) fn refuse_formats(formats: &[To<LintFormat>]) -> Result<(), Failure> {
    let has_counts = |to: &&To<LintFormat>| matches!(to.format, LintFormat::Human | LintFormat::Json);
    match formats.iter().find(|to| !has_counts(to)) {
        None => Ok(()),
        Some(_) => Err(Failure::new("--statistics: use --format human or --format json")),
    }
}

/// Writes the counts; rules with the most findings come first.
///
/// # Errors
/// When the output cannot be written.
pub(super) fn write(
    out: &mut dyn Write,
    findings: &[Reported<'_>],
    format: LintFormat,
    color: bool,
) -> io::Result<()> {
    let counts = counts(findings);
    if format == LintFormat::Json {
        return json::write_value(
            out,
            &model::Statistics {
                version: model::VERSION,
                statistics: counts,
            },
        );
    }
    if counts.is_empty() {
        return Ok(());
    }
    let number = |n: usize| if n == 0 { String::new() } else { n.to_string() };
    let row = |count: &model::Count<'_>| {
        vec![
            count.findings.to_string(),
            count.rule.to_owned(),
            count.severity.as_str().to_owned(),
            number(count.safe_fixes),
            number(count.unsafe_fixes),
            escape::line(count.summary).into_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = counts.iter().map(row).collect();
    let headings = [
        ("findings", Align::Right),
        ("rule", Align::Left),
        ("severity", Align::Left),
        ("safe fixes", Align::Right),
        ("unsafe fixes", Align::Right),
        ("summary", Align::Left),
    ];
    table::write(out, &headings, &rows, color)
}

/// One entry for each rule and severity.
fn counts(findings: &[Reported<'_>]) -> Vec<model::Count<'static>> {
    let mut all: BTreeMap<(&str, Severity), model::Count<'static>> = BTreeMap::new();
    for reported in findings {
        let d = reported.finding.diagnostic;
        let count = all.entry((d.rule.id, d.severity)).or_insert(model::Count {
            rule: d.rule.id,
            severity: d.severity,
            summary: d.rule.summary,
            findings: 0,
            safe_fixes: 0,
            unsafe_fixes: 0,
        });
        count.findings += 1;
        match fix::chosen(d, true).map(|fix| fix.safety) {
            Some(Safety::Safe) => count.safe_fixes += 1,
            Some(Safety::Unsafe) => count.unsafe_fixes += 1,
            None => {}
        }
    }
    let mut counts: Vec<_> = all.into_values().collect();
    counts.sort_by_key(|count| {
        (
            std::cmp::Reverse(count.severity),
            std::cmp::Reverse(count.findings),
        )
    });
    counts
}
