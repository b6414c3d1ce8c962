//! `spacelift/undeclared-output`: an output value that is not declared.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InProject;

use crate::model::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/undeclared-output",
    severity: Severity::Error,
    summary: "An output value that is not declared",
    docs: include_str!("../../../../../docs/rules/spacelift/undeclared-output.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for fault in project.faults(FaultKind::UndeclaredOutput) {
        let message = format!("`{}` is not declared", fault.subject);
        let d = project.of_fault(fault, Diagnostic::new(&RULE, fault.place, message));
        let finding = project.fault_finding(fault, d);
        found.push(project.rejected(finding, fault.stage(), fault.heuristic, "Unsupported attribute"));
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
        module "m" {
          source = "./m"
        }
        resource "spacelift_stack_dependency" "d" {
          stack_id            = module.m.nope
          depends_on_stack_id = spacelift_stack.b.id
        }
        resource "spacelift_stack_dependency" "e" {
          stack_id            = module.m.id
          depends_on_stack_id = spacelift_stack.b.id
        }
        "#;
        let text = format!("{text}//- /w/m/main.tf\noutput \"id\" {{\n  value = \"x\"\n}}\n");
        speaks(&RULE, &text, &["module.m.nope"]);
    }
}
