//! `field-case`: a key that differs from the field only in upper and lower case.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "field-case",
    severity: Severity::Warning,
    summary: "Field in the wrong case",
    docs: include_str!("../../../../docs/rules/field-case.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
