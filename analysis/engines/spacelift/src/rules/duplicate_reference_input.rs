//! `spacelift/duplicate-reference-input`: two references give one input of a dependency.

use applyorder_core::diagnostic::{Diagnostic, Place, Reaction, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::judge::stage;
use crate::model::{Of, Reference};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/duplicate-reference-input",
    severity: Severity::Warning,
    summary: "Two references set the same input of a dependency",
    docs: include_str!("../../../../../docs/rules/spacelift/duplicate-reference-input.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// Why the verdict of `apply` is open.
const UNDOCUMENTED: &str =
    "what Spacelift does with a second reference for the same input of a dependency is not documented";

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let mut seen: FxHashMap<(u32, &str), &Reference> = FxHashMap::default();
    for reference in &project.model.references {
        let (Of::Dependency(dependency), Some(input)) = (&reference.of, &reference.input) else {
            continue;
        };
        let first = match seen.entry((*dependency, &*input.value)) {
            Entry::Occupied(first) => *first.get(),
            Entry::Vacant(new) => {
                new.insert(reference);
                continue;
            }
        };
        let message = format!("`{}` is given by two references of one dependency", input.value);
        let d = Diagnostic::new(&RULE, input.place, message)
            .related(given_at(first), format!("`{}` gives it already", first.address))
            .unit(reference.address.clone())
            .unit(first.address.clone())
            .note("a reference is known by its dependency and its input: what the API does with the second is not documented");
        let heuristic = reference.heuristic || first.heuristic;
        let mut d = project.likely(d, heuristic);
        d.reaction = Reaction::Open;
        let finding = said("duplicate-reference-input", &reference.address, d)
            .detail("at", format!("{}.input_name", reference.address))
            .detail("first", first.address.to_string());
        // Nothing depends on anything when a blueprint is published.
        if !project.model.is_blueprint {
            project.left_open(stage::API, UNDOCUMENTED);
        }
        found.push(finding);
    }
}

/// Where a reference says which input it gives.
fn given_at(reference: &Reference) -> Place {
    reference
        .input
        .as_ref()
        .map_or(reference.header, |input| input.place)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::{leaves_apply_open, speaks};

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
        resource "spacelift_stack_dependency" "d" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = spacelift_stack.b.id
        }
        resource "spacelift_stack_dependency_reference" "x" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "o"
          input_name          = "I"
        }
        resource "spacelift_stack_dependency_reference" "y" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "p"
          input_name          = "I"
        }
        resource "spacelift_stack_dependency_reference" "z" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "p"
          input_name          = "J"
        }
        "#;
        speaks(&RULE, text, &["\"I\""]);
        // Whether Spacelift rejects it nothing says.
        leaves_apply_open(text, &RULE, super::UNDOCUMENTED);
    }
}
