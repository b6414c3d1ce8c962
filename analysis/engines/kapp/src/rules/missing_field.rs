//! `missing-field`: missing fields of a resource. A field of another type than kapp reads counts as missing: if
//! it is present, `wrong-type` and `coerced-scalar` report it.

use super::scope::Source;
use crate::model::error::What;
use crate::model::inputs::Item;
use crate::model::prepare::missing_fields;
use crate::read::{Field, Resource};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{coerced_scalar, missing_field, wrong_type};

/// The missing or wrong fields of a single resource.
pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        if r.config.is_some() {
            continue;
        }
        for field in missing_fields(r) {
            found.push(missing(source, item, r, field));
        }
        if r.namespace.not_a_string.is_some_and(|what| what != "null") {
            found.push(Finding::new(coerced(source, item, &r.namespace, "namespace")));
        }
        if let Some(fault) = r.crd.as_ref().and_then(|c| c.type_fault.as_ref()) {
            let d = Diagnostic::new(
                &wrong_type::RULE,
                source.at(item, fault.place),
                format!("value of the wrong type: {}", fault.value),
            );
            found.push(source.rejected(d, "prepare", What::Definition, Some(item)));
        }
    }
}

fn missing(source: &Source<'_>, item: Item, r: &Resource, field: &'static str) -> Finding {
    let of = match field {
        "kind" => &r.kind,
        "apiVersion" => &r.api_version,
        _ => &r.name,
    };
    let place = of
        .place
        .or(r.metadata.filter(|_| field == "metadata.name"))
        .unwrap_or(r.header);
    let place = source.at(item, place);
    let d = match of.not_a_string {
        Some("null") | None => {
            Diagnostic::new(&missing_field::RULE, place, format!("missing field `{field}`"))
        }
        Some(what) => {
            let d = Diagnostic::new(
                &missing_field::RULE,
                place,
                format!("`{field}`: expected a string, found {what}; treated as missing"),
            );
            if of.source.is_empty() {
                d
            } else {
                d.fix(
                    "quote the value",
                    Safety::Unsafe,
                    vec![FixStep::Replace(place, format!("\"{}\"", of.source))],
                )
            }
        }
    };
    source.rejected(d, "prepare", What::MissingFields, Some(item))
}

fn coerced(source: &Source<'_>, item: Item, field: &Field, what: &str) -> Diagnostic {
    let place = source.at(item, field.place.unwrap_or(0));
    let d = Diagnostic::new(
        &coerced_scalar::RULE,
        place,
        format!(
            "{what}: expected a string, found {}; ignored",
            field.not_a_string.unwrap_or("another value")
        ),
    );
    if field.source.is_empty() {
        return d;
    }
    d.fix(
        "quote the value",
        Safety::Unsafe,
        vec![FixStep::Replace(place, format!("\"{}\"", field.source))],
    )
}
