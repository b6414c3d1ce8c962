//! `wrong-type`: a value of another type than the field has.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "wrong-type",
    severity: Severity::Error,
    summary: "Value of the wrong type",
    docs: include_str!("../../../../docs/rules/wrong-type.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
