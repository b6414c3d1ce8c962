//! `spacelift/tf-var-for-other-vendor`: a variable of Terraform for a stack of another tool.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use applyorder_core::diagnostic::{FixStep, Safety};

use crate::model::Vendor;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/tf-var-for-other-vendor",
    severity: Severity::Hint,
    summary: "A Terraform variable for a stack of another tool",
    docs: include_str!("../../../../../docs/rules/spacelift/tf-var-for-other-vendor.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for (reference, dependency) in project.references() {
        let stack = dependency.stack.stack().and_then(|s| project.stack(s));
        let vendor = stack.and_then(|s| s.settings.as_ref()).map(|s| s.vendor);
        let (Some(vendor), Some(input)) = (vendor, &reference.input) else {
            continue;
        };
        let name = input.value.strip_prefix("TF_VAR_").filter(|n| !n.is_empty());
        let Some(name) = name.filter(|_| !vendor.reads_tf_vars() && vendor != Vendor::Unknown) else {
            continue;
        };
        let steps = vec![FixStep::SetValue(input.place, name.to_owned())];
        let message = format!("{} does not read variables from `TF_VAR_...`", vendor.word());
        let d = Diagnostic::new(&RULE, input.place, message)
            .unit(reference.address.clone())
            .fix("drop the prefix", Safety::Unsafe, steps);
        let d = project.likely(d, true);
        found.push(
            said("tf-var-for-other-vendor", &reference.address, d)
                .detail("at", format!("{}.input_name", reference.address)),
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
          ansible {
          }
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
          input_name          = "TF_VAR_o"
        }
        resource "spacelift_stack_dependency_reference" "y" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "o"
          input_name          = "P"
        }
        "#;
        speaks(&RULE, text, &["\"TF_VAR_o\""]);
    }
}
