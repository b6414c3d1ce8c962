//! `spacelift/literal-id-of-managed-stack`: a literal id of a stack that is declared here.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use applyorder_core::diagnostic::{FixStep, Safety};

use super::{InProject, said};
use crate::model::seen_from;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/literal-id-of-managed-stack",
    severity: Severity::Warning,
    summary: "A literal ID of a stack that is declared here",
    docs: include_str!("../../../../../docs/rules/spacelift/literal-id-of-managed-stack.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for dependency in &project.model.dependencies {
        let ids = [
            ("stack_id", &dependency.stack),
            ("depends_on_stack_id", &dependency.upstream),
        ];
        for (argument, id) in ids {
            let Some(stack) = id
                .stack()
                .filter(|_| id.is_literal)
                .and_then(|s| project.stack(s))
            else {
                continue;
            };
            // Then Terraform makes the stack first all the same.
            if dependency.waits_for.contains(&stack.resource) {
                continue;
            }
            let subject = format!("{}.{argument}", dependency.address);
            let message = format!("this is the id of `{}`, which is declared here", stack.address);
            let d = Diagnostic::new(&RULE, id.place, message)
                .related(stack.header, "the stack")
                .unit(dependency.address.clone())
                .unit(stack.address.clone())
                .note("Terraform does not see that the stack comes first: the first apply may not find it");
            let mut d = project.likely(d, id.heuristic);
            if let (Some(inside), true) = (seen_from(&dependency.address, &stack.address), id.text.len() < 64)
            {
                let steps = vec![FixStep::Replace(id.place, format!("{inside}.id"))];
                d = d.fix(format!("refer to `{inside}`"), Safety::Unsafe, steps);
            }
            found.push(said("literal-id-of-managed-stack", &subject, d).detail("at", subject.clone()));
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
        resource "spacelift_stack_dependency" "d" {
          stack_id            = "a"
          depends_on_stack_id = "elsewhere"
        }
        resource "spacelift_stack_dependency" "e" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = "b"
          depends_on = [spacelift_stack.b]
        }
        "#;
        speaks(&RULE, text, &["\"a\""]);
    }
}
