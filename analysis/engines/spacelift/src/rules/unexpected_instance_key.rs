//! `spacelift/unexpected-instance-key`: an instance is named of a resource that has only one.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InProject;

use crate::judge::stage;
use crate::model::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/unexpected-instance-key",
    severity: Severity::Error,
    summary: "An instance key for a resource with one instance",
    docs: include_str!("../../../../../docs/rules/spacelift/unexpected-instance-key.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for fault in project.faults(FaultKind::UnexpectedInstanceKey) {
        let message = format!("`{}` has neither `count` nor `for_each`", fault.subject);
        let d = project.of_fault(fault, Diagnostic::new(&RULE, fault.place, message));
        let finding = project.fault_finding(fault, d);
        // A key that is computed is met as an index of the one object.
        let (stage, words) = match fault.is_static {
            true => (stage::CONFIG, "Unexpected resource instance key"),
            false => (stage::VALUES, "Invalid index"),
        };
        found.push(project.rejected(finding, stage, fault.heuristic, words));
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
          stack_id            = spacelift_stack.a[0].id
          depends_on_stack_id = spacelift_stack.b.id
        }
        resource "spacelift_stack_dependency" "e" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = spacelift_stack.b.id
        }
        "#;
        speaks(&RULE, text, &["spacelift_stack.a[0].id"]);
    }
}
