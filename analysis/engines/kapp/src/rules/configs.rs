//! Findings on Configs: versions, types, fields, and rules of bindings that apply to nothing.

use crate::grammar;
use crate::resolve::View;
use crate::version;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::rules::{
    field_case, invalid_value, nearest, unknown_field, unsupported_version, wrong_type,
};

pub(super) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (item, config) in view.configs() {
        let minimum = config.minimum.as_ref();
        if let Some(text) = minimum
            && let Some(fault) = version::minimum_fault(&text.value, &view.settings.version)
        {
            let place = view.at(item, text.place);
            let mut d = Diagnostic::new(&unsupported_version::RULE, place, fault).severity(Severity::Error);
            if let Some(bare) = text.value.strip_prefix('v') {
                d = d.fix(
                    "drop the `v`",
                    Safety::Unsafe,
                    vec![FixStep::SetValue(place, bare.to_owned())],
                );
            }
            found.push(view.enforced(d, "config", Some(item), None));
        }
        for fault in [&config.type_fault, &config.rebase_fault].into_iter().flatten() {
            let d = Diagnostic::new(
                &wrong_type::RULE,
                view.at(item, fault.place),
                fault
                    .value
                    .strip_prefix("json: ")
                    .unwrap_or(&fault.value)
                    .to_owned(),
            );
            found.push(view.enforced(d, "config", Some(item), None));
        }
        for odd in &config.odd_keys {
            let place = view.at(item, odd.key.place);
            let key = &odd.key.value;
            let known = odd.known.iter().map(|k| &**k);
            let d = match &odd.canonical {
                Some(canonical) => Diagnostic::new(
                    &field_case::RULE,
                    place,
                    format!("the field is written `{canonical}`"),
                )
                .severity(Severity::Hint)
                .fix(
                    format!("replace by `{canonical}`"),
                    Safety::Safe,
                    vec![FixStep::SetValue(place, canonical.to_string())],
                ),
                None => {
                    let d = Diagnostic::new(
                        &unknown_field::RULE,
                        place,
                        format!("`{key}` is no field here: kapp ignores it"),
                    )
                    .severity(Severity::Warning);
                    match nearest(key, known) {
                        Some(near) => d.label(format!("did you mean `{near}`?")).fix(
                            format!("replace by `{near}`"),
                            Safety::Unsafe,
                            vec![FixStep::SetValue(place, near.to_owned())],
                        ),
                        None => d,
                    }
                }
            };
            found.push(d);
        }
    }
    other_versions(view, &mut found);
    unused_rules(view, &mut found);
    found
}

/// Configs of a version that kapp takes for a custom resource.
fn other_versions(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for item in view.notable() {
        let Some(r) = view.loaded.resource(item) else {
            continue;
        };
        if r.config.is_some() || r.group() != "kapp.k14s.io" || &*r.kind.value != "Config" {
            continue;
        }
        let Some(place) = r.api_version.place.map(|p| view.at(item, p)) else {
            continue;
        };
        found.push(
            Diagnostic::new(
                &unsupported_version::RULE,
                place,
                format!(
                    "kapp takes a Config of `{}` for a custom resource and applies it",
                    r.api_version.value
                ),
            )
            .severity(Severity::Warning)
            .fix(
                "replace by `kapp.k14s.io/v1alpha1`",
                Safety::Unsafe,
                vec![FixStep::SetValue(place, "kapp.k14s.io/v1alpha1".to_owned())],
            ),
        );
    }
}

/// Rules of bindings that apply to no resource here: nobody has looked at them yet.
fn unused_rules(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let matched = &view.deploy.uses.matched_rules;
    for (c, (item, config)) in view.preparation.configs.iter().enumerate() {
        for (b, binding) in config.rules.iter().enumerate() {
            if matched.get(c).and_then(|m| m.get(b)) == Some(&true) {
                continue;
            }
            for text in binding.rules.iter().filter(|t| t.placeholders.is_empty()) {
                if let Err(fault) = grammar::parse(&text.value) {
                    found.push(
                        Diagnostic::new(
                            &invalid_value::RULE,
                            view.at(*item, text.place),
                            fault.message(&text.value),
                        )
                        .severity(Severity::Warning)
                        .note("kapp says so as soon as the binding applies to a resource"),
                    );
                }
            }
        }
    }
}
