//! The closing line.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use applyorder_analysis::diagnostic::Severity;

use super::filter::Hidden;
use crate::fingerprint::Reported;
use crate::session::Session;

/// The noun for findings of a severity.
pub(super) fn of_severity(severity: Severity, count: usize) -> &'static str {
    let [one, many] = match severity {
        Severity::Error => ["error", "errors"],
        Severity::Warning => ["warning", "warnings"],
        Severity::Info => ["info", "infos"],
        Severity::Hint => ["hint", "hints"],
    };
    if count == 1 { one } else { many }
}

/// `3 errors, 1 warning`, or a text that there are none.
pub(super) fn counted(severities: impl Iterator<Item = Severity>) -> String {
    let mut by_severity: BTreeMap<Reverse<Severity>, usize> = BTreeMap::new();
    for severity in severities {
        *by_severity.entry(Reverse(severity)).or_default() += 1;
    }
    if by_severity.is_empty() {
        return "no problems".to_owned();
    }
    let counted = by_severity
        .iter()
        .map(|(Reverse(s), n)| format!("{n} {}", of_severity(*s, *n)));
    counted.collect::<Vec<_>>().join(", ")
}

/// The closing line: what was found, and what is not shown.
pub(super) fn summary(
    session: &Session,
    findings: &[Reported<'_>],
    hidden: &Hidden,
    least: Severity,
) -> String {
    let found = counted(findings.iter().map(|r| r.finding.diagnostic.severity));
    let mut line = if session.selected.is_empty() {
        let what = if findings.is_empty() {
            String::new()
        } else {
            format!("{found}; ")
        };
        format!("{what}no project found")
    } else {
        format!(
            "{found} in {} ({})",
            plural(session.selected.len(), ["project", "projects"]),
            plural(session.files().len(), ["file", "files"])
        )
    };
    for part in hidden_parts(hidden, least) {
        line.push_str(&format!("; {part}"));
    }
    line
}

/// Counts of what was found but is not shown, with the flags that show it.
pub(super) fn hidden_parts(hidden: &Hidden, least: Severity) -> Vec<String> {
    let mut parts = Vec::new();
    if hidden.cut > 0 {
        parts.push(format!("{} not shown (use --max-findings 0)", hidden.cut));
    }
    if hidden.below_severity > 0 {
        parts.push(format!(
            "{} below {} (use --min-severity hint)",
            hidden.below_severity,
            least.as_str()
        ));
    }
    if hidden.before > 0 {
        parts.push(format!("{} not new", hidden.before));
    }
    if hidden.in_baseline > 0 {
        parts.push(format!("{} in the baseline", hidden.in_baseline));
    }
    if hidden.elsewhere > 0 {
        parts.push(format!("{} in other files (use --whole)", hidden.elsewhere));
    }
    parts
}

/// `1 error`, `2 errors`.
#[must_use]
pub fn plural(n: usize, [one, many]: [&str; 2]) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
