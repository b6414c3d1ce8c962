//! Which stacks each entry means.

use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::Model;
use crate::model::refs::{Meaning, Written};
use crate::model::stacks::{Node, StackIx, Stacks};
use crate::model::tags::Filter;
use crate::read::Attribute;
use applyorder_core::engine::UnitIx;
use applyorder_core::layer::{Fingerprint, Memo, Mix, Sym};

/// The stacks that entries mean. Entries that mean the same share it.
#[derive(Default)]
pub(crate) struct List {
    /// Ascending.
    pub(crate) targets: Arc<[UnitIx]>,
    /// Those that do not match the filter themselves, but are nested in one that does.
    pub(crate) besides: Box<[UnitIx]>,
}

/// The entries of all stacks: which list each means.
#[derive(Default)]
pub(crate) struct Entries {
    stacks: Arc<Stacks>,
    /// The empty list, and the list with only one stack, for each stack: its number is the stack's plus one.
    alone: Arc<Vec<List>>,
    /// Those after them.
    lists: Vec<Arc<List>>,
    /// The number of each stack's first entry among all of the project, and of all.
    first: Vec<u32>,
    /// Each entry, in the form of numbers.
    meant: Vec<Meant>,
}

/// An entry as numbers, for a pass over all of them.
#[derive(Clone, Copy)]
pub(crate) struct Meant {
    pub(crate) attribute: Attribute,
    /// Whether its path goes above the root.
    pub(crate) climbs: bool,
    /// The number of the list.
    pub(crate) list: u32,
}

/// An entry and the stacks it means.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    written: &'a Written,
    pub(crate) targets: &'a Arc<[UnitIx]>,
    /// See [`List::besides`].
    pub(crate) besides: &'a [UnitIx],
    /// Its number among all entries of the project.
    pub(crate) number: u32,
}

impl<'a> Entry<'a> {
    /// The text of the entry.
    pub(crate) const fn written(&self) -> &'a Written {
        self.written
    }
}

impl Deref for Entry<'_> {
    type Target = Written;

    fn deref(&self) -> &Written {
        self.written
    }
}

impl Entries {
    /// Finds what all entries mean.
    pub(super) fn of_project(model: &Model, memo: &Memo) -> Self {
        let stacks = &model.stacks;
        let mut lists = Lists::new(model, memo);
        let mut first = Vec::with_capacity(stacks.len() + 1);
        let mut meant: Vec<Meant> = Vec::with_capacity(stacks.len() * 3);
        for (_, node) in stacks.iter() {
            first.push(count(meant.len()));
            meant.extend(node.written.iter().map(|written| Meant {
                attribute: written.attribute,
                climbs: matches!(written.meaning, Meaning::Directory { climbs: true, .. }),
                list: lists.of(&written.meaning),
            }));
        }
        first.push(count(meant.len()));
        Self {
            stacks: stacks.clone(),
            alone: lists.alone,
            lists: lists.lists,
            first,
            meant,
        }
    }

    /// How many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.meant.len()
    }

    /// How many lists there are.
    pub(crate) fn lists(&self) -> usize {
        self.alone.len() + self.lists.len()
    }

    fn list(&self, number: u32) -> Option<&List> {
        let at = number as usize;
        let others = || self.lists.get(at.checked_sub(self.alone.len())?);
        self.alone.get(at).or_else(|| others().map(|list| &**list))
    }

    /// How many stacks there are.
    pub(crate) fn stacks(&self) -> u32 {
        count(self.stacks.len())
    }

    /// The number of a stack's first entry.
    pub(crate) fn first(&self, stack: StackIx) -> u32 {
        self.first.get(stack as usize).copied().unwrap_or_default()
    }

    /// The entries of a stack as numbers, in the order of its lists, with their own.
    pub(crate) fn meant(&self, stack: StackIx) -> impl Iterator<Item = (u32, Meant)> + '_ {
        let first = self.first(stack);
        let end = self.first.get(stack as usize + 1).copied().unwrap_or(first);
        let meant = self.meant.get(first as usize..end as usize);
        (first..).zip(meant.unwrap_or_default().iter().copied())
    }

    /// Whether some entry is in one of some lists.
    pub(crate) fn has(&self, is_in: impl Fn(Attribute) -> bool) -> bool {
        self.meant.iter().any(|meant| is_in(meant.attribute))
    }

    /// The stacks of a list.
    pub(crate) fn targets(&self, list: u32) -> &[UnitIx] {
        self.list(list).map_or(&[], |list| &list.targets)
    }

    /// The only stack of a list, if its number shows that it contains only one stack.
    pub(crate) fn alone(&self, list: u32) -> Option<StackIx> {
        list.checked_sub(1).filter(|stack| *stack < self.stacks())
    }

    /// Whether a stack is in a list.
    pub(crate) fn contains(&self, list: u32, stack: StackIx) -> bool {
        match self.alone(list) {
            Some(one) => one == stack,
            None => self.targets(list).binary_search(&UnitIx(stack)).is_ok(),
        }
    }

    /// The entry of a stack with this number.
    pub(crate) fn entry(&self, stack: StackIx, number: u32) -> Option<Entry<'_>> {
        let at = number.checked_sub(self.first(stack))?;
        let written = self.stacks.get(stack)?.written.get(at as usize)?;
        self.known(number, written, self.meant.get(number as usize)?)
    }

    fn known<'a>(&'a self, number: u32, written: &'a Written, meant: &Meant) -> Option<Entry<'a>> {
        let known = self.list(meant.list)?;
        Some(Entry {
            written,
            targets: &known.targets,
            besides: &known.besides,
            number,
        })
    }

    /// The entries of a stack, in the order of its lists.
    pub(crate) fn of(&self, stack: StackIx) -> impl Iterator<Item = Entry<'_>> + Clone {
        let written = self.stacks.get(stack).map_or(&[][..], |n| &n.written);
        let first = self.first(stack);
        let meant = self.meant.get(first as usize..).unwrap_or_default();
        (first..)
            .zip(written)
            .zip(meant)
            .filter_map(|((number, written), meant)| self.known(number, written, meant))
    }

    /// The entries of all stacks, with the stacks.
    #[cfg(test)]
    pub(crate) fn all(&self) -> impl Iterator<Item = (StackIx, Entry<'_>)> {
        (0..self.stacks()).flat_map(|stack| self.of(stack).map(move |entry| (stack, entry)))
    }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// The list of a directory depends on where stacks are; that of a filter also on which stacks have its tags.
#[derive(PartialEq, Eq, Hash)]
enum ListKey {
    Below(Fingerprint, u32),
    Tagged(Fingerprint),
}

/// See [`Entries::alone`].
#[derive(PartialEq, Eq, Hash)]
struct AloneKey(Fingerprint);

fn alone(stacks: &Stacks) -> Vec<List> {
    let of_stack = |(_, node): (StackIx, &Node)| List {
        targets: stacks.below(node.dir, node.dir + 1),
        besides: Box::default(),
    };
    let lists = stacks.iter().map(of_stack);
    std::iter::once(List::default()).chain(lists).collect()
}

/// The lists of a project, each made once.
struct Lists<'a> {
    model: &'a Model,
    memo: &'a Memo,
    alone: Arc<Vec<List>>,
    lists: Vec<Arc<List>>,
    /// By the number of the directory; 0 if the list is still missing.
    below: Vec<u32>,
    tagged: FxHashMap<Sym, u32>,
}

impl<'a> Lists<'a> {
    fn new(model: &'a Model, memo: &'a Memo) -> Self {
        Self {
            model,
            memo,
            alone: memo.get(AloneKey(model.stacks.places.print), || alone(&model.stacks)),
            lists: Vec::new(),
            below: vec![0; model.loaded.tree.dirs.len()],
            tagged: FxHashMap::default(),
        }
    }

    fn push(&mut self, list: Arc<List>) -> u32 {
        if list.targets.is_empty() {
            return 0;
        }
        self.lists.push(list);
        count(self.alone.len() + self.lists.len() - 1)
    }

    fn of(&mut self, meaning: &Meaning) -> u32 {
        match meaning {
            Meaning::Directory { dir, .. } => {
                let known = self.below.get(*dir as usize).copied().unwrap_or_default();
                if known > 0 {
                    return known;
                }
                let made = self.below(*dir);
                if let Some(slot) = self.below.get_mut(*dir as usize) {
                    *slot = made;
                }
                made
            }
            Meaning::Tags(filter, name) => {
                if let Some(known) = self.tagged.get(name) {
                    return *known;
                }
                let made = self.matching(filter);
                self.tagged.insert(*name, made);
                made
            }
            _ => 0,
        }
    }

    fn below(&mut self, dir: u32) -> u32 {
        let (tree, stacks) = (&self.model.loaded.tree, &self.model.stacks);
        let end = tree.dirs.get(dir as usize).map_or(dir, |d| d.end);
        if let Some(one) = stacks.only_below(dir, end) {
            return one + 1;
        }
        let list = || List {
            targets: stacks.below(dir, end),
            besides: Box::default(),
        };
        let list = self.memo.get(ListKey::Below(stacks.places.print, dir), list);
        self.push(list)
    }

    /// The stacks at and below those that match a filter.
    fn matching(&mut self, filter: &Filter) -> u32 {
        let names = self.memo.names();
        let carriers = |tag: &str| {
            names
                .find(tag)
                .map_or(&[][..], |name| self.model.tags.units(name))
        };
        let mut mix = Mix::default();
        mix.add(&self.model.stacks.places.print);
        for (first, rest) in filter.groups() {
            mix.add(carriers(first));
            for tag in rest {
                mix.add(carriers(tag));
            }
            mix.add(&rest.len());
        }
        let make = || {
            let mut matching: Vec<StackIx> = Vec::new();
            for (first, rest) in filter.groups() {
                let has =
                    |stack: &&StackIx| rest.iter().all(|tag| carriers(tag).binary_search(stack).is_ok());
                matching.extend(carriers(first).iter().filter(has));
            }
            matching.sort_unstable();
            matching.dedup();
            self.at_and_below(&matching)
        };
        let list = self.memo.get(ListKey::Tagged(mix.finish()), make);
        self.push(list)
    }

    fn at_and_below(&self, matching: &[StackIx]) -> List {
        let (tree, stacks) = (&self.model.loaded.tree, &self.model.stacks);
        let mut all: Vec<UnitIx> = Vec::new();
        for node in matching.iter().filter_map(|stack| stacks.get(*stack)) {
            let end = tree.dirs.get(node.dir as usize).map_or(node.dir, |d| d.end);
            all.extend(stacks.below(node.dir, end).iter());
        }
        all.sort_unstable();
        all.dedup();
        let besides = all.iter().filter(|unit| matching.binary_search(&unit.0).is_err());
        List {
            besides: besides.copied().collect(),
            targets: all.into(),
        }
    }
}
