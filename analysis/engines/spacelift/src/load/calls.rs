//! What the calls of a module come from, where its files are merged.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::read::{BlockFacts, BlockKind};

/// The calls in the order of reading, each with its name and its source, where that is a literal text.
#[derive(Default)]
pub(super) struct Calls {
    pub(super) all: Vec<(Arc<str>, Option<Arc<str>>)>,
    by_name: BTreeMap<Arc<str>, usize>,
}

impl Calls {
    /// Adds a block, or lets it override an earlier one: its `source` then takes the place of the other.
    pub(super) fn add(&mut self, block: &BlockFacts, is_override: bool) {
        let Some((name, _)) = block.labels.first().filter(|_| block.kind == BlockKind::Module) else {
            return;
        };
        if !is_override {
            self.by_name.entry(name.clone()).or_insert(self.all.len());
            self.all.push((name.clone(), block.source.clone()));
            return;
        }
        let overridden = self.by_name.get(name).and_then(|at| self.all.get_mut(*at));
        if let Some((_, source)) = overridden.filter(|_| block.attribute("source").is_some()) {
            source.clone_from(&block.source);
        }
    }
}
