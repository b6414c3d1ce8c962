//! `invalid-name`: a name that the engine does not accept.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "invalid-name",
    severity: Severity::Error,
    summary: "Invalid name",
    docs: include_str!("../../../../docs/rules/invalid-name.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
