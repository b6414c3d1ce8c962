//! `unsupported-version`: a Config that requires another kapp, or whose version is not one of a Config.

use super::scope::Source;
use crate::model::error::What;
use crate::version;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::unsupported_version;

/// Configs that require a newer kapp.
pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let settings = source.settings();
    for (item, r) in source.notable() {
        let Some(config) = r.config() else {
            continue;
        };
        let minimum = config.minimum.as_ref();
        if let Some(text) = minimum
            && let Some(fault) = version::minimum_fault(&text.value, &settings.version)
        {
            let place = source.at(item, text.place);
            let mut d =
                Diagnostic::new(&unsupported_version::RULE, place, fault.text).severity(Severity::Error);
            if fault.is_unmet && settings.is_version_assumed {
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
    }
}

/// Configs of a version that kapp treats as a custom resource.
pub(super) fn check_others(source: &Source<'_>, found: &mut Vec<Finding>) {
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
        .replace_with(
            "kapp.k14s.io/v1alpha1",
            FixStep::SetValue(place, "kapp.k14s.io/v1alpha1".to_owned()),
        );
        found.push(Finding::new(d));
    }
}
