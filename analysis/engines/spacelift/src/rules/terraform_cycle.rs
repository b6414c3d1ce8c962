//! `spacelift/terraform-cycle`: a cycle in Terraform's own graph.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Rule, Safety, Severity, Status};
use applyorder_core::layer::Finding;

use applyorder_core::graph::EdgeId;
use rustc_hash::FxHashSet;

use super::{InProject, said};
use crate::judge::stage;
use crate::model::{StaticNode, ToItself};

/// The maximum number of edges visited in the search for a shortest cycle.
const BUDGET: u64 = 2_000_000;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/terraform-cycle",
    severity: Severity::Error,
    summary: "A cycle in Terraform's own graph",
    docs: include_str!("../../../../../docs/rules/spacelift/terraform-cycle.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let statics = &project.model.statics;
    let mut seen = FxHashSet::default();
    for (node, place, how) in &statics.to_itself {
        let Some(own) = statics.nodes.get(node.index()) else {
            continue;
        };
        if !seen.insert(*node) {
            continue;
        }
        let message = format!("`{}` refers to itself", own.address);
        let d = Diagnostic::new(&RULE, *place, message);
        let (stage, words) = match how {
            ToItself::Local => (stage::CONFIG, "Self-referencing local value".to_owned()),
            ToItself::Condition(word) => (stage::CONFIG, format!("Invalid reference in {word}")),
            ToItself::Trigger => (stage::VALUES, format!("no change found for {}", own.address)),
            ToItself::Argument => (stage::VALUES, "Self-referential block".to_owned()),
        };
        found.push(finding(project, &[own], d, stage, &words));
    }
    let components = statics.graph.components();
    for cycle in statics.graph.cycles(&components, BUDGET, |_| true) {
        let members = components.members(cycle.component);
        let mut nodes: Vec<&StaticNode> = members
            .iter()
            .filter_map(|n| statics.nodes.get(n.index()))
            .collect();
        nodes.sort_unstable_by(|a, b| a.address.cmp(&b.address));
        let place = |edges: &[EdgeId]| {
            let edge = edges.first()?;
            let number = statics.graph.edge(*edge)?.kind.dependency()?;
            statics.places.get(number as usize).copied()
        };
        let first = cycle.path.steps().find_map(|step| place(step.edges));
        let Some(first) = first.or_else(|| nodes.first().map(|n| n.header)) else {
            continue;
        };
        let path = cycle.path.nodes().iter();
        let path = path.filter_map(|n| statics.nodes.get(n.index()));
        let mut d = Diagnostic::new(&RULE, first, title(&path.collect::<Vec<_>>()));
        for step in cycle.path.steps() {
            let (from, to) = (
                statics.nodes.get(step.from.index()),
                statics.nodes.get(step.to.index()),
            );
            if let (Some(from), Some(to), Some(place)) = (from, to, place(step.edges)) {
                d = d.related(place, format!("`{}` needs `{}`", from.address, to.address));
                if step.edges.len() == 1 && statics.entries.contains(&place) && project.is_native(place) {
                    let title = format!("remove `{}` from `depends_on` of `{}`", to.address, from.address);
                    d = d.fix(title, Safety::Unsafe, vec![FixStep::RemoveEntry(place)]);
                }
            }
        }
        found.push(finding(project, &nodes, d, stage::CONFIG, "Cycle"));
    }
}

/// The maximum number of other members of a cycle that are named.
const MOST_OTHERS: usize = 3;

/// What is wrong with a way that ends where it begins.
fn title(path: &[&StaticNode]) -> String {
    let names: Vec<String> = path.iter().map(|n| format!("`{}`", n.address)).collect();
    let (first, others) = match names.as_slice() {
        [first, others @ .., _] => (first, others),
        _ => return "Terraform cannot order objects that depend on themselves".to_owned(),
    };
    let shown = others.get(..MOST_OTHERS.min(others.len())).unwrap_or_default();
    let more = match others.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{first} needs itself, through {}{more}", shown.join(", "))
}

fn finding(
    project: &InProject<'_>,
    nodes: &[&StaticNode],
    d: Diagnostic,
    stage: &'static str,
    words: &str,
) -> Finding {
    let names: Vec<&str> = nodes.iter().map(|n| &*n.address).collect();
    let dependencies = nodes
        .iter()
        .filter(|n| n.ty.as_deref() == Some("spacelift_stack_dependency"));
    let at: Vec<&str> = dependencies.map(|n| &*n.address).collect();
    let finding = said("terraform-cycle", names.first().copied().unwrap_or(""), d)
        .detail("members", names.clone())
        .detail("at", at);
    project.rejected(finding, stage, false, words)
}

#[cfg(test)]
mod tests {
    use applyorder_core::diagnostic::Diagnostic;
    use applyorder_core::engine::RunOptions;

    use super::RULE;
    use crate::tests::{fixed, found, module, speaks};

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
        // Terraform accepts the first two; in the second resource it is an argument.
        let text = r#"resource "spacelift_stack" "a" {
          name       = "A"
          repository = "r"
          branch     = "main"
          depends_on = [spacelift_stack.a]
          provisioner "local-exec" {
            command = "echo ${spacelift_stack.a.branch}"
          }
        }
        resource "spacelift_stack" "b" {
          name       = spacelift_stack.b.branch
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack" "c" {
          name       = "C"
          repository = "r"
          branch     = "main"
          lifecycle {
            precondition {
              condition     = spacelift_stack.c.branch == "main"
              error_message = "no"
            }
          }
        }
        locals {
          own = local.own
        }
        "#;
        let fixture = module(text, RunOptions::default());
        let of = |d: &Diagnostic| d.engine_message.clone().unwrap_or_default();
        let mut told: Vec<String> = found(&fixture, &RULE).iter().map(of).collect();
        told.sort();
        let words = [
            "Invalid reference in precondition",
            "Self-referencing local value",
            "Self-referential block",
        ];
        assert_eq!(told, words);
        // Of `depends_on` an entry can go.
        let text = "resource \"spacelift_stack\" \"a\" {\n  name = \"a\"\n  repository = \"r\"\n  branch = \"m\"\n  \
                    depends_on = [spacelift_stack.b]\n}\nresource \"spacelift_stack\" \"b\" {\n  name = \
                    spacelift_stack.a.branch\n  repository = \"r\"\n  branch = \"m\"\n}\n";
        let fixture = module(text, RunOptions::default());
        let all = found(&fixture, &RULE);
        let titles: Vec<&str> = all[0].fixes.iter().map(|fix| fix.title.as_str()).collect();
        let expected = ["remove `spacelift_stack.b` from `depends_on` of `spacelift_stack.a`"];
        assert_eq!(titles, expected);
        assert!(fixed(&fixture, &all[0], 0).contains("depends_on = []"));
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
