//! `invalid-config`: the configuration file itself cannot be used.

use super::mistakes::Mistake;
use super::places::in_place_of;
use crate::diagnostic::{Diagnostic, FileId, FixStep, Place, Rule, Severity, Status};

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

/// The finding in a configuration file with this text.
pub(super) fn diagnostic(file: FileId, mistake: &Mistake, text: &str) -> Diagnostic {
    let place = Place::span(file, mistake.span);
    let d = Diagnostic::new(
        &RULE,
        place,
        format!("invalid configuration: {}", mistake.message),
    );
    match &mistake.meant {
        Some(meant) => {
            let written = in_place_of(mistake.span.slice(text), meant);
            d.replace_with(meant, FixStep::Replace(place, written))
        }
        None => d,
    }
}
