//! Findings in the texts of groups and rules, and in annotations as such.

use rustc_hash::FxHashSet;

use super::{config_rule, own_text, placeholder_lookalike, trailing_newline};
use crate::facts::{Annotation, Key, RuleText};
use crate::grammar::{self, Fault, PLACEHOLDERS, WORDS};
use crate::names;
use crate::resolve::View;
use crate::resolve::load::Item;
use crate::resolve::prepare::NONCE;
use crate::resolve::uses::{Source, UseError, Wrong};
use crate::verdict;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::rules::{
    duplicate_key, invalid_name, invalid_value, nearest, unknown_field, wrong_type,
};

pub(super) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    errors(view, &mut found);
    for item in view.notable() {
        let Some(r) = view.loaded.resource(item) else {
            continue;
        };
        let all = r.all_annotations();
        for annotation in all {
            near_misses(view, item, annotation, &mut found);
            for earlier in &annotation.replaced {
                found.push(duplicate(view, item, annotation, *earlier));
            }
            if annotation.not_a_string.is_some() {
                found.push(hiding(view, item, annotation, all));
            }
        }
    }
    lookalikes(view, &mut found);
    found.extend(
        view.preparation
            .nonces
            .iter()
            .filter_map(|item| nonce(view, *item)),
    );
    found
}

/// A nonce that somebody wrote, which is kapp's to write.
fn nonce(view: &View<'_>, item: Item) -> Option<Diagnostic> {
    let r = view.loaded.resource(item)?;
    let annotation = r.annotations().iter().find(|a| *a.name.value == *NONCE)?;
    let text = format!("`{NONCE}` has to be empty: kapp writes the time there");
    let place = view.at(item, annotation.value.place);
    let d = Diagnostic::new(&invalid_value::RULE, place, text);
    Some(view.enforced(d, "prepare", Some(item), None))
}

/// The errors of groups and rules, each place once.
fn errors(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let mut seen: FxHashSet<(Place, bool)> = FxHashSet::default();
    for ((unit, change), own) in (0u32..)
        .zip(view.deploy.changes.iter())
        .zip(&view.deploy.uses.changes)
    {
        for error in &own.errors {
            let text = match error.source {
                Source::Default(..) => continue,
                Source::Annotation(_) => own_text(view, change, error.source).map(|(_, t)| t),
                Source::Config(..) => None,
            };
            if let Some(text) = text {
                let at = |local| view.of_change(change, local);
                if seen.insert((at(text.place), false)) {
                    found.push(enforced(view, of_text(error, text, &at), error, unit));
                }
                continue;
            }
            let Some((d, place)) = of_binding(view, error) else {
                continue;
            };
            if seen.insert((place, true)) {
                let name = view.variant.units.get(unit as usize);
                let d = match name {
                    Some(u) => d.related(
                        u.name_place.unwrap_or(u.header),
                        format!("the first resource it applies to: `{}`", u.name),
                    ),
                    None => d,
                };
                found.push(enforced(view, d, error, unit));
            }
        }
    }
}

/// Of several errors of one resource kapp names one.
fn enforced(view: &View<'_>, d: Diagnostic, error: &UseError, unit: u32) -> Diagnostic {
    let failure = view.deploy.built.failure.as_ref();
    if failure.is_some_and(|f| !f.message.ends_with(&error.message)) {
        return d.enforced(verdict::DEPLOY, "graph", false);
    }
    view.enforced(d, "graph", None, Some(unit))
}

fn of_binding(view: &View<'_>, error: &UseError) -> Option<(Diagnostic, Place)> {
    if let Some((item, text)) = config_rule(view, error.source)
        && !matches!(error.what, Wrong::Matcher)
        && is_rule_error(error)
    {
        let d = of_text(error, text, &|local| view.at(item, local));
        return Some((d, view.at(item, text.place)));
    }
    let Source::Config(config, binding, _) = error.source else {
        return None;
    };
    let (item, config) = view.preparation.configs.get(config as usize)?;
    let name = &config.groups.get(binding as usize)?.name;
    let d = of_text(error, name, &|local| view.at(*item, local));
    Some((d, view.at(*item, name.place)))
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
fn near_misses(view: &View<'_>, item: Item, annotation: &Annotation, found: &mut Vec<Diagnostic>) {
    if annotation.key.orders() {
        return;
    }
    let Some(meant) = meant_key(&annotation.name.value) else {
        return;
    };
    let place = view.at(item, annotation.name.place);
    found.push(
        Diagnostic::new(
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
        ),
    );
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

fn duplicate(view: &View<'_>, item: Item, annotation: &Annotation, earlier: u32) -> Diagnostic {
    let place = view.at(item, annotation.name.place);
    let key = &annotation.name.value;
    let d = Diagnostic::new(
        &duplicate_key::RULE,
        place,
        format!("the key `{key}` is there already; only this entry counts"),
    )
    .severity(Severity::Warning)
    .related(view.at(item, earlier), "this one is ignored")
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
fn hiding(view: &View<'_>, item: Item, annotation: &Annotation, all: &[Annotation]) -> Diagnostic {
    let place = view.at(item, annotation.value.place);
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
        d = d.related(view.at(item, lost.name.place), "this is lost");
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
fn lookalikes(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let failed: FxHashSet<Place> = found.iter().map(|d| d.place).collect();
    for (item, annotation, text) in super::own_texts(view) {
        let place = view.at(item, text.place);
        let told = |local| failed.contains(&view.at(item, local));
        if told(text.place)
            || text.odd_part.is_some_and(told)
            || !matches!(annotation.key, Key::Group | Key::Rule)
        {
            continue;
        }
        let odd = text.odd_part.map_or(place, |odd| view.at(item, odd));
        if let Some(d) = placeholder_lookalike::diagnostic(place, odd, &text.value)
            && text.placeholders.is_empty()
        {
            found.push(d);
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
