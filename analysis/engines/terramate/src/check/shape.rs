//! Stacks as such: the one at the root, ids, and how many paths lead to one.

use super::Scope;
use crate::check::stacks::new_id;
use crate::model::stacks::{Node, StackIx};
use crate::read::Value;
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_syntax::hcl::edit::quote;

impl Scope<'_> {
    pub(super) fn root_and_id(&self, index: StackIx, node: &Node, found: &mut Vec<Finding>) {
        let Some((stack, header)) = node.stack().zip(self.header(index)) else {
            return;
        };
        if &*node.path == "/" && self.stacks.len() > 1 {
            found.push(Finding::new(
                Diagnostic::new(
                    &rules::root_stack_order::RULE,
                    header,
                    "the stack at the root has no implicit order: it runs beside the stacks below it",
                )
                .note("Terramate says nothing"),
            ));
        }
        if stack.id == Value::Absent && !stack.gap {
            found.push(Finding::new(
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
            ));
        }
    }

    /// Counts the paths through the graph: what Terramate walks when it reduces the graph to a selection.
    pub(super) fn path_counts(&self, found: &mut Vec<Finding>) {
        let Some((most, stack)) = self.related.most_paths else {
            return;
        };
        if let Some(header) = self.header(stack) {
            let path = self.stacks.path(stack);
            let count = if most > 1_000_000_000_000 {
                "over a billion".to_owned()
            } else {
                format!("{most}")
            };
            found.push(Finding::new(
                Diagnostic::new(
                    &rules::exponential_run::RULE,
                    header,
                    format!("{count} paths of `after` and `before` lead to `{path}`: a run of a subset may take very long"),
                )
                .unit(path),
            ));
        }
    }
}
