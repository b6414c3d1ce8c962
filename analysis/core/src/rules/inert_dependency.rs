//! `inert-dependency`: a dependency that can never have an effect.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "inert-dependency",
    severity: Severity::Info,
    summary: "Dependency without effect",
    docs: include_str!("../../../../docs/rules/inert-dependency.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
