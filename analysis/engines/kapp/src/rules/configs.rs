//! Findings on Configs: versions, types, fields, and rules of bindings that apply to nothing.

use super::scope::{Project, Source};
use crate::model::error::What;
use crate::{grammar, version};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Reaction, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{
    field_case, invalid_value, limit_reached, nearest, unknown_field, unsupported_version, wrong_type,
};

/// Versions, types and fields.
pub(super) fn fields(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        let Some(config) = r.config() else {
            continue;
        };
        let minimum = config.minimum.as_ref();
        if let Some(text) = minimum
            && let Some(fault) = version::minimum_fault(&text.value, &source.settings().version)
        {
            let place = source.at(item, text.place);
            let settings = source.settings();
            let is_assumed = settings.is_version_assumed && version::is_unmet(&text.value, &settings.version);
            let mut d = Diagnostic::new(&unsupported_version::RULE, place, fault).severity(Severity::Error);
            if is_assumed {
                d = d
                    .note("no version is configured, and the newest one known is assumed")
                    .heuristic();
            }
            if let Some(bare) = text.value.strip_prefix('v') {
                d = d.fix(
                    "drop the `v`",
                    Safety::Unsafe,
                    vec![FixStep::SetValue(place, bare.to_owned())],
                );
            }
            found.push(source.rejected(d, "config", What::Config, Some(item)));
        }
        for fault in [&config.type_fault, &config.rebase_fault].into_iter().flatten() {
            let text = fault.value.strip_prefix("json: ").unwrap_or(&fault.value);
            let d = Diagnostic::new(&wrong_type::RULE, source.at(item, fault.place), text.to_owned());
            found.push(source.rejected(d, "config", What::Config, Some(item)));
        }
        for odd in &config.odd_keys {
            let place = source.at(item, odd.key.place);
            let key = &odd.key.value;
            let known = odd.known.iter().map(|k| &**k);
            let d = match &odd.canonical {
                Some(canonical) => Diagnostic::new(
                    &field_case::RULE,
                    place,
                    format!("field name in the wrong case: expected `{canonical}`"),
                )
                .severity(Severity::Hint)
                .fix(
                    format!("replace with `{canonical}`"),
                    Safety::Safe,
                    vec![FixStep::SetValue(place, canonical.to_string())],
                ),
                None => {
                    let d = Diagnostic::new(&unknown_field::RULE, place, format!("unknown field `{key}`"))
                        .severity(Severity::Warning);
                    match nearest(key, known) {
                        Some(near) => d.label(format!("did you mean `{near}`?")).fix(
                            format!("replace with `{near}`"),
                            Safety::Unsafe,
                            vec![FixStep::SetValue(place, near.to_owned())],
                        ),
                        None => d,
                    }
                }
            };
            found.push(Finding::new(d));
        }
    }
}

/// Configs that it would take too long to hold all resources against.
pub(super) fn too_much(project: &Project<'_>, found: &mut Vec<Finding>) {
    let error = project.model.app.configs.error.as_ref();
    let place = error
        .filter(|error| error.is_ours())
        .and_then(|error| error.place);
    found.extend(place.map(|place| {
        let text = "limit reached: the bindings of Configs are not evaluated";
        Finding::new(Diagnostic::new(&limit_reached::RULE, place, text))
    }));
}

/// Configs of a version that kapp takes for a custom resource.
pub(super) fn other_versions(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        if r.config.is_some() || r.group() != "kapp.k14s.io" || &*r.kind.value != "Config" {
            continue;
        }
        let Some(place) = r.api_version.place.map(|p| source.at(item, p)) else {
            continue;
        };
        let d = Diagnostic::new(
            &unsupported_version::RULE,
            place,
            format!(
                "unsupported Config version `{}`: applied as a custom resource",
                r.api_version.value
            ),
        )
        .severity(Severity::Warning)
        .fix(
            "replace with `kapp.k14s.io/v1alpha1`",
            Safety::Unsafe,
            vec![FixStep::SetValue(place, "kapp.k14s.io/v1alpha1".to_owned())],
        );
        found.push(Finding::new(d));
    }
}

/// Rules of bindings that apply to no resource here: nobody has looked at them yet.
pub(super) fn unused_rules(project: &Project<'_>, found: &mut Vec<Finding>) {
    let matched = &project.related.deploy.uses.matched_rules;
    for (c, in_force) in project.model.bindings.configs.iter().enumerate() {
        for (b, binding) in in_force.config.rules.iter().enumerate() {
            if matched.get(c).and_then(|m| m.get(b)) == Some(&true) {
                continue;
            }
            for text in binding.rules.iter().filter(|t| t.placeholders.is_empty()) {
                if let Err(fault) = grammar::parse(&text.value) {
                    let place = project.at(in_force.item, text.place);
                    let d = Diagnostic::new(&invalid_value::RULE, place, fault.message(&text.value))
                        .severity(Severity::Warning)
                        .note("kapp rejects this once the binding applies to a resource")
                        .reaction(Reaction::FailsLater);
                    found.push(Finding::new(d));
                }
            }
        }
    }
}
