//! `duplicate-dependency`: the same dependency written twice.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use crate::engine::{Dependency, Unit};

/// The rule.
pub static RULE: Rule = Rule {
    id: "duplicate-dependency",
    severity: Severity::Warning,
    summary: "Duplicate dependency",
    docs: include_str!("../../../../docs/rules/duplicate-dependency.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["redundant-dependency"],
};

/// Whether a list can contain an entry twice: a cheap check for the many lists that cannot.
pub fn may_repeat<'a>(mut entries: impl ExactSizeIterator<Item = &'a str>) -> bool {
    match entries.len() {
        0 | 1 => false,
        2 => entries.next() == entries.next(),
        _ => true,
    }
}

/// Adds a finding for each entry that repeats an earlier one of the same list. `written` are all entries of
/// one unit.
pub fn check(unit: &Unit, written: &[Dependency], found: &mut Vec<Diagnostic>) {
    let mut seen: FxHashMap<(&str, &str), &Dependency> = FxHashMap::default();
    for entry in written {
        let first = match seen.entry((entry.attribute, &entry.text)) {
            Entry::Occupied(first) => *first.get(),
            Entry::Vacant(new) => {
                new.insert(entry);
                continue;
            }
        };
        found.push(
            Diagnostic::new(
                &RULE,
                entry.place,
                format!("duplicate dependency `{}`", entry.text),
            )
            .related(first.place, "first listed here")
            .unit(unit.name.clone())
            .unit(entry.text.clone())
            .fix(
                format!("remove the duplicate `{}`", entry.text),
                Safety::Safe,
                vec![FixStep::RemoveEntry(entry.place)],
            ),
        );
    }
}
