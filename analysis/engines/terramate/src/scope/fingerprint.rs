//! What the checks of a slot may read, as numbers: a slot keeps its block if none of it changed.

use std::cell::OnceCell;

use super::loading::{Experiments, generated};
use super::{MOST_RELATED, Scope};
use crate::load::tree::Dir;
use crate::model::refs::Meaning;
use crate::model::stacks::{NodeMark, StackIx};
use crate::read::Marks;
use crate::relate::cause::Cause;
use crate::relate::entries::Entry;
use applyorder_core::engine::{Cx, UnitIx, World};
use applyorder_core::layer::{Fingerprint, Mix};

/// A directory, or a set of stacks that wait for each other, with all that its checks read.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct BlockKey {
    world: World,
    slot: u32,
    seen: Fingerprint,
}

/// The slot of every set of stacks that wait for each other: their stacks are mixed in.
const CYCLE: u32 = u32::MAX;

/// The numbers of a project's slots.
pub(crate) struct Prints<'a> {
    cx: &'a Cx<'a>,
    scope: Scope<'a>,
    /// The enabled experiments.
    experiments: Fingerprint,
    /// Whether files of the experiment `tmgen` are read.
    reads_generated: bool,
    /// What is in the root directory, with what it imports.
    root: Fingerprint,
    ends_at: Option<u32>,
    /// Where stacks are, and all of their tags.
    all_tags: OnceCell<Fingerprint>,
}

impl<'a> Prints<'a> {
    pub(crate) fn new(
        cx: &'a Cx<'a>,
        scope: Scope<'a>,
        experiments: &Experiments,
        ends_at: Option<u32>,
    ) -> Self {
        let mut root = Mix::default();
        if let Some(dir) = scope.tree.dirs.first() {
            scope.model.mix(0, dir, &mut root);
        }
        root.add(&scope.model.imports(0).is_limited);
        Self {
            cx,
            scope,
            experiments: Fingerprint::of(experiments),
            reads_generated: experiments.is_on(generated::EXPERIMENT),
            root: root.finish(),
            ends_at,
            all_tags: OnceCell::new(),
        }
    }

    /// A directory and the stack in it.
    pub(crate) fn of(&self, index: u32, dir: &Dir) -> BlockKey {
        let (scope, model) = (self.scope, self.scope.model);
        let mut mix = Mix::default();
        model.mix(index, dir, &mut mix);
        for name in dir.generated.iter().filter(|_| self.reads_generated) {
            mix.add(&generated::text(self.cx, dir, name));
        }
        mix.add(&(&self.experiments, model.is_of_another_schema));
        mix.add(&(self.ends_at == Some(index)));
        if model.sources.marks(dir).has(Marks::SETTINGS | Marks::IMPORTS) {
            mix.add(&(self.root, model.imports(index).is_limited));
        }
        if let Some(stack) = scope.stacks.in_dir(index) {
            self.stack(stack, index, &mut mix);
        }
        BlockKey {
            world: self.cx.world(),
            slot: index,
            seen: mix.finish(),
        }
    }

    fn stack(&self, stack: StackIx, dir: u32, mix: &mut Mix) {
        let scope = self.scope;
        if scope.model.repeats_ids
            && let Some(node) = scope.stacks.get(stack)
            && let Some(first) = scope.first_with_id(stack, node)
        {
            mix.add(&first);
        }
        // The root is the first directory.
        if dir == 0 {
            mix.add(&(scope.stacks.len() > 1));
        }
        if scope.stacks.is_marked(stack, NodeMark::Faulty) {
            for is_order in [false, true] {
                mix.add(&scope.related.turn(stack, is_order).is_some());
            }
        }
        for (number, entry) in scope.entries.meant(stack) {
            // There are no findings about a single other stack.
            let is_plain = scope.entries.alone(entry.list).is_some_and(|one| one != stack);
            if (entry.climbs || !is_plain)
                && let Some(entry) = scope.entries.entry(stack, number)
            {
                self.entry(stack, entry, mix);
            }
        }
    }

    /// What an entry means, as far as a check uses it.
    fn entry(&self, stack: StackIx, entry: Entry<'_>, mix: &mut Mix) {
        let scope = self.scope;
        let headers = |units: &[UnitIx], mix: &mut Mix| {
            for unit in units.iter().take(MOST_RELATED) {
                mix.add(&(unit, scope.header(unit.0)));
            }
        };
        if entry.targets.is_empty() {
            // What it may have been meant to be is searched everywhere.
            mix.add(&(0u8, scope.model.unknowns.may_hold_more, self.all_tags()));
        } else if entry.attribute.orders() && entry.targets.binary_search(&UnitIx(stack)).is_ok() {
            mix.add(&(
                1u8,
                self.all_tags(),
                &scope.related.cycle,
                scope.related.cause,
                scope.rejects_entries(true),
            ));
            mix.add(&**entry.targets);
            if let Meaning::Directory { path, .. } = &entry.meaning {
                mix.add(&scope.stacks.at(path).and_then(|above| scope.header(above)));
            }
        } else if !entry.besides.is_empty() {
            mix.add(&(2u8, entry.besides));
            headers(entry.besides, mix);
        }
        if matches!(entry.meaning, Meaning::Directory { climbs: true, .. }) {
            mix.add(&(3u8, entry.targets.len()));
            headers(entry.targets, mix);
        }
    }

    fn all_tags(&self) -> Fingerprint {
        *self.all_tags.get_or_init(|| {
            let stacks = self.scope.stacks;
            let mut mix = Mix::default();
            mix.add(&stacks.places.print);
            for (_, node) in stacks.iter() {
                mix.add(&node.tag_names);
            }
            mix.finish()
        })
    }

    /// A set of stacks that wait for each other.
    pub(crate) fn of_set(&self, set: usize, members: &[StackIx]) -> BlockKey {
        let scope = self.scope;
        let mut mix = Mix::default();
        mix.add(members);
        mix.add(&(scope.stacks.places.print, &scope.related.cycle));
        mix.add(&(scope.related.cause == Some(Cause::Set(set))));
        mix.add(&(scope.related.is_limited(), scope.rejects_entries(true)));
        for stack in members {
            // All their contents, and the stacks that they mean.
            let node = scope.stacks.get(*stack);
            mix.add(&node.map(|n| (n.file, n.shape)));
            for entry in scope.entries.of(*stack) {
                mix.add(&**entry.targets);
            }
        }
        BlockKey {
            world: self.cx.world(),
            slot: CYCLE,
            seen: mix.finish(),
        }
    }
}
