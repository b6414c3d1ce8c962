//! `limit-reached`: a limit of applyorder itself was reached.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "limit-reached",
    severity: Severity::Warning,
    summary: "Limit of applyorder reached",
    docs: include_str!("../../../../docs/rules/limit-reached.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
