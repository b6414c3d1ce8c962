//! Workflow commands of GitHub Actions, which become annotations on the lines they name.

use std::io::{self, Write};

use applyorder_analysis::diagnostic::{Diagnostic, Place, Severity};
use applyorder_analysis::syntax::text::Encoding;

use super::{Report, of_three};
use crate::escape;
use crate::fingerprint::Reported;

/// How many annotations of each severity GitHub accepts from one step.
pub const MOST_OF_A_STEP: usize = 10;

/// How many annotations GitHub accepts from one job.
pub const MOST_OF_A_JOB: usize = 50;

/// How many related places are named in an annotation.
const MOST_RELATED: usize = 8;

/// Writes all findings, the worst first: GitHub drops excess annotations of a step from the end.
///
/// # Errors
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: Report<'_>) -> io::Result<()> {
    for reported in report.worst_first() {
        writeln!(out, "{}", annotation(report, reported))?;
    }
    Ok(())
}

/// How many annotations were written before, as errors, warnings and notices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// In this step.
    pub step: [usize; 3],
    /// In the steps of this job.
    pub job: usize,
}

/// The annotations that GitHub still accepts, the worst first, and their number for each severity.
#[must_use]
pub fn taken(report: Report<'_>, spent: Spent) -> (Vec<String>, [usize; 3]) {
    let mut counts = [0; 3];
    let mut taken = Vec::new();
    for reported in report.worst_first() {
        let at = match reported.finding.diagnostic.severity {
            Severity::Error => 0,
            Severity::Warning => 1,
            Severity::Info | Severity::Hint => 2,
        };
        let before = spent.step.get(at).copied().unwrap_or(0);
        let fits = |count: &usize| before + *count < MOST_OF_A_STEP;
        let Some(count) = counts.get_mut(at).filter(|count| fits(count)) else {
            continue;
        };
        if spent.job + taken.len() < MOST_OF_A_JOB {
            *count += 1;
            taken.push(annotation(report, reported));
        }
    }
    (taken, counts)
}

fn annotation(report: Report<'_>, reported: &Reported<'_>) -> String {
    let d = reported.finding.diagnostic;
    let (start, end) = report.range(d.place, Encoding::Utf16);
    let mut command = format!(
        "::{} file={},line={},",
        of_three(d.severity, ["error", "warning", "notice"]),
        property(&report.path(d.place)),
        start.line
    );
    // Columns are accepted only if the range is within one line.
    command.push_str(&if start.line == end.line {
        format!("col={},endColumn={}", start.col, end.col.max(start.col))
    } else {
        format!("endLine={}", end.line)
    });
    format!(
        "{command},title={}::{}",
        property(&format!("{}: {}", d.rule.id, plain(&d.message))),
        data(&body(report, d))
    )
}

/// What the title does not say.
fn body(report: Report<'_>, d: &Diagnostic) -> String {
    let at = |place: Place| {
        let (start, _) = report.range(place, Encoding::Utf16);
        format!("{}:{}", report.path(place), start.line)
    };
    let mut lines: Vec<String> = d.label.iter().map(|label| plain(label)).collect();
    let shown = d.related.iter().take(MOST_RELATED);
    lines.extend(
        shown.map(|r| match r.waits.as_ref().and_then(|w| w.cut.as_ref()) {
            Some(cut) if r.place == d.place => format!("Cut here: {}", plain(cut)),
            _ => format!("{}: {}", plain(&r.message), plain(&at(r.place))),
        }),
    );
    let more = d.related.len().saturating_sub(MOST_RELATED);
    if more > 0 {
        lines.push(format!("and {more} more places"));
    }
    lines.extend(d.notes.iter().map(|n| plain(n)));
    if lines.is_empty() {
        lines.push(plain(&d.message));
    }
    lines.join("\n")
}

fn plain(text: &str) -> String {
    escape::line(text).into_owned()
}

/// The text after the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(&escape::line(text)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_no_property_and_no_command() {
        assert_eq!(property("a,b::c%0A"), "a%2Cb%3A%3Ac%250A");
        assert_eq!(property("a\n::error::b"), "a\\n%3A%3Aerror%3A%3Ab");
        assert_eq!(data("50%\n"), "50%25%0A");
    }
}
