//! Whether a text is a blueprint or a template with several stacks.
//!
//! Source: spec section 9.

use applyorder_syntax::yaml::{Node, Tree};

/// The stacks of a text, if it is a blueprint or a template with several.
pub(crate) fn stacks(tree: &Tree) -> Option<Vec<Node<'_>>> {
    let root = tree.first_document()?.root()?;
    let list = root.get("stacks").filter(|l| l.is_sequence())?;
    let stacks: Vec<Node<'_>> = list.items().collect();
    let is_stack = |stack: &Node<'_>| {
        let has = |key: &str| stack.get(key).is_some();
        has("key") && (has("vcs") || has("vendor"))
    };
    // One that lacks a field is wrong, and not something else.
    (stacks.iter().any(is_stack) && stacks.iter().all(|stack| stack.is_mapping())).then_some(stacks)
}
