//! Findings by file: the file's name, and a row for each.

use std::io::{self, Write};

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::syntax::text::Encoding;

use super::Report;
use crate::escape;
use crate::fingerprint::Reported;
use crate::table::width;

/// Writes the findings. Columns count characters from 1.
///
/// # Errors
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: Report<'_>, color: bool) -> io::Result<()> {
    let (bold, plain) = if color { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let file = |r: &Reported<'_>| -> FileId { r.finding.diagnostic.place.file };
    for (n, group) in report.findings.chunk_by(|a, b| file(a) == file(b)).enumerate() {
        let Some(first) = group.first() else { continue };
        if n > 0 {
            writeln!(out)?;
        }
        let session = report.session;
        let path = session.paths.show(session.analysis.path(file(first)));
        writeln!(out, "{bold}{}{plain}", escape::line_start(&path))?;
        let rows: Vec<[String; 4]> = group.iter().map(|r| row(report, r)).collect();
        let widest = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| width(cell)).max().unwrap_or(0)
        };
        let [places, severities, rules] = [widest(0), widest(1), widest(2)];
        for [place, severity, rule, message] in &rows {
            writeln!(
                out,
                "  {place:>places$}  {severity:severities$}  {rule:rules$}  {message}"
            )?;
        }
    }
    Ok(())
}

fn row(report: Report<'_>, reported: &Reported<'_>) -> [String; 4] {
    let d = reported.finding.diagnostic;
    let (start, _) = report.range(d.place, Encoding::Utf32);
    [
        format!("{}:{}", start.line, start.col),
        d.severity.as_str().to_owned(),
        d.rule.id.to_owned(),
        escape::line(&d.message).into_owned(),
    ]
}
