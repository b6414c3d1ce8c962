//! `missing-file` in `watch` of Terramate's stacks.

use crate::scope::Directory;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::missing_file::RULE;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    let missing = dir.watched().map(|(_, watched)| watched);
    for watched in missing.filter(|w| w.is_inside && w.kind.is_none()) {
        let place = watched.place;
        let d = Diagnostic::new(&RULE, place, format!("missing file `{}`", watched.written))
            .severity(Severity::Info)
            .note("a missing file never changes")
            .fix(
                "remove the entry",
                Safety::Unsafe,
                vec![FixStep::RemoveEntry(place)],
            );
        found.push(Finding::new(d.unit(dir.dir.path.clone())));
    }
}
