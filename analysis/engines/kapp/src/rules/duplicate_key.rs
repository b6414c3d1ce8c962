//! `duplicate-key`: an annotation that is written twice.

use super::scope::Source;
use crate::model::inputs::Item;
use crate::read::Annotation;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_key;

/// Annotations that a later one replaces.
pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        for annotation in r.all_annotations() {
            for earlier in &annotation.replaced {
                found.push(Finding::new(duplicate(source, item, annotation, *earlier)));
            }
        }
    }
}

fn duplicate(source: &Source<'_>, item: Item, annotation: &Annotation, earlier: u32) -> Diagnostic {
    let place = source.at(item, annotation.name.place);
    let key = &annotation.name.value;
    let d = Diagnostic::new(
        &duplicate_key::RULE,
        place,
        format!("duplicate key `{key}`: only this entry is used"),
    )
    .severity(Severity::Warning)
    .related(source.at(item, earlier), "ignored");
    if annotation.key.orders() {
        let renamed = format!("{key}.2");
        return d.fix(
            format!("rename to `{renamed}`"),
            Safety::Unsafe,
            vec![FixStep::SetValue(place, renamed)],
        );
    }
    d
}
