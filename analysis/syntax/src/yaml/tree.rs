//! The tree: documents made of pieces, each piece a flat arena with its own offsets.

use std::ops::Range;
use std::sync::Arc;

use super::document::{Doc, Memo, NoMemo};
use super::node::Node;
use super::reparse::Earlier;
use super::scan::Fault;
use super::split;
use super::{Libyaml, MAX_DEPTH, Reading};
use crate::text::Span;

/// A parsed text. Cheap to clone; shares its pieces with the trees it was reparsed from.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(super) text: Arc<str>,
    pub(super) docs: Vec<DocRef>,
    libyaml: Libyaml,
    errors: Vec<SyntaxError>,
}

/// One chunk of the text and where it starts.
#[derive(Clone, Debug)]
pub(super) struct DocRef {
    pub(super) base: u32,
    /// Whether a chunk of the text begins here.
    pub(super) chunk: bool,
    /// The number of documents before it.
    pub(super) index: usize,
    pub(super) doc: Arc<Doc>,
}

/// A flat arena of nodes in the order of the text, with offsets from the start of its own text. The
/// same text always gives an equal piece, so pieces can be shared between trees.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Piece {
    pub(super) len: u32,
    pub(super) recs: Vec<Rec>,
    pub(super) props: Vec<(u32, Props)>,
    pub(super) comments: Vec<Comment>,
    /// Texts of scalars that cannot be decoded from the source.
    pub(super) decoded: Vec<(u32, Box<str>)>,
    pub(super) errors: Vec<SyntaxError>,
    /// What is still open at the end of the text.
    pub(super) open: Option<Open>,
    /// Whether there are aliases, whose meaning depends on other pieces.
    pub(super) aliases: bool,
    pub(super) head: Head,
}

/// What may be open at the end of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    Quote(u8),
    Other,
}

/// What comes before the root of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Head {
    /// Whether a document exists at all.
    pub(super) exists: bool,
    pub(super) marker: Option<Span>,
    pub(super) directives: Vec<Span>,
}

/// One node: its span, the index after its last descendant, and packed kind, style and flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rec {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) next: u32,
    pub(super) meta: u32,
}

/// The tag and anchor of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Props {
    pub(super) tag: Option<Span>,
    pub(super) tag_name: Option<Box<str>>,
    pub(super) anchor: Option<Span>,
}

impl Tree {
    pub(super) fn parse(text: Arc<str>, libyaml: Libyaml) -> Self {
        let mut docs = Vec::new();
        for chunk in split::documents(&text, start_of(&text)) {
            parse_chunk(&text, chunk, libyaml, &mut NoMemo, &mut docs);
        }
        Self::assemble(text, docs, libyaml)
    }

    fn assemble(text: Arc<str>, mut docs: Vec<DocRef>, libyaml: Libyaml) -> Self {
        let mut errors = Vec::new();
        let mut index = 0;
        for doc in &mut docs {
            doc.index = index;
            errors.extend(doc.doc.errors.iter().map(|e| SyntaxError {
                document: index,
                ..e.map(|s| s.shifted(doc.base))
            }));
            index += usize::from(doc.doc.main.head.exists);
        }
        Self {
            text,
            docs,
            libyaml,
            errors,
        }
    }

    /// A tree of one document, to compare ways of parsing.
    #[cfg(test)]
    pub(super) fn of(text: &str, doc: Doc) -> impl std::fmt::Debug {
        let tree = Self::assemble(
            text.into(),
            vec![DocRef {
                base: 0,
                chunk: true,
                index: 0,
                doc: Arc::new(doc),
            }],
            Libyaml::Old,
        );
        let mut nodes: Vec<_> = tree
            .documents()
            .filter_map(|d| d.root())
            .map(|n| (0, format!("{n:?}"), n))
            .collect();
        let mut at = 0;
        while let Some((depth, _, node)) = nodes.get(at).cloned() {
            at += 1;
            nodes.extend(
                node.children()
                    .map(|n| (depth + 1, format!("{n:?} {:?} {:?}", n.value(), n.full_span()), n)),
            );
        }
        let nodes: Vec<_> = nodes.into_iter().map(|(depth, text, _)| (depth, text)).collect();
        (nodes, tree.comments().collect::<Vec<_>>())
    }

    /// Parses `text`, reusing what did not change since this tree. The result equals that of
    /// [`parse`](super::parse) on the same text.
    #[must_use]
    pub fn reparse(&self, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let mut earlier = Earlier::new(self, &text);
        let mut docs = Vec::with_capacity(self.docs.len() + 1);
        for chunk in split::documents(&text, start_of(&text)) {
            match earlier.documents(&chunk, docs.is_empty()) {
                Some(same) => {
                    let old = same.first().map_or(0, |d| d.base);
                    docs.extend(same.iter().map(|d| {
                        let base = Span::from_usize(chunk.start, chunk.end).start + (d.base - old);
                        DocRef { base, ..d.clone() }
                    }));
                }
                None => parse_chunk(&text, chunk, self.libyaml, &mut earlier, &mut docs),
            }
        }
        Self::assemble(text, docs, self.libyaml)
    }

    /// The text that was parsed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The documents in order. A text without content has none; a `---` alone is an empty one.
    pub fn documents(&self) -> impl Iterator<Item = Document<'_>> {
        (0u32..)
            .zip(&self.docs)
            .filter(|(_, d)| d.doc.main.head.exists)
            .map(|(slot, d)| Document {
                tree: self,
                slot,
                index: d.index,
            })
    }

    /// The first document, the only one that some engines read.
    #[must_use]
    pub fn first_document(&self) -> Option<Document<'_>> {
        self.documents().next()
    }

    /// All syntax errors in the order of the text.
    #[must_use]
    pub fn errors(&self) -> &[SyntaxError] {
        &self.errors
    }

    /// All comments in the order of the text.
    pub fn comments(&self) -> impl Iterator<Item = Comment> + '_ {
        self.docs.iter().flat_map(|d| {
            let mut comments: Vec<Comment> = d.doc.comments().map(|c| c.shifted(d.base)).collect();
            if !d.doc.holes.is_empty() {
                comments.sort_unstable_by_key(|c| c.span.start);
            }
            comments
        })
    }

    /// The nodes that contain an offset, from a document's root to the innermost. A node also contains the
    /// offset directly after its last byte, as a cursor is; of two adjacent nodes that touch the offset the
    /// later one is used.
    #[must_use]
    pub fn node_at(&self, offset: u32) -> Vec<Node<'_>> {
        self.path_to(offset, |node| {
            node.children().filter(|c| c.full_span().touches(offset)).last()
        })
    }

    /// The nodes on the path to an offset; the callback gives the child of a node that it touches.
    pub(in crate::yaml) fn path_to<'t>(
        &'t self,
        offset: u32,
        child: impl Fn(Node<'t>) -> Option<Node<'t>>,
    ) -> Vec<Node<'t>> {
        let after = self.docs.partition_point(|d| d.base <= offset);
        let slot = u32::try_from(after.saturating_sub(1)).unwrap_or(u32::MAX);
        let mut path = Vec::new();
        let mut next = Node::root(self, slot).filter(|r| r.full_span().touches(offset));
        while let Some(node) = next {
            path.push(node);
            next = child(node);
        }
        path
    }
}

/// Where the text starts after a byte-order mark.
fn start_of(text: &str) -> usize {
    if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    }
}

/// Parses one chunk of the text, normally one document.
fn parse_chunk(
    text: &str,
    chunk: Range<usize>,
    libyaml: Libyaml,
    memo: &mut impl Memo,
    docs: &mut Vec<DocRef>,
) {
    let mut at = chunk.start;
    loop {
        let rest = text.get(at..chunk.end).unwrap_or("");
        memo.start(at);
        let reading = Reading {
            first: docs.is_empty(),
            libyaml,
        };
        let mut doc = Doc::parse(rest, reading, memo);
        if !doc.errors.is_empty()
            && let Some(end) = split::half_marker(rest)
        {
            let before = Doc::parse(rest.get(..end).unwrap_or(""), reading, memo);
            if !before.errors.is_empty() {
                doc = before;
            }
        }
        let len = doc.len as usize;
        docs.push(DocRef {
            base: Span::from_usize(at, at).start,
            index: 0,
            chunk: at == chunk.start,
            doc: Arc::new(doc),
        });
        at += len;
        if len == 0 || at >= chunk.end {
            break;
        }
    }
}

/// One document of a [`Tree`].
#[derive(Clone, Copy, Debug)]
pub struct Document<'t> {
    tree: &'t Tree,
    slot: u32,
    index: usize,
}

impl<'t> Document<'t> {
    fn entry(&self) -> Option<&'t DocRef> {
        self.tree.docs.get(self.slot as usize)
    }

    fn data(&self) -> Option<&'t Doc> {
        self.entry().map(|d| &*d.doc)
    }

    fn base(&self) -> u32 {
        self.entry().map_or(0, |d| d.base)
    }

    /// Which document of the tree this is, from 0.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Whether only a byte-order mark precedes it in the text.
    pub(super) fn starts_the_text(&self) -> bool {
        self.slot == 0
    }

    /// The tree that contains the document.
    #[must_use]
    pub fn tree(&self) -> &'t Tree {
        self.tree
    }

    /// The whole chunk of text, with directives, marker and comments, up to the next document.
    #[must_use]
    pub fn span(&self) -> Span {
        Span::new(self.base(), self.base() + self.data().map_or(0, |d| d.len))
    }

    /// The `---` that starts the document, if one is written.
    #[must_use]
    pub fn marker(&self) -> Option<Span> {
        self.data()?.main.head.marker.map(|s| s.shifted(self.base()))
    }

    /// The directive lines (`%YAML 1.1`) before the marker, without their line breaks.
    pub fn directives(&self) -> impl Iterator<Item = Span> + 't {
        let base = self.base();
        self.data()
            .into_iter()
            .flat_map(move |d| d.main.head.directives.iter().map(move |s| s.shifted(base)))
    }

    /// The value of the document; a null scalar for an empty one. `None` if nothing of it could be read.
    #[must_use]
    pub fn root(&self) -> Option<Node<'t>> {
        Node::root(self.tree, self.slot)
    }

    /// The pieces of the document, each with the text that its offsets refer to.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (&'t Piece, &'t str)> {
        let text = self.tree.text.get(self.base() as usize..).unwrap_or("");
        self.data().into_iter().flat_map(move |doc| doc.pieces(text))
    }

    /// The syntax errors of this document.
    pub fn errors(&self) -> impl Iterator<Item = &'t SyntaxError> {
        let behind = |up_to: usize| self.tree.errors.partition_point(|e| e.document < up_to);
        let own = behind(self.index)..behind(self.index + 1);
        self.tree.errors.get(own).unwrap_or(&[]).iter()
    }
}

/// A comment, from its `#` to the end of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its location.
    pub span: Span,
    /// Whether other content precedes it on its line.
    pub trailing: bool,
}

impl Comment {
    fn shifted(self, by: u32) -> Self {
        Self {
            span: self.span.shifted(by),
            ..self
        }
    }
}

/// A place where the text is not YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is broken: the bracket or quote that is never closed, the key without colon, else the
    /// place where it was noticed. Empty at the text's end.
    pub span: Span,
    /// Where it was noticed, possibly lines later.
    pub noticed: Span,
    /// What kind of fault.
    pub kind: SyntaxErrorKind,
    /// The error message.
    pub message: String,
    /// Index of the document; the number of documents for an error after the last.
    pub document: usize,
    /// Source that was dropped because of this error. What these lines could have declared is unknown.
    pub blanked: Vec<Span>,
}

impl SyntaxError {
    pub(super) fn new(fault: &Fault, span: Span, blanked: Vec<Span>) -> Self {
        let message = match fault.kind {
            SyntaxErrorKind::Limit => format!("nested deeper than {MAX_DEPTH} levels"),
            _ => fault.message.to_owned(),
        };
        Self {
            span,
            noticed: Span::from_usize(fault.at, fault.at),
            kind: fault.kind,
            message,
            document: 0,
            blanked,
        }
    }

    /// The same with its places changed.
    pub(super) fn map(&self, place: impl Fn(Span) -> Span) -> Self {
        Self {
            span: place(self.span),
            noticed: place(self.noticed),
            blanked: self.blanked.iter().map(|s| place(*s)).collect(),
            ..self.clone()
        }
    }
}

/// The kinds of syntax errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyntaxErrorKind {
    /// The text does not split into tokens.
    Scanner,
    /// The tokens do not form documents.
    Parser,
    /// Text after the end of a document that is not another document. Engines that read only the first document
    /// do not notice.
    Trailing,
    /// A character that is allowed nowhere.
    Character,
    /// A limit of ours ([`MAX_DEPTH`](super::MAX_DEPTH)), not a fault of the text.
    Limit,
}
