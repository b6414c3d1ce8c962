//! `coerced-scalar`: an unquoted word that YAML reads as something else.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "coerced-scalar",
    severity: Severity::Warning,
    summary: "Unquoted value that YAML does not read as a string",
    docs: include_str!("../../../../docs/rules/coerced-scalar.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
