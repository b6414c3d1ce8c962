//! `duplicate-name` of blocks and of slugs.

use std::collections::hash_map::Entry;

use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_name::RULE;
use rustc_hash::FxHashMap;

use super::{InProject, said};
use crate::judge::stage;
use crate::model::{BLUEPRINT, Misdeclaration, Misdeclared, Stack, TEMPLATE};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for wrong in &project.model.misdeclared {
        let Misdeclaration::Again(first) = wrong.why else {
            continue;
        };
        let message = if project.model.is_blueprint {
            format!("duplicate stack `{}`", wrong.subject)
        } else {
            format!("the {} `{}` is declared twice", wrong.word, wrong.subject)
        };
        let d = Diagnostic::new(&RULE, wrong.place, message)
            .related(first, "first defined here")
            .unit(wrong.subject.clone());
        if project.model.is_blueprint {
            found.push(of_key(project, wrong, d));
            continue;
        }
        let (kind, words) = match wrong.word {
            "resource" => ("duplicate-resource", "Duplicate resource configuration"),
            "module" => ("duplicate-module", "Duplicate module call"),
            "output" => ("duplicate-output", "Duplicate output definition"),
            "variable" => ("duplicate-variable", "Duplicate variable declaration"),
            _ => ("duplicate-local", "Duplicate local value definition"),
        };
        let finding = said(kind, &wrong.subject, d).detail("first", wrong.subject.to_string());
        found.push(project.rejected(finding, stage::LOAD, false, words));
    }
    slugs(project, found);
}

/// Two stacks of a blueprint with one key: Spacelift accepts them in a blueprint, and not in a template.
fn of_key(project: &InProject<'_>, wrong: &Misdeclared, d: Diagnostic) -> Finding {
    let d = match wrong.word {
        TEMPLATE => d,
        BLUEPRINT => d.severity(Severity::Warning).note(
            "a blueprint may have it: which of the stacks a dependency on the key means is not documented",
        ),
        _ => d.heuristic().note("a template rejects it, a blueprint does not"),
    };
    let finding = said("duplicate-key", &wrong.subject, d).detail("first", wrong.subject.to_string());
    match wrong.word {
        BLUEPRINT => finding,
        word => project.rejected(finding, stage::CONFIG, word != TEMPLATE, ""),
    }
}

/// Two stacks under one provider configuration with the same written slug.
fn slugs(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let mut seen: FxHashMap<(&str, &str), &Stack> = FxHashMap::default();
    for stack in &project.model.stacks {
        let Some((settings, slug)) = stack.settings.as_ref().and_then(|s| Some((s, s.slug.as_ref()?))) else {
            continue;
        };
        if !slug.is_written {
            continue;
        }
        let first = match seen.entry((&*settings.provider, &*slug.text)) {
            Entry::Occupied(first) => *first.get(),
            Entry::Vacant(new) => {
                new.insert(stack);
                continue;
            }
        };
        let message = format!("the slug `{}` is `{}`'s already", slug.text, first.address);
        let d = Diagnostic::new(&RULE, slug.place, message)
            .related(first.header, "first defined here")
            .unit(stack.address.clone())
            .unit(first.address.clone());
        let is_weak = |s: &Stack| {
            s.heuristic
                || s.settings
                    .as_ref()
                    .and_then(|s| s.slug.as_ref())
                    .is_some_and(|s| s.is_weak)
        };
        let heuristic = is_weak(stack) || is_weak(first);
        let finding = said("duplicate-slug", &stack.address, project.likely(d, heuristic))
            .detail("first", first.address.to_string());
        found.push(project.rejected(finding, stage::API, heuristic, ""));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::{speaks, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = [stacks(&["a", "b"]), stacks(&["a"])].concat();
        speaks(&RULE, &text, &["resource \"spacelift_stack\" \"a\""]);
        let slug = |name: &str, slug: &str| {
            format!(
                "resource \"spacelift_stack\" \"{name}\" {{\n  name = \"{name}\"\n  slug = \"{slug}\"\n  repository = \
                 \"r\"\n  branch = \"m\"\n}}\n"
            )
        };
        let text = [slug("a", "s"), slug("b", "s"), slug("c", "t")].concat();
        speaks(&RULE, &text, &["\"s\""]);
    }
}
