//! `spacelift/undeclared-local`: a local value that is not declared.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InProject;

use crate::model::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/undeclared-local",
    severity: Severity::Error,
    summary: "A local value that is not declared",
    docs: include_str!("../../../../../docs/rules/spacelift/undeclared-local.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for fault in project.faults(FaultKind::UndeclaredLocal) {
        let message = format!("`{}` is not declared", fault.subject);
        let d = project.of_fault(fault, Diagnostic::new(&RULE, fault.place, message));
        let finding = project.fault_finding(fault, d);
        found.push(project.rejected(
            finding,
            fault.stage(),
            fault.heuristic,
            "Reference to undeclared local value",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_core::engine::RunOptions;

    use crate::tests::{found, module, speaks, stacks};

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
        locals {
          x = spacelift_stack.a.id
        }
        resource "spacelift_stack_dependency" "d" {
          stack_id            = local.y
          depends_on_stack_id = spacelift_stack.b.id
        }
        resource "spacelift_stack_dependency" "e" {
          stack_id            = local.x
          depends_on_stack_id = spacelift_stack.b.id
        }
        "#;
        speaks(&RULE, text, &["local.y"]);
    }

    #[test]
    fn a_suggestion_is_made_for_so_many_unknown_names_only() {
        const MOST: usize = 500;
        let text = |of: usize| {
            let names = (0..of).map(|at| format!("locals {{\n  x{at} = local.knwon\n}}\n"));
            format!(
                "{}locals {{\n  known = 1\n}}\n{}",
                stacks(&["zz"]),
                names.collect::<String>()
            )
        };
        let suggested = |of: usize| {
            let fixture = module(&text(of), RunOptions::default());
            let all = found(&fixture, &RULE);
            assert_eq!(all.len(), of);
            all.iter().filter(|d| !d.fixes.is_empty()).count()
        };
        assert_eq!(suggested(MOST), MOST);
        assert_eq!(suggested(MOST + 20), MOST);
    }
}
