//! `spacelift/undeclared-module`: a module that is not declared.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InProject;

use crate::model::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/undeclared-module",
    severity: Severity::Error,
    summary: "A module that is not declared",
    docs: include_str!("../../../../../docs/rules/spacelift/undeclared-module.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for fault in project.faults(FaultKind::UndeclaredModule) {
        let message = format!("`{}` is not declared", fault.subject);
        let d = project.of_fault(fault, Diagnostic::new(&RULE, fault.place, message));
        let finding = project.fault_finding(fault, d);
        found.push(project.rejected(
            finding,
            fault.stage(),
            fault.heuristic,
            "Reference to undeclared module",
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
        }
        resource "spacelift_stack_dependency" "d" {
          stack_id            = module.none.id
          depends_on_stack_id = spacelift_stack.b.id
        }
        "#;
        speaks(&RULE, text, &["module.none.id"]);
    }
}
