//! `syntax-error`: the file cannot be read as what it is.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "syntax-error",
    severity: Severity::Error,
    summary: "Syntax error",
    docs: include_str!("../../../../docs/rules/syntax-error.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
