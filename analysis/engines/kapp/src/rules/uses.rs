//! Findings on unavailable groups and rules: in annotations, in Configs, and where kapp's own bindings derive a
//! name from the content of a resource.

use rustc_hash::FxHashSet;

use super::scope::{Project, Source, Unit};
use super::{Told, crd_incomplete, placeholder_lookalike, trailing_newline};
use crate::grammar::{self, PLACEHOLDERS, RuleError, Values, WORDS};
use crate::model::inputs::Item;
use crate::model::uses::{Source as Origin, UseError, UseErrorKind};
use crate::names;
use crate::read::{Key, RuleText};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Reaction, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{invalid_name, invalid_value, nearest};

/// The errors of groups and rules of a file's resources, each place once.
pub(super) fn errors(source: &Source<'_>, found: &mut Vec<Finding>) {
    let mut told = Told::default();
    // Whose name or namespace is reported by itself.
    let pathless = source.refused().pathless.into_iter();
    let pathless: FxHashSet<Item> = pathless.map(|(item, _)| item).collect();
    for unit in source.units() {
        for error in &unit.own.errors {
            match error.source {
                Origin::Config(..) => {}
                Origin::Default(..) if pathless.contains(&unit.change.item) => {}
                Origin::Default(..) => {
                    if let Some(d) = of_default(source, &unit, error) {
                        told.add(d.place, source.rejecting(&unit, error), || d);
                    }
                }
                Origin::Annotation(_) => {
                    let Some((_, text)) = source.own_text(&unit, error.source) else {
                        continue;
                    };
                    let at = |local| source.of_change(&unit, local);
                    let by = source.rejecting(&unit, error);
                    told.add(at(text.place), by, || of_text(error, text, &at));
                }
            }
        }
    }
    found.extend(told.findings());
}

/// Errors that kapp will find in the groups and rules of resources whose annotations it does not see yet,
/// because one of them is not a string.
pub(super) fn hidden(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable().filter(|(_, r)| r.hidden) {
        for annotation in r.all_annotations() {
            let Some(text) = annotation.text.as_deref() else {
                continue;
            };
            if let Some(error) = error_in(text, annotation.key == Key::Rule) {
                let d = of_text(&error, text, &|local| source.at(item, local));
                let d = d
                    .severity(Severity::Warning)
                    .note("kapp rejects this once every annotation is a string")
                    .reaction(Reaction::FailsLater);
                found.push(Finding::new(d));
            }
        }
    }
}

/// The error in a rule that is independent of the resources it applies to.
pub(super) fn of_rule(text: &RuleText, at: &dyn Fn(u32) -> Place) -> Option<Diagnostic> {
    Some(of_text(&error_in(text, true)?, text, at))
}

/// The error in a text that is independent of its resource.
fn error_in(text: &RuleText, of_rule: bool) -> Option<UseError> {
    let error = |message: String, what: UseErrorKind| UseError {
        message,
        panics: false,
        source: Origin::Annotation(0),
        of_rule,
        what,
    };
    // Every known placeholder has a value for some resource.
    let replaced = match grammar::replace(&text.value, &Values(["x"; PLACEHOLDERS.len()])) {
        Ok(replaced) => replaced,
        Err(message) => return Some(error(message, UseErrorKind::Placeholder)),
    };
    let value = replaced.as_deref().unwrap_or(&text.value);
    if of_rule {
        let fault = grammar::parse(value).err()?;
        Some(error(fault.message(value), UseErrorKind::Rule(fault)))
    } else {
        let (message, _) = names::check(value).err()?;
        Some(error(message, UseErrorKind::Group))
    }
}

/// A group that one of kapp's own bindings names after a resource, with an invalid name.
fn of_default(source: &Source<'_>, unit: &Unit<'_>, error: &UseError) -> Option<Diagnostic> {
    let r = source.resource_of(unit)?;
    if crd_incomplete::missing(r).is_some() {
        return None;
    }
    let template = source.default_text(error);
    let place = if template.contains("{namespace}") {
        r.namespace.place.unwrap_or_else(|| r.name_place())
    } else if let Some(crd) = &r.crd {
        crd.place
    } else if template.contains("{kind}") {
        r.kind.place.unwrap_or(r.header)
    } else {
        r.name_place()
    };
    let place = source.of_change(unit, place);
    let text = format!(
        "invalid name for a default change group: {}",
        sentence(&error.message)
    );
    Some(Diagnostic::new(&invalid_name::RULE, place, text))
}

/// The errors of groups and rules in Configs, each place once.
pub(super) fn config_errors(project: &Project<'_>, found: &mut Vec<Finding>) {
    if project.model.bindings.configs.is_empty() {
        return;
    }
    let mut told = Told::default();
    for unit in project.units() {
        let of_config = |e: &&UseError| matches!(e.source, Origin::Config(..)) && !e.panics;
        for error in unit.own.errors.iter().filter(of_config) {
            let Some((item, text)) = binding_text(project, error) else {
                continue;
            };
            let at = |local| project.at(item, local);
            told.add(at(text.place), project.rejecting(unit.number, error), || {
                let d = of_text(error, text, &at);
                let name = project.name(unit.number);
                match project.name_place(unit.number) {
                    Some(place) => d.related(place, format!("first applied to `{name}`")),
                    None => d,
                }
            });
        }
    }
    found.extend(told.findings());
}

/// The faulty text of a Config: a rule, or the name of a group.
fn binding_text<'a>(project: &Project<'a>, error: &UseError) -> Option<(Item, &'a RuleText)> {
    if error.of_rule {
        return project.config_rule(error.source);
    }
    let Origin::Config(config, binding, _) = error.source else {
        return None;
    };
    let in_force = project.model.bindings.configs.get(config as usize)?;
    Some((in_force.item, &in_force.config.groups.get(binding as usize)?.name))
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
        && matches!(
            error.what,
            UseErrorKind::Group | UseErrorKind::Rule(RuleError::Group(_))
        )
    {
        return trailing_newline::diagnostic(at(header));
    }
    let odd = text.odd_part.map(at);
    if let Some(d) = placeholder_lookalike::diagnostic(whole, odd.unwrap_or(whole), &text.value) {
        return d.severity(Severity::Error);
    }
    let word = |n: usize| text.words.and_then(|w| w.get(n).copied()).map_or(whole, at);
    let written = |n: usize| text.value.split(' ').nth(n).unwrap_or("");
    match &error.what {
        UseErrorKind::Placeholder => placeholder(error, text, at),
        UseErrorKind::Group | UseErrorKind::Rule(RuleError::Group(_)) => {
            let is_rule = matches!(error.what, UseErrorKind::Rule(_));
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
                    d.replace_with(&repaired, step)
                }
                None => d,
            }
        }
        UseErrorKind::Rule(RuleError::Format) => format_fault(text, whole, text.odd_space.map(at)),
        UseErrorKind::Rule(RuleError::Action) => verb("action", 0, word(0), written(0)),
        UseErrorKind::Rule(RuleError::Order) => verb("order", 1, word(1), written(1)),
        UseErrorKind::Rule(RuleError::Target) => verb("target", 2, word(2), written(2)),
        UseErrorKind::Matcher => Diagnostic::new(&super::empty_matcher::RULE, whole, error.message.clone()),
    }
}

/// Why a text cannot be the name of a change group; `None` if it can.
pub(crate) fn group_fault(name: &str) -> Option<String> {
    let (_, part) = names::check(name).err()?;
    let why = match part {
        names::Part::Whole => return Some("empty change group name".to_owned()),
        names::Part::Slashes => "more than one slash",
        names::Part::Prefix => "the prefix must be a lowercase domain",
        names::Part::Name => {
            "use only letters, digits, `-`, `_` and `.`, with a letter or digit at both ends"
        }
    };
    Some(format!("invalid change group name `{name}`: {why}"))
}

fn group_sentence(name: &str, message: &str) -> String {
    // Otherwise only the values of placeholders are wrong.
    group_fault(name).unwrap_or_else(|| sentence(message))
}

fn format_fault(text: &RuleText, whole: Place, odd_space: Option<Place>) -> Diagnostic {
    let d = Diagnostic::new(
        &invalid_value::RULE,
        odd_space.unwrap_or(whole),
        "invalid change rule: expected (upsert|delete) (before|after) (upserting|deleting) GROUP",
    );
    let collapsed = text.value.split_whitespace().collect::<Vec<_>>().join(" ");
    if grammar::parse(&collapsed).is_ok() {
        return d.fix(
            "use single spaces",
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
            "invalid change rule {what} `{written}`: expected `{}`",
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
        Some(meant) => d.did_you_mean(meant, FixStep::Replace(place, meant.to_owned())),
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
            "{api-group}" => "the core API group has no name",
            "{namespace}" => "the resource is cluster-scoped",
            "{crd-kind}" | "{crd-group}" => "the resource is not a CRD, or lacks the field",
            _ => "the field is empty",
        };
        return Diagnostic::new(
            &invalid_value::RULE,
            place,
            format!("placeholder `{name}` has no value: {why}"),
        );
    }
    let d = Diagnostic::new(
        &invalid_value::RULE,
        place,
        format!("unknown placeholder `{name}`"),
    );
    match nearest(name, PLACEHOLDERS) {
        Some(near) => d.did_you_mean(near, FixStep::Replace(place, near.to_owned())),
        None => d.label(format!("expected one of `{}`", PLACEHOLDERS.join("`, `"))),
    }
}
