//! `terramate/order-cycle-partial`: cycle that only some selections contain.

use crate::scope::Set;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::graph::{NodeId, Step};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status, cycle};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/order-cycle-partial",
    severity: Severity::Info,
    summary: "Cycle that only some selections contain",
    docs: include_str!("../../../../../docs/rules/terramate/order-cycle-partial.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// Which selections do not contain a cycle: those without an end of one of its implicit edges, and the
/// selection of the flags, if it contains no cycle.
pub(super) fn check(set: &Set<'_>, found: &mut Vec<Finding>) {
    for cycle in &set.cycles {
        let units = || cycle.diagnostic.units.iter().cloned();
        let of_cycle = partial(set, cycle).map(|d| units().fold(d, Diagnostic::unit));
        found.extend(of_cycle.map(Finding::new));
    }
}

fn partial(set: &Set<'_>, cycle: &cycle::Finding) -> Option<Diagnostic> {
    let (scope, place) = (&set.scope, cycle.diagnostic.place);
    if scope.related.is_limited() && scope.related.cycle.is_none() {
        let message = "the selected run does not contain this cycle";
        return Some(Diagnostic::new(&RULE, place, message));
    }
    let is_implicit = |step: &Step<'_>| {
        let mut edges = step.edges.iter().filter_map(|e| set.graph.edge(*e));
        !edges.any(|e| e.kind.is_explicit())
    };
    let step = cycle.path.steps().find(is_implicit)?;
    let stack = |node: NodeId| set.members.get(node.index()).copied();
    let (below, above) = (stack(step.from)?, stack(step.to)?);
    let (child, parent) = (scope.stacks.path(below), scope.stacks.path(above));
    let message = format!("occurs only if both `{child}` and its parent `{parent}` are selected");
    let mut d = Diagnostic::new(&RULE, place, message);
    for (stack, text) in [(above, "parent stack"), (below, "nested stack")] {
        if let Some(header) = scope.header(stack) {
            d = d.related(header, text);
        }
    }
    Some(d)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::{check, check_with};
    use applyorder_core::engine::RunOptions;

    #[test]
    fn a_cycle_that_needs_nesting() {
        let checked = check(
            &RULE,
            "//- /w/p/stack.tm\nstack {\n  after = [\"/p/c\"]\n}\n//- /w/p/c/stack.tm\nstack {\n}\n",
        );
        assert_eq!(
            checked.found(),
            ["/p/stack.tm:2 \"/p/c\": occurs only if both `/p/c` and its parent `/p` are selected"]
        );
        assert_eq!(
            checked.related(),
            ["/p/stack.tm:1 stack", "/p/c/stack.tm:1 stack"]
        );
    }

    const MUTUAL: &str = "//- /w/a/stack.tm\nstack {\n  after = [\"/b\"]\n}\n//- /w/b/stack.tm\nstack {\n  after = [\"/a\"]\n}\n\
         //- /w/z/stack.tm\nstack {\n}\n";

    #[test]
    fn a_cycle_of_written_edges_is_met_from_each_of_its_stacks() {
        assert_eq!(check(&RULE, MUTUAL).found(), [""; 0]);
    }

    #[test]
    fn a_cycle_that_the_selection_does_not_meet() {
        let options = RunOptions {
            cwd: Some("/w/z".into()),
            ..RunOptions::default()
        };
        assert_eq!(
            check_with(&RULE, MUTUAL, options).found(),
            ["/a/stack.tm:2 \"/b\": the selected run does not contain this cycle"]
        );
    }
}
