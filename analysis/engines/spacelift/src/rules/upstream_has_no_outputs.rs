//! `spacelift/upstream-has-no-outputs`: a reference to an output of a stack that has none.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use crate::judge::stage;
use crate::model::Vendor;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/upstream-has-no-outputs",
    severity: Severity::Error,
    summary: "A reference to an output of a stack that has none",
    docs: include_str!("../../../../../docs/rules/spacelift/upstream-has-no-outputs.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for (reference, dependency) in project.references() {
        let Some(upstream) = dependency.upstream.stack().and_then(|s| project.stack(s)) else {
            continue;
        };
        let Some(settings) = &upstream.settings else {
            continue;
        };
        if !matches!(settings.vendor, Vendor::Ansible | Vendor::Kubernetes) {
            continue;
        }
        let word = settings.vendor.word();
        let place = reference.output.as_ref().map_or(reference.header, |o| o.place);
        let message = format!(
            "`{}` is a stack of {word}, which has no outputs",
            upstream.address
        );
        let mut d = Diagnostic::new(&RULE, place, message)
            .unit(reference.address.clone())
            .unit(upstream.address.clone());
        if let Some(place) = settings.vendor_place {
            d = d.related(place, format!("it is run by {word}"));
        }
        let heuristic = reference.heuristic || dependency.is_heuristic();
        let finding = said(
            "upstream-has-no-outputs",
            &reference.address,
            project.likely(d, heuristic),
        )
        .detail("at", format!("{}.output_name", reference.address));
        // A blueprint is published all the same.
        found.push(if project.model.is_blueprint {
            project.left(finding)
        } else {
            project.rejected(finding, stage::API, heuristic, "")
        });
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
          ansible {
            playbook = "x"
          }
        }
        resource "spacelift_stack_dependency" "d" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = spacelift_stack.b.id
        }
        resource "spacelift_stack_dependency_reference" "x" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "o"
          input_name          = "TF_VAR_I"
        }
        "#;
        speaks(&RULE, text, &["\"o\""]);
    }
}
