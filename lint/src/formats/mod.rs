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
pub mod rdjson;
pub mod sarif;
mod snippets;
mod xml;

use applyorder_analysis::diagnostic::{Place, Severity};
use applyorder_analysis::syntax::text::{Encoding, LineCol};

use crate::fingerprint::Reported;
use crate::place::Position;
use crate::repository::Repository;
use crate::session::Session;

/// What a format writes.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// The run.
    pub session: &'a Session,
    /// Where its files are.
    pub repository: &'a Repository,
    /// The findings that are reported, by file and place.
    pub findings: &'a [Reported<'a>],
}

impl Report<'_> {
    /// A place as line and column, both from 1, with the end behind the last character.
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

    /// The path of a place's file as reports that leave this machine name it.
    fn path(&self, place: Place) -> String {
        self.repository.shown(self.session.analysis.path(place.file))
    }

    /// The findings with the worst first, else in their order.
    fn worst_first(&self) -> Vec<&Reported<'_>> {
        let mut findings: Vec<&Reported<'_>> = self.findings.iter().collect();
        findings.sort_by_key(|r| std::cmp::Reverse(r.finding.diagnostic.severity));
        findings
    }
}

/// Where a rule's page is on the web.
#[must_use]
pub fn docs_page(rule: &str) -> String {
    format!("{}/blob/main/docs/rules/{rule}.md", env!("CARGO_PKG_REPOSITORY"))
}

/// The word for a severity where there are three: a hint is an info.
const fn of_three<'w>(severity: Severity, [error, warning, info]: [&'w str; 3]) -> &'w str {
    match severity {
        Severity::Error => error,
        Severity::Warning => warning,
        Severity::Info | Severity::Hint => info,
    }
}
