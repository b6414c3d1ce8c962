//! `cycle` of stacks: each waits for the next, and Spacelift rejects one of the dependencies while Terraform applies.
//!
//! Source: spec sections 5 and 6. Terraform's own graph has no cycle: dependencies are leaves of it.

use applyorder_core::diagnostic::Fix;
use applyorder_core::engine::Dependency as Written;
use applyorder_core::graph::EdgeId;
use applyorder_core::layer::Finding;
use applyorder_core::rules::cycle;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{InProject, said};
use crate::judge::stage;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let related = project.related;
    let dependencies = &project.model.dependencies;
    let by_place: FxHashMap<_, _> = dependencies.iter().map(|d| (d.upstream.place, d)).collect();
    let remove = |written: &Written| project.remove(by_place.get(&written.place).copied()?);
    let block = |written: &Written| remove(written)?.into_iter().next();
    let by_block: FxHashMap<_, _> = dependencies.iter().map(|d| (d.whole, d)).collect();
    // With a block its references go.
    let whole = |fix: &mut Fix| {
        let own = fix
            .steps
            .first()
            .and_then(|step| by_block.get(&step.place()).copied());
        fix.steps = own.and_then(|d| project.remove(d)).unwrap_or_default();
    };
    let likely: FxHashSet<(u32, u32)> = dependencies
        .iter()
        .filter(|d| d.is_heuristic())
        .filter_map(|d| d.edge())
        .collect();
    // Where another dependency probably says the same, the cycle would go on.
    let may_cut = |edge: EdgeId| {
        let edge = related.certain.edge(edge);
        edge.is_some_and(|e| !likely.contains(&(e.from.0, e.to.0)))
    };
    for cycle in cycle::check_cutting(&crate::META, &related.variant, &related.certain, may_cut, block) {
        let mut members: Vec<&str> = cycle.members.iter().map(|u| project.name(u.0)).collect();
        members.sort_unstable();
        let inside = |stack: u32| cycle.members.binary_search_by_key(&stack, |u| u.0).is_ok();
        let edges = project.model.dependencies.iter().filter(|d| {
            let edge = d
                .edge()
                .filter(|(from, to)| from != to && inside(*from) && inside(*to));
            edge.is_some() && !d.is_heuristic()
        });
        let mut at: Vec<&str> = edges.map(|d| &*d.address).collect();
        at.sort_unstable();
        let subject = members.first().copied().unwrap_or("");
        let mut d = cycle.diagnostic;
        d.fixes.iter_mut().for_each(whole);
        let silent = "Terraform's `validate` and `plan` accept it: Spacelift rejects one of the dependencies while `apply` runs, and the rest stays half applied";
        if !project.model.is_blueprint {
            d = d.note(silent);
        }
        let finding = said("cycle", subject, d)
            .detail("members", members)
            .detail("at", at);
        found.push(project.rejected(finding, stage::API, false, ""));
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::rules::cycle::RULE;

    use crate::tests::{dependency, speaks, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let ring = [
            stacks(&["a", "b", "c"]),
            dependency("x", "spacelift_stack.a.id", "spacelift_stack.b.id"),
            dependency("y", "spacelift_stack.b.id", "spacelift_stack.a.id"),
            dependency("z", "spacelift_stack.c.id", "spacelift_stack.a.id"),
        ];
        speaks(&RULE, &ring.concat(), &["spacelift_stack.b.id"]);
        let own = [
            ring.concat(),
            dependency("own", "spacelift_stack.a.id", "spacelift_stack.a.id"),
        ];
        speaks(&RULE, &own.concat(), &["spacelift_stack.b.id"]);
        // By its slug the same again: without the first, the cycle would go on.
        let doubled = [
            ring.concat(),
            dependency("again", "spacelift_stack.a.id", "\"b\""),
        ];
        speaks(&RULE, &doubled.concat(), &["spacelift_stack.a.id"]);
        let way = [
            stacks(&["a", "b"]),
            dependency("x", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        ];
        speaks(&RULE, &way.concat(), &[]);
    }
}
