//! `spacelift/destructor-without-references`: a destructor that does not wait for the references of its stack.

use applyorder_core::diagnostic::{Diagnostic, Rule, Safety, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use crate::model::seen_from;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/destructor-without-references",
    severity: Severity::Info,
    summary: "A destructor that does not wait for the references of its stack",
    docs: include_str!("../../../../../docs/rules/spacelift/destructor-without-references.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for (number, missing) in &project.related.destroy.without_references {
        let Some(destructor) = project.model.destructors.get(*number as usize) else {
            continue;
        };
        let references = missing
            .iter()
            .filter_map(|r| project.model.references.get(*r as usize));
        let message = format!(
            "`{}` may be destroyed after its stack's inputs",
            destructor.address
        );
        let mut d = Diagnostic::new(&RULE, destructor.header, message).unit(destructor.address.clone());
        for reference in references.clone() {
            d = d.related(
                reference.header,
                format!("`{}` gives it an input", reference.address),
            );
        }
        d = d.note("naming the references in `depends_on` keeps them until the stack is destroyed");
        let inside: Vec<&str> = references
            .clone()
            .filter_map(|r| seen_from(&destructor.address, &r.resource))
            .collect();
        if inside.len() == missing.len()
            && let Some(step) = project.let_wait(destructor, &inside)
        {
            d = d.fix("let it wait for the references", Safety::Unsafe, vec![step]);
        }
        let d = project.likely(d, true);
        let first: Vec<String> = references.map(|r| r.address.to_string()).collect();
        found.push(said("destructor-without-references", &destructor.address, d).detail("references", first));
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
        resource "spacelift_stack_dependency_reference" "x" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "o"
          input_name          = "TF_VAR_i"
        }
        resource "spacelift_stack_destructor" "a" {
          stack_id = spacelift_stack.a.id
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
        resource "spacelift_stack_dependency_reference" "x" {
          stack_dependency_id = spacelift_stack_dependency.d.id
          output_name         = "o"
          input_name          = "TF_VAR_i"
        }
        resource "spacelift_stack_destructor" "a" {
          stack_id = spacelift_stack.a.id
          depends_on = [spacelift_stack_dependency_reference.x]
        }
        "#;
        speaks(&RULE, text, &[]);
    }
}
