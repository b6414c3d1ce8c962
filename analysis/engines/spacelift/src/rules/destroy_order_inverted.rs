//! `spacelift/destroy-order-inverted`: a stack is destroyed before what depends on it.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Rule, Safety, Severity, Status};
use applyorder_core::layer::Finding;

use super::{Destroyed, InProject, said};
use crate::model::seen_from;
use crate::relate::ProblemKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/destroy-order-inverted",
    severity: Severity::Warning,
    summary: "A stack is destroyed before its dependents",
    docs: include_str!("../../../../../docs/rules/spacelift/destroy-order-inverted.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for problem in &project.related.destroy.problems {
        let is_certain = problem.kind == ProblemKind::Inverted;
        if !is_certain && problem.kind != ProblemKind::Raced {
            continue;
        }
        let Some(parts) = project.destroyed(problem) else {
            continue;
        };
        let (dependency, upstream) = (parts.dependency, parts.upstream);
        let message = format!(
            "`{}` is destroyed before `{}`, which depends on it",
            project.name(parts.to),
            project.name(parts.from)
        );
        let place = upstream.depends_on.unwrap_or(upstream.header);
        let d = Diagnostic::new(&RULE, place, message)
            .related(dependency.header, format!("the dependency: `{}`", dependency.address))
            .unit(dependency.address.clone())
            .unit(upstream.address.clone())
            .note("what depends on a destructor is destroyed before its stack: let the destructor of the stack that depends wait for this one, not the other way round")
            .note("Spacelift refuses to delete a stack that others depend on");
        let d = match turned(project, &parts) {
            Some((title, steps)) => d.fix(title, Safety::Unsafe, steps),
            None => d,
        };
        let heuristic = !is_certain || dependency.is_heuristic() || upstream.heuristic;
        let d = project.likely(d, heuristic);
        found.push(
            said("destroy-order-inverted", &dependency.address, d).detail("at", upstream.address.to_string()),
        );
    }
}

/// What makes the destructor of the stack that depends wait, where the other one names it or what belongs to it.
fn turned(project: &InProject<'_>, parts: &Destroyed<'_>) -> Option<(String, Vec<FixStep>)> {
    let (down, upstream) = (parts.downstream?, parts.upstream);
    // What a block lists its other instances, or those of a module, wait for too.
    if [down, upstream].iter().any(|own| own.address != own.resource) {
        return None;
    }
    let list = upstream.depends_on?;
    let own = [&down.resource, &parts.dependency.resource];
    let named = own.into_iter().filter(|name| upstream.waits_for.contains(name));
    let named: Vec<&str> = named
        .filter_map(|name| seen_from(&upstream.address, name))
        .collect();
    if named.is_empty() || !project.is_native(list) {
        return None;
    }
    let inside = seen_from(&down.address, &upstream.resource)?;
    let without = project.without_entries(list, &named)?;
    let steps = vec![
        FixStep::Replace(list, without),
        project.let_wait(down, &[inside])?,
    ];
    Some((
        format!("let `{}` wait for `{inside}` instead", down.address),
        steps,
    ))
}

#[cfg(test)]
mod tests {
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
        resource "spacelift_stack_dependency" "d" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = spacelift_stack.b.id
        }
        resource "spacelift_stack_destructor" "a" {
          stack_id = spacelift_stack.a.id
        }
        resource "spacelift_stack_destructor" "b" {
          stack_id = spacelift_stack.b.id
          depends_on = [spacelift_stack_destructor.a]
        }
        "#;
        speaks(&RULE, text, &["[spacelift_stack_destructor.a]"]);
        let fixture = module(text, RunOptions::default());
        let found = found(&fixture, &RULE);
        let after = fixed(&fixture, &found[0], 0);
        let one = after.find("depends_on = [spacelift_stack_destructor.b]");
        assert!(one < after.find("depends_on = []") && one.is_some(), "{after}");
        speaks(&RULE, after.trim_start_matches("//- /w/main.tf\n"), &[]);
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
        }
        resource "spacelift_stack_destructor" "a" {
          stack_id = spacelift_stack.a.id
          depends_on = [spacelift_stack_destructor.b]
        }
        "#;
        speaks(&RULE, text, &[]);
    }

    #[test]
    fn destructors_of_several_instances_are_left_as_they_are() {
        let text = r#"locals {
          names = toset(["x", "y"])
        }
        resource "spacelift_stack" "a" {
          for_each   = local.names
          name       = "a-${each.key}"
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack" "b" {
          for_each   = local.names
          name       = "b-${each.key}"
          repository = "r"
          branch     = "main"
        }
        resource "spacelift_stack_dependency" "d" {
          for_each            = local.names
          stack_id            = spacelift_stack.a[each.key].id
          depends_on_stack_id = spacelift_stack.b[each.key].id
        }
        resource "spacelift_stack_destructor" "a" {
          for_each = local.names
          stack_id = spacelift_stack.a[each.key].id
        }
        resource "spacelift_stack_destructor" "b" {
          for_each   = local.names
          stack_id   = spacelift_stack.b[each.key].id
          depends_on = [spacelift_stack_destructor.a]
        }
        "#;
        let fixture = module(text, RunOptions::default());
        let found = found(&fixture, &RULE);
        assert!(!found.is_empty());
        assert!(found.iter().all(|d| d.fixes.is_empty()), "{found:#?}");
    }
}
