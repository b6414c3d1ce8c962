//! `duplicate-key` in blueprints: which of the values Spacelift reads is not documented.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Reaction, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_key::RULE;

use super::{InProject, said};
use crate::model::Wrong;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for argument in &project.model.arguments {
        let Wrong::Again(first) = argument.wrong else {
            continue;
        };
        let message = format!("duplicate key `{}` in `{}`", argument.name, argument.resource);
        let mut d = Diagnostic::new(&RULE, argument.place, message)
            .related(first, "first defined here")
            .unit(argument.resource.clone())
            .note("which of the two Spacelift reads is not documented")
            .fix("remove", Safety::Unsafe, vec![FixStep::RemoveKey(argument.place)])
            .heuristic();
        d.reaction = Reaction::Open;
        found.push(said("duplicate-key", &argument.resource, d));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::blueprints::blueprint_speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let twice = "    depends_on: [net]\n    depends_on: [net]\n";
        blueprint_speaks(&RULE, &[("net", ""), ("app", twice)], &["depends_on"]);
        blueprint_speaks(&RULE, &[("net", ""), ("app", "    depends_on: [net]\n")], &[]);
    }
}
