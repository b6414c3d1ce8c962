//! What in a project is not known.

use std::sync::Arc;

use super::sources::Sources;
use super::stacks::{Node, Stacks};
use crate::load::tree::Tree;
use crate::read::FileFacts;

/// What in a project is not known.
pub(crate) struct Gaps {
    /// Why orders and errors can't be known.
    pub(crate) why: Option<String>,
    /// Whether there may be stacks, or tags of stacks, that are not known: lines that could not be read, values
    /// that hang on something, bundles.
    pub(crate) may_hold_more: bool,
    /// Whether there may be stacks that are not known: lines that could not be read outside of blocks, or bundles,
    /// which also files in YAML make use of.
    pub(crate) may_hold_stacks: bool,
}

impl Gaps {
    pub(super) fn of(tree: &Tree, sources: &Sources, stacks: &Stacks) -> Self {
        let facts = || {
            tree.dirs
                .iter()
                .flat_map(|dir| sources.files(dir))
                .map(|(_, f)| f)
        };
        let has_gap = |facts: &Arc<FileFacts>| facts.shape.gap || !facts.shape.bundles.is_empty();
        let may_hold_stacks = facts().any(has_gap);
        let instance = tree.dirs.iter().find_map(|dir| {
            let name = dir.instances.first()?;
            Some(format!("{}/{name}", dir.path.trim_end_matches('/')))
        });
        let with_gaps = || stacks.iter().filter(|(_, node)| node.unknown.is_some());
        let why = if let Some((_, node)) = with_gaps().next() {
            Some(unknown_in(node))
        } else if let Some(instance) = &instance {
            Some(format!(
                "`{instance}` is an instance of a bundle, which can change the order of its stacks"
            ))
        } else if !may_hold_stacks {
            None
        } else if facts().any(|f| !f.shape.bundles.is_empty()) {
            Some("the project uses bundles, which can change the order of their stacks".to_owned())
        } else {
            Some("some lines could not be read, and may declare a stack".to_owned())
        };
        let hides_tags = |node: &Node| node.stack().is_some_and(|s| s.gap || s.tags.unknown);
        Self {
            why,
            may_hold_more: may_hold_stacks
                || instance.is_some()
                || with_gaps().any(|(_, node)| hides_tags(node)),
            may_hold_stacks,
        }
    }
}

/// Why the order can't be known because of a stack.
fn unknown_in(node: &Node) -> String {
    format!(
        "`{}` of stack `{}` is not known without running Terramate",
        node.unknown.unwrap_or_default(),
        node.path
    )
}
