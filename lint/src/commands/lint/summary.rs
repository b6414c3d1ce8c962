//! The closing line, and what is said where nothing was found.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::Engines;

use super::filter::Hidden;
use crate::args::RunArgs;
use crate::escape;
use crate::fingerprint::Reported;
use crate::session::Session;

/// So many paths are named where nothing was found in them.
const MOST_PLACES: usize = 3;

/// The word for findings of a severity.
pub(super) fn of_severity(severity: Severity, count: usize) -> &'static str {
    let [one, many] = match severity {
        Severity::Error => ["error", "errors"],
        Severity::Warning => ["warning", "warnings"],
        Severity::Info => ["info", "infos"],
        Severity::Hint => ["hint", "hints"],
    };
    if count == 1 { one } else { many }
}

/// `3 errors, 1 warning`, or that there is none.
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

/// What was looked for where no project was found, and where that was.
pub(super) fn nothing_found(engines: Engines, session: &Session, args: &RunArgs) -> String {
    let places: Vec<String> = args
        .paths
        .iter()
        .map(|path| escape::line(path.as_str()).into_owned())
        .collect();
    let places = match places.as_slice() {
        [] => ".".to_owned(),
        some if some.len() <= MOST_PLACES => some.join(", "),
        some => format!("{} paths", some.len()),
    };
    let looked_at = plural(session.found.files, ["file", "files"]);
    let mut text = format!("nothing to check: no project in {places} ({looked_at} looked at)");
    let asked = args.selection.engine.as_deref();
    let metas = engines.iter().map(|(index, engine)| (index, engine.meta()));
    let metas: Vec<_> = metas
        .filter(|(_, meta)| asked.is_none_or(|id| id == meta.id))
        .collect();
    let wide = metas.iter().map(|(_, meta)| meta.title.len()).max().unwrap_or(0);
    for (index, meta) in metas {
        let found = match session.found.recognised.get(&index) {
            None => "none".to_owned(),
            Some(n) => format!("{}, none of a project", plural(*n, ["file", "files"])),
        };
        text.push_str(&format!("\n  {:wide$}  {}: {found}", meta.title, meta.looks_for));
    }
    text.push_str("\nelsewhere: applyorder lint PATH; named otherwise: applyorder lint --engine ENGINE PATH");
    text
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

/// What was found and is not shown, and how it is.
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
