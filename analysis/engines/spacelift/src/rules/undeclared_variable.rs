//! `spacelift/undeclared-variable`: an input variable that is not declared.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InProject;

use crate::inputs::ValuesFaultKind;
use crate::model::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/undeclared-variable",
    severity: Severity::Error,
    summary: "An input variable that is not declared",
    docs: include_str!("../../../../../docs/rules/spacelift/undeclared-variable.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for fault in project.faults(FaultKind::UndeclaredVariable) {
        let message = format!("`{}` is not declared", fault.subject);
        let d = project.of_fault(fault, Diagnostic::new(&RULE, fault.place, message));
        let finding = project.fault_finding(fault, d);
        found.push(project.rejected(
            finding,
            fault.stage(),
            fault.heuristic,
            "Reference to undeclared input variable",
        ));
    }
    for fault in &project.model.values_faults {
        if let ValuesFaultKind::Undeclared(name, near) = &fault.what {
            let message = format!("`var.{name}` is not declared, but `--var` sets it");
            let mut d = Diagnostic::new(&RULE, fault.place, message).unit(format!("var.{name}").into());
            if let Some(near) = near {
                d = d.label(format!("did you mean `{near}`?"));
            }
            let mut finding = project.of_values(fault, d);
            finding.diagnostic_mut().engine_message = Some("Value for undeclared variable".to_owned());
            found.push(finding);
        }
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
        variable "x" {
        }
        resource "spacelift_stack_dependency" "d" {
          stack_id            = var.y
          depends_on_stack_id = spacelift_stack.b.id
        }
        resource "spacelift_stack_dependency" "e" {
          stack_id            = var.x
          depends_on_stack_id = spacelift_stack.b.id
        }
        "#;
        speaks(&RULE, text, &["var.y"]);
    }
}
