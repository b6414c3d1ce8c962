//! `unresolved`: something here cannot be known without running the engine.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "unresolved",
    severity: Severity::Info,
    summary: "Value that is known only when the engine runs",
    docs: include_str!("../../../../docs/rules/unresolved.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
