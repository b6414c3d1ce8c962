//! `spacelift/destructor-on-protected-stack`: a destructor of a stack that is protected from deletion.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/destructor-on-protected-stack",
    severity: Severity::Warning,
    summary: "A destructor of a stack that is protected from deletion",
    docs: include_str!("../../../../../docs/rules/spacelift/destructor-on-protected-stack.md"),
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
        let protect = stack.settings.as_ref().and_then(|s| s.protect.as_ref());
        let Some(protect) = protect.filter(|p| p.value) else {
            continue;
        };
        let message = format!(
            "`{}` is protected from deletion: its destructor fails",
            stack.address
        );
        let d = Diagnostic::new(&RULE, destructor.header, message)
            .related(protect.place, "it is protected here")
            .unit(destructor.address.clone())
            .unit(stack.address.clone());
        let d = project.likely(d, destructor.heuristic);
        found.push(said("destructor-on-protected-stack", &destructor.address, d));
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
          protect_from_deletion = true
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
