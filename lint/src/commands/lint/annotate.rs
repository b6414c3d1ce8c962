//! Annotations in a step of GitHub Actions, beside the report for people.

use super::summary::plural;
use crate::fingerprint::Reported;
use crate::formats::{Report, github};
use crate::output::Output;
use crate::repository::Repository;
use crate::session::Session;

/// Whether this is a step of GitHub Actions.
pub(super) fn is_github() -> bool {
    std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true")
}

/// Annotations beside the report for people.
pub(super) fn annotate(
    session: &Session,
    repository: &Repository,
    findings: &[Reported<'_>],
    out: &mut Output,
) {
    let report = Report {
        session,
        repository,
        findings,
    };
    let (annotations, without) = github::of_a_step(report);
    annotations.iter().for_each(|line| out.annotate(line));
    if without > 0 {
        let what = plural(without, ["finding has", "findings have"]);
        let most = github::MOST_OF_A_STEP;
        out.annotate(&format!(
            "{what} no annotation: GitHub shows {most} of each severity in a step"
        ));
    }
}
