//! `duplicate-key`: an annotation, or a key of a resource or of its metadata, that is written twice.

use super::scope::Source;
use crate::model::inputs::Item;
use crate::read::Annotation;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_key;

/// Annotations that a later one replaces.
pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        let (of_resource, of_metadata): (Vec<_>, Vec<_>) = r.doubled.iter().partition(|d| d.of_resource);
        // Where another resource begins, all its keys are duplicates.
        for key in of_resource.into_iter().take(1).chain(of_metadata) {
            let place = source.at(item, key.key.place);
            let d = replacing(place, &key.key.value, source.at(item, key.earlier));
            found.push(Finding::new(if key.of_resource {
                d.note("if another resource begins here, `---` is missing above it")
            } else {
                d
            }));
        }
        for annotation in r.all_annotations() {
            for earlier in &annotation.replaced {
                found.push(Finding::new(duplicate(source, item, annotation, *earlier)));
            }
        }
    }
}

fn replacing(place: Place, key: &str, earlier: Place) -> Diagnostic {
    let message = format!("duplicate key `{key}`: only this entry is used");
    Diagnostic::new(&duplicate_key::RULE, place, message)
        .severity(Severity::Warning)
        .related(earlier, "ignored")
}

fn duplicate(source: &Source<'_>, item: Item, annotation: &Annotation, earlier: u32) -> Diagnostic {
    let place = source.at(item, annotation.name.place);
    let key = &annotation.name.value;
    let d = replacing(place, key, source.at(item, earlier));
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
