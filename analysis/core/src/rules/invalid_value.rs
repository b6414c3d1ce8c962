//! `invalid-value`: a value outside what the field allows.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "invalid-value",
    severity: Severity::Error,
    summary: "Invalid value",
    docs: include_str!("../../../../docs/rules/invalid-value.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
