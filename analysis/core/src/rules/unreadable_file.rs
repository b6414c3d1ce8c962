//! `unreadable-file`: a file that is named cannot be read.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "unreadable-file",
    severity: Severity::Error,
    summary: "File that cannot be read",
    docs: include_str!("../../../../docs/rules/unreadable-file.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
