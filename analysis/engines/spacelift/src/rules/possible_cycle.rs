//! `spacelift/possible-cycle`: stacks that may form a cycle.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use crate::judge::stage;
use applyorder_core::rules::cycle;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/possible-cycle",
    severity: Severity::Hint,
    summary: "Stacks that may form a cycle",
    docs: include_str!("../../../../../docs/rules/spacelift/possible-cycle.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let (all, certain) = (&project.related.likely, &project.related.certain);
    let components = all.components();
    if components.cyclic().is_empty() {
        return;
    }
    let sure = certain.components();
    for cycle in all.cycles(&components, cycle::BUDGET, |_| true) {
        let members = components.members(cycle.component);
        let is_sure = members.iter().any(|n| sure.on_cycle(certain, *n));
        if is_sure {
            continue;
        }
        // The last is the first again.
        let nodes = cycle
            .path
            .nodes()
            .split_last()
            .map_or(&[][..], |(_, nodes)| nodes);
        let ring: Vec<&str> = nodes.iter().map(|n| project.name(n.0)).collect();
        let edges: Vec<_> = cycle
            .path
            .steps()
            .filter_map(|step| project.dependency_of(all, step.edges))
            .collect();
        let Some(first) = edges.first() else { continue };
        let message = cycle::title(&ring, "may wait for itself");
        let mut d = Diagnostic::new(&RULE, first.upstream.place, message);
        for edge in &edges {
            let word = if edge.is_heuristic() { "likely" } else { "certain" };
            d = d.related(
                edge.upstream.place,
                format!("`{}`, which is {word}", edge.address),
            );
        }
        let mut names: Vec<&str> = members.iter().map(|n| project.name(n.0)).collect();
        names.sort_unstable();
        for name in &names {
            d = d.unit((*name).into());
        }
        project.may_reject(stage::API, &RULE);
        let subject = names.first().copied().unwrap_or("");
        found.push(said("possible-cycle", subject, project.likely(d, true)).detail("members", names.clone()));
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
          depends_on_stack_id = "b"
        }
        resource "spacelift_stack_dependency" "e" {
          stack_id            = spacelift_stack.b.id
          depends_on_stack_id = spacelift_stack.a.id
        }
        "#;
        speaks(&RULE, text, &["\"b\""]);
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
        resource "spacelift_stack_dependency" "e" {
          stack_id            = spacelift_stack.b.id
          depends_on_stack_id = spacelift_stack.a.id
        }
        "#;
        speaks(&RULE, text, &[]);
    }
}
