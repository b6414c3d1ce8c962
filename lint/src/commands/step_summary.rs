//! In a step of GitHub Actions: appends to the step's summary.

use std::fs::OpenOptions;
use std::io::Write;

use applyorder_analysis::engine::Operation;
use applyorder_analysis::syntax::text::Encoding;

use super::graph::{self, Links};
use crate::escape;
use crate::fingerprint::Reported;
use crate::formats::{Report, step_summary};
use crate::output::Output;
use crate::place::Position;
use crate::repository::Repository;
use crate::session::Session;

/// Appends the order as a picture and the findings as a table to the summary of the step.
pub(super) fn write(session: &Session, repository: &Repository, findings: &[Reported<'_>], out: &mut Output) {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else {
        return;
    };
    let report = Report {
        session,
        repository,
        findings,
        links: None,
        verbose: false,
    };
    let links = Links::of_ci();
    let link = |reported: &Reported<'_>| {
        let at = Position::of(&session.analysis, reported.finding.diagnostic.place);
        let line = at.start(Encoding::Utf32).line.saturating_add(1);
        links.of(repository, at.path, line, 1)
    };
    let asked = graph::DrawRequest {
        operation: Operation::Apply,
        focus: None,
        depth: None,
        links: &links,
    };
    let drawing = graph::drawing(session, asked, false);
    let appended = OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)
        .and_then(|mut file| {
            // Summaries of other programs in the step count as well.
            let there = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
            let room = step_summary::MOST_BYTES.saturating_sub(there);
            file.write_all(step_summary::text(report, &drawing, &link, room).as_bytes())
        });
    if let Err(e) = appended {
        out.warning(&format!(
            "GITHUB_STEP_SUMMARY: {}: {e}",
            escape::line(&path.to_string_lossy())
        ));
    }
}
