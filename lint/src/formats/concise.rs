//! One line per finding: `path:line:column: severity[rule] message`.

use std::io::{self, Write};

use crate::escape;
use crate::fingerprint::Reported;
use crate::place::Position;
use crate::session::Session;

/// Writes the findings. Columns count characters from 1.
///
/// # Errors
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, session: &Session, findings: &[Reported<'_>]) -> io::Result<()> {
    for reported in findings {
        let d = reported.finding.diagnostic;
        writeln!(
            out,
            "{}: {}[{}] {}",
            Position::of(&session.analysis, d.place).show(&session.paths),
            d.severity.as_str(),
            d.rule.id,
            escape::line(&d.message)
        )?;
    }
    Ok(())
}
