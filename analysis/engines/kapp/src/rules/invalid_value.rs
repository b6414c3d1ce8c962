//! `invalid-value`: annotations and rules of Configs with values that kapp rejects. Errors in the text of a
//! group or rule are found in `uses`.

use super::scope::{Project, Source};
use super::uses;
use crate::model::error::What;
use crate::model::prepare::{NONCE, unreadable_duration};
use crate::read::Key;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Reaction, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{invalid_value, nearest};

/// Written nonces, which only kapp may set.
pub(super) fn check_nonces(source: &Source<'_>, found: &mut Vec<Finding>) {
    for item in source.refused().nonces {
        let Some(r) = source.resource(item) else { continue };
        let nonce = r.annotations().iter().find(|a| *a.name.value == *NONCE);
        let Some(annotation) = nonce else { continue };
        let text = format!("invalid value of `{NONCE}`: it must be empty");
        let place = source.at(item, annotation.value.place);
        let d = Diagnostic::new(&invalid_value::RULE, place, text);
        found.push(source.rejected(d, "prepare", What::Nonce, Some(item)));
    }
}

/// Renewal durations that kapp cannot parse.
pub(super) fn check_durations(source: &Source<'_>, found: &mut Vec<Finding>) {
    for item in source.refused().renewals {
        let Some(r) = source.resource(item) else { continue };
        let written = r.annotations().iter().find(|a| a.key == Key::RenewDuration);
        let (Some(annotation), Some(why)) = (written, unreadable_duration(r)) else {
            continue;
        };
        let value = &annotation.value;
        let text = format!(
            "invalid duration `{}`: use units such as `24h` or `90m`",
            value.value
        );
        let d = Diagnostic::new(&invalid_value::RULE, source.at(item, value.place), text);
        let d = d.engine_message(why);
        found.push(source.rejected(d, "diff", What::Renewal, Some(item)));
    }
}

/// The values that kapp accepts for each kind of strategy; a missing value means the plain one.
///
/// Source: kapp 0.60.1, `clusterapply`: `ApplyStrategy` of additions, updates and deletions.
const STRATEGIES: [(&str, &str, &[&str]); 3] = [
    (
        "kapp.k14s.io/create-strategy",
        "create",
        &["fallback-on-update", "fallback-on-update-or-noop"],
    ),
    (
        "kapp.k14s.io/update-strategy",
        "update",
        &["fallback-on-replace", "always-replace", "skip"],
    ),
    ("kapp.k14s.io/delete-strategy", "delete", &["orphan"]),
];

/// Strategies that kapp does not have.
pub(super) fn check_strategies(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        for annotation in r.annotations().iter().filter(|a| a.key == Key::OtherOfKapp) {
            let mut all = STRATEGIES.iter();
            let Some((_, verb, known)) = all.find(|(key, ..)| *annotation.name.value == **key) else {
                continue;
            };
            let written = &annotation.value;
            let is_known = written.value.is_empty() || known.contains(&&*written.value);
            if is_known || annotation.not_a_string.is_some() {
                continue;
            }
            let text = format!("unknown {verb} strategy `{}`", written.value);
            let place = source.at(item, written.place);
            let mut d = Diagnostic::new(&invalid_value::RULE, place, text)
                .severity(Severity::Warning)
                .note(format!("kapp fails when it {verb}s this resource"))
                .reaction(Reaction::FailsLater);
            if let Some(near) = nearest(&written.value, known.iter().copied()) {
                d = d.did_you_mean(near, FixStep::Replace(place, near.to_owned()));
            }
            found.push(Finding::new(d));
        }
    }
}

/// Rules of bindings that apply to no resource here: they were not checked yet.
pub(super) fn check_unused_rules(project: &Project<'_>, found: &mut Vec<Finding>) {
    let matched = &project.related.deploy.uses.matched_rules;
    for (c, in_force) in project.model.bindings.configs.iter().enumerate() {
        for (b, binding) in in_force.config.rules.iter().enumerate() {
            if matched.get(c).and_then(|m| m.get(b)) == Some(&true) {
                continue;
            }
            for text in binding.rules.iter().filter(|t| t.placeholders.is_empty()) {
                if let Some(d) = uses::of_rule(text, &|local| project.at(in_force.item, local)) {
                    let d = d
                        .severity(Severity::Warning)
                        .note("kapp rejects this once the binding applies to a resource")
                        .reaction(Reaction::FailsLater);
                    found.push(Finding::new(d));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::invalid_value::RULE;
    use crate::tests::speaks;
    use applyorder_core::diagnostic::Severity;

    #[test]
    fn strategies_are_those_that_kapp_has() {
        let with = |strategy: &str| {
            format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\n  annotations:\n    kapp.k14s.io/{strategy}\n"
            )
        };
        for (wrong, marked, right) in [
            (
                "update-strategy: always-replaced",
                "always-replaced",
                "update-strategy: always-replace",
            ),
            (
                "create-strategy: skip",
                "skip",
                "create-strategy: fallback-on-update-or-noop",
            ),
            ("delete-strategy: orphans", "orphans", "delete-strategy: orphan"),
            ("delete-strategy: keep", "keep", "delete-strategy: \"\""),
        ] {
            speaks(&RULE, Severity::Warning, &with(wrong), &[marked], &with(right));
        }
    }
}
