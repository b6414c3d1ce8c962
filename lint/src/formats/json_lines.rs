//! One finding per line, each as in the JSON report, with the version of the schema.

use std::io::{self, Write};

use super::Report;
use super::json::{self, model};

/// Writes the findings.
///
/// # Errors
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: Report<'_>) -> io::Result<()> {
    for reported in report.findings {
        let line = model::Line {
            version: model::VERSION,
            diagnostic: json::diagnostic(report.session, reported),
        };
        json::write_value(out, &line)?;
    }
    Ok(())
}
