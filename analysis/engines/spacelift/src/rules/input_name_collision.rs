//! `spacelift/input-name-collision`: one input of a stack is given twice.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use std::collections::hash_map::Entry;

use applyorder_core::diagnostic::Place;
use rustc_hash::FxHashMap;

use crate::model::Of;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/input-name-collision",
    severity: Severity::Warning,
    summary: "An input of a stack is set twice",
    docs: include_str!("../../../../../docs/rules/spacelift/input-name-collision.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let mut seen: FxHashMap<(u32, &str), (u32, &str, Place)> = FxHashMap::default();
    for variable in &project.model.variables {
        let value = (u32::MAX, &*variable.address, variable.name.place);
        seen.insert((variable.stack, &variable.name.value), value);
    }
    for (reference, dependency) in project.references() {
        let (Of::Dependency(number), Some(stack), Some(input)) =
            (&reference.of, dependency.stack.stack(), &reference.input)
        else {
            continue;
        };
        let first = match seen.entry((stack, &*input.value)) {
            Entry::Occupied(first) => *first.get(),
            Entry::Vacant(new) => {
                new.insert((*number, &reference.address, input.place));
                continue;
            }
        };
        // Two of one dependency are another rule's.
        if first.0 == *number {
            continue;
        }
        let message = format!("`{}` of `{}` is given twice", input.value, project.name(stack));
        let d = Diagnostic::new(&RULE, input.place, message)
            .related(first.2, format!("`{}` gives it as well", first.1))
            .unit(reference.address.clone())
            .unit(first.1.into())
            .note("which value wins is not documented");
        let d = project.likely(d, true);
        found.push(
            said("input-name-collision", &reference.address, d)
                .detail("at", format!("{}.input_name", reference.address))
                .detail("first", first.1),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = r#"resource "spacelift_stack" "a" {
          name       = "A"
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack" "b" {
          name       = "B"
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack" "c" {
          name       = "C"
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack_dependency" "d" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = spacelift_stack.b.id
        }
        resource "spacelift_stack_dependency" "e" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = spacelift_stack.c.id
        }
        resource "spacelift_stack_dependency_reference" "x" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "o"
          input_name          = "I"
        }
        resource "spacelift_stack_dependency_reference" "y" {
          stack_dependency_id = spacelift_stack_dependency.e.id
          output_name         = "o"
          input_name          = "I"
        }
        resource "spacelift_stack_dependency_reference" "z" {
          stack_dependency_id = spacelift_stack_dependency.e.id
          output_name         = "o"
          input_name          = "J"
        }
        "#;
        speaks(&RULE, text, &["\"I\""]);
    }
}
