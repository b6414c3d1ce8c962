//! `unknown-field`: a key that the engine does not know.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "unknown-field",
    severity: Severity::Warning,
    summary: "Unknown field",
    docs: include_str!("../../../../docs/rules/unknown-field.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
