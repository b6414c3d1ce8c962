//! `invalid-config`: the configuration file itself cannot be used.

use crate::diagnostic::{Diagnostic, Place, Rule, Severity, Status};

/// The rule.
pub static RULE: Rule = Rule {
    id: "invalid-config",
    severity: Severity::Error,
    summary: "Invalid configuration",
    docs: include_str!("../../../../docs/rules/invalid-config.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at a place of the configuration file.
#[must_use]
pub fn diagnostic(place: Place, problem: &str) -> Diagnostic {
    Diagnostic::new(&RULE, place, format!("invalid configuration: {problem}"))
}
