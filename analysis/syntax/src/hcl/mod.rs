//! HCL native syntax: a tolerant parser that gives a flat tree with byte spans.
//!
//! [`parse`] never fails. A file is split into chunks, one for each top-level attribute or block; each chunk is
//! parsed strictly, and only if that fails by indentation, so that a half-typed line affects that line and not
//! the file. [`Tree::reparse`] reads only the chunks that an edit touched.
//!
//! Grammar: the HCL native syntax specification; where that is not specific, HCL's own parser in Go.

mod arena;
mod cursor;
mod decimal;
pub mod edit;
pub mod eval;
mod grammar;
mod lex;
mod recover;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use arena::{BinaryOp, Comment, SyntaxError, SyntaxErrorKind, UnaryOp};
pub use cursor::{
    Attribute, Block, Body, Call, Expr, ExprKind, Exprs, For, Item, Label, NodeRef, Object, ObjectItem,
    ObjectKey, Template, TemplatePart, TemplateParts,
};
pub use lex::is_identifier;

use crate::text::Span;
use arena::{Builder, Chunk, Data, MAX_ERRORS};
use grammar::Failure;
use lex::{Absent, lex_item};

/// A parsed file. Cheap to clone: the chunks are shared.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    chunks: Vec<Placed>,
    /// Length of the text in bytes.
    len: u32,
    /// Errors that are not in a chunk: one attribute set twice at the top of the file.
    errors: Vec<SyntaxError>,
    /// The limit of ours that ended the parse, if it is not the number of errors.
    limit: Option<SyntaxError>,
}

/// A chunk and where it starts.
#[derive(Clone, Debug)]
struct Placed {
    start: u32,
    chunk: Arc<Chunk>,
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len
            && self.errors == other.errors
            && self.limit == other.limit
            && self.chunks.len() == other.chunks.len()
            && self
                .chunks
                .iter()
                .zip(&other.chunks)
                .all(|(a, b)| a.start == b.start && (Arc::ptr_eq(&a.chunk, &b.chunk) || a.chunk == b.chunk))
    }
}

const BOM: &str = "\u{feff}";

/// The largest text that is read. A tree takes about thirty times as much memory.
const MAX_TEXT: usize = 16 * 1024 * 1024;

/// The maximum number of attributes and blocks at the top of a file, each of which is a chunk.
const MAX_CHUNKS: usize = 200_000;

/// Parses a file. Every input gives a tree; its errors are in [`Tree::errors`].
#[must_use]
pub fn parse(text: &str) -> Tree {
    Tree::default().reparse(text)
}

impl Tree {
    /// Parses a new version of the text; the result equals that of [`parse`]. What an edit did not touch is
    /// taken from this tree.
    #[must_use]
    pub fn reparse(&self, text: &str) -> Tree {
        let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let Ok(len) = u32::try_from(text.len()) else {
            return Tree {
                chunks: Vec::new(),
                len: u32::MAX,
                errors: Vec::new(),
                limit: Some(too_large()),
            };
        };
        if text.len() > MAX_TEXT {
            let mut tree = Tree {
                len,
                limit: Some(too_large()),
                ..Tree::default()
            };
            tree.leave_unread(text, start);
            return tree;
        }
        let old = Old::new(self, text);
        let mut tree = Tree {
            chunks: Vec::with_capacity(self.chunks.len() + 1),
            len,
            errors: Vec::new(),
            limit: None,
        };
        let mut room = Room::default();
        let mut at = start;
        for placed in old.unchanged_before(start).unwrap_or_default() {
            at = placed.end();
            room.take(&placed.chunk);
            tree.chunks.push(placed.clone());
        }
        let mut absent = Absent::default();
        while at < text.len() {
            if room.is_full() {
                tree.limit = room.limit(at);
                tree.leave_unread(text, at);
                break;
            }
            if let Some((kept, by)) = old.unchanged_after(at) {
                for placed in kept.iter().take_while(|p| !p.chunk.unread) {
                    if room.is_full() {
                        break;
                    }
                    room.take(&placed.chunk);
                    at += placed.chunk.text.len();
                    tree.chunks.push(Placed {
                        start: u32::try_from(i64::from(placed.start) + by).unwrap_or(placed.start),
                        chunk: Arc::clone(&placed.chunk),
                    });
                }
                if !kept.first().is_none_or(|p| p.chunk.unread) {
                    continue;
                }
            }
            let chunk = parse_chunk(text.get(at..).unwrap_or(""), absent.starting_at(at));
            let length = chunk.text.len().max(1);
            room.take(&chunk);
            tree.chunks.push(Placed {
                start: u32::try_from(at).unwrap_or(u32::MAX),
                chunk: Arc::new(chunk),
            });
            at += length;
        }
        tree.errors = tree.duplicate_top_level_attributes();
        tree
    }

    /// Releases unused capacity in chunks that no other tree shares: for callers that keep the tree.
    pub fn shrink(&mut self) {
        self.chunks.shrink_to_fit();
        for placed in &mut self.chunks {
            if let Some(chunk) = Arc::get_mut(&mut placed.chunk) {
                chunk.shrink();
            }
        }
    }

    /// Ends the tree and leaves all of the text from `at` on unread.
    fn leave_unread(&mut self, text: &str, at: usize) {
        let rest = text.get(at..).unwrap_or("");
        self.chunks.push(Placed {
            start: u32::try_from(at).unwrap_or(u32::MAX),
            chunk: Arc::new(Chunk {
                text: rest.into(),
                skipped: vec![Span::from_usize(0, rest.len())],
                unread: true,
                examined: u32::MAX,
                ..Chunk::default()
            }),
        });
    }

    fn duplicate_top_level_attributes(&self) -> Vec<SyntaxError> {
        let mut first: FxHashMap<&str, Span> = FxHashMap::default();
        let mut errors = Vec::new();
        for placed in &self.chunks {
            for id in &placed.chunk.items {
                if let Data::Attribute { name, .. } = &placed.chunk.node(*id).data {
                    let span = name.shifted(placed.start);
                    match first.entry(name.slice(&placed.chunk.text)) {
                        std::collections::hash_map::Entry::Occupied(_) if errors.len() > MAX_ERRORS => {
                            return errors;
                        }
                        std::collections::hash_map::Entry::Occupied(known) => {
                            errors.push(duplicate_attribute(known.key(), span, *known.get()));
                        }
                        std::collections::hash_map::Entry::Vacant(new) => {
                            new.insert(span);
                        }
                    }
                }
            }
        }
        errors
    }

    /// The errors in the text, in text order; if there are too many, the first of them, followed by one of kind
    /// [`SyntaxErrorKind::Limit`].
    #[must_use]
    pub fn errors(&self) -> Vec<SyntaxError> {
        let mut all: Vec<SyntaxError> = self.errors.clone();
        for placed in &self.chunks {
            all.extend(placed.chunk.errors.iter().map(|e| e.shifted(placed.start)));
        }
        all.sort_by_key(|e| (e.span.start, e.span.end));
        if all.len() > MAX_ERRORS {
            all.truncate(MAX_ERRORS);
            let end = all.last().map_or(0, |e| e.span.end);
            let message = format!("more than {MAX_ERRORS} errors in this file");
            all.push(SyntaxError::past(Span::at(end), message));
        }
        all.extend(self.limit.clone());
        all
    }

    /// Whether the text is without error.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.limit.is_none()
            && self.errors.is_empty()
            && self.chunks.iter().all(|p| p.chunk.errors.is_empty())
    }

    /// The ranges that could not be read and are in the tree only as [`ExprKind::Broken`] or not at all. Their
    /// content is unknown.
    #[must_use]
    pub fn skipped(&self) -> Vec<Span> {
        let all = self.chunks.iter();
        all.flat_map(|p| p.chunk.skipped.iter().map(|s| s.shifted(p.start)))
            .collect()
    }

    /// Whether some text that could not be read is in `span`.
    #[must_use]
    pub fn has_gap(&self, span: Span) -> bool {
        self.chunks_in(span).any(|p| {
            p.chunk.skipped.iter().any(|s| {
                let s = s.shifted(p.start);
                s.overlaps(span) || span.contains(s)
            })
        })
    }

    /// All comments, in text order.
    #[must_use]
    pub fn comments(&self) -> Vec<Comment> {
        let all = self.chunks.iter();
        all.flat_map(|p| {
            p.chunk.comments.iter().map(|c| Comment {
                span: c.span.shifted(p.start),
            })
        })
        .collect()
    }

    /// The file's top-level body.
    #[must_use]
    pub fn body(&self) -> Body<'_> {
        Body::of_file(self)
    }

    /// Length of the text in bytes.
    #[must_use]
    pub fn text_len(&self) -> u32 {
        self.len
    }

    /// The chunks that share at least one position with `span`.
    fn chunks_in(&self, span: Span) -> impl Iterator<Item = &Placed> {
        let first = self.chunks.partition_point(|p| p.end() < span.start as usize);
        self.chunks
            .iter()
            .skip(first)
            .take_while(move |p| p.start <= span.end)
    }
}

/// How much of a file's limits the chunks read so far have used.
#[derive(Default)]
struct Room {
    chunks: usize,
    errors: usize,
}

impl Room {
    fn take(&mut self, chunk: &Chunk) {
        self.chunks += 1;
        self.errors += chunk.errors.len();
    }

    fn is_full(&self) -> bool {
        self.chunks >= MAX_CHUNKS || self.errors > MAX_ERRORS
    }

    /// The error about the limit at `at`; the number of errors is included.
    fn limit(&self, at: usize) -> Option<SyntaxError> {
        let span = Span::at(u32::try_from(at).unwrap_or(u32::MAX));
        let message = format!("more than {MAX_CHUNKS} attributes and blocks at the top of this file");
        (self.errors <= MAX_ERRORS).then(|| SyntaxError::past(span, message))
    }
}

fn too_large() -> SyntaxError {
    let message = format!("the file is larger than {} MiB", MAX_TEXT >> 20);
    SyntaxError::past(Span::at(0), message)
}

impl Placed {
    fn end(&self) -> usize {
        self.start as usize + self.chunk.text.len()
    }
}

/// The parts of a tree that an edit did not change.
struct Old<'a> {
    chunks: &'a [Placed],
    /// Bytes that old and new text share at their start.
    prefix: usize,
    /// From this offset on the new text is the end of the old one.
    suffix_start: usize,
    /// New length minus old length.
    by: i64,
}

impl<'a> Old<'a> {
    fn new(tree: &'a Tree, text: &str) -> Self {
        let chunks = tree.chunks.as_slice();
        let first = chunks.first().map_or(0, |p| p.start as usize);
        // An added or removed byte-order mark moves everything; then nothing is shared.
        let bom = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let mut prefix = if first == bom { bom } else { 0 };
        if first == bom {
            for placed in chunks {
                let own = placed.chunk.text.as_bytes();
                let new = text.as_bytes().get(prefix..).unwrap_or(&[]);
                let same = shared_prefix(own, new);
                prefix += same;
                if same < own.len() {
                    break;
                }
            }
        }
        let mut suffix_start = text.len();
        for placed in chunks.iter().rev() {
            let own = placed.chunk.text.as_bytes();
            let new = text.as_bytes().get(..suffix_start).unwrap_or(&[]);
            let same = shared_suffix(own, new);
            suffix_start -= same;
            if same < own.len() {
                break;
            }
        }
        let by = i64::try_from(text.len()).unwrap_or(0) - i64::from(tree.len);
        Self {
            chunks,
            prefix,
            suffix_start,
            by,
        }
    }

    /// The leading chunks that the edit cannot have changed.
    fn unchanged_before(&self, start: usize) -> Option<&'a [Placed]> {
        if self.chunks.first()?.start as usize != start {
            return None;
        }
        let count = self.chunks.iter().take_while(|p| {
            p.chunk.examined != u32::MAX && p.start as usize + p.chunk.examined as usize <= self.prefix
        });
        self.chunks.get(..count.count())
    }

    /// The trailing chunks, if one of them starts at `at` and all the text from there on is unchanged; with the
    /// distance they moved.
    fn unchanged_after(&self, at: usize) -> Option<(&'a [Placed], i64)> {
        if at < self.suffix_start {
            return None;
        }
        let before = u32::try_from(i64::try_from(at).ok()? - self.by).ok()?;
        let index = self.chunks.binary_search_by_key(&before, |p| p.start).ok()?;
        Some((self.chunks.get(index..)?, self.by))
    }
}

/// Number of leading bytes that two slices share; compares whole blocks first.
fn shared_prefix(a: &[u8], b: &[u8]) -> usize {
    let len = a.len().min(b.len());
    match (a.get(..len), b.get(..len)) {
        (Some(x), Some(y)) if x == y => len,
        (Some(x), Some(y)) => x.iter().zip(y).take_while(|(p, q)| p == q).count(),
        _ => 0,
    }
}

/// Number of trailing bytes that two slices share; compares whole blocks first.
fn shared_suffix(a: &[u8], b: &[u8]) -> usize {
    let len = a.len().min(b.len());
    match (a.get(a.len() - len..), b.get(b.len() - len..)) {
        (Some(x), Some(y)) if x == y => len,
        (Some(x), Some(y)) => x
            .iter()
            .rev()
            .zip(y.iter().rev())
            .take_while(|(p, q)| p == q)
            .count(),
        _ => 0,
    }
}

/// Reads the chunk that `text` starts with.
fn parse_chunk(text: &str, absent: &mut Absent) -> Chunk {
    let mut chunk = match lex_item(text, 0, text.len(), absent) {
        Ok(lexed) => {
            let mut out = Builder::default();
            match grammar::parse_items(text, &lexed, &mut out) {
                Ok(_) if lexed.reopens && next_line_closes(text.get(lexed.end..).unwrap_or("")) => {
                    let span = lexed.tokens.iter().find(|t| t.kind == lex::Kind::OpenHeredoc);
                    let span = span.map_or(Span::at(0), |t| t.span);
                    let error =
                        SyntaxError::new(span, "unterminated heredoc: another one starts before its end");
                    recover::recover(
                        text,
                        Failure {
                            item: span.start,
                            error,
                        },
                        None,
                        usize::MAX,
                        absent,
                    )
                }
                Ok(items) => Chunk {
                    text: text.get(..lexed.end).unwrap_or(text).into(),
                    nodes: out.nodes,
                    kids: out.kids,
                    pool: out.pool,
                    items,
                    comments: lexed.comments,
                    errors: Vec::new(),
                    skipped: Vec::new(),
                    unread: false,
                    examined: if lexed.reopens {
                        u32::MAX
                    } else {
                        u32::try_from(lexed.examined).unwrap_or(u32::MAX)
                    },
                },
                Err(failure) => recover::recover(text, failure, Some(lexed.end), lexed.examined, absent),
            }
        }
        Err(failure) => {
            let examined = failure.examined;
            let failure = Failure {
                item: failure.error.span.start,
                error: failure.error,
            };
            recover::recover(text, failure, None, examined, absent)
        }
    };
    let twice = duplicate_attributes(&chunk);
    chunk.errors.extend(twice);
    chunk.errors.sort_by_key(|e| (e.span.start, e.span.end));
    chunk.errors.truncate(MAX_ERRORS + 1);
    chunk
}

/// Whether the first nonblank line starts with a closing bracket that nothing opened.
fn next_line_closes(text: &str) -> bool {
    text.trim_start().starts_with(['}', ']', ')'])
}

fn duplicate_attribute(name: &str, span: Span, first: Span) -> SyntaxError {
    SyntaxError {
        span,
        kind: SyntaxErrorKind::DuplicateAttribute,
        message: format!("`{name}` is set twice in this block"),
        related: Some(first),
    }
}

/// Attributes that the bodies of a chunk's blocks set more than once.
fn duplicate_attributes(chunk: &Chunk) -> Vec<SyntaxError> {
    let mut errors = Vec::new();
    for node in &chunk.nodes {
        let Data::Block(block) = &node.data else {
            continue;
        };
        let items = chunk.list(block.items);
        let mut first: FxHashMap<&str, Span> = FxHashMap::default();
        for id in items {
            let Data::Attribute { name, .. } = &chunk.node(*id).data else {
                continue;
            };
            let text = name.slice(&chunk.text);
            match first.get(text) {
                Some(_) if errors.len() > MAX_ERRORS => return errors,
                Some(before) => errors.push(duplicate_attribute(text, *name, *before)),
                None => {
                    first.insert(text, *name);
                }
            }
        }
    }
    errors
}
