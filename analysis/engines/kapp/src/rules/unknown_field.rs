//! `unknown-field` and `field-case`: keys of Configs that kapp does not know as they are written; annotations
//! that are similar to kapp's.

use super::scope::Source;
use crate::model::inputs::Item;
use crate::read::Annotation;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{field_case, nearest, unknown_field};

/// Keys of Configs.
pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        let Some(config) = r.config() else {
            continue;
        };
        for odd in &config.odd_keys {
            let place = source.at(item, odd.key.place);
            let key = &odd.key.value;
            let known = odd.known.iter().map(|k| &**k);
            let d = match &odd.canonical {
                Some(canonical) => {
                    let d = Diagnostic::new(
                        &field_case::RULE,
                        place,
                        format!("field name in the wrong case: expected `{canonical}`"),
                    )
                    .severity(Severity::Hint);
                    if odd.is_repeated {
                        // The key would then be a duplicate, and only the last one is read.
                        d
                    } else {
                        d.fix(
                            format!("replace with `{canonical}`"),
                            Safety::Safe,
                            vec![FixStep::SetValue(place, canonical.to_string())],
                        )
                    }
                }
                None => {
                    let d = Diagnostic::new(&unknown_field::RULE, place, format!("unknown field `{key}`"))
                        .severity(Severity::Warning);
                    match nearest(key, known) {
                        Some(near) => d.did_you_mean(near, FixStep::SetValue(place, near.to_owned())),
                        None => d,
                    }
                }
            };
            found.push(Finding::new(d));
        }
    }
}

/// Annotations.
pub(super) fn check_annotations(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        for annotation in r.all_annotations() {
            near_miss(source, item, annotation, found);
        }
    }
}

/// A key that is similar to one of kapp's.
fn near_miss(source: &Source<'_>, item: Item, annotation: &Annotation, found: &mut Vec<Finding>) {
    if annotation.key.orders() {
        return;
    }
    let Some(meant) = meant_key(&annotation.name.value) else {
        return;
    };
    let place = source.at(item, annotation.name.place);
    let d = Diagnostic::new(
        &unknown_field::RULE,
        place,
        format!("unknown annotation `{}`", annotation.name.value),
    )
    .severity(Severity::Warning)
    .did_you_mean(&meant, FixStep::SetValue(place, meant.clone()));
    found.push(Finding::new(d));
}

/// Domains that are mistaken for kapp's.
const DOMAINS: [&str; 6] = [
    "kapp.k14s.io",
    "kapp.io",
    "k14s.io",
    "kapp.carvel.dev",
    "kapp.k14s.com",
    "kapp.k8s.io",
];

/// Other keys of kapp with the same beginning.
const ALIKE: [&str; 1] = ["change-group-ordering"];

/// The key of a group or rule that a key is similar to.
fn meant_key(key: &str) -> Option<String> {
    let (domain, name) = key.split_once('/')?;
    let domain_lower = domain.to_ascii_lowercase();
    if !DOMAINS.contains(&domain_lower.as_str()) || ALIKE.contains(&name) {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    for known in ["change-group", "change-rule"] {
        let Some(rest) = lower.strip_prefix(known) else {
            continue;
        };
        let suffix = rest.strip_prefix('s').unwrap_or(rest);
        let suffix = suffix.trim_start_matches(['-', '_', '.', '/']);
        let meant = if suffix.is_empty() {
            format!("kapp.k14s.io/{known}")
        } else {
            format!("kapp.k14s.io/{known}.{suffix}")
        };
        return (meant != key).then_some(meant);
    }
    let near = nearest(name, ["change-group", "change-rule"])?;
    (strsim::osa_distance(&lower, near) <= 2).then(|| format!("kapp.k14s.io/{near}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_nearly_are_kapps_are_recognised() {
        for (key, meant) in [
            ("kapp.k14s.io/change-groups", "kapp.k14s.io/change-group"),
            ("kapp.k14s.io/change-rule-1", "kapp.k14s.io/change-rule.1"),
            ("kapp.io/change-rule.a", "kapp.k14s.io/change-rule.a"),
            ("kapp.k14s.io/Change-Group", "kapp.k14s.io/change-group"),
            ("kapp.k14s.io/chang-rule", "kapp.k14s.io/change-rule"),
        ] {
            assert_eq!(meant_key(key).as_deref(), Some(meant), "{key}");
        }
        for key in [
            "kapp.k14s.io/versioned",
            "example.com/change-group",
            "kapp.k14s.io/change-group-ordering",
        ] {
            assert_eq!(meant_key(key), None, "{key}");
        }
    }
}
