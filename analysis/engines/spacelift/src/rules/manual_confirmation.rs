//! `spacelift/manual-confirmation`: a stack that others wait for until a person confirms.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use rustc_hash::FxHashMap;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/manual-confirmation",
    severity: Severity::Hint,
    summary: "A stack with dependents that waits for manual confirmation",
    docs: include_str!("../../../../../docs/rules/spacelift/manual-confirmation.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let edges = project.model.dependencies.iter().filter_map(|d| d.edge());
    let mut edges: Vec<_> = edges.filter(|(from, to)| from != to).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut waiting: FxHashMap<u32, usize> = FxHashMap::default();
    for (_, to) in edges {
        *waiting.entry(to).or_default() += 1;
    }
    for (number, stack) in (0u32..).zip(&project.model.stacks) {
        let count = waiting.get(&number).copied().unwrap_or_default();
        let autodeploy = stack.settings.as_ref().and_then(|s| s.autodeploy);
        if count == 0 || autodeploy != Some(false) {
            continue;
        }
        let message = format!(
            "changes of `{}` need confirmation; {count} {}",
            stack.address,
            if count == 1 {
                "dependent waits"
            } else {
                "dependents wait"
            }
        );
        let d = Diagnostic::new(&RULE, stack.header, message).unit(stack.address.clone());
        found.push(said(
            "manual-confirmation",
            &stack.address,
            project.likely(d, stack.heuristic),
        ));
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;

    use super::RULE;
    use crate::tests::{dependency, found, module, speaks, stacks};

    #[test]
    fn a_dependent_counts_once() {
        let twice = [
            stacks(&["a", "b"]),
            dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id"),
            dependency("e", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        ];
        let fixture = module(&twice.concat(), RunOptions::default());
        let told = found(&fixture, &RULE);
        assert!(told[0].message.ends_with("; 1 dependent waits"), "{told:?}");
    }

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
        resource "spacelift_stack" "c" {
          name       = "C"
          repository = "r"
          branch     = "main"
          autodeploy = true
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
        speaks(&RULE, text, &["resource \"spacelift_stack\" \"b\""]);
    }
}
