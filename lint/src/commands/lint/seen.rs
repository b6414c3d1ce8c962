//! The findings of one pass, and how they differ from an earlier pass.

use std::collections::BTreeMap;

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::workspace::Analysis;

use super::summary::{counted, of_severity};
use crate::escape;
use crate::fingerprint::Reported;
use crate::look::Look;
use crate::place::Paths;

/// How many findings are named in a line.
const MOST_NAMED: usize = 5;

/// The reported findings, by fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen(BTreeMap<String, Item>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    severity: Severity,
    /// The rule, and its subject.
    what: String,
}

impl Seen {
    pub(super) fn of(findings: &[Reported<'_>], analysis: &Analysis, paths: &Paths) -> Self {
        let item = |reported: &Reported<'_>| {
            let d = reported.finding.diagnostic;
            let about = match d.units.first() {
                Some(unit) => escape::line(unit).into_owned(),
                None => escape::line(&paths.show(analysis.path(d.place.file))).into_owned(),
            };
            let item = Item {
                severity: d.severity,
                what: format!("{} ({about})", d.rule.id),
            };
            (reported.fingerprint().to_owned(), item)
        };
        Self(findings.iter().map(item).collect())
    }

    /// Keeps the findings of an earlier pass: if something cannot be read, they may still exist.
    pub(super) fn keep(&mut self, earlier: &Self) {
        for (print, item) in &earlier.0 {
            self.0.entry(print.clone()).or_insert_with(|| item.clone());
        }
    }

    pub(super) fn has(&self, reported: &Reported<'_>) -> bool {
        self.0.contains_key(reported.fingerprint())
    }

    /// The differences to an earlier pass, as parts of a line; empty if there are none.
    pub(super) fn differences(&self, earlier: &Self, look: Look) -> Vec<String> {
        if self == earlier {
            return Vec::new();
        }
        let only_in = |own: &Self, other: &Self| -> Vec<String> {
            let items = own.0.iter().filter(|(print, _)| !other.0.contains_key(*print));
            let mut whats: Vec<String> = items.map(|(_, item)| item.what.clone()).collect();
            whats.sort();
            whats
        };
        let mut parts = Vec::new();
        for (glyph, word, whats) in [
            ("✓", "fixed", only_in(earlier, self)),
            ("✗", "new", only_in(self, earlier)),
        ] {
            if !whats.is_empty() {
                parts.push(format!("{} {word}: {}", look.glyph(glyph), named(&whats)));
            }
        }
        parts.push(self.counts(earlier, look));
        parts
    }

    /// `3 → 2 errors`, or the current counts if none changed.
    fn counts(&self, earlier: &Self, look: Look) -> String {
        let arrow = look.glyph("→");
        let of = |seen: &Self, severity: Severity| seen.0.values().filter(|i| i.severity == severity).count();
        let all = [Severity::Error, Severity::Warning, Severity::Info, Severity::Hint];
        let changed = all.iter().filter_map(|severity| {
            let (before, now) = (of(earlier, *severity), of(self, *severity));
            (before != now).then(|| format!("{before} {arrow} {now} {}", of_severity(*severity, now)))
        });
        let changed: Vec<String> = changed.collect();
        if changed.is_empty() {
            self.now()
        } else {
            changed.join(", ")
        }
    }

    /// `3 errors, 1 warning`
    pub(super) fn now(&self) -> String {
        counted(self.0.values().map(|item| item.severity))
    }
}

fn named(whats: &[String]) -> String {
    let shown = whats
        .iter()
        .take(MOST_NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match whats.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(items: &[(&str, Severity, &str)]) -> Seen {
        let item = |(print, severity, what): &(&str, Severity, &str)| {
            let item = Item {
                severity: *severity,
                what: (*what).to_owned(),
            };
            ((*print).to_owned(), item)
        };
        Seen(items.iter().map(item).collect())
    }

    #[test]
    fn removed_new_and_counted_findings_are_reported() {
        let before = seen(&[
            ("1", Severity::Error, "cycle (vault)"),
            ("2", Severity::Error, "unknown-dependency (a)"),
            ("3", Severity::Warning, "x (b)"),
        ]);
        let after = seen(&[
            ("2", Severity::Error, "unknown-dependency (a)"),
            ("3", Severity::Warning, "x (b)"),
        ]);
        assert_eq!(
            after.differences(&before, Look::PLAIN),
            ["✓ fixed: cycle (vault)", "2 → 1 error"]
        );
        let ascii = Look {
            ascii: true,
            ..Look::PLAIN
        };
        assert_eq!(
            after.differences(&before, ascii),
            ["ok fixed: cycle (vault)", "2 -> 1 error"]
        );
        let other = seen(&[
            ("4", Severity::Error, "cycle (vault)"),
            ("3", Severity::Warning, "x (b)"),
        ]);
        assert_eq!(
            other.differences(&after, Look::PLAIN),
            [
                "✓ fixed: unknown-dependency (a)",
                "✗ new: cycle (vault)",
                "1 error, 1 warning"
            ]
        );
        assert!(after.differences(&after, Look::PLAIN).is_empty());
        let many: Vec<String> = (0..7).map(|n| n.to_string()).collect();
        assert_eq!(named(&many), "0, 1, 2, 3, 4 and 2 more");
    }
}
