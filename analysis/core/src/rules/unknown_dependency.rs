//! `unknown-dependency`: a reference without a target.

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use crate::engine::{Dependency, Unit};

/// The rule.
pub static RULE: Rule = Rule {
    id: "unknown-dependency",
    severity: Severity::Error,
    summary: "Dependency on an unknown unit",
    docs: include_str!("../../../../docs/rules/unknown-dependency.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["duplicate-dependency"],
};

/// The finding for a dependency of `unit` that refers to nothing. `near` is the name that was probably meant.
#[must_use]
pub fn diagnostic(unit_word: &str, unit: &Unit, written: &Dependency, near: Option<&str>) -> Diagnostic {
    let message = if written.text.is_empty() {
        format!("{unit_word} `{}` has an empty dependency", unit.name)
    } else {
        format!(
            "{unit_word} `{}` depends on unknown {unit_word} `{}`",
            unit.name, written.text
        )
    };
    let mut d = Diagnostic::new(&RULE, written.place, message)
        .unit(unit.name.clone())
        .unit(written.text.clone());
    if let Some(near) = near {
        d = d.did_you_mean(near, FixStep::SetValue(written.place, near.to_owned()));
    }
    d.fix(
        "remove the dependency",
        Safety::Unsafe,
        vec![FixStep::RemoveEntry(written.place)],
    )
}
