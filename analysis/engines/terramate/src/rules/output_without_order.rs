//! `terramate/output-without-order`: output of another stack used without an order.

use std::sync::Arc;

use crate::model::stacks::StackIx;
use crate::scope::{Scope, Whole};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::graph::{NodeId, OrderGraph};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};
use applyorder_syntax::hcl::edit::quote;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/output-without-order",
    severity: Severity::Warning,
    summary: "Output of another stack used without an order",
    docs: include_str!("../../../../../docs/rules/terramate/output-without-order.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let (scope, names) = (&whole.scope, whole.cx.memo().names());
    let with_inputs = scope.model.with_inputs.iter();
    for dir in with_inputs.filter_map(|dir| scope.tree.dirs.get(*dir as usize)) {
        for (loaded, facts) in scope.model.sources.files(dir) {
            for input in &facts.shape.inputs {
                let id = names.find(&input.from_stack_id.value.to_ascii_lowercase());
                let with_id = id.and_then(|id| scope.model.ids.units(id).last());
                let (Some(consumer), Some(producer)) = (scope.stacks.at(&dir.path), with_id.copied()) else {
                    continue;
                };
                let graph = &scope.related.graph;
                if scope.model.unknowns.why.is_some() || runs_after(graph, consumer, producer) {
                    continue;
                }
                let place = scope.at(loaded.file, input.from_stack_id.at);
                let path = scope.stacks.path(producer);
                let mut d = without_order(place, &dir.path, &path, scope.header(producer));
                if let Some(step) = add_after(scope, consumer, &path) {
                    d = d.fix(format!("run after `{path}`"), Safety::Unsafe, vec![step]);
                }
                found.push(Finding::new(d));
            }
        }
    }
}

fn add_after(scope: &Scope<'_>, stack: StackIx, path: &str) -> Option<FixStep> {
    let node = scope.stacks.get(stack)?;
    let block = node.stack()?;
    if block.after.name.is_some() {
        let list = scope.at(node.file, block.after.at);
        return Some(FixStep::AppendEntry(list, path.to_owned()));
    }
    Some(FixStep::InsertKeyBefore(
        scope.at(node.file, block.header),
        "after".to_owned(),
        format!("[{}]", quote(path)),
    ))
}

fn runs_after(graph: &OrderGraph, later: StackIx, earlier: StackIx) -> bool {
    later != earlier && graph.shortest_path(NodeId(later), NodeId(earlier)).is_some()
}

/// A stack that uses an output of another, with the header of that.
fn without_order(
    place: Place,
    consumer: &Arc<str>,
    producer: &Arc<str>,
    header: Option<Place>,
) -> Diagnostic {
    let message = format!("stack `{consumer}` uses an output of `{producer}` but does not run after it");
    let d = Diagnostic::new(&RULE, place, message)
        .unit(consumer.clone())
        .unit(producer.clone())
        .note("sharing outputs adds no order");
    match header {
        Some(header) => d.related(header, "the output is from this stack"),
        None => d,
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn an_order_is_added() {
        let with = |stack: &str| {
            check(
                &RULE,
                &format!(
                    "//- /w/vpc/stack.tm\nstack {{\n  id = \"vpc\"\n}}\n//- /w/app/stack.tm\n{stack}\
                     input \"x\" {{\n  from_stack_id = \"vpc\"\n}}\n"
                ),
            )
        };
        for (before, after) in [
            ("stack {\n}\n", "stack {\n  after = [\"/vpc\"]\n}\n"),
            (
                "stack {\n  after = [\"/b\"]\n}\n",
                "stack {\n  after = [\"/b\", \"/vpc\"]\n}\n",
            ),
        ] {
            let checked = with(before);
            assert_eq!(checked.found().len(), 1);
            assert_eq!(checked.related(), ["/vpc/stack.tm:1 stack"]);
            assert!(checked.fixed(0).contains(after), "{}", checked.fixed(0));
            assert_eq!(with(after).found(), [""; 0]);
        }
    }
}
