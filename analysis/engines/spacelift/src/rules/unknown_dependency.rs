//! `unknown-dependency` of stacks: a stack, a dependency or an instance that is not declared.

use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::unknown_dependency::RULE;

use super::InProject;
use crate::judge::stage;
use crate::model::FaultKind;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for fault in &project.model.faults {
        let (message, stage, words) = match fault.kind {
            FaultKind::UnknownStack | FaultKind::UnknownDependency => (
                format!("`{}` is not declared", fault.subject),
                fault.stage(),
                "Reference to undeclared resource",
            ),
            FaultKind::UnknownInstance => (
                format!("instance `{}` does not exist", fault.subject),
                stage::VALUES,
                "Invalid index",
            ),
            _ => continue,
        };
        let mut d = project.of_fault(fault, Diagnostic::new(&RULE, fault.place, message));
        if let Some(near) = &fault.replacement {
            d = d.label(format!("did you mean `{near}`?"));
        }
        if project.model.is_blueprint {
            d = d.note("what Spacelift does with a key that no stack has is not documented");
        }
        let finding = project.fault_finding(fault, d);
        found.push(project.rejected(finding, stage, fault.heuristic, words));
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
            dependency("x", "spacelift_stack.aa.id", "spacelift_stack.b.id"),
            dependency("y", "data.spacelift_stack.gone.id", "spacelift_stack.b.id"),
            dependency("z", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        ];
        let found = ["spacelift_stack.aa.id", "data.spacelift_stack.gone.id"];
        speaks(&RULE, &text.concat(), &found);
    }
}
