//! `wrong-type` of ids: a list or a whole resource where a text belongs.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::wrong_type::RULE;

use super::InProject;
use crate::judge::stage;
use crate::model::FaultKind;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for fault in project.faults(FaultKind::WrongType) {
        let mut d = Diagnostic::new(&RULE, fault.place, "an id is a text, and this is none");
        if let Some(cure) = &fault.cure {
            let steps = vec![FixStep::Replace(fault.place, cure.clone())];
            d = d.fix("take the id", Safety::Unsafe, steps);
        }
        let finding = project.fault_finding(fault, d);
        found.push(project.rejected(
            finding,
            stage::VALUES,
            fault.heuristic,
            "Incorrect attribute value type",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::{dependency, speaks, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = [
            stacks(&["a", "b"]),
            dependency("x", "[spacelift_stack.a.id]", "spacelift_stack.b.id"),
            dependency("y", "spacelift_stack.a", "spacelift_stack.b.id"),
        ];
        speaks(
            &RULE,
            &text.concat(),
            &["[spacelift_stack.a.id]", "spacelift_stack.a"],
        );
    }
}
