//! `unresolved` in Tazuna's files: it is unknown what Tazuna reads.

use crate::read::FaultKind;
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::unresolved::RULE;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |place, kind| match kind {
        FaultKind::Unresolved(because) => Some(Wording::silent(Diagnostic::new(&RULE, place, &**because))),
        _ => None,
    });
}
