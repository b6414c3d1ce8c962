//! `wrong-type`: fields of Configs and annotations of another type than kapp reads.

use super::scope::Source;
use crate::model::error::What;
use crate::model::inputs::Item;
use crate::read::Annotation;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Reaction, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::wrong_type;

/// Fields of Configs that kapp cannot read.
pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        let Some(config) = r.config() else {
            continue;
        };
        for fault in [&config.type_fault, &config.rebase_fault].into_iter().flatten() {
            let text = fault.value.strip_prefix("json: ").unwrap_or(&fault.value);
            let d = Diagnostic::new(&wrong_type::RULE, source.at(item, fault.place), text.to_owned());
            found.push(source.rejected(d, "config", What::Config, Some(item)));
        }
    }
}

/// Annotations that are not strings.
pub(super) fn check_annotations(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        let all = r.all_annotations();
        for annotation in all.iter().filter(|a| a.not_a_string.is_some()) {
            found.push(Finding::new(hiding(source, item, annotation, all)));
        }
    }
}

/// A value that hides all annotations of its resource.
fn hiding(source: &Source<'_>, item: Item, annotation: &Annotation, all: &[Annotation]) -> Diagnostic {
    let place = source.at(item, annotation.value.place);
    let what = annotation.not_a_string.unwrap_or("another value");
    let mut d = Diagnostic::new(
        &wrong_type::RULE,
        place,
        format!("annotation value: expected a string, found {what}"),
    )
    .note("kapp then ignores all annotations here; the cluster rejects the resource")
    .reaction(Reaction::FailsLater);
    for lost in all
        .iter()
        .filter(|a| a.key.orders() && a.name.place != annotation.name.place)
    {
        d = d.related(source.at(item, lost.name.place), "ignored");
    }
    let source = &*annotation.value.value;
    if !source.is_empty() {
        d = d.fix(
            "quote the value",
            Safety::Unsafe,
            vec![FixStep::Replace(
                place,
                format!("\"{}\"", source.replace('\\', "\\\\").replace('"', "\\\"")),
            )],
        );
    }
    d
}
