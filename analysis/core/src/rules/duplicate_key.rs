//! `duplicate-key`: the same key appears twice in one mapping.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "duplicate-key",
    severity: Severity::Warning,
    summary: "Duplicate key",
    docs: include_str!("../../../../docs/rules/duplicate-key.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
