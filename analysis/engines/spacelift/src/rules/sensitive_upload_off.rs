//! `spacelift/sensitive-upload-off`: a reference to a stack that keeps its sensitive outputs.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/sensitive-upload-off",
    severity: Severity::Info,
    summary: "A reference to a stack that keeps its sensitive outputs",
    docs: include_str!("../../../../../docs/rules/spacelift/sensitive-upload-off.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for (reference, dependency) in project.references() {
        let stack = dependency.upstream.stack().and_then(|s| project.stack(s));
        let Some((stack, upload)) =
            stack.and_then(|s| Some((s, s.settings.as_ref()?.sensitive_upload.as_ref()?)))
        else {
            continue;
        };
        if upload.value {
            continue;
        }
        let message = format!("`{}` gives no output that is sensitive", stack.address);
        let d = Diagnostic::new(&RULE, reference.header, message)
            .related(upload.place, "sensitive outputs are kept here")
            .unit(reference.address.clone())
            .unit(stack.address.clone());
        found.push(said(
            "sensitive-upload-off",
            &reference.address,
            project.likely(d, true),
        ));
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
          enable_sensitive_outputs_upload = false
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
        "#;
        speaks(
            &RULE,
            text,
            &["resource \"spacelift_stack_dependency_reference\" \"x\""],
        );
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
          input_name          = "TF_VAR_o"
        }
        "#;
        speaks(&RULE, text, &[]);
    }
}
