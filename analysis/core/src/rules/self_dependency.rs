//! `self-dependency`: a unit that waits for itself.

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use crate::engine::{Dependency, Unit};

/// The rule.
pub static RULE: Rule = Rule {
    id: "self-dependency",
    severity: Severity::Error,
    summary: "Unit that depends on itself",
    docs: include_str!("../../../../docs/rules/self-dependency.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["cycle", "duplicate-dependency", "redundant-dependency"],
};

/// The finding for a dependency of `unit` on itself.
#[must_use]
pub fn diagnostic(unit_word: &str, unit: &Unit, written: &Dependency) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        written.place,
        format!("{unit_word} `{}` depends on itself", unit.name),
    )
    .related(unit.place(), format!("`{}` is defined here", unit.name))
    .unit(unit.name.clone())
    .fix(
        "remove the dependency",
        Safety::Unsafe,
        vec![FixStep::RemoveEntry(written.place)],
    )
}
