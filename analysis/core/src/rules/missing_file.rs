//! `missing-file`: a file that is named does not exist.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "missing-file",
    severity: Severity::Error,
    summary: "Missing file",
    docs: include_str!("../../../../docs/rules/missing-file.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};
