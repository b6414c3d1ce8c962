//! What the parse of a changed text reuses from an earlier tree: whole documents, items and main pieces whose
//! text is the same. As all of them depend only on their text, the result is that of a parse from scratch.

use std::ops::Range;
use std::sync::Arc;

use super::document::Memo;
use super::tree::{DocRef, Piece, Tree};

/// An earlier tree, and where a new text differs from its text.
pub(super) struct Earlier<'t> {
    tree: &'t Tree,
    /// Bytes that both texts begin with.
    prefix: usize,
    /// Bytes that both texts end with.
    suffix: usize,
    new_len: usize,
    /// The offset of the chunk being parsed in the new text.
    base: usize,
    /// The document and item found last; usually the next one is requested next.
    last: (usize, usize),
}

impl<'t> Earlier<'t> {
    pub(super) fn new(tree: &'t Tree, text: &str) -> Self {
        let (old, new) = (tree.text().as_bytes(), text.as_bytes());
        let prefix = common_prefix(old, new);
        let rest = |all: &'t [u8]| all.get(prefix..).unwrap_or(&[]);
        let suffix = common_suffix(rest(old), new.get(prefix..).unwrap_or(&[]));
        Self {
            tree,
            prefix,
            suffix,
            new_len: new.len(),
            base: 0,
            last: (0, 0),
        }
    }

    /// Where a range of the new text was in the old one, if it was there.
    fn before(&self, range: &Range<usize>) -> Option<usize> {
        if range.end <= self.prefix {
            Some(range.start)
        } else if range.start >= self.new_len - self.suffix {
            Some(range.start + self.tree.text().len() - self.new_len)
        } else {
            None
        }
    }

    /// The documents of a chunk of the new text if it is unchanged. `first` as in the new text.
    pub(super) fn documents(&self, chunk: &Range<usize>, first: bool) -> Option<&'t [DocRef]> {
        let start = self.before(chunk)?;
        let docs = &self.tree.docs;
        let from = docs.partition_point(|d| (d.base as usize) < start);
        let found = docs
            .get(from)
            .filter(|d| d.chunk && d.base as usize == start && first == (from == 0))?;
        let more = docs.get(from + 1..)?.iter().take_while(|d| !d.chunk).count();
        let end = docs
            .get(from + 1 + more)
            .map_or(self.tree.text().len(), |d| d.base as usize);
        (end - found.base as usize == chunk.len())
            .then(|| docs.get(from..=from + more))
            .flatten()
    }
}

impl Memo for Earlier<'_> {
    fn start(&mut self, at: usize) {
        self.base = at;
    }

    fn item(&mut self, chunk: Range<usize>) -> Option<Arc<Piece>> {
        let len = chunk.len();
        let start = self.before(&(chunk.start + self.base..chunk.end + self.base))?;
        let docs = &self.tree.docs;
        let (mut slot, mut idx) = self.last;
        let holds = |slot: usize, idx: usize| {
            let doc = docs.get(slot)?;
            let item = doc.doc.items.get(idx)?;
            (doc.base as usize + item.offset as usize == start).then_some(item)
        };
        if holds(slot, idx + 1).is_some() {
            idx += 1;
        } else {
            slot = docs
                .partition_point(|d| d.base as usize <= start)
                .checked_sub(1)?;
            let doc = docs.get(slot)?;
            idx = doc
                .doc
                .items
                .partition_point(|i| (doc.base as usize + i.offset as usize) < start);
        }
        let item = holds(slot, idx)?;
        self.last = (slot, idx);
        (item.piece.len as usize == len).then(|| item.piece.clone())
    }

    fn main(&mut self, text: &str) -> Option<Arc<Piece>> {
        let start = self.before(&(self.base..self.base))?;
        let at = self
            .tree
            .docs
            .binary_search_by_key(&start, |d| d.base as usize)
            .ok()?;
        self.tree.docs.get(at)?.doc.main_of(text)
    }
}

/// The length of the common prefix.
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let blocks = a
        .chunks_exact(BLOCK)
        .zip(b.chunks_exact(BLOCK))
        .take_while(|(a, b)| a == b)
        .count()
        * BLOCK;
    let rest = a.iter().skip(blocks).zip(b.iter().skip(blocks));
    blocks + rest.take_while(|(a, b)| a == b).count()
}

/// The length of the common suffix.
fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let blocks = a
        .rchunks_exact(BLOCK)
        .zip(b.rchunks_exact(BLOCK))
        .take_while(|(a, b)| a == b)
        .count()
        * BLOCK;
    let rest = a.iter().rev().skip(blocks).zip(b.iter().rev().skip(blocks));
    blocks + rest.take_while(|(a, b)| a == b).count()
}
