//! `duplicate-dependency` of stacks: the same two stacks twice.

use std::collections::hash_map::Entry;

use applyorder_core::diagnostic::{Diagnostic, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_dependency::RULE;
use rustc_hash::FxHashMap;

use super::{InProject, said};
use crate::model::Dependency;

/// Why the verdict of `apply` is open.
const UNDOCUMENTED: &str =
    "what Spacelift does with a second dependency of the same two stacks is not documented";

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let mut seen: FxHashMap<(u32, u32), &Dependency> = FxHashMap::default();
    for dependency in &project.model.dependencies {
        // One that waits for itself is another rule's.
        let Some(edge) = dependency.edge().filter(|(from, to)| from != to) else {
            continue;
        };
        let first = match seen.entry(edge) {
            Entry::Occupied(first) => *first.get(),
            Entry::Vacant(new) => {
                new.insert(dependency);
                continue;
            }
        };
        let message = format!(
            "`{}` depends on `{}` by two resources",
            project.name(edge.0),
            project.name(edge.1)
        );
        let mut d = Diagnostic::new(&RULE, dependency.header, message)
            .related(first.header, format!("`{}` says so already", first.address))
            .unit(dependency.address.clone())
            .unit(first.address.clone())
            .note("a dependency is known by its two stacks: what the API does with the second is not documented");
        if let Some(steps) = project.remove(dependency) {
            d = d.fix("remove the block", Safety::Unsafe, steps);
        }
        let heuristic = dependency.is_heuristic() || first.is_heuristic();
        let finding = said(
            "duplicate-dependency",
            &dependency.address,
            project.likely(d, heuristic),
        )
        .detail("first", first.address.to_string());
        found.push(project.may_be_accepted(finding, UNDOCUMENTED));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::{dependency, leaves_apply_open, speaks, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = [
            stacks(&["a", "b"]),
            dependency("x", "spacelift_stack.a.id", "spacelift_stack.b.id"),
            dependency("y", "spacelift_stack.a.slug", "spacelift_stack.b.id"),
        ];
        let found = ["resource \"spacelift_stack_dependency\" \"y\""];
        speaks(&RULE, &text.concat(), &found);
        // Whether Spacelift rejects it nothing says.
        leaves_apply_open(&text.concat(), &RULE, super::UNDOCUMENTED);
    }
}
