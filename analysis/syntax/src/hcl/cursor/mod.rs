//! Views of a [`Tree`]'s nodes. All of them are small and `Copy`; spans are offsets in the file.

mod expr;
mod free;
mod parts;
mod path;
mod template;

pub use expr::{Expr, ExprKind, Exprs};
pub use parts::{Call, For, Object, ObjectItem, ObjectKey};
pub use path::NodeRef;
pub use template::{Template, TemplatePart, TemplateParts};

use super::Tree;
use super::arena::{BlockNode, Chunk, Data, Id, Kids, Text};
use crate::text::Span;

/// A chunk and where it starts.
#[derive(Clone, Copy)]
struct At<'t> {
    chunk: &'t Chunk,
    base: u32,
}

impl<'t> At<'t> {
    fn span(self, span: Span) -> Span {
        span.shifted(self.base)
    }

    fn slice(self, span: Span) -> &'t str {
        span.slice(&self.chunk.text)
    }

    fn text(self, text: Text) -> &'t str {
        self.chunk.string(text)
    }

    fn expr(self, id: Id) -> Expr<'t> {
        Expr { at: self, id }
    }

    fn exprs(self, kids: Kids) -> Exprs<'t> {
        Exprs {
            at: self,
            ids: self.chunk.list(kids),
        }
    }

    /// The last of some nodes, in text order, that a cursor touches.
    fn touched(self, ids: &[Id], offset: u32) -> Option<Id> {
        let span = |id: &Id| self.span(self.chunk.node(*id).span);
        let behind = ids.partition_point(|id| span(id).start <= offset);
        let last = ids.get(behind.checked_sub(1)?)?;
        span(last).touches(offset).then_some(*last)
    }

    fn item(self, id: Id) -> Option<Item<'t>> {
        match self.chunk.node(id).data {
            Data::Attribute { .. } => Some(Item::Attribute(Attribute { at: self, id })),
            Data::Block(_) => Some(Item::Block(Block { at: self, id })),
            _ => None,
        }
    }
}

/// The attributes and blocks of a file or a block.
#[derive(Clone, Copy)]
pub struct Body<'t> {
    inner: Inner<'t>,
}

#[derive(Clone, Copy)]
enum Inner<'t> {
    File(&'t Tree),
    Block(At<'t>, Kids),
}

/// An attribute or a block.
#[derive(Clone, Copy)]
pub enum Item<'t> {
    /// `name = value`.
    Attribute(Attribute<'t>),
    /// `type "label" { … }`.
    Block(Block<'t>),
}

impl Item<'_> {
    /// All of the item.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Attribute(attribute) => attribute.span(),
            Self::Block(block) => block.span(),
        }
    }
}

impl<'t> Body<'t> {
    pub(super) fn of_file(tree: &'t Tree) -> Self {
        Self {
            inner: Inner::File(tree),
        }
    }

    /// All items, in text order.
    pub fn items(self) -> impl Iterator<Item = Item<'t>> {
        let (chunks, own) = match self.inner {
            Inner::File(tree) => (tree.chunks.as_slice(), None),
            Inner::Block(at, kids) => ([].as_slice(), Some((at, at.chunk.list(kids)))),
        };
        let of_file = chunks.iter().flat_map(|placed| {
            let at = At {
                chunk: &placed.chunk,
                base: placed.start,
            };
            placed.chunk.items.iter().filter_map(move |id| at.item(*id))
        });
        let of_block = own
            .into_iter()
            .flat_map(|(at, ids)| ids.iter().filter_map(move |id| at.item(*id)));
        of_file.chain(of_block)
    }

    /// The attributes, in text order; one set twice is listed twice.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'t>> {
        self.items().filter_map(|item| match item {
            Item::Attribute(attribute) => Some(attribute),
            Item::Block(_) => None,
        })
    }

    /// The blocks, in text order.
    pub fn blocks(self) -> impl Iterator<Item = Block<'t>> {
        self.items().filter_map(|item| match item {
            Item::Block(block) => Some(block),
            Item::Attribute(_) => None,
        })
    }

    /// The first attribute of that name.
    #[must_use]
    pub fn attribute(self, name: &str) -> Option<Attribute<'t>> {
        self.attributes().find(|attribute| attribute.name() == name)
    }
}

/// `name = value`.
#[derive(Clone, Copy)]
pub struct Attribute<'t> {
    at: At<'t>,
    id: Id,
}

impl<'t> Attribute<'t> {
    fn parts(&self) -> (Span, Id) {
        match self.at.chunk.node(self.id).data {
            Data::Attribute { name, value } => (name, value),
            _ => (Span::at(0), self.id),
        }
    }

    /// The attribute's name.
    #[must_use]
    pub fn name(&self) -> &'t str {
        self.at.slice(self.parts().0)
    }

    /// The location of the name.
    #[must_use]
    pub fn name_span(&self) -> Span {
        self.at.span(self.parts().0)
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> Expr<'t> {
        self.at.expr(self.parts().1)
    }

    /// From the name to the value's end.
    #[must_use]
    pub fn span(&self) -> Span {
        self.at.span(self.at.chunk.node(self.id).span)
    }
}

/// `type "label" { … }`.
#[derive(Clone, Copy)]
pub struct Block<'t> {
    at: At<'t>,
    id: Id,
}

/// A block's label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label<'t> {
    /// Its text, without quotes.
    pub text: &'t str,
    /// Its location, with its quotes if it has some.
    pub span: Span,
}

impl<'t> Block<'t> {
    fn parts(&self) -> BlockNode {
        match &self.at.chunk.node(self.id).data {
            Data::Block(block) => **block,
            _ => BlockNode::default(),
        }
    }

    /// The block's type, the word it starts with.
    #[must_use]
    pub fn kind(&self) -> &'t str {
        self.at.slice(self.parts().ident)
    }

    /// The location of the type.
    #[must_use]
    pub fn kind_span(&self) -> Span {
        self.at.span(self.parts().ident)
    }

    /// The labels in order.
    pub fn labels(self) -> impl Iterator<Item = Label<'t>> {
        let at = self.at;
        at.chunk.list(self.parts().labels).iter().map(move |id| {
            let node = at.chunk.node(*id);
            let text = match node.data {
                Data::Label(text) => at.text(text),
                _ => "",
            };
            Label {
                text,
                span: at.span(node.span),
            }
        })
    }

    /// From the type to the last label.
    #[must_use]
    pub fn header_span(&self) -> Span {
        self.at.span(self.parts().header)
    }

    /// The span between the braces.
    #[must_use]
    pub fn body_span(&self) -> Span {
        self.at.span(self.parts().body)
    }

    /// From the type to the closing brace.
    #[must_use]
    pub fn span(&self) -> Span {
        self.at.span(self.at.chunk.node(self.id).span)
    }

    /// Whether the closing brace exists.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.parts().closed
    }

    /// The item that a cursor touches.
    fn item_at(&self, offset: u32) -> Option<Item<'t>> {
        let ids = self.at.chunk.list(self.parts().items);
        self.at.item(self.at.touched(ids, offset)?)
    }

    /// The content of the block.
    #[must_use]
    pub fn body(&self) -> Body<'t> {
        Body {
            inner: Inner::Block(self.at, self.parts().items),
        }
    }
}
