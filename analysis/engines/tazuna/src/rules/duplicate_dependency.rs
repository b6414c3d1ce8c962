//! `duplicate-dependency`: a duplicate entry of `dependsOn`.

use super::{Limited, dependency};
use crate::scope::Source;
use applyorder_core::engine::Dependency;
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_dependency;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let Some((number, part)) = source.part else { return };
    let mut told = Limited::new(found);
    for (position, unit) in source.context.expansion.placed(number) {
        let needs = part.piece.needs_of(unit);
        if duplicate_dependency::may_repeat(needs.iter().map(|n| &*n.text)) {
            let written = needs.iter().map(|need| dependency(position, unit, need));
            let written: Vec<Dependency> = written.collect();
            let mut repeated = Vec::new();
            duplicate_dependency::check(&unit.unit, &written, &mut repeated);
            for d in repeated {
                told.tell(d.place, || d);
            }
        }
    }
    told.finish();
}
