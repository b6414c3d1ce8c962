//! `self-dependency` of stacks: both ids are one stack's.

use applyorder_core::diagnostic::Safety;
use applyorder_core::engine::UnitIx;
use applyorder_core::layer::Finding;
use applyorder_core::rules::self_dependency;

use super::{InProject, said};
use crate::judge::stage;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let related = project.related;
    for (written, number) in related.variant.dependencies.iter().zip(&related.written) {
        let Some(dependency) = project.model.dependencies.get(*number as usize) else {
            continue;
        };
        let Some((from, _)) = dependency.edge().filter(|(from, to)| from == to) else {
            continue;
        };
        let UnitIx(unit) = written.unit;
        let Some(unit) = related.variant.units.get(unit as usize) else {
            continue;
        };
        let mut d = self_dependency::diagnostic(crate::META.unit, unit, written);
        d.fixes.clear();
        d = d.related(dependency.stack.place, "the stack that waits");
        if let Some(steps) = project.remove(dependency) {
            d = d.fix("remove the block", Safety::Unsafe, steps);
        }
        let heuristic = dependency.is_heuristic();
        let finding = said(
            "self-dependency",
            project.name(from),
            project.likely(d, heuristic),
        )
        .detail("at", dependency.address.to_string());
        found.push(project.rejected(finding, stage::API, heuristic, ""));
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::rules::self_dependency::RULE;

    use crate::tests::{dependency, speaks, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = [
            stacks(&["a", "b"]),
            dependency("x", "spacelift_stack.a.slug", "\"${spacelift_stack.a.id}\""),
            dependency("y", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        ];
        speaks(&RULE, &text.concat(), &["\"${spacelift_stack.a.id}\""]);
    }
}
