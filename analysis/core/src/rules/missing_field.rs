//! `missing-field`: a field that the engine requires is missing.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "missing-field",
    severity: Severity::Error,
    summary: "Missing field",
    docs: include_str!("../../../../docs/rules/missing-field.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
