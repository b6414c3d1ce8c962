//! `spacelift/destructor-on-terragrunt-stack`: a destructor of a Terragrunt stack.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use crate::model::Vendor;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/destructor-on-terragrunt-stack",
    severity: Severity::Warning,
    summary: "A destructor of a Terragrunt stack",
    docs: include_str!("../../../../../docs/rules/spacelift/destructor-on-terragrunt-stack.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for destructor in project
        .model
        .destructors
        .iter()
        .filter(|d| d.deactivated == Some(false))
    {
        let Some(stack) = destructor.stack.and_then(|s| project.stack(s)) else {
            continue;
        };
        let Some(settings) = stack.settings.as_ref().filter(|s| s.vendor == Vendor::Terragrunt) else {
            continue;
        };
        let message = format!(
            "`{}` is a stack of Terragrunt: its resources may not be destroyed",
            stack.address
        );
        let mut d = Diagnostic::new(&RULE, destructor.header, message)
            .unit(destructor.address.clone())
            .unit(stack.address.clone());
        if let Some(place) = settings.vendor_place {
            d = d.related(place, "it is run by Terragrunt");
        }
        let d = project.likely(d, true);
        found.push(said("destructor-on-terragrunt-stack", &destructor.address, d));
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
          terragrunt {
          }
        }
        resource "spacelift_stack" "b" {
          name       = "B"
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack_destructor" "a" {
          stack_id = spacelift_stack.a.id
        }
        resource "spacelift_stack_destructor" "b" {
          stack_id = spacelift_stack.b.id
        }
        "#;
        speaks(&RULE, text, &["resource \"spacelift_stack_destructor\" \"a\""]);
    }
}
