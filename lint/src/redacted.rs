//! Findings in texts outside the trees that were asked about: their places and kinds are reported, but not their
//! contents.

use applyorder_analysis::diagnostic::Diagnostic;

use crate::fingerprint::Reported;
use crate::session::Session;

/// For each finding that must not be shown as it is, its replacement.
#[must_use]
pub fn replacements(session: &Session, findings: &[Reported<'_>]) -> Vec<Option<Diagnostic>> {
    let redacted = findings.iter().map(|reported| {
        let found = reported.finding.diagnostic;
        (!session.may_quote(session.analysis.path(found.place.file))).then(|| without_text(found))
    });
    redacted.collect()
}

fn without_text(found: &Diagnostic) -> Diagnostic {
    let mut redacted = Diagnostic::new(found.rule, found.place, found.rule.summary);
    redacted.severity = found.severity;
    redacted.certainty = found.certainty;
    redacted.part_of = found.part_of;
    redacted.enforced.clone_from(&found.enforced);
    redacted.reaction = found.reaction;
    redacted.environments.clone_from(&found.environments);
    redacted
}
