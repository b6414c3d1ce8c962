//! Findings on resources: missing fields, duplicates, types, scope.

use rustc_hash::FxHashSet;

use super::scope::{Project, Source};
use crate::matcher::is_custom;
use crate::model::error::What;
use crate::model::inputs::Item;
use crate::model::prepare::missing_fields;
use crate::read::{Field, Resource};
use crate::scope::Known;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{coerced_scalar, missing_field, unresolved, wrong_type};

/// What a resource by itself lacks or has wrong.
pub(super) fn fields(source: &Source<'_>, found: &mut Vec<Finding>) {
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

/// One finding per kind whose scope is not known.
pub(super) fn unknown_scopes(project: &Project<'_>, found: &mut Vec<Finding>) {
    let mut seen = FxHashSet::default();
    for (item, bound, r) in project.model.app.resources() {
        if bound.known != Known::AsWritten {
            continue;
        }
        let (version, kind) = (&*r.api_version.value, &*r.kind.value);
        if !seen.insert((version, kind)) {
            continue;
        }
        let Some(place) = r.kind.place else { continue };
        let taken = if bound.namespace.is_empty() {
            "cluster-scoped"
        } else {
            "namespaced"
        };
        let mut d = Diagnostic::new(
            &unresolved::RULE,
            project.at(item, place),
            format!("unknown scope of {kind} ({version}), assuming {taken}"),
        )
        .severity(Severity::Info)
        .note(format!(
            "`scopes = {{ \"{version}/{kind}\" = \"namespaced\" }}` under `[kapp]` in applyorder.toml sets it"
        ));
        if !is_custom(r.group()) {
            d = d.note("the API group is built in, but this version of the kind is unknown");
        }
        found.push(Finding::new(d));
    }
}
