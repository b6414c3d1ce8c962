//! The findings of a project, file by file, shared between one state of it and the next.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, FileId};

/// The findings whose place is in one file.
#[derive(Debug, Default)]
struct Block {
    diagnostics: Vec<Diagnostic>,
    /// The other files they speak of.
    speaks_of: Vec<FileId>,
}

impl Block {
    fn new(diagnostics: Vec<Diagnostic>) -> Self {
        let mut speaks_of: Vec<FileId> = diagnostics
            .iter()
            .flat_map(|d| {
                let others = d.related.iter().map(|r| r.place.file);
                others.filter(|file| *file != d.place.file)
            })
            .collect();
        speaks_of.sort_unstable();
        speaks_of.dedup();
        Self {
            diagnostics,
            speaks_of,
        }
    }
}

/// The blocks that stand apart before they are put together.
const APART: usize = 64;

/// The findings of a project. A copy that differs in the findings of some files costs those files.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// By file; no block is empty.
    blocks: Arc<FxHashMap<FileId, Arc<Block>>>,
    /// What stands instead of some of them; `None` = nothing.
    instead: FxHashMap<FileId, Option<Arc<Block>>>,
    /// The files whose findings are not adjusted to the configuration yet.
    fresh: Vec<FileId>,
}

impl From<Vec<Diagnostic>> for Findings {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        let mut by_file: FxHashMap<FileId, Vec<Diagnostic>> = FxHashMap::default();
        for d in diagnostics {
            by_file.entry(d.place.file).or_default().push(d);
        }
        let fresh = by_file.keys().copied().collect();
        let block = |(file, found)| (file, Arc::new(Block::new(found)));
        Self {
            blocks: Arc::new(by_file.into_iter().map(block).collect()),
            instead: FxHashMap::default(),
            fresh,
        }
    }
}

impl Findings {
    fn block(&self, file: FileId) -> Option<&Arc<Block>> {
        match self.instead.get(&file) {
            Some(block) => block.as_ref(),
            None => self.blocks.get(&file),
        }
    }

    fn blocks(&self) -> impl Iterator<Item = (FileId, &Arc<Block>)> {
        let kept = self.blocks.iter().filter(|(f, _)| !self.instead.contains_key(f));
        let instead = self.instead.iter().filter_map(|(f, b)| Some((f, b.as_ref()?)));
        kept.chain(instead).map(|(file, block)| (*file, block))
    }

    /// The findings whose place is in a file, in the engine's order.
    #[must_use]
    pub fn of(&self, file: FileId) -> &[Diagnostic] {
        self.block(file).map_or(&[], |b| &b.diagnostics)
    }

    /// The files that have findings, in no order.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        self.blocks().map(|(file, _)| file)
    }

    /// Every finding, those of one file together.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        let mut blocks: Vec<(FileId, &Arc<Block>)> = self.blocks().collect();
        blocks.sort_unstable_by_key(|(file, _)| *file);
        blocks.into_iter().flat_map(|(_, b)| &b.diagnostics)
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks().next().is_none()
    }

    /// The files whose findings speak of places in another file.
    pub fn speaking_of(&self, file: FileId) -> impl Iterator<Item = FileId> {
        let speaks = move |block: &Block| block.speaks_of.binary_search(&file).is_ok();
        self.blocks()
            .filter(move |(_, block)| speaks(block))
            .map(|(file, _)| file)
    }

    /// The same, but for the findings of some files.
    #[must_use]
    pub fn with(&self, changed: impl IntoIterator<Item = (FileId, Vec<Diagnostic>)>) -> Self {
        let mut next = self.clone();
        next.fresh.clear();
        for (file, found) in changed {
            let block = (!found.is_empty()).then(|| Arc::new(Block::new(found)));
            if block.is_some() || next.block(file).is_some() {
                next.instead.insert(file, block);
                next.fresh.push(file);
            }
        }
        if next.instead.len() > APART {
            let together = next.blocks().map(|(file, block)| (file, block.clone())).collect();
            next.blocks = Arc::new(together);
            next.instead.clear();
        }
        next
    }

    /// Adjusts what was not adjusted yet; `None` drops a finding.
    #[must_use]
    pub fn adjusted(mut self, adjust: impl Fn(Diagnostic) -> Option<Diagnostic>) -> Self {
        let fresh = std::mem::take(&mut self.fresh);
        if fresh.len() == self.blocks.len() && self.instead.is_empty() {
            let all = Arc::unwrap_or_clone(self.blocks).into_values();
            let own = |block: Arc<Block>| match Arc::try_unwrap(block) {
                Ok(block) => block.diagnostics,
                Err(shared) => shared.diagnostics.clone(),
            };
            let mut next = Self::from(all.flat_map(own).filter_map(adjust).collect::<Vec<_>>());
            next.fresh.clear();
            return next;
        }
        let changed: Vec<(FileId, Vec<Diagnostic>)> = fresh
            .into_iter()
            .map(|file| {
                let found = self.of(file).iter().cloned();
                (file, found.filter_map(&adjust).collect())
            })
            .collect();
        let mut next = self.with(changed);
        next.fresh.clear();
        next
    }

    /// The files whose findings differ.
    pub fn differences<'a>(&'a self, old: &'a Self) -> impl Iterator<Item = FileId> + 'a {
        let all = !Arc::ptr_eq(&self.blocks, &old.blocks);
        let candidates: Vec<FileId> = if all {
            self.files().chain(old.files()).collect()
        } else {
            self.instead.keys().chain(old.instead.keys()).copied().collect()
        };
        candidates.into_iter().filter(move |file| {
            let (new, old) = (self.block(*file), old.block(*file));
            match (new, old) {
                (Some(new), Some(old)) => !Arc::ptr_eq(new, old) && new.diagnostics != old.diagnostics,
                (None, None) => false,
                _ => true,
            }
        })
    }
}
