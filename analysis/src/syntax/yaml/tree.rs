//! The tree: documents made of pieces, each piece a flat arena with offsets of its own.

use std::sync::Arc;

use super::MAX_DEPTH;
use super::build;
use super::node::Node;
use super::scan::Fault;
use super::split;
use crate::syntax::text::Span;

/// A parsed text. Cheap to clone; shares its pieces with the trees it was reparsed from.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(super) text: Arc<str>,
    pub(super) docs: Vec<DocRef>,
    errors: Vec<SyntaxError>,
}

/// One chunk of the text and where it starts.
#[derive(Clone, Debug)]
pub(super) struct DocRef {
    pub(super) base: u32,
    /// How many documents stand before.
    pub(super) index: usize,
    pub(super) doc: Arc<Doc>,
}

/// What one chunk of the text holds; offsets count from the chunk's start.
#[derive(Debug, Default)]
pub(super) struct Doc {
    pub(super) len: u32,
    pub(super) exists: bool,
    pub(super) marker: Option<Span>,
    pub(super) directives: Vec<Span>,
    pub(super) main: Arc<Piece>,
    pub(super) errors: Vec<SyntaxError>,
}

/// A flat arena of nodes in document order.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) recs: Vec<Rec>,
    pub(super) props: Vec<(u32, Props)>,
    pub(super) comments: Vec<Comment>,
}

/// One node: its span, the index behind its last descendant, and packed kind, style and flags.
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

impl Doc {
    /// Parses the first document of a text.
    fn parse(text: &str, first: bool) -> Self {
        let strict = build::strict(text, first);
        let failed = strict
            .fault
            .as_ref()
            .is_some_and(|f| f.kind != SyntaxErrorKind::Trailing);
        Self {
            len: Span::from_usize(
                if strict.fault.is_some() {
                    text.len()
                } else {
                    strict.end
                },
                0,
            )
            .start,
            exists: strict.exists || failed,
            marker: strict.marker,
            directives: strict.directives,
            main: Arc::new(if failed { Piece::default() } else { strict.piece }),
            errors: strict
                .fault
                .into_iter()
                .map(|f| SyntaxError::new(&f, text))
                .collect(),
        }
    }
}

impl Tree {
    pub(super) fn parse(text: Arc<str>) -> Self {
        let from = if text.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        let mut docs = Vec::new();
        for (start, end) in split::documents(&text, from) {
            let mut at = start;
            while at < end || at == start {
                let doc = Doc::parse(text.get(at..end).unwrap_or(""), docs.is_empty());
                let base = Span::from_usize(at, end).start;
                at += (doc.len as usize).max(1);
                docs.push(DocRef {
                    base,
                    index: 0,
                    doc: Arc::new(doc),
                });
            }
        }
        Self::assemble(text, docs)
    }

    fn assemble(text: Arc<str>, mut docs: Vec<DocRef>) -> Self {
        let mut errors = Vec::new();
        let mut index = 0;
        for doc in &mut docs {
            doc.index = index;
            errors.extend(doc.doc.errors.iter().map(|e| e.placed(doc.base, index)));
            index += usize::from(doc.doc.exists);
        }
        Self { text, docs, errors }
    }

    /// Parses `text`, re-using what did not change since this tree. The result equals that of
    /// [`parse`](super::parse) on the same text.
    #[must_use]
    pub fn reparse(&self, text: impl Into<Arc<str>>) -> Self {
        Self::parse(text.into())
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
            .filter(|(_, d)| d.doc.exists)
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
            d.doc.main.comments.iter().map(|c| Comment {
                span: c.span.shifted(d.base),
                ..*c
            })
        })
    }

    /// The nodes that enclose an offset, from a document's root to the innermost. A node also
    /// counts where the offset is just behind its last byte, as a cursor is. Inside a mapping the
    /// path goes on with the key or the value touched, the key first.
    #[must_use]
    pub fn node_at(&self, offset: u32) -> Vec<Node<'_>> {
        let after = self.docs.partition_point(|d| d.base <= offset);
        let slot = u32::try_from(after.saturating_sub(1)).unwrap_or(u32::MAX);
        let mut path = Vec::new();
        let mut next = Node::at(self, slot, 0).filter(|r| r.full_span().touches(offset));
        while let Some(node) = next {
            path.push(node);
            next = node
                .children()
                .filter(|c| c.full_span().touches(offset))
                .last_inside(offset);
        }
        path
    }
}

trait LastInside<'t> {
    fn last_inside(self, offset: u32) -> Option<Node<'t>>;
}

impl<'t, I: Iterator<Item = Node<'t>>> LastInside<'t> for I {
    /// Of two neighbours that both touch the offset the one that holds a byte there wins.
    fn last_inside(self, offset: u32) -> Option<Node<'t>> {
        let mut best: Option<Node<'t>> = None;
        for node in self {
            let inside = node.full_span().start <= offset && offset < node.full_span().end;
            if best.is_none() || inside {
                best = Some(node);
            }
        }
        best
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

    /// The tree that holds the document.
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
        self.data()?.marker.map(|s| s.shifted(self.base()))
    }

    /// The directive lines (`%YAML 1.1`) before the marker, without their line breaks.
    pub fn directives(&self) -> impl Iterator<Item = Span> + 't {
        let base = self.base();
        self.data()
            .into_iter()
            .flat_map(move |d| d.directives.iter().map(move |s| s.shifted(base)))
    }

    /// The value of the document; a null scalar for an empty one. `None` if nothing of it could be
    /// read.
    #[must_use]
    pub fn root(&self) -> Option<Node<'t>> {
        Node::at(self.tree, self.slot, 0)
    }

    /// The syntax errors of this document.
    pub fn errors(&self) -> impl Iterator<Item = &'t SyntaxError> {
        let index = self.index;
        self.tree.errors.iter().filter(move |e| e.document == index)
    }
}

/// A comment, from its `#` to the end of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where it stands.
    pub span: Span,
    /// Whether other content stands before it on its line.
    pub trailing: bool,
}

/// A place where the text is not YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where it was noticed; empty at the text's end.
    pub span: Span,
    /// Where what is broken began: the open bracket or quote, the mapping or the key.
    pub context: Option<Span>,
    /// What kind of fault.
    pub kind: SyntaxErrorKind,
    /// What is wrong, for people.
    pub message: String,
    /// Index of the document; the number of documents for an error behind the last.
    pub document: usize,
    /// Whether the end of the text is at fault, which go-yaml counts as a line of its own.
    pub(super) at_end: bool,
    /// Source that was left out because of this error. What these lines could have declared is
    /// unknown.
    pub blanked: Vec<Span>,
}

impl SyntaxError {
    fn new(fault: &Fault, text: &str) -> Self {
        let message = match fault.kind {
            SyntaxErrorKind::Limit => format!("nested deeper than {MAX_DEPTH} levels"),
            _ => fault.message.to_owned(),
        };
        let width = text
            .get(fault.at..)
            .and_then(|t| t.chars().next())
            .map_or(0, |c| c.len_utf8());
        let context = fault
            .context
            .map(|at| Span::from_usize(at, (at + 1).min(text.len())));
        Self {
            span: Span::from_usize(fault.at, fault.at + width),
            context,
            kind: fault.kind,
            message,
            at_end: fault.at_end,
            document: 0,
            blanked: Vec::new(),
        }
    }

    fn placed(&self, base: u32, document: usize) -> Self {
        Self {
            span: self.span.shifted(base),
            context: self.context.map(|s| s.shifted(base)),
            blanked: self.blanked.iter().map(|s| s.shifted(base)).collect(),
            document,
            ..self.clone()
        }
    }
}

/// The kinds of syntax errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyntaxErrorKind {
    /// The text does not split into tokens.
    Scanner,
    /// The tokens don't form documents.
    Parser,
    /// Text behind the end of a document that is not another document. Engines that read only the
    /// first document don't notice.
    Trailing,
    /// A character that may stand nowhere.
    Character,
    /// A limit of ours ([`MAX_DEPTH`](super::MAX_DEPTH)), not a fault of the text.
    Limit,
}
