//! `invalid-value` of references: an id that is none of a dependency.
//!
//! Source: spec section 2.2: the id of a dependency holds a `/`.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::invalid_value::RULE;

use super::{InProject, said};
use crate::judge::stage;
use crate::model::Of;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for reference in &project.model.references {
        let message = match &reference.of {
            Of::Stack(stack) => format!(
                "this is the id of `{}`, and not of a dependency",
                project.name(*stack)
            ),
            Of::Text(text) => format!("`{text}` is not the id of a dependency, which holds a `/`"),
            _ => continue,
        };
        let mut d = Diagnostic::new(&RULE, reference.of_place, message).unit(reference.address.clone());
        if let Of::Stack(stack) = reference.of {
            let mut own = project
                .model
                .dependencies
                .iter()
                .filter(|d| d.edge().is_some_and(|(from, to)| from == stack || to == stack));
            if let (Some(only), None) = (own.next(), own.next())
                && let Some(inside) = project.seen_from(&reference.address, &only.address)
            {
                let steps = vec![FixStep::Replace(reference.of_place, format!("{inside}.id"))];
                d = d.fix(format!("take the id of `{inside}`"), Safety::Unsafe, steps);
            }
        }
        let heuristic = reference.heuristic;
        let finding = said(
            "not-a-dependency-id",
            &reference.address,
            project.likely(d, heuristic),
        )
        .detail("at", format!("{}.stack_dependency_id", reference.address));
        found.push(project.rejected(finding, stage::API, heuristic, "unexpected stack_dependency_id"));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::{dependency, reference, speaks, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = [
            stacks(&["a", "b"]),
            dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id"),
            reference("x", "spacelift_stack.a.id", "o", "TF_VAR_o"),
            reference("y", "\"plain\"", "o", "TF_VAR_p"),
            reference("z", "spacelift_stack_dependency.d.id", "o", "TF_VAR_q"),
            reference("u", "\"a/b\"", "o", "TF_VAR_r"),
        ];
        speaks(&RULE, &text.concat(), &["spacelift_stack.a.id", "\"plain\""]);
    }
}
