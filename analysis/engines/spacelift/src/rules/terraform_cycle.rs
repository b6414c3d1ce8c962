//! `spacelift/terraform-cycle`: a ring in Terraform's own graph.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use applyorder_core::graph::EdgeId;

use crate::judge::stage;

/// How many edges are looked at in the search for a shortest ring.
const BUDGET: u64 = 2_000_000;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/terraform-cycle",
    severity: Severity::Error,
    summary: "A ring in Terraform's own graph",
    docs: include_str!("../../../../../docs/rules/spacelift/terraform-cycle.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let statics = &project.model.statics;
    let components = statics.graph.components();
    for cycle in statics.graph.cycles(&components, BUDGET, |_| true) {
        let members = components.members(cycle.component);
        let nodes = || members.iter().filter_map(|n| statics.nodes.get(n.index()));
        let is_own = nodes().any(|n| n.ty.as_deref().is_some_and(|ty| ty.starts_with("spacelift_")));
        // A ring of what other providers declare is not looked for here.
        if !is_own && nodes().any(|n| n.ty.is_some()) {
            continue;
        }
        let mut names: Vec<&str> = nodes().map(|n| &*n.address).collect();
        names.sort_unstable();
        let Some(subject) = names.first().copied() else {
            continue;
        };
        let shown: Vec<String> = cycle
            .path
            .nodes()
            .iter()
            .filter_map(|n| statics.nodes.get(n.index()))
            .map(|n| format!("`{}`", n.address))
            .collect();
        let place = |edges: &[EdgeId]| {
            let edge = edges.first()?;
            let number = statics.graph.edge(*edge)?.kind.dependency()?;
            statics.places.get(number as usize).copied()
        };
        let first = cycle.path.steps().find_map(|step| place(step.edges));
        let Some(first) = first.or_else(|| nodes().next().map(|n| n.header)) else {
            continue;
        };
        let message = format!("Terraform can't order these: {}", shown.join(" \u{2192} "));
        let mut d = Diagnostic::new(&RULE, first, message);
        for step in cycle.path.steps() {
            let (from, to) = (
                statics.nodes.get(step.from.index()),
                statics.nodes.get(step.to.index()),
            );
            if let (Some(from), Some(to), Some(place)) = (from, to, place(step.edges)) {
                d = d.related(place, format!("`{}` needs `{}`", from.address, to.address));
            }
        }
        let at: Vec<&str> = {
            let dependencies = nodes().filter(|n| n.ty.as_deref() == Some("spacelift_stack_dependency"));
            let mut at: Vec<&str> = dependencies.map(|n| &*n.address).collect();
            at.sort_unstable();
            at
        };
        let stage = if names.len() == 1 {
            stage::VALUES
        } else {
            stage::CONFIG
        };
        let words = if names.len() == 1 {
            "Self-referential block"
        } else {
            "Cycle"
        };
        let finding = said("terraform-cycle", subject, d)
            .detail("members", names.clone())
            .detail("at", at);
        found.push(project.rejected(finding, stage, false, words));
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
        locals {
          x = local.y
          y = local.x
          z = local.x
        }
        "#;
        speaks(&RULE, text, &["y"]);
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
        "#;
        speaks(&RULE, text, &[]);
    }
}
