//! `unsupported-version`: the file requires another version of the engine.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "unsupported-version",
    severity: Severity::Warning,
    summary: "Unsupported version of the engine",
    docs: include_str!("../../../../docs/rules/unsupported-version.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
