//! JUnit XML, in the form that Jenkins and GitLab read: a suite for each file, a failed case for each finding.

use std::io::{self, Write};

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::syntax::text::Encoding;

use super::{Report, xml};
use crate::fingerprint::Reported;

/// Writes the findings; a file without findings is one successful case, so that a report is never empty.
///
/// # Errors
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: Report<'_>) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    let failures = report.findings.len();
    let tests = failures.max(1);
    writeln!(
        out,
        "<testsuites name=\"applyorder\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    )?;
    if report.findings.is_empty() {
        writeln!(
            out,
            "  <testsuite name=\"applyorder\" tests=\"1\" failures=\"0\" errors=\"0\">\n    \
             <testcase classname=\"applyorder\" name=\"no findings\"/>\n  </testsuite>"
        )?;
    }
    let file = |r: &Reported<'_>| -> FileId { r.finding.diagnostic.place.file };
    for group in report.findings.chunk_by(|a, b| file(a) == file(b)) {
        let Some(first) = group.first() else { continue };
        let path = report.path(first.finding.diagnostic.place);
        let (path, n) = (xml::text(&path), group.len());
        writeln!(
            out,
            "  <testsuite name=\"{path}\" tests=\"{n}\" failures=\"{n}\" errors=\"0\">"
        )?;
        for reported in group {
            write_case(out, report, reported)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn write_case(out: &mut dyn Write, report: Report<'_>, reported: &Reported<'_>) -> io::Result<()> {
    let d = reported.finding.diagnostic;
    let path = report.path(d.place);
    let (start, _) = report.range(d.place, Encoding::Utf32);
    let (line, column) = (start.line, start.col);
    let (rule, severity, message) = (xml::text(d.rule.id), d.severity.as_str(), xml::text(&d.message));
    writeln!(
        out,
        "    <testcase classname=\"{}\" name=\"{rule} {line}:{column}\">",
        xml::text(&path)
    )?;
    writeln!(out, "      <failure type=\"{severity}\" message=\"{message}\">")?;
    let path = xml::line_start(&path);
    writeln!(out, "{path}:{line}:{column}: {severity}[{rule}] {message}")?;
    for note in &d.notes {
        writeln!(out, "{}", xml::line_start(note))?;
    }
    writeln!(out, "      </failure>\n    </testcase>")
}
