//! `spacelift/trigger-policy-mix`: a stack with both dependencies and a label for trigger policies.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use rustc_hash::FxHashSet;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/trigger-policy-mix",
    severity: Severity::Info,
    summary: "A stack with both dependencies and a label for trigger policies",
    docs: include_str!("../../../../../docs/rules/spacelift/trigger-policy-mix.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let mut tied: FxHashSet<u32> = FxHashSet::default();
    for (from, to) in project.model.dependencies.iter().filter_map(|d| d.edge()) {
        tied.insert(from);
        tied.insert(to);
    }
    for (number, stack) in (0u32..)
        .zip(&project.model.stacks)
        .filter(|(n, _)| tied.contains(n))
    {
        let labels = stack.settings.iter().flat_map(|s| &s.labels);
        for label in labels.filter(|l| l.value.starts_with("depends-on:")) {
            let message = format!(
                "`{}` is ordered by dependencies and by a trigger policy",
                project.name(number)
            );
            let d = Diagnostic::new(&RULE, label.place, message)
                .unit(stack.address.clone())
                .note("the documentation advises against both: they may trigger each other without end");
            found.push(said(
                "trigger-policy-mix",
                &stack.address,
                project.likely(d, true),
            ));
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
          labels     = ["depends-on:b", "x"]
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
        "#;
        speaks(&RULE, text, &["\"depends-on:b\""]);
        let text = r#"resource "spacelift_stack" "a" {
          name       = "A"
          repository = "r"
          branch     = "main"
          labels     = ["depends-on:b", "x"]
        }
        resource "spacelift_stack" "b" {
          name       = "B"
          repository = "r"
          branch     = "main"
        }
        "#;
        speaks(&RULE, text, &[]);
    }
}
