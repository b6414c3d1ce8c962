//! The stacks of a project: one per directory with a `stack` block.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::tree::Tree;
use crate::facts::{FileFacts, Stack};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::UnitIx;

/// Index of a stack, in the byte order of paths. The same number is the unit's and the node's.
pub(crate) type StackIx = u32;

/// A stack and where it is declared.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) dir: u32,
    pub(crate) path: Arc<str>,
    pub(crate) file: FileId,
    facts: Arc<FileFacts>,
    block: usize,
    pub(crate) tags: Arc<[Arc<str>]>,
}

impl Node {
    pub(crate) fn facts(&self) -> &Arc<FileFacts> {
        &self.facts
    }

    /// The block; the one that Terramate takes where there are several.
    pub(crate) fn stack(&self) -> Option<&Stack> {
        self.facts.shape.stacks.get(self.block)
    }
}

fn tags_of(facts: &FileFacts) -> Arc<[Arc<str>]> {
    let first = facts.shape.stacks.first();
    first
        .into_iter()
        .flat_map(|s| s.tags.entries.iter().map(|t| t.value.clone()))
        .collect()
}

/// All stacks, in the byte order of their paths.
#[derive(Clone, Default)]
pub(crate) struct Stacks {
    nodes: Vec<Arc<Node>>,
    /// Directory and stack, by directory.
    by_dir: Arc<Vec<(u32, StackIx)>>,
    by_path: Arc<FxHashMap<Arc<str>, StackIx>>,
    /// The nearest stack above, per stack.
    parents: Arc<Vec<Option<StackIx>>>,
}

impl Stacks {
    /// Finds the stacks of a loaded tree.
    pub(crate) fn of(tree: &Tree) -> Self {
        let mut nodes: Vec<Node> = Vec::new();
        for (index, dir) in (0u32..).zip(&tree.dirs) {
            let first = dir.files.iter().find_map(|l| {
                let facts = l.facts.as_ref().ok()?;
                (!facts.shape.stacks.is_empty()).then(|| (l.file, facts.clone()))
            });
            let Some((file, facts)) = first else { continue };
            let tags = tags_of(&facts);
            nodes.push(Node {
                dir: index,
                path: dir.path.clone(),
                file,
                facts,
                block: 0,
                tags,
            });
        }
        nodes.sort_by(|a, b| a.path.cmp(&b.path));
        let mut by_dir: Vec<(u32, StackIx)> = nodes.iter().zip(0u32..).map(|(n, i)| (n.dir, i)).collect();
        by_dir.sort_unstable();
        let by_path = nodes
            .iter()
            .zip(0u32..)
            .map(|(n, i)| (n.path.clone(), i))
            .collect();
        let mut stacks = Self {
            nodes: nodes.into_iter().map(Arc::new).collect(),
            by_dir: Arc::new(by_dir),
            by_path: Arc::new(by_path),
            parents: Arc::default(),
        };
        let parents = stacks.nodes.iter().map(|n| stacks.nearest_above(tree, n.dir));
        stacks.parents = Arc::new(parents.collect());
        stacks
    }

    /// The same stacks, of which some have other facts.
    pub(super) fn with(&self, changed: impl IntoIterator<Item = (StackIx, Arc<FileFacts>)>) -> Self {
        let mut next = self.clone();
        for (stack, facts) in changed {
            if let Some(node) = next.nodes.get_mut(stack as usize) {
                let tags = tags_of(&facts);
                *node = Arc::new(Node {
                    facts,
                    tags,
                    ..(**node).clone()
                });
            }
        }
        next
    }

    fn nearest_above(&self, tree: &Tree, dir: u32) -> Option<StackIx> {
        let mut at = tree.dirs.get(dir as usize)?.parent;
        while let Some(dir) = at {
            let above = tree.dirs.get(dir as usize)?;
            if let Some(stack) = self.by_path.get(&above.path) {
                return Some(*stack);
            }
            at = above.parent;
        }
        None
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn get(&self, stack: StackIx) -> Option<&Node> {
        self.nodes.get(stack as usize).map(|node| &**node)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (StackIx, &Node)> {
        (0u32..).zip(self.nodes.iter().map(|node| &**node))
    }

    /// The stack in a directory.
    pub(crate) fn at(&self, path: &str) -> Option<StackIx> {
        self.by_path.get(path).copied()
    }

    /// The nearest stack above one, the root's included.
    pub(crate) fn parent(&self, stack: StackIx) -> Option<StackIx> {
        self.parents.get(stack as usize).copied().flatten()
    }

    /// The stacks of the directories numbered from `start` up to `end`, ascending.
    pub(crate) fn below(&self, start: u32, end: u32) -> Arc<[UnitIx]> {
        let from = self.by_dir.partition_point(|(dir, _)| *dir < start);
        let to = self.by_dir.partition_point(|(dir, _)| *dir < end);
        let mut found: Vec<UnitIx> = self
            .by_dir
            .get(from..to)
            .unwrap_or(&[])
            .iter()
            .map(|(_, s)| UnitIx(*s))
            .collect();
        found.sort_unstable();
        found.into()
    }

    /// The path of a stack.
    pub(crate) fn path(&self, stack: StackIx) -> Arc<str> {
        self.get(stack).map_or_else(Arc::default, |n| n.path.clone())
    }
}
