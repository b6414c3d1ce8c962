//! What in a project is not known.

use std::sync::Arc;

use super::stacks::{Node, StackIx, Stacks};
use super::tree::{Loaded, Tree};
use crate::facts::FileFacts;
use applyorder_core::diagnostic::FileId;

/// What in a project is not known: the stacks with unknown lists, ascending, and the files with lines that could
/// not be read outside of blocks, or with bundles, which also files in YAML make use of.
#[derive(Clone, Default)]
pub(super) struct Gaps {
    pub(super) stacks: Vec<StackIx>,
    pub(super) files: Vec<FileId>,
    /// The project path of the first file with an instance of a bundle.
    instance: Option<Arc<str>>,
}

impl Gaps {
    pub(super) fn of(tree: &Tree, stacks: &Stacks) -> Self {
        let of_stack = |(stack, node)| unknown_in(node).map(|_| stack);
        let of_file = |loaded: &Loaded| {
            let facts = loaded.facts.as_ref().ok()?;
            has_gap(facts).then_some(loaded.file)
        };
        Self {
            stacks: stacks.iter().filter_map(of_stack).collect(),
            files: tree.files().filter_map(|(_, l)| of_file(l)).collect(),
            instance: tree.dirs.iter().find_map(|dir| {
                let name = dir.instances.first()?;
                Some(format!("{}/{name}", dir.path.trim_end_matches('/')).into())
            }),
        }
    }

    /// Why the order can't be known.
    pub(super) fn why(&self, tree: &Tree, stacks: &Stacks) -> Option<String> {
        if let Some(stack) = self.stacks.first() {
            return unknown_in(stacks.get(*stack)?);
        }
        if let Some(instance) = &self.instance {
            return Some(format!(
                "`{instance}` is an instance of a bundle, which can change the order of its stacks"
            ));
        }
        self.files.first()?;
        let bundles = |facts: &Arc<FileFacts>| !facts.shape.bundles.is_empty();
        Some(if self.facts(tree).any(bundles) {
            "the project uses bundles, which can change the order of their stacks".to_owned()
        } else {
            "some lines could not be read, and may declare a stack".to_owned()
        })
    }

    fn facts<'a>(&'a self, tree: &'a Tree) -> impl Iterator<Item = &'a Arc<FileFacts>> {
        self.files.iter().filter_map(|file| {
            let (dir, slot) = tree.of_file.get(file)?;
            let loaded = tree.dirs.get(*dir as usize)?.files.get(*slot as usize)?;
            loaded.facts.as_ref().ok()
        })
    }

    /// See [`Memo::may_hold_more`].
    pub(super) fn may_hold_more(&self, stacks: &Stacks) -> bool {
        let nodes = self.stacks.iter().filter_map(|s| stacks.get(*s));
        !self.files.is_empty()
            || self.instance.is_some()
            || nodes.filter_map(|n| n.stack()).any(|s| s.gap || s.tags.unknown)
    }
}

pub(super) fn has_gap(facts: &FileFacts) -> bool {
    facts.shape.gap || !facts.shape.bundles.is_empty()
}

/// Why the order can't be known because of a stack.
pub(super) fn unknown_in(node: &Node) -> Option<String> {
    let stack = node.stack()?;
    let lists = [
        ("tags", &stack.tags),
        ("after", &stack.after),
        ("before", &stack.before),
        ("wants", &stack.wants),
        ("wanted_by", &stack.wanted_by),
    ];
    let (name, _) = lists.into_iter().find(|(_, list)| list.unknown || stack.gap)?;
    Some(format!(
        "`{name}` of stack `{}` is not known without running Terramate",
        node.path
    ))
}
