//! Stacks as such: the one at the root, ids, and how many paths lead to one.

use super::Scope;
use crate::check::stacks::new_id;
use crate::model::stacks::{Node, StackIx};
use crate::read::Value;
use crate::rules;
use applyorder_core::layer::Finding;

impl Scope<'_> {
    pub(super) fn root_and_id(&self, index: StackIx, node: &Node, found: &mut Vec<Finding>) {
        let Some((stack, header)) = node.stack().zip(self.header(index)) else {
            return;
        };
        if &*node.path == "/" && self.stacks.len() > 1 {
            found.push(Finding::new(rules::root_stack_order::found(header)));
        }
        if stack.id == Value::Absent && !stack.gap {
            let id = new_id(&node.path);
            found.push(Finding::new(rules::id_missing::found(header, &node.path, &id)));
        }
    }

    /// Counts the paths through the graph: what Terramate walks when it reduces the graph to a selection.
    pub(super) fn path_counts(&self, found: &mut Vec<Finding>) {
        let Some((most, stack)) = self.related.most_paths else {
            return;
        };
        if let Some(header) = self.header(stack) {
            let path = self.stacks.path(stack);
            found.push(Finding::new(rules::exponential_run::found(header, path, most)));
        }
    }
}
