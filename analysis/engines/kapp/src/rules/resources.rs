//! Findings on resources: missing fields, duplicates, types, scope.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{Field, Resource};
use crate::matcher::is_custom;
use crate::resolve::View;
use crate::resolve::load::Item;
use crate::resolve::prepare::missing_fields;
use crate::scope::Known;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::rules::{coerced_scalar, duplicate_name, missing_field, unresolved, wrong_type};

pub(super) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for item in view.notable() {
        let Some(r) = view.loaded.resource(item) else {
            continue;
        };
        if r.config.is_some() {
            continue;
        }
        for field in missing_fields(r) {
            found.push(missing(view, item, r, field));
        }
        if r.namespace.not_a_string.is_some_and(|what| what != "null") {
            found.push(coerced(view, item, &r.namespace, "the namespace"));
        }
        if let Some(fault) = r.crd.as_ref().and_then(|c| c.type_fault.as_ref()) {
            let d = Diagnostic::new(
                &wrong_type::RULE,
                view.at(item, fault.place),
                format!("this value has the wrong type: {}", fault.value),
            );
            found.push(view.enforced(d, "prepare", Some(item), None));
        }
    }
    duplicates(view, &mut found);
    unknown_scopes(view, &mut found);
    found
}

fn missing(view: &View<'_>, item: Item, r: &Resource, field: &'static str) -> Diagnostic {
    let of = match field {
        "kind" => &r.kind,
        "apiVersion" => &r.api_version,
        _ => &r.name,
    };
    let place = of
        .place
        .or(r.metadata.filter(|_| field == "metadata.name"))
        .unwrap_or(r.header);
    let place = view.at(item, place);
    let d = match of.not_a_string {
        Some("null") | None => Diagnostic::new(
            &missing_field::RULE,
            place,
            format!("the resource has no `{field}`"),
        ),
        Some(what) => {
            let d = Diagnostic::new(
                &missing_field::RULE,
                place,
                format!("`{field}` must be a string, and kapp reads this as {what}: it counts as missing"),
            );
            if of.source.is_empty() {
                d
            } else {
                d.fix(
                    "put it in quotes",
                    Safety::Unsafe,
                    vec![FixStep::Replace(place, format!("\"{}\"", of.source))],
                )
            }
        }
    };
    view.enforced(d, "prepare", Some(item), None)
}

fn coerced(view: &View<'_>, item: Item, field: &Field, what: &str) -> Diagnostic {
    let place = view.at(item, field.place.unwrap_or(0));
    let d = Diagnostic::new(
        &coerced_scalar::RULE,
        place,
        format!(
            "kapp reads {what} as {} and takes it as absent",
            field.not_a_string.unwrap_or("no string")
        ),
    )
    .note("kapp says nothing");
    if field.source.is_empty() {
        return d;
    }
    d.fix(
        "put it in quotes",
        Safety::Unsafe,
        vec![FixStep::Replace(place, format!("\"{}\"", field.source))],
    )
}

fn duplicates(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let name = |item: Item| {
        view.loaded
            .resource(item)
            .map_or_else(String::new, |r| format!("{}/{}", r.kind.value, r.name.value))
    };
    let place = |item: Item| {
        let local = view.loaded.resource(item).map_or(0, Resource::name_place);
        view.at(item, local)
    };
    for duplicate in &view.preparation.duplicates {
        let (later, first) = (duplicate.later, duplicate.first);
        let d = if duplicate.same {
            let text = format!("`{}` is there already, with the same content", name(later));
            Diagnostic::new(&duplicate_name::RULE, place(later), text)
                .severity(Severity::Hint)
                .note("kapp drops it and says nothing")
        } else {
            let text = format!("`{}` is there already, with other content", name(later));
            let d = Diagnostic::new(&duplicate_name::RULE, place(later), text);
            view.enforced(d, "prepare", Some(later), None)
        };
        found.push(
            d.related(place(first), "the first of them")
                .unit(name(later).into()),
        );
    }
    let mut seen: FxHashMap<(&str, &str, &str, &str), Item> = FxHashMap::default();
    for p in &view.preparation.prepared {
        let Some(r) = view.loaded.resource(p.item) else {
            continue;
        };
        let key = (&*p.namespace, r.group(), &*r.kind.value, &*r.name.value);
        let first = *seen.entry(key).or_insert(p.item);
        if first != p.item && !r.generated {
            let text = format!(
                "with its default namespace this is the same object as another: `{}` is applied twice",
                name(p.item)
            );
            found.push(
                Diagnostic::new(&duplicate_name::RULE, place(p.item), text)
                    .severity(Severity::Warning)
                    .related(place(first), "the first of them")
                    .note("kapp compares before it fills in namespaces, and says nothing")
                    .unit(name(p.item).into()),
            );
        }
    }
}

/// One finding per kind whose scope is not known.
fn unknown_scopes(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let mut seen = FxHashSet::default();
    for p in &view.preparation.prepared {
        let Some(r) = view.loaded.resource(p.item) else {
            continue;
        };
        let (version, kind) = (&*r.api_version.value, &*r.kind.value);
        if p.known != Known::AsWritten || !seen.insert((version, kind)) {
            continue;
        }
        let Some(place) = r.kind.place else { continue };
        let taken = if p.namespace.is_empty() {
            "without a namespace"
        } else {
            "with a namespace"
        };
        let mut d = Diagnostic::new(
            &unresolved::RULE,
            view.at(p.item, place),
            format!("whether {kind} of {version} has a namespace is not known; it is taken as one {taken}"),
        )
        .severity(Severity::Info)
        .note(format!(
            "`scopes = {{ \"{version}/{kind}\" = \"namespaced\" }}` under `[kapp]` in applyorder.toml says it"
        ));
        if !is_custom(r.group()) {
            d = d.note("the API group is built in, and this version of the kind is not known");
        }
        found.push(d);
    }
}
