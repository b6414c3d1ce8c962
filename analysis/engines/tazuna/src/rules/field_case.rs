//! `field-case` in Tazuna's files.

use crate::read::FaultKind;
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::field_case::RULE;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |place, kind| {
        let FaultKind::FieldCase { written, name } = kind else {
            return None;
        };
        let d = Diagnostic::new(&RULE, place, format!("`{written}` is read as `{name}`"))
            .note("Tazuna compares field names case-insensitively")
            .fix(
                format!("replace with `{name}`"),
                Safety::Safe,
                vec![FixStep::Replace(place, (*name).to_owned())],
            );
        Some(Wording::silent(d))
    });
}
