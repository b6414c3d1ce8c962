//! `spacelift/name-collision`: two stacks whose names give one slug.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::model::Stack;

/// Why the verdict of `apply` is open.
const UNDOCUMENTED: &str = "what Spacelift does with a second stack of the same name is not documented";

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/name-collision",
    severity: Severity::Warning,
    summary: "Two stacks whose names have the same slug",
    docs: include_str!("../../../../../docs/rules/spacelift/name-collision.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let mut seen: FxHashMap<(&str, &str), &Stack> = FxHashMap::default();
    for stack in &project.model.stacks {
        let Some((settings, slug)) = stack.settings.as_ref().and_then(|s| Some((s, s.slug.as_ref()?))) else {
            continue;
        };
        let first = match seen.entry((&*settings.provider, &*slug.text)) {
            Entry::Occupied(first) => *first.get(),
            Entry::Vacant(new) => {
                new.insert(stack);
                continue;
            }
        };
        let is_written = |s: &Stack| {
            s.settings
                .as_ref()
                .and_then(|s| s.slug.as_ref())
                .is_some_and(|s| s.is_written)
        };
        // Two written ones are another rule's.
        if is_written(first) && slug.is_written {
            continue;
        }
        let message = format!(
            "`{}` probably gets the slug `{}` as well",
            stack.address, slug.text
        );
        let d = Diagnostic::new(&RULE, slug.place, message)
            .related(first.header, format!("`{}` has it already", first.address))
            .unit(stack.address.clone())
            .unit(first.address.clone())
            .note(
                "names should be unique in an account; what Spacelift does with the second is not documented",
            );
        let finding = said("name-collision", &stack.address, project.likely(d, true))
            .detail("first", first.address.to_string());
        found.push(project.may_be_accepted(finding, UNDOCUMENTED));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::{leaves_apply_open, speaks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = r#"resource "spacelift_stack" "a" {
          name       = "Core Infra"
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack" "b" {
          name       = "core-infra"
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack" "c" {
          name       = "C"
          repository = "r"
          branch     = "main"
        }
        "#;
        speaks(&RULE, text, &["\"core-infra\""]);
        leaves_apply_open(text, &RULE, super::UNDOCUMENTED);
        // A name that is not a string is converted.
        let text = text
            .replace("\"Core Infra\"", "5")
            .replace("\"core-infra\"", "\"5\"");
        speaks(&RULE, &text, &["\"5\""]);
    }
}
