//! `unmet-expectation`: the order is not as the configuration expects it.

use crate::diagnostic::{Rule, Severity, Status};

/// The rule.
pub static RULE: Rule = Rule {
    id: "unmet-expectation",
    severity: Severity::Error,
    summary: "The order does not meet an expectation",
    docs: include_str!("../../../../docs/rules/unmet-expectation.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
