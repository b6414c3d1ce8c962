//! `unknown-field` of resources: an argument that a block does not take, an attribute that it does not give.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::unknown_field::RULE;

use super::{InProject, said};
use crate::judge::stage;
use crate::model::FaultKind;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for argument in project.model.arguments.iter().filter(|a| !a.is_missing) {
        let message = format!("`{}` takes no `{}`", argument.resource, argument.name);
        let mut d = Diagnostic::new(&RULE, argument.place, message).unit(argument.resource.clone());
        if let Some(near) = &argument.near {
            d = d.label(format!("did you mean `{near}`?")).fix(
                format!("replace by `{near}`"),
                Safety::Unsafe,
                vec![FixStep::Replace(argument.place, near.clone())],
            );
        }
        if &*argument.name == "trigger_always" {
            d = d.note("it belongs to a `spacelift_stack_dependency_reference`");
        }
        d = d.fix(
            "remove it",
            Safety::Unsafe,
            vec![FixStep::RemoveKey(argument.place)],
        );
        let finding = said("unsupported-argument", &argument.resource, d)
            .detail("at", format!("{}.{}", argument.resource, argument.name));
        found.push(project.rejected(finding, stage::CONFIG, false, "Unsupported argument"));
    }
    for fault in project.faults(FaultKind::UnsupportedAttribute) {
        let message = format!("there is no attribute `{}`", fault.subject);
        let d = project.of_fault(fault, Diagnostic::new(&RULE, fault.place, message));
        let finding = project.fault_finding(fault, d);
        found.push(project.rejected(finding, stage::CONFIG, fault.heuristic, "Unsupported attribute"));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::{dependency, speaks, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let wrong = "resource \"spacelift_stack_dependency\" \"w\" {\n  stack_id            = spacelift_stack.a.id\n  \
                     depends_on_stack_id = spacelift_stack.b.idd\n  trigger_always      = true\n}\n";
        let text = [
            stacks(&["a", "b"]),
            wrong.to_owned(),
            dependency("x", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        ];
        speaks(
            &RULE,
            &text.concat(),
            &["spacelift_stack.b.idd", "trigger_always"],
        );
    }
}
