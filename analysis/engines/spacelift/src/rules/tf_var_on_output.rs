//! `spacelift/tf-var-on-output`: an output with the prefix of inputs.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use applyorder_core::diagnostic::{FixStep, Safety};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/tf-var-on-output",
    severity: Severity::Hint,
    summary: "An output with the prefix of inputs",
    docs: include_str!("../../../../../docs/rules/spacelift/tf-var-on-output.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for reference in &project.model.references {
        let Some(output) = &reference.output else { continue };
        let Some(name) = output.value.strip_prefix("TF_VAR_").filter(|n| !n.is_empty()) else {
            continue;
        };
        let steps = vec![FixStep::SetValue(output.place, name.to_owned())];
        let d = Diagnostic::new(&RULE, output.place, "`TF_VAR_` belongs to inputs, not to outputs")
            .unit(reference.address.clone())
            .fix("drop the prefix", Safety::Unsafe, steps);
        let d = project.likely(d, true);
        found.push(
            said("tf-var-on-output", &reference.address, d)
                .detail("at", format!("{}.output_name", reference.address)),
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
        resource "spacelift_stack_dependency" "d" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = spacelift_stack.b.id
        }
        resource "spacelift_stack_dependency_reference" "x" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "TF_VAR_o"
          input_name          = "TF_VAR_o"
        }
        resource "spacelift_stack_dependency_reference" "y" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "o"
          input_name          = "TF_VAR_p"
        }
        "#;
        speaks(&RULE, text, &["\"TF_VAR_o\""]);
    }
}
