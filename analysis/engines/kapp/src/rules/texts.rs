//! Findings in the texts of groups and rules, and in annotations as such.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::scope::{Project, Source};
use super::{placeholder_lookalike, rejected, trailing_newline};
use crate::grammar::{self, Fault, PLACEHOLDERS, WORDS};
use crate::model::inputs::Item;
use crate::model::prepare::NONCE;
use crate::model::uses::{ChangeUses, Source as Origin, UseError, Wrong};
use crate::names;
use crate::read::{Annotation, Key, RuleText};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{
    duplicate_key, invalid_name, invalid_value, nearest, unknown_field, wrong_type,
};

/// The errors of groups and rules in annotations, each place once.
pub(super) fn errors(source: &Source<'_>, found: &mut Vec<Finding>) {
    let mut seen: FxHashSet<Place> = FxHashSet::default();
    for unit in source.units() {
        for error in &unit.own.errors {
            let Some((_, text)) = source.own_text(&unit, error.source) else {
                continue;
            };
            let at = |local| source.of_change(&unit, local);
            if seen.insert(at(text.place)) {
                let d = of_text(error, text, &at);
                found.push(rejected(
                    d,
                    "graph",
                    subject(error, unit.own, &source.name(&unit)),
                ));
            }
        }
    }
}

/// Of several errors of one resource kapp names one.
fn subject(error: &UseError, own: &ChangeUses, name: &Arc<str>) -> Arc<str> {
    let first = own.rule_error.as_ref().or(own.group_error.as_ref());
    match first.filter(|first| first.message == error.message) {
        Some(_) => name.clone(),
        None => Arc::default(),
    }
}

/// The errors of groups and rules in Configs, each place once.
pub(super) fn config_errors(project: &Project<'_>, found: &mut Vec<Finding>) {
    if project.model.bindings.configs.is_empty() {
        return;
    }
    let mut seen: FxHashSet<Place> = FxHashSet::default();
    for unit in project.units() {
        for error in unit
            .own
            .errors
            .iter()
            .filter(|e| matches!(e.source, Origin::Config(..)))
        {
            let Some((d, place)) = of_binding(project, error) else {
                continue;
            };
            if !seen.insert(place) {
                continue;
            }
            let name = project.name(unit.number);
            let d = match project.name_place(unit.number) {
                Some(place) => d.related(place, format!("the first resource it applies to: `{name}`")),
                None => d,
            };
            found.push(rejected(d, "graph", subject(error, unit.own, &name)));
        }
    }
}

fn of_binding(project: &Project<'_>, error: &UseError) -> Option<(Diagnostic, Place)> {
    if let Some((item, text)) = project.config_rule(error.source)
        && !matches!(error.what, Wrong::Matcher)
        && is_rule_error(error)
    {
        let d = of_text(error, text, &|local| project.at(item, local));
        return Some((d, project.at(item, text.place)));
    }
    let Origin::Config(config, binding, _) = error.source else {
        return None;
    };
    let in_force = project.model.bindings.configs.get(config as usize)?;
    let name = &in_force.config.groups.get(binding as usize)?.name;
    let at = |local| project.at(in_force.item, local);
    Some((of_text(error, name, &at), at(name.place)))
}

/// Annotations as such: keys that are nearly kapp's or stand twice, values that hide all others.
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
    let (nonces, _) = source.refused();
    for item in nonces {
        let Some(r) = source.resource(item) else { continue };
        let nonce = r.annotations().iter().find(|a| *a.name.value == *NONCE);
        let Some(annotation) = nonce else { continue };
        let text = format!("`{NONCE}` has to be empty: kapp writes the time there");
        let place = source.at(item, annotation.value.place);
        let d = Diagnostic::new(&invalid_value::RULE, place, text);
        found.push(rejected(d, "prepare", super::subject(r)));
    }
}

/// Whether an error of a binding is about a rule and not about a group's name.
fn is_rule_error(error: &UseError) -> bool {
    matches!(error.what, Wrong::Rule(_)) || !matches!(error.what, Wrong::Group)
}

/// kapp's message without the resource before it.
fn sentence(message: &str) -> String {
    let start = message
        .find("Expected")
        .or_else(|| message.find("Placeholder"))
        .unwrap_or(0);
    message.get(start..).unwrap_or(message).to_owned()
}

fn of_text(error: &UseError, text: &RuleText, at: &dyn Fn(u32) -> Place) -> Diagnostic {
    let whole = at(text.place);
    if let Some(header) = text.trailing_break
        && matches!(error.what, Wrong::Group | Wrong::Rule(Fault::Group(_)))
    {
        return Diagnostic::new(
            &trailing_newline::RULE,
            at(header),
            "the block scalar leaves a line break at the end of the group's name",
        )
        .fix(
            "strip the line break",
            Safety::Unsafe,
            vec![FixStep::Replace(at(header), "|-".to_owned())],
        );
    }
    let odd = text.odd_part.map(at);
    if let Some(d) = placeholder_lookalike::diagnostic(whole, odd.unwrap_or(whole), &text.value) {
        return d.severity(Severity::Error);
    }
    let word = |n: usize| text.words.and_then(|w| w.get(n).copied()).map_or(whole, at);
    let written = |n: usize| text.value.split(' ').nth(n).unwrap_or("");
    match &error.what {
        Wrong::Placeholder => placeholder(error, text, at),
        Wrong::Group | Wrong::Rule(Fault::Group(_)) => {
            let is_rule = matches!(error.what, Wrong::Rule(_));
            let (place, name) = if is_rule && text.words.is_some() {
                (word(3), written(3))
            } else {
                (whole, &*text.value)
            };
            let sentence = group_sentence(name, &error.message);
            let d = Diagnostic::new(&invalid_name::RULE, odd.unwrap_or(place), sentence);
            match names::repaired(name).filter(|_| text.placeholders.is_empty()) {
                Some(repaired) => {
                    let step = if is_rule {
                        FixStep::Replace(place, repaired.clone())
                    } else {
                        FixStep::SetValue(place, repaired.clone())
                    };
                    d.fix(format!("replace by `{repaired}`"), Safety::Unsafe, vec![step])
                }
                None => d,
            }
        }
        Wrong::Rule(Fault::Format) => format_fault(text, whole, text.odd_space.map(at)),
        Wrong::Rule(Fault::Action) => verb("action", 0, word(0), written(0)),
        Wrong::Rule(Fault::Order) => verb("order", 1, word(1), written(1)),
        Wrong::Rule(Fault::Target) => verb("target", 2, word(2), written(2)),
        Wrong::Matcher => Diagnostic::new(&super::empty_matcher::RULE, whole, error.message.clone()),
    }
}

fn group_sentence(name: &str, message: &str) -> String {
    match names::check(name) {
        Err((_, names::Part::Whole)) => "the change group has no name".to_owned(),
        Err((_, names::Part::Slashes)) => {
            format!("`{name}` is no name of a change group: there is more than one slash")
        }
        Err((_, names::Part::Prefix)) => {
            format!("`{name}` is no name of a change group: the prefix must be a domain in lower case")
        }
        Err((_, names::Part::Name)) => format!(
            "`{name}` is no name of a change group: letters, digits, `-`, `_` and `.` are allowed, with a letter or digit at both ends"
        ),
        // Only what placeholders put in is wrong.
        Ok(()) => sentence(message),
    }
}

fn format_fault(text: &RuleText, whole: Place, odd_space: Option<Place>) -> Diagnostic {
    let d = Diagnostic::new(
        &invalid_value::RULE,
        odd_space.unwrap_or(whole),
        "a change rule has four words between single spaces: (upsert|delete) (before|after) (upserting|deleting) GROUP",
    );
    let collapsed = text.value.split_whitespace().collect::<Vec<_>>().join(" ");
    if grammar::parse(&collapsed).is_ok() {
        return d.fix(
            "write single spaces",
            Safety::Unsafe,
            vec![FixStep::SetValue(whole, collapsed)],
        );
    }
    d
}

fn verb(what: &str, number: usize, place: Place, written: &str) -> Diagnostic {
    let known = WORDS.get(number).copied().unwrap_or(&[]);
    let d = Diagnostic::new(
        &invalid_value::RULE,
        place,
        format!(
            "`{written}` is no {what} of a change rule; it is `{}`",
            known.join("` or `")
        ),
    );
    let lower = written.to_ascii_lowercase();
    let meant = match (number, lower.as_str()) {
        (0, "create" | "update" | "apply" | "upserting") => Some("upsert"),
        (0, "remove" | "deleting") => Some("delete"),
        (2, "upsert" | "upserted") => Some("upserting"),
        (2, "delete" | "deleted") => Some("deleting"),
        _ => nearest(written, known.iter().copied()),
    };
    match meant {
        Some(meant) => d.label(format!("did you mean `{meant}`?")).fix(
            format!("replace by `{meant}`"),
            Safety::Unsafe,
            vec![FixStep::Replace(place, meant.to_owned())],
        ),
        None => d,
    }
}

/// A placeholder that is unknown, or has no value for the resource.
fn placeholder(error: &UseError, text: &RuleText, at: &dyn Fn(u32) -> Place) -> Diagnostic {
    let bad = text.placeholders.iter().rev().find(|p| {
        error
            .message
            .starts_with(&format!("Placeholder {} ", p.text.value))
    });
    let Some(bad) = bad else {
        return Diagnostic::new(&invalid_value::RULE, at(text.place), sentence(&error.message));
    };
    let (place, name) = (at(bad.text.place), &*bad.text.value);
    if PLACEHOLDERS.contains(&name) {
        let why = match name {
            "{api-group}" => "the resource is of the core API group, which has no name",
            "{namespace}" => "the resource has no namespace",
            "{crd-kind}" | "{crd-group}" => {
                "the resource is no definition of a custom resource, or lacks the field"
            }
            _ => "the field is empty",
        };
        return Diagnostic::new(
            &invalid_value::RULE,
            place,
            format!("`{name}` has no value here: {why}"),
        );
    }
    let d = Diagnostic::new(
        &invalid_value::RULE,
        place,
        format!(
            "`{name}` is no placeholder; there are {}",
            PLACEHOLDERS.join(", ")
        ),
    );
    match nearest(name, PLACEHOLDERS) {
        Some(near) => d.label(format!("did you mean `{near}`?")).fix(
            format!("replace by `{near}`"),
            Safety::Unsafe,
            vec![FixStep::Replace(place, near.to_owned())],
        ),
        None => d,
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
        format!("`{}` means nothing to kapp", annotation.name.value),
    )
    .severity(Severity::Warning)
    .label(format!("did you mean `{meant}`?"))
    .note("kapp says nothing")
    .fix(
        format!("replace by `{meant}`"),
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

/// Other keys of kapp's that begin alike.
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
        format!("the key `{key}` is there already; only this entry counts"),
    )
    .severity(Severity::Warning)
    .related(source.at(item, earlier), "this one is ignored")
    .note("kapp says nothing");
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
    let what = annotation.not_a_string.unwrap_or("no string");
    let mut d = Diagnostic::new(
        &wrong_type::RULE,
        place,
        format!("the value of an annotation must be a string, this is {what}"),
    )
    .note("kapp then sees no annotation of this resource at all, and says nothing; the cluster rejects it later");
    for lost in all
        .iter()
        .filter(|a| a.key.orders() && a.name.place != annotation.name.place)
    {
        d = d.related(source.at(item, lost.name.place), "this is lost");
    }
    let source = &*annotation.value.value;
    if !source.is_empty() {
        d = d.fix(
            "put it in quotes",
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
