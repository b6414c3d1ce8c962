//! `spacelift/name-used-as-id`: a stack's name where its id belongs.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Rule, Safety, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use crate::model::End;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/name-used-as-id",
    severity: Severity::Warning,
    summary: "A stack's name where its ID belongs",
    docs: include_str!("../../../../../docs/rules/spacelift/name-used-as-id.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// Why the verdict of `apply` is open.
const UNKNOWN: &str = "whether the name of a stack is its id as well is unknown";

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for dependency in &project.model.dependencies {
        let ids = [
            ("stack_id", &dependency.stack),
            ("depends_on_stack_id", &dependency.upstream),
        ];
        for (argument, id) in ids {
            if id.end != End::Name {
                continue;
            }
            let subject = format!("{}.{argument}", dependency.address);
            let message = "this is the name of a stack, not its id";
            let mut d = Diagnostic::new(&RULE, id.place, message)
                .unit(dependency.address.clone())
                .note("the id is a slug that Spacelift makes of the first name, and that stays when the name changes");
            if let Some(base) = id.text.strip_suffix(".name") {
                let steps = vec![FixStep::Replace(id.place, format!("{base}.id"))];
                d = d.fix("take the id", Safety::Unsafe, steps);
            }
            let finding = said("name-used-as-id", &subject, d).detail("at", subject.clone());
            found.push(project.may_be_accepted(finding, UNKNOWN));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::{leaves_apply_open, speaks};

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
          depends_on_stack_id = spacelift_stack.b.name
        }
        resource "spacelift_stack_dependency" "e" {
          stack_id            = spacelift_stack.a.id
          depends_on_stack_id = spacelift_stack.b.id
        }
        "#;
        speaks(&RULE, text, &["spacelift_stack.b.name"]);
        leaves_apply_open(text, &RULE, super::UNKNOWN);
    }
}
