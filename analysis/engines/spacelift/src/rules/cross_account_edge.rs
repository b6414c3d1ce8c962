//! `spacelift/cross-account-edge`: a dependency between stacks of two provider configurations.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/cross-account-edge",
    severity: Severity::Warning,
    summary: "A dependency between stacks of two provider configurations",
    docs: include_str!("../../../../../docs/rules/spacelift/cross-account-edge.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for dependency in &project.model.dependencies {
        let Some((down, up)) = dependency.edge() else {
            continue;
        };
        let provider = |stack: u32| Some(&project.stack(stack)?.settings.as_ref()?.provider);
        let (Some(one), Some(other)) = (provider(down), provider(up)) else {
            continue;
        };
        if one == other {
            continue;
        }
        let message = format!(
            "`{}` and `{}` may be in different accounts",
            project.name(down),
            project.name(up)
        );
        let mut d = Diagnostic::new(&RULE, dependency.header, message).unit(dependency.address.clone());
        for (stack, provider) in [(down, one), (up, other)] {
            let Some(stack) = project.stack(stack) else {
                continue;
            };
            d = d
                .related(stack.header, format!("under provider `{provider}`"))
                .unit(stack.address.clone());
        }
        found.push(said(
            "cross-account-edge",
            &dependency.address,
            project.likely(d, true),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = r#"provider "spacelift" {
          alias = "other"
        }
        resource "spacelift_stack" "a" {
          name       = "A"
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack" "b" {
          name       = "B"
          repository = "r"
          branch     = "main"
          provider = spacelift.other
        }
        resource "spacelift_stack" "c" {
          name       = "C"
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack_dependency" "d" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = spacelift_stack.b.id
        }
        resource "spacelift_stack_dependency" "e" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = spacelift_stack.c.id
        }
        "#;
        speaks(&RULE, text, &["resource \"spacelift_stack_dependency\" \"d\""]);
    }
}
