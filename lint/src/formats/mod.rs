//! Output formats of findings, one file each.

pub mod checkstyle;
pub mod concise;
pub mod github;
pub mod gitlab;
pub mod grouped;
pub mod human;
pub mod json;
pub mod json_lines;
pub mod junit;
mod links;
pub mod rdjson;
mod ring;
pub mod sarif;
pub mod share;
mod snippets;
pub mod step_summary;
mod xml;

use std::io::{self, Write};

use applyorder_analysis::config::LinkTemplate;
use applyorder_analysis::diagnostic::{Place, Severity};
use applyorder_analysis::syntax::text::{Encoding, LineCol};

use crate::args::{LintFormat, To};
use crate::escape;
use crate::exit::Failure;
use crate::fingerprint::Reported;
use crate::look::Look;
use crate::place::Position;
use crate::repository::Repository;
use crate::session::Session;

/// What a format writes.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// The run.
    pub session: &'a Session,
    /// The repositories of its files.
    pub repository: &'a Repository,
    /// The findings that are reported, by file and place.
    pub findings: &'a [Reported<'a>],
    /// Where places link to in a human-readable report on a terminal; if set, rules are links as well.
    pub links: Option<&'a LinkTemplate>,
    /// Whether human-readable output shows all known details.
    pub verbose: bool,
}

impl Report<'_> {
    /// The start and the end of a place, both from 1; the end is after the last character.
    fn range(&self, place: Place, encoding: Encoding) -> (LineCol, LineCol) {
        let position = Position::of(&self.session.analysis, place);
        let from_one = |at: LineCol| LineCol {
            line: at.line.saturating_add(1),
            col: at.col.saturating_add(1),
        };
        (
            from_one(position.start(encoding)),
            from_one(position.end(encoding)),
        )
    }

    /// The path of a place's file for reports that leave this machine.
    fn path(&self, place: Place) -> String {
        self.repository.shown(self.session.analysis.path(place.file))
    }

    /// The findings sorted by severity, the worst first; otherwise in their order.
    fn worst_first(&self) -> Vec<&Reported<'_>> {
        let mut findings: Vec<&Reported<'_>> = self.findings.iter().collect();
        findings.sort_by_key(|r| std::cmp::Reverse(r.finding.diagnostic.severity));
        findings
    }
}

/// The URL of a rule's page.
#[must_use]
pub fn docs_page(rule: &str) -> String {
    format!("{}/blob/main/docs/rules/{rule}.md", env!("CARGO_PKG_REPOSITORY"))
}

/// The word for a severity in a format with three of them: a hint is an info.
const fn of_three(severity: Severity, [error, warning, info]: [&str; 3]) -> &str {
    match severity {
        Severity::Error => error,
        Severity::Warning => warning,
        Severity::Info | Severity::Hint => info,
    }
}

/// The default limit of findings in human-readable output.
const MOST_FOR_PEOPLE: usize = 1_000;

/// The limit of findings for an output.
#[must_use]
pub fn most_shown(wanted: Option<usize>, to: &To<LintFormat>) -> usize {
    match wanted {
        Some(0) => usize::MAX,
        Some(most) => most,
        None if to.format.is_for_people() && to.file.is_none() => MOST_FOR_PEOPLE,
        None => usize::MAX,
    }
}

/// Writes a report.
///
/// # Errors
/// When the output cannot be written.
pub fn write(w: &mut dyn Write, report: Report<'_>, format: LintFormat, look: Look) -> io::Result<()> {
    let Report {
        session,
        findings,
        links,
        verbose,
        ..
    } = report;
    match format {
        LintFormat::Human => {
            let options = human::HumanOptions { look, links, verbose };
            human::write(w, session, findings, options)
        }
        LintFormat::Concise => concise::write(w, session, findings),
        LintFormat::Grouped => grouped::write(w, report, look.color),
        LintFormat::Json => json::write(w, session, findings, json::USUAL),
        LintFormat::JsonLines => json_lines::write(w, report),
        LintFormat::Sarif => sarif::write(w, report),
        LintFormat::Github => github::write(w, report),
        LintFormat::Gitlab => gitlab::write(w, report),
        LintFormat::Junit => junit::write(w, report),
        LintFormat::Checkstyle => checkstyle::write(w, report),
        LintFormat::Rdjson => rdjson::write(w, report),
    }
}

/// Rejects invalid outputs: two in one place, or a report that must be written to a file.
///
/// # Errors
/// The message for the user.
pub fn refuse_outputs(formats: &[To<LintFormat>]) -> Result<(), Failure> {
    let gitlab = |to: &&To<LintFormat>| to.format == LintFormat::Gitlab && to.file.is_none();
    if formats.iter().any(|to| gitlab(&to)) {
        return Err(Failure::new(
            "--format gitlab: GitLab reads the report from a file; write --format gitlab=FILE",
        ));
    }
    for (n, to) in formats.iter().enumerate() {
        let same = |other: &To<LintFormat>| to.file.is_some() && other.file == to.file;
        if let Some(file) = to.file.as_ref().filter(|_| formats.iter().take(n).any(same)) {
            return Err(Failure::new(format!(
                "--format: two reports conflict in {}",
                escape::line(file.as_str())
            )));
        }
    }
    Ok(())
}
