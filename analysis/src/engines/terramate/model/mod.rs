//! From what was loaded to stacks, their tags and what they write in their lists.

pub(crate) mod changes;
pub(crate) mod flags;
pub(crate) mod gaps;
pub(crate) mod refs;
pub(crate) mod stacks;
pub(crate) mod symbols;
pub(crate) mod tags;

use std::sync::Arc;

use self::flags::{Flags, Refused};
use self::gaps::Gaps;
use self::refs::Written;
use self::stacks::{Node, Stacks};
use super::load::Loaded;
use super::load::tree::Tree;
use crate::engines::{Cx, RunOptions};
use crate::files::{FileKind, join_clean};

/// What a project declares.
pub(crate) struct Model {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) stacks: Stacks,
    /// What each stack's own file tells.
    pub(crate) pieces: Vec<Arc<Piece>>,
    gaps: Gaps,
    /// Why orders and errors can't be known.
    pub(crate) unknown: Option<String>,
    /// Whether there may be stacks, or tags of stacks, that are not known.
    pub(crate) may_hold_more: bool,
    /// The flags of the run.
    pub(crate) flags: Arc<Result<Flags, Refused>>,
    /// The command that was asked about.
    pub(crate) command: Option<String>,
}

/// What the file of one stack tells of it.
#[derive(Default)]
pub(crate) struct Piece {
    pub(crate) written: Vec<Written>,
    /// What stands where the entries of `watch` lead.
    pub(crate) watched: Vec<Option<FileKind>>,
}

impl Piece {
    fn of(cx: &Cx<'_>, tree: &Tree, node: &Node) -> Self {
        let (Some(stack), Some(dir)) = (node.stack(), tree.dirs.get(node.dir as usize)) else {
            return Self::default();
        };
        let watched = stack.watch.entries.iter().map(|entry| {
            let base = if entry.value.starts_with('/') {
                &tree.root
            } else {
                &dir.host
            };
            let host = join_clean(base, &entry.value);
            let is_inside = host.as_str().starts_with(tree.root.as_str());
            is_inside.then(|| cx.kind(&host, true)).flatten()
        });
        Self {
            watched: watched.collect(),
            written: refs::written(cx, tree, dir, stack),
        }
    }
}

impl Model {
    /// Whether there may be stacks that are not known.
    pub(crate) fn may_hold_stacks(&self) -> bool {
        !self.gaps.files.is_empty()
    }
}

/// Finds what a project declares.
pub(crate) fn model(cx: &Cx<'_>, loaded: &Arc<Loaded>, options: &RunOptions) -> Model {
    let tree = &loaded.tree;
    let stacks = if loaded.is_rootless {
        Stacks::default()
    } else {
        Stacks::of(tree)
    };
    let pieces = stacks.iter().map(|(_, node)| Arc::new(Piece::of(cx, tree, node)));
    let pieces = pieces.collect();
    let gaps = Gaps::of(tree, &stacks);
    Model {
        loaded: loaded.clone(),
        pieces,
        unknown: gaps.why(tree, &stacks),
        may_hold_more: gaps.may_hold_more(&stacks),
        flags: Arc::new(Flags::of(cx, tree, &stacks, options)),
        command: options.command.clone(),
        gaps,
        stacks,
    }
}
