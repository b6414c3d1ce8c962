//! Which stacks each entry means.

use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::engines::UnitIx;
use crate::engines::terramate::load::tree::Tree;
use crate::engines::terramate::model::Model;
use crate::engines::terramate::model::refs::{Meaning, Written};
use crate::engines::terramate::model::stacks::{Node, StackIx, Stacks};
use crate::engines::terramate::model::tags::Filter;

/// An entry and the stacks it means. Entries that mean the same share the list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    written: Written,
    /// Ascending.
    pub(crate) targets: Arc<[UnitIx]>,
}

impl Deref for Entry {
    type Target = Written;

    fn deref(&self) -> &Written {
        &self.written
    }
}

/// The lists of stacks of a project, each made once.
pub(super) struct Lists<'a> {
    tree: &'a Tree,
    stacks: &'a Stacks,
    below: FxHashMap<&'a str, Arc<[UnitIx]>>,
    tagged: FxHashMap<&'a Filter, Arc<[UnitIx]>>,
    /// The stacks that carry a tag, ascending.
    carriers: Option<FxHashMap<&'a str, Vec<StackIx>>>,
}

impl<'a> Lists<'a> {
    fn new(model: &'a Model) -> Self {
        Self {
            tree: &model.loaded.tree,
            stacks: &model.stacks,
            below: FxHashMap::default(),
            tagged: FxHashMap::default(),
            carriers: None,
        }
    }

    /// The stacks that an entry means, ascending.
    fn of(&mut self, meaning: &'a Meaning) -> Arc<[UnitIx]> {
        match meaning {
            Meaning::Directory { path, .. } => {
                let (tree, stacks) = (self.tree, self.stacks);
                let list = self.below.entry(path).or_insert_with(|| {
                    let found = tree.at(path);
                    found.map_or_else(Arc::default, |(start, dir)| stacks.below(start, dir.end))
                });
                list.clone()
            }
            Meaning::Tags(filter) => {
                if let Some(list) = self.tagged.get(filter) {
                    return list.clone();
                }
                let list = self.matching(filter);
                self.tagged.insert(filter, list.clone());
                list
            }
            _ => Arc::default(),
        }
    }

    /// The stacks at and below those that match a filter.
    fn matching(&mut self, filter: &Filter) -> Arc<[UnitIx]> {
        let stacks = self.stacks;
        let carriers = self.carriers.get_or_insert_with(|| carriers(stacks));
        let mut all: Vec<UnitIx> = Vec::new();
        for (first, rest) in filter.groups() {
            for stack in carriers.get(first).into_iter().flatten() {
                let node = stacks.get(*stack);
                let matches = |node: &&Node| rest.iter().all(|tag| node.tags.iter().any(|t| **t == **tag));
                let Some(node) = node.filter(matches) else {
                    continue;
                };
                let end = self.tree.dirs.get(node.dir as usize).map_or(node.dir, |d| d.end);
                all.extend(stacks.below(node.dir, end).iter());
            }
        }
        all.sort_unstable();
        all.dedup();
        all.into()
    }
}

fn carriers(stacks: &Stacks) -> FxHashMap<&str, Vec<StackIx>> {
    let mut carriers: FxHashMap<&str, Vec<StackIx>> = FxHashMap::default();
    for (stack, node) in stacks.iter() {
        for tag in node.tags.iter() {
            carriers.entry(tag).or_default().push(stack);
        }
    }
    carriers
}

/// The entries of each stack.
pub(super) fn entries(model: &Model) -> Vec<Arc<Vec<Entry>>> {
    let mut lists = Lists::new(model);
    let pieces = model.pieces.iter();
    pieces
        .map(|piece| {
            let entries = piece.written.iter().map(|written| Entry {
                targets: lists.of(&written.meaning),
                written: written.clone(),
            });
            Arc::new(entries.collect())
        })
        .collect()
}
