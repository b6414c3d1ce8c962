//! `redundant-dependency`: a dependency that others imply.

use std::sync::Arc;

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use crate::engine::Unit;

/// The rule.
pub static RULE: Rule = Rule {
    id: "redundant-dependency",
    severity: Severity::Hint,
    summary: "Dependency implied by others",
    docs: include_str!("../../../../docs/rules/redundant-dependency.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The budget, in edges looked at.
pub const BUDGET: u64 = 3_000_000;

/// One step of the path that implies a dependency.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The unit that waits.
    pub from: &'a str,
    /// The unit it waits for.
    pub to: &'a str,
    /// Where that is written.
    pub place: Place,
}

/// The hint that the dependency of `unit` written as `text` at `place` is implied by others: `attribute` is
/// what all of them are written under, `steps` the path over them.
#[must_use]
pub fn diagnostic<'a>(
    unit: &Unit,
    (text, place): (&Arc<str>, Place),
    attribute: &str,
    steps: impl Iterator<Item = Step<'a>>,
) -> Diagnostic {
    let steps: Vec<Step<'a>> = steps.collect();
    let (_, between) = steps.split_last().unzip();
    let between: &[Step<'a>] = between.unwrap_or(&[]);
    let through: Vec<String> = between.iter().map(|step| format!("`{}`", step.to)).collect();
    let through = match through.as_slice() {
        [] => String::new(),
        [one] => format!(" through {one}"),
        [first, rest @ ..] => format!(" through {first} and {} more", rest.len()),
    };
    let message = format!("`{}` already waits for `{text}`{through}", unit.name);
    let mut d = Diagnostic::new(&RULE, place, message)
        .unit(unit.name.clone())
        .unit(text.clone());
    for step in steps {
        let text = format!("`{}` waits for `{}` (`{attribute}`)", step.from, step.to);
        d = d.related(step.place, text);
    }
    d.fix(
        "remove the dependency",
        Safety::Unsafe,
        vec![FixStep::RemoveEntry(place)],
    )
}
