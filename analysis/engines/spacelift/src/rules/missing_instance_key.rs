//! `spacelift/missing-instance-key`: a resource with several instances is named without saying which.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InProject;

use crate::judge::stage;
use crate::model::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/missing-instance-key",
    severity: Severity::Error,
    summary: "A reference without an instance key",
    docs: include_str!("../../../../../docs/rules/spacelift/missing-instance-key.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for fault in project.faults(FaultKind::MissingInstanceKey) {
        let message = format!("which instance of `{}` is meant has to be said", fault.subject);
        let d = project.of_fault(fault, Diagnostic::new(&RULE, fault.place, message));
        let finding = project.fault_finding(fault, d);
        found.push(project.rejected(
            finding,
            stage::CONFIG,
            fault.heuristic,
            "Missing resource instance key",
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
          for_each   = toset(["x"])
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
        resource "spacelift_stack_dependency" "e" {
          stack_id            = spacelift_stack.a["x"].id
          depends_on_stack_id = spacelift_stack.b.id
        }
        "#;
        speaks(&RULE, text, &["spacelift_stack.a.id"]);
    }
}
