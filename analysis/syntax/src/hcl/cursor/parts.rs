//! The larger kinds of expressions: objects, `for`, calls.

use super::super::arena::{Data, ForNode, Id, Kids};
use super::{At, Expr, Exprs};
use crate::text::Span;

/// The items of an object.
#[derive(Clone, Copy)]
pub struct Object<'t> {
    pub(super) at: At<'t>,
    pub(super) ids: &'t [Id],
}

/// `key = value` in an object.
#[derive(Clone, Copy)]
pub struct ObjectItem<'t> {
    /// The key before the `=` or `:`.
    pub key: ObjectKey<'t>,
    /// The value.
    pub value: Expr<'t>,
    /// Key and value.
    pub span: Span,
}

/// The key of an object's item.
#[derive(Clone, Copy)]
pub enum ObjectKey<'t> {
    /// A bare word, used literally.
    Name(&'t str, Span),
    /// Anything else; `(name)` is a variable.
    Expr(Expr<'t>),
}

impl<'t> ObjectKey<'t> {
    /// Its word or constant text.
    #[must_use]
    pub fn as_text(&self) -> Option<&'t str> {
        match self {
            Self::Name(name, _) => Some(name),
            Self::Expr(key) => key.as_text(),
        }
    }
}

impl<'t> Object<'t> {
    /// The items in order.
    pub fn items(self) -> impl Iterator<Item = ObjectItem<'t>> {
        let at = self.at;
        self.ids.iter().filter_map(move |id| {
            let node = at.chunk.node(*id);
            let Data::ObjectItem { key, value, bare } = node.data else {
                return None;
            };
            let key = if bare {
                let span = at.chunk.node(key).span;
                ObjectKey::Name(at.slice(span), at.span(span))
            } else {
                ObjectKey::Expr(at.expr(key))
            };
            Some(ObjectItem {
                key,
                value: at.expr(value),
                span: at.span(node.span),
            })
        })
    }
}

/// A `for` expression.
#[derive(Clone, Copy)]
pub struct For<'t> {
    pub(super) at: At<'t>,
    pub(super) id: Id,
}

impl<'t> For<'t> {
    fn node(&self) -> Option<&'t ForNode> {
        match &self.at.chunk.node(self.id).data {
            Data::For(node) => Some(node),
            _ => None,
        }
    }

    /// The variable for key or index, if it has one.
    #[must_use]
    pub fn key_var(&self) -> Option<&'t str> {
        self.node()
            .and_then(|n| n.key_var)
            .map(|span| self.at.slice(span))
    }

    /// The variable for the entry.
    #[must_use]
    pub fn value_var(&self) -> &'t str {
        self.node().map_or("", |n| self.at.slice(n.value_var))
    }

    /// The collection that is iterated.
    #[must_use]
    pub fn collection(&self) -> Expr<'t> {
        self.at.expr(self.node().map_or(u32::MAX, |n| n.collection))
    }

    /// The key of the result; present if that is an object.
    #[must_use]
    pub fn key(&self) -> Option<Expr<'t>> {
        self.node().and_then(|n| n.key).map(|id| self.at.expr(id))
    }

    /// The value of the result.
    #[must_use]
    pub fn value(&self) -> Expr<'t> {
        self.at.expr(self.node().map_or(u32::MAX, |n| n.value))
    }

    /// The condition after `if`.
    #[must_use]
    pub fn condition(&self) -> Option<Expr<'t>> {
        self.node().and_then(|n| n.condition).map(|id| self.at.expr(id))
    }

    /// Whether `...` groups values of one key.
    #[must_use]
    pub fn groups(&self) -> bool {
        self.node().is_some_and(|n| n.group)
    }
}

/// A function call.
#[derive(Clone, Copy)]
pub struct Call<'t> {
    pub(super) at: At<'t>,
    pub(super) id: Id,
}

impl<'t> Call<'t> {
    fn parts(&self) -> (Span, Kids, bool) {
        match self.at.chunk.node(self.id).data {
            Data::Call { name, args, expand } => (name, args, expand),
            _ => (Span::at(0), Kids::default(), false),
        }
    }

    /// The function's name as written.
    #[must_use]
    pub fn name(&self) -> &'t str {
        self.at.slice(self.parts().0)
    }

    /// The location of the name.
    #[must_use]
    pub fn name_span(&self) -> Span {
        self.at.span(self.parts().0)
    }

    /// The arguments.
    #[must_use]
    pub fn args(&self) -> Exprs<'t> {
        self.at.exprs(self.parts().1)
    }

    /// Whether the last argument is spread with `...`.
    #[must_use]
    pub fn expands(&self) -> bool {
        self.parts().2
    }
}
