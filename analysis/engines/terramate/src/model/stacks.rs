//! The stacks of a project: one per directory with a `stack` block.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Input;
use super::refs::{self, Written};
use crate::load::tree::{Dir, Tree};
use crate::read::{FileFacts, Stack, Value};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Read, UnitIx, World};
use applyorder_core::files::{FileKind, join_clean};
use applyorder_core::layer::{Fingerprint, Sym};
use applyorder_core::store::Shape;

/// Index of a stack, in the byte order of paths. The same number is the unit's and the node's.
pub(crate) type StackIx = u32;

/// What one file contains about the stack that it declares.
pub(crate) struct Node {
    pub(crate) dir: u32,
    pub(crate) path: Arc<str>,
    pub(crate) file: FileId,
    pub(crate) shape: Shape,
    facts: Arc<FileFacts>,
    pub(crate) tags: Arc<[Arc<str>]>,
    /// The same as numbers.
    pub(crate) tag_names: Box<[Sym]>,
    /// The text of its id, case-insensitively.
    pub(crate) id: Option<Sym>,
    /// The first of its lists that is unknown.
    pub(crate) unknown: Option<&'static str>,
    /// The contents of its lists.
    pub(crate) written: Vec<Written>,
    /// What exists at the entries of `watch`.
    pub(crate) watched: Vec<Option<FileKind>>,
    /// The [`NodeMark`]s.
    marks: u8,
}

/// Properties that most stacks do not have, so that not every stack has to be checked for them.
#[derive(Clone, Copy)]
pub(crate) enum NodeMark {
    /// Something that Terramate knows only when it runs.
    Doubtful = 1,
    /// An entry that Terramate warns about or rejects.
    Faulty = 1 << 1,
}

/// What a node is made from.
#[derive(PartialEq, Eq, Hash)]
struct NodeKey {
    world: World,
    dir: u32,
    file: FileId,
    shape: Shape,
}

impl Node {
    fn of(input: &Input<'_>, index: u32, read: &Read<FileFacts>) -> Self {
        let (facts, names) = (&read.facts, input.cx.memo().names());
        let (tree, dir) = (input.tree, input.tree.dirs.get(index as usize));
        let stack = facts.shape.stacks.first();
        let tags: Arc<[Arc<str>]> = stack
            .into_iter()
            .flat_map(|s| s.tags.entries.iter().map(|t| t.value.clone()))
            .collect();
        let id = stack.and_then(|s| s.id.known()).filter(|id| !id.value.is_empty());
        let id = id.map(|id| names.intern(&id.value.to_ascii_lowercase().into()));
        let both = stack.zip(dir);
        let node = Self {
            marks: 0,
            dir: index,
            path: dir.map(|d| d.path.clone()).unwrap_or_default(),
            unknown: stack.and_then(unknown_list),
            file: read.file,
            shape: read.shape,
            facts: facts.clone(),
            tag_names: names.intern_all(tags.iter()),
            tags,
            id,
            written: both
                .map(|(stack, dir)| refs::written(input, dir, stack))
                .unwrap_or_default(),
            watched: both
                .map(|(stack, dir)| watched(input, tree, dir, stack))
                .unwrap_or_default(),
        };
        Self {
            marks: node.marks(),
            ..node
        }
    }

    fn marks(&self) -> u8 {
        let is_doubtful = |s: &Stack| s.open.is_some() || s.tags.unknown || s.watch.unknown;
        let is_doubtful = self.unknown.is_some() || self.stack().is_some_and(is_doubtful);
        let is_faulty = self.written.iter().any(Written::is_faulty);
        let mark = |is_set: bool, mark: NodeMark| if is_set { mark as u8 } else { 0 };
        mark(is_doubtful, NodeMark::Doubtful) | mark(is_faulty, NodeMark::Faulty)
    }

    /// The block; the one that Terramate takes where there are several.
    pub(crate) fn stack(&self) -> Option<&Stack> {
        self.facts.shape.stacks.first()
    }

    /// The text of its id.
    pub(crate) fn written_id(&self) -> Option<&str> {
        match &self.stack()?.id {
            Value::Known(id) if !id.value.is_empty() => Some(&id.value),
            _ => None,
        }
    }
}

/// The first list of a stack that is unknown.
fn unknown_list(stack: &Stack) -> Option<&'static str> {
    let lists = [
        ("tags", &stack.tags),
        ("after", &stack.after),
        ("before", &stack.before),
        ("wants", &stack.wants),
        ("wanted_by", &stack.wanted_by),
    ];
    let (name, _) = lists.into_iter().find(|(_, list)| list.unknown || stack.gap)?;
    Some(name)
}

/// Whether a text can be the id of a stack.
pub(crate) fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn watched(input: &Input<'_>, tree: &Tree, dir: &Dir, stack: &Stack) -> Vec<Option<FileKind>> {
    let entries = stack.watch.entries.iter();
    entries
        .map(|entry| {
            let base = if entry.value.starts_with('/') {
                &tree.root
            } else {
                &dir.host
            };
            let host = join_clean(base, &entry.value);
            let is_inside = host.as_str().starts_with(tree.root.as_str());
            is_inside.then(|| input.cx.kind(&host, true)).flatten()
        })
        .collect()
}

/// Where the stacks of a project are: it stays the same until a stack is added or removed.
#[derive(Default)]
pub(crate) struct Places {
    /// Everything in it, as a number.
    pub(crate) print: Fingerprint,
    /// For each stack its number among the directories that have one.
    order: Vec<u32>,
    /// Directory and stack, by directory.
    by_dir: Vec<(u32, StackIx)>,
    /// By directory: its stack.
    of_dir: Vec<Option<StackIx>>,
    by_path: FxHashMap<Arc<str>, StackIx>,
    /// The nearest stack above, per stack.
    parents: Vec<Option<StackIx>>,
    /// The list of each stack alone.
    alone: Vec<Arc<[UnitIx]>>,
}

#[derive(PartialEq, Eq, Hash)]
struct PlacesKey(Fingerprint);

impl Places {
    fn of(tree: &Tree, dirs: &[u32], print: Fingerprint) -> Self {
        let path = |at: &u32| {
            let dir = dirs.get(*at as usize).and_then(|d| tree.dirs.get(*d as usize));
            dir.map(|d| d.path.clone()).unwrap_or_default()
        };
        let mut order: Vec<u32> = (0u32..).zip(dirs).map(|(at, _)| at).collect();
        order.sort_by_cached_key(path);
        let of_stack = |at: &u32| dirs.get(*at as usize).copied().unwrap_or_default();
        let mut by_dir: Vec<(u32, StackIx)> = order.iter().map(of_stack).zip(0u32..).collect();
        by_dir.sort_unstable();
        let mut of_dir = vec![None; tree.dirs.len()];
        for (dir, stack) in &by_dir {
            if let Some(slot) = of_dir.get_mut(*dir as usize) {
                *slot = Some(*stack);
            }
        }
        let mut places = Self {
            print,
            by_dir,
            of_dir,
            by_path: order.iter().map(path).zip(0u32..).collect(),
            parents: Vec::new(),
            alone: (0u32..)
                .zip(dirs)
                .map(|(stack, _)| [UnitIx(stack)].into())
                .collect(),
            order,
        };
        let parents = places
            .order
            .iter()
            .map(|at| places.nearest_above(tree, of_stack(at)));
        places.parents = parents.collect();
        places
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
}

/// All stacks, in the byte order of their paths.
#[derive(Default)]
pub(crate) struct Stacks {
    pub(crate) places: Arc<Places>,
    /// Each exists.
    nodes: Vec<Arc<Option<Node>>>,
    /// Of each of them.
    marks: Vec<u8>,
}

impl Stacks {
    /// The stacks of some directories, each with the file that declares its stack.
    pub(super) fn of(input: &Input<'_>, declared: &[(u32, &Read<FileFacts>)]) -> Self {
        let (memo, world) = (input.cx.memo(), input.cx.world());
        let dirs: Vec<u32> = declared.iter().map(|(dir, _)| *dir).collect();
        let print = Fingerprint::of(&(world, dirs.as_slice()));
        let places = memo.get(PlacesKey(print), || Places::of(input.tree, &dirs, print));
        let of_stack = |at: &u32| declared.get(*at as usize).copied();
        let in_order: Vec<(u32, &Read<FileFacts>)> = places.order.iter().filter_map(of_stack).collect();
        let keys = in_order.iter().map(|(dir, read)| NodeKey {
            world,
            dir: *dir,
            file: read.file,
            shape: read.shape,
        });
        let make = |at: usize, key: &NodeKey| {
            let read = in_order.get(at).map(|(_, read)| *read);
            read.map(|read| Node::of(input, key.dir, read))
        };
        let nodes = memo
            .table::<NodeKey, Option<Node>>()
            .get_all(keys.collect(), make);
        let marks = |node: &Arc<Option<Node>>| (**node).as_ref().map_or(0, |node| node.marks);
        Self {
            marks: nodes.iter().map(marks).collect(),
            nodes,
            places,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn get(&self, stack: StackIx) -> Option<&Node> {
        self.nodes.get(stack as usize)?.as_ref().as_ref()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (StackIx, &Node)> + Clone {
        let nodes = (0u32..).zip(&self.nodes);
        nodes.filter_map(|(stack, node)| Some((stack, (**node).as_ref()?)))
    }

    /// Whether a stack has a mark.
    pub(crate) fn is_marked(&self, stack: StackIx, mark: NodeMark) -> bool {
        self.marks
            .get(stack as usize)
            .is_some_and(|marks| marks & mark as u8 != 0)
    }

    /// The stacks with a mark.
    pub(crate) fn marked(&self, mark: NodeMark) -> impl Iterator<Item = (StackIx, &Node)> {
        let marked = (0u32..).zip(&self.marks);
        let marked = marked.filter(move |(_, marks)| **marks & mark as u8 != 0);
        marked.filter_map(|(stack, _)| Some((stack, self.get(stack)?)))
    }

    /// The stack in a directory.
    pub(crate) fn at(&self, path: &str) -> Option<StackIx> {
        self.places.by_path.get(path).copied()
    }

    /// The stack in the directory of a number.
    pub(crate) fn in_dir(&self, dir: u32) -> Option<StackIx> {
        self.places.of_dir.get(dir as usize).copied().flatten()
    }

    /// The nearest stack above one, the root's included.
    pub(crate) fn parent(&self, stack: StackIx) -> Option<StackIx> {
        self.places.parents.get(stack as usize).copied().flatten()
    }

    /// The stacks of the directories numbered from `start` up to `end`, by directory.
    fn range(&self, start: u32, end: u32) -> &[(u32, StackIx)] {
        let by_dir = &self.places.by_dir;
        let from = by_dir.partition_point(|(dir, _)| *dir < start);
        let rest = by_dir.get(from..).unwrap_or_default();
        let count = rest.partition_point(|(dir, _)| *dir < end);
        rest.get(..count).unwrap_or_default()
    }

    /// The only stack of the directories numbered from `start` up to `end`.
    pub(crate) fn only_below(&self, start: u32, end: u32) -> Option<StackIx> {
        match self.range(start, end) {
            [(_, one)] => Some(*one),
            _ => None,
        }
    }

    /// The stacks of the directories numbered from `start` up to `end`, ascending.
    pub(crate) fn below(&self, start: u32, end: u32) -> Arc<[UnitIx]> {
        match self.range(start, end) {
            [] => Arc::default(),
            [(_, one)] => self.places.alone.get(*one as usize).cloned().unwrap_or_default(),
            many => {
                let mut found: Vec<UnitIx> = many.iter().map(|(_, s)| UnitIx(*s)).collect();
                found.sort_unstable();
                found.into()
            }
        }
    }

    /// The path of a stack.
    pub(crate) fn path(&self, stack: StackIx) -> Arc<str> {
        self.get(stack).map_or_else(Arc::default, |n| n.path.clone())
    }
}
