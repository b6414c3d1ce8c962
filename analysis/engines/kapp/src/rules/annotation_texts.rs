//! Findings in annotations as such: keys that are nearly kapp's or duplicates, values that hide others or are ignored.

use rustc_hash::FxHashSet;

use super::placeholder_lookalike;
use super::scope::Source;
use crate::model::error::What;
use crate::model::inputs::Item;
use crate::model::prepare::{NONCE, unreadable_duration};
use crate::read::{Annotation, Key};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Reaction, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{duplicate_key, invalid_value, nearest, unknown_field, wrong_type};

/// Annotations as such: keys that are nearly kapp's or duplicates, values that hide all others.
pub(super) fn annotations(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        let all = r.all_annotations();
        for annotation in all {
            near_misses(source, item, annotation, found);
            for earlier in &annotation.replaced {
                found.push(Finding::new(duplicate(source, item, annotation, *earlier)));
            }
            if annotation.not_a_string.is_some() {
                found.push(Finding::new(hiding(source, item, annotation, all)));
            }
        }
    }
}

/// Nonces that somebody wrote, which are kapp's to write.
pub(super) fn nonces(source: &Source<'_>, found: &mut Vec<Finding>) {
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

/// Times after which resources are to be renewed that kapp cannot read.
pub(super) fn durations(source: &Source<'_>, found: &mut Vec<Finding>) {
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

/// Keys that are nearly kapp's.
fn near_misses(source: &Source<'_>, item: Item, annotation: &Annotation, found: &mut Vec<Finding>) {
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
    .label(format!("did you mean `{meant}`?"))
    .fix(
        format!("replace with `{meant}`"),
        Safety::Unsafe,
        vec![FixStep::SetValue(place, meant)],
    );
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

/// Other keys of kapp's that begin the same way.
const ALIKE: [&str; 1] = ["change-group-ordering"];

/// The key of a group or rule that a key nearly is.
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

fn duplicate(source: &Source<'_>, item: Item, annotation: &Annotation, earlier: u32) -> Diagnostic {
    let place = source.at(item, annotation.name.place);
    let key = &annotation.name.value;
    let d = Diagnostic::new(
        &duplicate_key::RULE,
        place,
        format!("duplicate key `{key}`: only this entry is used"),
    )
    .severity(Severity::Warning)
    .related(source.at(item, earlier), "ignored");
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

/// Texts that kapp accepts and that look as if something else was meant.
pub(super) fn lookalikes(source: &Source<'_>, found: &mut Vec<Finding>) {
    let failed: FxHashSet<Place> = found.iter().map(|f| f.diagnostic.place).collect();
    for (item, annotation, text) in source.texts() {
        let place = source.at(item, text.place);
        let told = |local| failed.contains(&source.at(item, local));
        if told(text.place)
            || text.odd_part.is_some_and(told)
            || !matches!(annotation.key, Key::Group | Key::Rule)
        {
            continue;
        }
        let odd = text.odd_part.map_or(place, |odd| source.at(item, odd));
        if let Some(d) = placeholder_lookalike::diagnostic(place, odd, &text.value)
            && text.placeholders.is_empty()
        {
            found.push(Finding::new(d));
        }
    }
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
