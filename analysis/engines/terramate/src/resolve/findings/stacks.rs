//! Stacks as such: the one at the root, ids, and how many paths lead to one.

use super::Context;
use crate::facts::Value;
use crate::resolve::stacks::{Node, StackIx};
use crate::resolve::validate::new_id;
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::engine::Variant;
use applyorder_core::graph::{Direction, NodeId, OrderGraph};
use applyorder_syntax::hcl::edit::quote;

/// More paths than this between the stacks of a project make a subset run take minutes.
const MANY_PATHS: u64 = 10_000_000;

impl Context<'_, '_> {
    pub(super) fn roots_and_ids(&self, found: &mut Vec<Diagnostic>) {
        for (index, node) in self.resolved.stacks.iter() {
            self.root_and_id(index, node, found);
        }
    }

    pub(super) fn root_and_id(&self, index: StackIx, node: &Node, found: &mut Vec<Diagnostic>) {
        let Some((stack, header)) = node.stack().zip(self.header(index)) else {
            return;
        };
        if &*node.path == "/" && self.resolved.stacks.len() > 1 {
            found.push(
                Diagnostic::new(
                    &rules::root_stack_order::RULE,
                    header,
                    "the stack at the root has no implicit order: it runs beside the stacks below it",
                )
                .note("Terramate says nothing"),
            );
        }
        if stack.id == Value::Absent && !stack.gap {
            found.push(
                Diagnostic::new(
                    &rules::id_missing::RULE,
                    header,
                    format!("stack `{}` has no id", node.path),
                )
                .unit(node.path.clone())
                .fix(
                    "give it an id",
                    Safety::Safe,
                    vec![FixStep::InsertKeyBefore(
                        header,
                        "id".to_owned(),
                        quote(&new_id(&node.path)),
                    )],
                ),
            );
        }
    }

    /// Counts the paths through the graph: what Terramate walks when it reduces the graph to a selection.
    pub(super) fn path_counts(&self, variant: &Variant, found: &mut Vec<Diagnostic>) {
        let graph = &variant.apply.graph;
        let order = graph.fifo_order(|n| n);
        if !order.stuck.is_empty() {
            return;
        }
        let Some((most, node)) = most_paths(graph, &order.sequence) else {
            return;
        };
        if let Some(header) = self.header(node.0) {
            let path = self.resolved.stacks.path(node.0);
            let count = if most > 1_000_000_000_000 {
                "over a billion".to_owned()
            } else {
                format!("{most}")
            };
            found.push(
                Diagnostic::new(
                    &rules::exponential_run::RULE,
                    header,
                    format!("{count} paths of `after` and `before` lead to `{path}`: a run of a subset may take very long"),
                )
                .unit(path),
            );
        }
    }
}

/// The stack to which most paths of a graph without cycles lead, with their number, where there are too many.
/// The nodes are given in an order in which each comes after what it waits for.
pub(in crate::resolve) fn most_paths(graph: &OrderGraph, sequence: &[NodeId]) -> Option<(u64, NodeId)> {
    let mut paths = vec![1u64; graph.node_count()];
    for node in sequence {
        let own = graph
            .distinct(*node, Direction::Dependencies)
            .filter_map(|l| paths.get(l.node.index()))
            .fold(1u64, |sum, n| sum.saturating_add(*n));
        if let Some(slot) = paths.get_mut(node.index()) {
            *slot = own;
        }
    }
    let most = paths.iter().copied().zip(graph.nodes()).max_by_key(|(n, _)| *n);
    most.filter(|(paths, _)| *paths >= MANY_PATHS)
}
