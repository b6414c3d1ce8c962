//! `spacelift/destroy-order-unordered`: nothing says which of two stacks is destroyed first.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use applyorder_core::diagnostic::Safety;

use crate::model::seen_from;
use crate::relate::ProblemKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/destroy-order-unordered",
    severity: Severity::Warning,
    summary: "Two stacks without a destroy order",
    docs: include_str!("../../../../../docs/rules/spacelift/destroy-order-unordered.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for problem in &project.related.destroy.problems {
        if problem.kind != ProblemKind::Unordered {
            continue;
        }
        let Some(parts) = project.destroyed(problem) else {
            continue;
        };
        let (dependency, upstream) = (parts.dependency, parts.upstream);
        let message = format!(
            "Terraform may destroy `{}` before its dependent `{}`",
            project.name(parts.to),
            project.name(parts.from)
        );
        let place = parts.downstream.map_or(dependency.header, |d| d.header);
        let mut d = Diagnostic::new(&RULE, place, message)
            .related(dependency.header, format!("the dependency: `{}`", dependency.address))
            .related(upstream.header, format!("the destructor of `{}`", project.name(parts.to)))
            .unit(dependency.address.clone())
            .unit(upstream.address.clone())
            .note("Spacelift refuses to delete a stack that others depend on: whether it succeeds is a matter of chance");
        if let Some(down) = parts.downstream
            && let Some(inside) = seen_from(&down.address, &upstream.resource)
            && let Some(step) = project.let_wait(down, &[inside])
        {
            d = d.fix(format!("let it wait for `{inside}`"), Safety::Unsafe, vec![step]);
        }
        let d = project.likely(d, true);
        let finding = said("destroy-order-unordered", &dependency.address, d);
        found.push(match parts.downstream {
            Some(down) => finding.detail("at", down.address.to_string()),
            None => finding,
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
        }
        resource "spacelift_stack_dependency" "d" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = spacelift_stack.b.id
        }
        resource "spacelift_stack_destructor" "a" {
          stack_id = spacelift_stack.a.id
        }
        resource "spacelift_stack_destructor" "b" {
          stack_id = spacelift_stack.b.id
        }
        "#;
        speaks(&RULE, text, &["resource \"spacelift_stack_destructor\" \"a\""]);
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
        resource "spacelift_stack_destructor" "b" {
          stack_id = spacelift_stack.b.id
          deactivated = true
        }
        resource "spacelift_stack_destructor" "a" {
          stack_id = spacelift_stack.a.id
        }
        "#;
        speaks(&RULE, text, &[]);
    }
}
