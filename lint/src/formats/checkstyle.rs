//! Checkstyle XML.

use std::io::{self, Write};

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::syntax::text::Encoding;

use super::{Report, of_three, xml};
use crate::fingerprint::Reported;

/// Writes the findings.
///
/// # Errors
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: Report<'_>) -> io::Result<()> {
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">"
    )?;
    let file = |r: &Reported<'_>| -> FileId { r.finding.diagnostic.place.file };
    for group in report.findings.chunk_by(|a, b| file(a) == file(b)) {
        let Some(first) = group.first() else { continue };
        let path = report.path(first.finding.diagnostic.place);
        writeln!(out, "  <file name=\"{}\">", xml::text(&path))?;
        for reported in group {
            let d = reported.finding.diagnostic;
            let (start, _) = report.range(d.place, Encoding::Utf32);
            writeln!(
                out,
                "    <error line=\"{}\" column=\"{}\" severity=\"{}\" message=\"{}\" source=\"applyorder.{}\"/>",
                start.line,
                start.col,
                of_three(d.severity, ["error", "warning", "info"]),
                xml::text(&d.message),
                xml::text(d.rule.id)
            )?;
        }
        writeln!(out, "  </file>")?;
    }
    writeln!(out, "</checkstyle>")
}
