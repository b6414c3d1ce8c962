//! `duplicate-name`: two units of one name.

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, Severity};
use crate::engine::Unit;

/// The rule.
pub static RULE: Rule = Rule {
    id: "duplicate-name",
    severity: Severity::Error,
    summary: "Duplicate name",
    docs: include_str!("../../../../docs/rules/duplicate-name.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at `later`, which has the same name as `first`.
#[must_use]
pub fn diagnostic(unit_word: &str, later: &Unit, first: &Unit) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        later.place(),
        format!("duplicate {unit_word} `{}`", later.name),
    )
    .related(first.place(), "first defined here")
    .unit(later.name.clone())
}
