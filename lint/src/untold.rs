//! Findings in texts outside the trees that were asked about: their places and kinds are reported, but not their
//! contents.

use applyorder_analysis::diagnostic::Diagnostic;

use crate::fingerprint::Reported;
use crate::session::Session;

/// For each finding that must not be shown as it is, its replacement.
#[must_use]
pub fn instead(session: &Session, findings: &[Reported<'_>]) -> Vec<Option<Diagnostic>> {
    let told = findings.iter().map(|reported| {
        let found = reported.finding.diagnostic;
        (!session.may_quote(session.analysis.path(found.place.file))).then(|| without_text(found))
    });
    told.collect()
}

fn without_text(found: &Diagnostic) -> Diagnostic {
    let mut told = Diagnostic::new(found.rule, found.place, found.rule.summary);
    told.severity = found.severity;
    told.certainty = found.certainty;
    told.part_of = found.part_of;
    told.enforced.clone_from(&found.enforced);
    told.reaction = found.reaction;
    told.environments.clone_from(&found.environments);
    told
}
