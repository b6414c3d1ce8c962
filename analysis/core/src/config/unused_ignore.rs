//! `unused-ignore`: a comment that ignores findings where none exist.

use crate::diagnostic::{Rule, Severity, Status};

/// The rule.
pub static RULE: Rule = Rule {
    id: "unused-ignore",
    severity: Severity::Warning,
    summary: "A comment that ignores nothing",
    docs: include_str!("../../../../docs/rules/unused-ignore.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
