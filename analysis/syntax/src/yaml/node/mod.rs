//! A copyable cursor on a node of a tree.

mod children;
mod rec;

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub use self::children::Entry;
use self::children::{Children, Siblings};
use self::rec::HAS_PROPS;
pub use self::rec::{Kind, Style};

use crate::text::Span;
use crate::yaml::document::{AnchorAt, name_hash};
use crate::yaml::scalar;
use crate::yaml::tree::{DocRef, Piece, Props, Rec, Tree};

/// Identifies nodes across the trees of one text's history: nodes with equal keys have the same source and so
/// the same content. Keeps the source's piece alive.
#[derive(Clone, Debug)]
pub struct NodeKey {
    piece: Arc<Piece>,
    idx: u32,
}

impl PartialEq for NodeKey {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.piece, &other.piece) && self.idx == other.idx
    }
}

impl Eq for NodeKey {}

impl Hash for NodeKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (Arc::as_ptr(&self.piece) as usize, self.idx).hash(state);
    }
}

/// A node of a [`Tree`]. Copyable; equal when it is the same node of the same tree.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    tree: &'t Tree,
    piece: &'t Piece,
    rec: Rec,
    /// The document.
    slot: u32,
    /// The piece of the document.
    part: u32,
    /// The node of the piece.
    idx: u32,
    /// What is added to the piece's offsets, or [`CUT`].
    offset: u32,
}

/// The offsets of a piece that lists were cut out of do not all move by the same amount.
const CUT: u32 = u32::MAX;

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.id() == other.id()
    }
}

impl Eq for Node<'_> {}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:?}@{}..{} {:?}",
            self.kind(),
            self.span().start,
            self.span().end,
            self.source()
        )
    }
}

/// The anchor of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor<'t> {
    /// The name without `&`.
    pub name: &'t str,
    /// The `&name`.
    pub span: Span,
}

/// Identifies a node of a tree: the document, a piece of it, a place in that.
pub type NodeId = (u32, u32, u32);

impl Tree {
    /// The node with an ID.
    #[must_use]
    pub fn node(&self, (slot, part, idx): NodeId) -> Option<Node<'_>> {
        Node::at(self, slot, part, idx)
    }
}

impl<'t> Node<'t> {
    pub(in crate::yaml) fn root(tree: &'t Tree, slot: u32) -> Option<Self> {
        Self::at(tree, slot, 0, 0)
    }

    fn at(tree: &'t Tree, slot: u32, part: u32, idx: u32) -> Option<Self> {
        let doc = tree.docs.get(slot as usize)?;
        let piece = doc.doc.piece(part)?;
        let cut = part == 0 && !doc.doc.holes.is_empty();
        Some(Self {
            tree,
            piece,
            rec: *piece.recs.get(idx as usize)?,
            slot,
            part,
            idx,
            offset: if cut {
                CUT
            } else {
                doc.base + doc.doc.place(part, 0)
            },
        })
    }

    /// Another node of the same piece.
    #[inline]
    fn beside(&self, idx: u32) -> Option<Self> {
        let rec = *self.piece.recs.get(idx as usize)?;
        Some(Self { rec, idx, ..*self })
    }

    fn doc(&self) -> Option<&'t DocRef> {
        self.tree.docs.get(self.slot as usize)
    }

    #[inline]
    fn props(&self) -> Option<&'t Props> {
        if self.rec.meta & HAS_PROPS == 0 {
            return None;
        }
        let props = &self.piece.props;
        props
            .binary_search_by_key(&self.idx, |(i, _)| *i)
            .ok()
            .and_then(|i| props.get(i))
            .map(|(_, p)| p)
    }

    #[inline]
    fn placed(&self, span: Span) -> Span {
        if self.offset != CUT {
            return span.shifted(self.offset);
        }
        let Some(doc) = self.doc() else { return span };
        let place = |at| doc.base + doc.doc.place(self.part, at);
        Span::new(place(span.start), place(span.end))
    }

    /// Identifies the node within its tree; [`Tree::node`] finds it again.
    #[must_use]
    pub fn id(&self) -> NodeId {
        (self.slot, self.part, self.idx)
    }

    /// The key under which facts about the node's subtree can be cached, and the offset that their places
    /// should be relative to: after an edit elsewhere the key is equal and only the offset moves. `None` if the
    /// subtree does not depend on its own text only: it has aliases (or shares its piece with some), or long
    /// lists in it were parsed on their own (cache their items).
    #[must_use]
    pub fn memo(&self) -> Option<(NodeKey, u32)> {
        let doc = self.doc()?;
        let piece = match self.part.checked_sub(1) {
            None if doc.doc.holes.is_empty() => &doc.doc.main,
            None => return None,
            Some(item) => &doc.doc.items.get(item as usize)?.piece,
        };
        let key = NodeKey {
            piece: piece.clone(),
            idx: self.idx,
        };
        (!piece.aliases).then(|| (key, doc.base + doc.doc.place(self.part, 0)))
    }

    /// The tree that contains the node.
    #[must_use]
    pub fn tree(&self) -> &'t Tree {
        self.tree
    }

    /// The kind of the node.
    #[must_use]
    #[inline]
    pub fn kind(&self) -> Kind {
        self.rec.kind()
    }

    /// How the node is written.
    #[must_use]
    #[inline]
    pub fn style(&self) -> Style {
        self.rec.style()
    }

    /// Whether the node is a mapping.
    #[must_use]
    #[inline]
    pub fn is_mapping(&self) -> bool {
        self.kind() == Kind::Mapping
    }

    /// Whether the node is a sequence.
    #[must_use]
    #[inline]
    pub fn is_sequence(&self) -> bool {
        self.kind() == Kind::Sequence
    }

    /// Whether the node is a scalar.
    #[must_use]
    #[inline]
    pub fn is_scalar(&self) -> bool {
        self.kind() == Kind::Scalar
    }

    /// Whether the node represents a value that is not written at all.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.is_scalar() && self.style() == Style::Plain && self.span().is_empty()
    }

    /// The value itself, without tag and anchor: a quoted scalar with its quotes, a block scalar
    /// with its header, a bracketed collection with its brackets, an indented one from its first
    /// key or dash to the end of its last value, an alias with its `*`.
    #[must_use]
    pub fn span(&self) -> Span {
        self.placed(Span::new(self.rec.start, self.rec.end))
    }

    /// The value with its tag and anchor.
    #[must_use]
    pub fn full_span(&self) -> Span {
        let span = self.span();
        self.props()
            .into_iter()
            .flat_map(|p| [p.tag, p.anchor])
            .flatten()
            .fold(span, |all, s| all.cover(self.placed(s)))
    }

    /// The source text under [`span`](Self::span).
    #[must_use]
    #[inline]
    pub fn source(&self) -> &'t str {
        self.span().slice(self.tree.text())
    }

    /// The resolved tag (`tag:yaml.org,2002:str`, `!local`), if one is written.
    #[must_use]
    pub fn tag(&self) -> Option<&'t str> {
        self.props()?.tag_name.as_deref()
    }

    /// Where the tag is written.
    #[must_use]
    pub fn tag_span(&self) -> Option<Span> {
        self.props()?.tag.map(|s| self.placed(s))
    }

    /// The anchor, if one is written.
    #[must_use]
    pub fn anchor(&self) -> Option<Anchor<'t>> {
        let span = self.placed(self.props()?.anchor?);
        let name = span.slice(self.tree.text()).strip_prefix('&')?;
        Some(Anchor { name, span })
    }

    /// The text of a scalar as YAML defines it: unescaped, folded, chomped. The name of an alias.
    /// Empty for collections.
    #[must_use]
    pub fn value(&self) -> Cow<'t, str> {
        if let Some(text) = self.bare() {
            return Cow::Borrowed(text);
        }
        let rec = self.rec;
        match (rec.kind(), rec.style()) {
            (Kind::Scalar, style) => match (self.decoded(), style) {
                (Some(text), _) => Cow::Borrowed(text),
                (None, Style::Literal | Style::Folded) => rec.decode(self.source(), self.behind()),
                // Only the end of a block determines how much of it is content.
                (None, _) => rec.decode(self.source(), ""),
            },
            (Kind::Alias, _) => Cow::Borrowed(self.source().strip_prefix('*').unwrap_or("")),
            (Kind::Mapping | Kind::Sequence, _) => Cow::Borrowed(""),
        }
    }

    /// The text of a scalar from which a line was dropped.
    fn decoded(&self) -> Option<&'t str> {
        let decoded = &self.piece.decoded;
        if decoded.is_empty() {
            return None;
        }
        let found = decoded.binary_search_by_key(&self.idx, |(i, _)| *i).ok()?;
        decoded.get(found).map(|(_, text)| &**text)
    }

    /// The text after the node.
    fn behind(&self) -> &'t str {
        self.tree.text().get(self.span().end as usize..).unwrap_or("")
    }

    /// The location in the source of a range of bytes of [`value`](Self::value). An escape counts as a whole; a
    /// range that crosses lines includes the line breaks and indentation between.
    #[must_use]
    pub fn source_span_of(&self, range: std::ops::Range<usize>) -> Span {
        self.source_map().span_of(range)
    }

    /// The locations in the source of the parts of [`value`](Self::value), for many ranges.
    #[must_use]
    pub fn source_map(&self) -> scalar::ScalarMap {
        let indent = self.rec.block_indent();
        scalar::ScalarMap::new(
            self.source(),
            self.style(),
            indent,
            self.behind(),
            self.span().start,
        )
    }

    /// The text of a single-line plain scalar without tag and anchor. Most scalars are of this form.
    #[inline]
    pub(in crate::yaml) fn bare(&self) -> Option<&'t str> {
        let simple = self.rec.meta == Rec::meta(Kind::Scalar, Style::Plain, 0);
        (simple && self.piece.decoded.is_empty()).then(|| self.source())
    }

    /// The direct children: items, or keys and values in turn.
    pub fn children(&self) -> impl Iterator<Item = Node<'t>> + use<'t> {
        self.below(!matches!(self.kind(), Kind::Scalar | Kind::Alias))
    }

    /// The direct children, or none.
    fn below(&self, all: bool) -> Children<'t> {
        let end = if all { self.rec.next } else { 0 };
        let main = Siblings {
            first: *self,
            next: self.idx + 1,
            end,
        };
        Children {
            main,
            cut_out: None,
            parts: 0..0,
        }
    }

    /// Whether the predicate holds for the node, or for one inside it. Aliases are not followed.
    #[must_use]
    pub fn any(&self, wanted: impl Fn(Node<'t>) -> bool) -> bool {
        let mut open = vec![*self];
        while let Some(node) = open.pop() {
            if wanted(node) {
                return true;
            }
            open.extend(node.children());
        }
        false
    }

    /// The items of a sequence; none for other nodes.
    pub fn items(&self) -> impl Iterator<Item = Node<'t>> + use<'t> {
        self.below(self.is_sequence())
    }

    /// The entries of a mapping in the order of the text, with duplicates and `<<`; none for other
    /// nodes.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'t>> + use<'t> {
        let mut children = self.below(self.is_mapping());
        std::iter::from_fn(move || {
            Some(Entry {
                key: children.next()?,
                value: children.next()?,
            })
        })
    }

    /// The entry whose key is a scalar with this text; the last of several. Considers neither merges nor how a
    /// dialect reads the key.
    #[must_use]
    pub fn get_entry(&self, key: &str) -> Option<Entry<'t>> {
        self.entries()
            .filter(|e| e.key.is_scalar() && e.key.value() == key)
            .last()
    }

    /// The value of [`get_entry`](Self::get_entry).
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Node<'t>> {
        self.get_entry(key).map(|e| e.value)
    }

    /// The source of each item of a sequence: from its `-` (or its value in brackets) to the end
    /// of its value.
    #[must_use]
    pub fn item_span(&self, index: usize) -> Option<Span> {
        Some(self.span_of_item(self.items().nth(index)?))
    }

    /// The same for all of them.
    pub(in crate::yaml) fn item_spans(&self) -> impl Iterator<Item = Span> {
        self.items().map(|item| self.span_of_item(item))
    }

    fn span_of_item(&self, item: Node<'_>) -> Span {
        let full = item.full_span();
        if self.style() == Style::Flow {
            return full;
        }
        let text = self.tree.text();
        let column = column(text, self.span().start);
        let mut at = full.start;
        loop {
            let line_start = at - self::column(text, at);
            let dash = line_start + column;
            if dash < full.start && text.as_bytes().get(dash as usize) == Some(&b'-') {
                return Span::new(dash, full.end);
            }
            if line_start <= self.span().start {
                return full;
            }
            at = line_start - 1;
        }
    }

    /// The node that an alias names: the nearest definition of the anchor earlier in the same document, even
    /// one that contains the alias. `None` if none exists or for other nodes.
    #[must_use]
    pub fn anchored(&self) -> Option<Node<'t>> {
        if self.kind() != Kind::Alias {
            return None;
        }
        let name = self.value();
        let doc = self.doc()?;
        let anchors = &doc.doc.anchors;
        let before = anchors.partition_point(|a| doc.base + a.offset < self.span().start);
        let hash = name_hash(&name);
        let mut definitions = anchors.get(..before)?.iter().rev().filter(|a| a.hash == hash);
        let node = |a: &AnchorAt| Node::at(self.tree, self.slot, a.part, a.idx);
        definitions.find_map(|a| node(a).filter(|n| n.anchor().is_some_and(|a| a.name == name)))
    }

    /// The effective node: for an alias the node it refers to, `None` if none exists or if it contains the
    /// alias. Every other node is itself.
    #[must_use]
    pub fn resolve(&self) -> Option<Node<'t>> {
        if self.kind() != Kind::Alias {
            return Some(*self);
        }
        self.anchored().filter(|target| !target.encloses(*self))
    }

    /// Whether `other` is inside this node in the tree.
    #[must_use]
    pub fn encloses(&self, other: Node<'t>) -> bool {
        if self.slot != other.slot {
            return false;
        }
        if self.part == other.part {
            return self.idx < other.idx && self.rec.next > other.idx;
        }
        self.part == 0 && !self.is_scalar() && self.span().contains(other.span())
    }
}

/// Bytes between the start of the line and `offset`.
fn column(text: &str, offset: u32) -> u32 {
    let before = text.as_bytes().get(..offset as usize).unwrap_or(&[]);
    let start = memchr::memrchr(b'\n', before).map_or(0, |i| i + 1);
    u32::try_from(before.len() - start).unwrap_or(u32::MAX)
}
