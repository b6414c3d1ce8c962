//! Views of a [`Tree`]'s nodes. All of them are small and `Copy`; spans are offsets in the file.

use super::Tree;
use super::arena::{BinaryOp, Chunk, Data, Id, Kids, Text, UnaryOp};
use crate::syntax::text::Span;

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

    fn item(self, id: Id) -> Option<Item<'t>> {
        match self.chunk.node(id).data {
            Data::Attribute { .. } => Some(Item::Attribute(Attribute { at: self, id })),
            Data::Block { .. } => Some(Item::Block(Block { at: self, id })),
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

    /// The attributes, in text order; one set twice comes twice.
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

    /// Where the name stands.
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
    /// What it says, without quotes.
    pub text: &'t str,
    /// Where it stands, with its quotes if it has some.
    pub span: Span,
}

impl<'t> Block<'t> {
    fn parts(&self) -> (Span, Kids, Span, Span, Kids, bool) {
        match self.at.chunk.node(self.id).data {
            Data::Block {
                ident,
                labels,
                header,
                body,
                items,
                closed,
            } => (ident, labels, header, body, items, closed),
            _ => (
                Span::at(0),
                Kids::default(),
                Span::at(0),
                Span::at(0),
                Kids::default(),
                false,
            ),
        }
    }

    /// The block's type, the word it starts with.
    #[must_use]
    pub fn kind(&self) -> &'t str {
        self.at.slice(self.parts().0)
    }

    /// Where the type stands.
    #[must_use]
    pub fn kind_span(&self) -> Span {
        self.at.span(self.parts().0)
    }

    /// The labels in order.
    pub fn labels(self) -> impl Iterator<Item = Label<'t>> {
        let at = self.at;
        at.chunk.list(self.parts().1).iter().map(move |id| {
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
        self.at.span(self.parts().2)
    }

    /// What stands between the braces.
    #[must_use]
    pub fn body_span(&self) -> Span {
        self.at.span(self.parts().3)
    }

    /// From the type to the closing brace.
    #[must_use]
    pub fn span(&self) -> Span {
        self.at.span(self.at.chunk.node(self.id).span)
    }

    /// Whether the closing brace is there.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.parts().5
    }

    /// What is in the block.
    #[must_use]
    pub fn body(&self) -> Body<'t> {
        Body {
            inner: Inner::Block(self.at, self.parts().4),
        }
    }
}

/// An expression.
#[derive(Clone, Copy)]
pub struct Expr<'t> {
    at: At<'t>,
    id: Id,
}

/// A list of expressions.
#[derive(Clone, Copy)]
pub struct Exprs<'t> {
    at: At<'t>,
    ids: &'t [Id],
}

impl<'t> Exprs<'t> {
    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.ids.is_empty()
    }

    /// The expressions in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Expr<'t>> + ExactSizeIterator {
        self.ids.iter().map(move |id| self.at.expr(*id))
    }

    /// The one at an index.
    #[must_use]
    pub fn get(self, index: usize) -> Option<Expr<'t>> {
        self.ids.get(index).map(|id| self.at.expr(*id))
    }
}

/// What an expression is.
#[derive(Clone, Copy)]
pub enum ExprKind<'t> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is written, without sign.
    Number(&'t str),
    /// A quoted template or a heredoc; plain text too.
    Template(Template<'t>),
    /// `[a, b]`.
    Tuple(Exprs<'t>),
    /// `{ a = b }`.
    Object(Object<'t>),
    /// `[for …]` or `{for …}`.
    For(For<'t>),
    /// `name(a, b...)`.
    Call(Call<'t>),
    /// A name by itself; the root of a traversal.
    Variable(&'t str),
    /// `source.name`.
    GetAttr {
        /// What stands before the dot.
        source: Expr<'t>,
        /// The name behind it.
        name: &'t str,
        /// Where the name stands.
        name_span: Span,
    },
    /// `source.0`.
    LegacyIndex {
        /// What stands before the dot.
        source: Expr<'t>,
        /// The number as written.
        number: &'t str,
    },
    /// `source[key]`.
    Index {
        /// What is indexed.
        source: Expr<'t>,
        /// The key.
        key: Expr<'t>,
    },
    /// `source[*]…` or `source.*…`.
    Splat {
        /// What is gone through.
        source: Expr<'t>,
        /// What is done with each entry, which [`ExprKind::SplatItem`] stands for in it.
        each: Expr<'t>,
        /// `[*]` and not `.*`.
        full: bool,
    },
    /// The entry inside of a splat.
    SplatItem,
    /// `-a`, `!a`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// What it applies to.
        operand: Expr<'t>,
    },
    /// `a + b` and the like. Chains lean to the left and can be long: go down `left` in a loop.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The operand before it.
        left: Expr<'t>,
        /// The operand behind it.
        right: Expr<'t>,
    },
    /// `condition ? then : otherwise`.
    Conditional {
        /// What decides.
        condition: Expr<'t>,
        /// The value if true.
        then: Expr<'t>,
        /// The value if false.
        otherwise: Expr<'t>,
    },
    /// `(inner)`.
    Paren(Expr<'t>),
    /// A value that could not be read.
    Broken,
}

impl<'t> Expr<'t> {
    /// Where the expression stands.
    #[must_use]
    pub fn span(&self) -> Span {
        self.at.span(self.at.chunk.node(self.id).span)
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> ExprKind<'t> {
        let at = self.at;
        let node = at.chunk.node(self.id);
        match node.data {
            Data::Null => ExprKind::Null,
            Data::Bool(value) => ExprKind::Bool(value),
            Data::Number => ExprKind::Number(at.slice(node.span)),
            Data::Template { parts, heredoc } => ExprKind::Template(Template {
                at,
                parts: at.chunk.list(parts),
                heredoc,
            }),
            Data::Tuple(kids) => ExprKind::Tuple(at.exprs(kids)),
            Data::Object(kids) => ExprKind::Object(Object {
                at,
                ids: at.chunk.list(kids),
            }),
            Data::For(_) => ExprKind::For(For { at, id: self.id }),
            Data::Call { .. } => ExprKind::Call(Call { at, id: self.id }),
            Data::Variable => ExprKind::Variable(at.slice(node.span)),
            Data::GetAttr { source, name } => ExprKind::GetAttr {
                source: at.expr(source),
                name: at.slice(name),
                name_span: at.span(name),
            },
            Data::LegacyIndex { source, number } => ExprKind::LegacyIndex {
                source: at.expr(source),
                number: at.slice(number),
            },
            Data::Index { source, key } => ExprKind::Index {
                source: at.expr(source),
                key: at.expr(key),
            },
            Data::Splat { source, each, full } => ExprKind::Splat {
                source: at.expr(source),
                each: at.expr(each),
                full,
            },
            Data::SplatItem => ExprKind::SplatItem,
            Data::Unary { op, operand } => ExprKind::Unary {
                op,
                operand: at.expr(operand),
            },
            Data::Binary { op, left, right } => ExprKind::Binary {
                op,
                left: at.expr(left),
                right: at.expr(right),
            },
            Data::Conditional {
                condition,
                then,
                otherwise,
            } => ExprKind::Conditional {
                condition: at.expr(condition),
                then: at.expr(then),
                otherwise: at.expr(otherwise),
            },
            Data::Paren(inner) => ExprKind::Paren(at.expr(inner)),
            _ => ExprKind::Broken,
        }
    }

    /// The text of a template without interpolation or directive: `"text"` or such a heredoc.
    #[must_use]
    pub fn as_text(&self) -> Option<&'t str> {
        match self.kind() {
            ExprKind::Template(template) => template.as_text(),
            _ => None,
        }
    }

    /// The name of a variable and the attributes behind it, as in `a.b.c`; nothing for any other
    /// expression. The keyword values of HCL are no names.
    #[must_use]
    pub fn as_names(&self) -> Option<Vec<&'t str>> {
        let mut names = Vec::new();
        let mut expr = *self;
        loop {
            match expr.kind() {
                ExprKind::GetAttr { source, name, .. } => {
                    names.push(name);
                    expr = source;
                }
                ExprKind::Variable(name) => {
                    names.push(name);
                    names.reverse();
                    return Some(names);
                }
                _ => return None,
            }
        }
    }

    /// The expression without the parentheses around it.
    #[must_use]
    pub fn without_parens(&self) -> Expr<'t> {
        let mut expr = *self;
        while let ExprKind::Paren(inner) = expr.kind() {
            expr = inner;
        }
        expr
    }

    /// The entries of a list that is written as one.
    #[must_use]
    pub fn entries(&self) -> Option<Exprs<'t>> {
        match self.without_parens().kind() {
            ExprKind::Tuple(entries) => Some(entries),
            _ => None,
        }
    }

    fn ids(&self) -> Vec<Id> {
        let chunk = self.at.chunk;
        match &chunk.node(self.id).data {
            Data::Template { parts: kids, .. } | Data::Tuple(kids) | Data::Object(kids) => {
                chunk.list(*kids).to_vec()
            }
            Data::Call { args, .. } => chunk.list(*args).to_vec(),
            Data::Interpolation(id) | Data::Paren(id) | Data::Unary { operand: id, .. } => vec![*id],
            Data::If {
                condition,
                then,
                otherwise,
            } => {
                let mut ids = vec![*condition];
                ids.extend_from_slice(chunk.list(*then));
                ids.extend_from_slice(chunk.list(*otherwise));
                ids
            }
            Data::ForDirective { collection, body, .. } => {
                let mut ids = vec![*collection];
                ids.extend_from_slice(chunk.list(*body));
                ids
            }
            Data::ObjectItem { key, value, .. } => vec![*key, *value],
            Data::For(node) => {
                let mut ids = vec![node.collection];
                ids.extend(node.key);
                ids.push(node.value);
                ids.extend(node.condition);
                ids
            }
            Data::GetAttr { source, .. } | Data::LegacyIndex { source, .. } => vec![*source],
            Data::Index { source, key } => vec![*source, *key],
            Data::Splat { source, each, .. } => vec![*source, *each],
            Data::Binary { left, right, .. } => vec![*left, *right],
            Data::Conditional {
                condition,
                then,
                otherwise,
            } => vec![*condition, *then, *otherwise],
            _ => Vec::new(),
        }
    }

    /// All expressions inside of this one and itself, outer before inner.
    #[must_use]
    pub fn descendants(&self) -> Vec<Expr<'t>> {
        let mut found = Vec::new();
        let mut open = vec![self.id];
        while let Some(id) = open.pop() {
            let expr = self.at.expr(id);
            let is_expression = !matches!(
                self.at.chunk.node(id).data,
                Data::ObjectItem { .. }
                    | Data::Interpolation(_)
                    | Data::Literal(_)
                    | Data::If { .. }
                    | Data::ForDirective { .. }
            );
            if is_expression {
                found.push(expr);
            }
            open.extend(expr.ids().into_iter().rev());
        }
        found
    }
}

/// The items of an object.
#[derive(Clone, Copy)]
pub struct Object<'t> {
    at: At<'t>,
    ids: &'t [Id],
}

/// `key = value` in an object.
#[derive(Clone, Copy)]
pub struct ObjectItem<'t> {
    /// What stands before the `=` or `:`.
    pub key: ObjectKey<'t>,
    /// The value.
    pub value: Expr<'t>,
    /// Key and value.
    pub span: Span,
}

/// The key of an object's item.
#[derive(Clone, Copy)]
pub enum ObjectKey<'t> {
    /// A bare word, which stands for itself.
    Name(&'t str, Span),
    /// Anything else; `(name)` is a variable.
    Expr(Expr<'t>),
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
    at: At<'t>,
    id: Id,
}

impl<'t> For<'t> {
    fn node(&self) -> Option<&'t super::arena::ForNode> {
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

    /// What is gone through.
    #[must_use]
    pub fn collection(&self) -> Expr<'t> {
        self.at.expr(self.node().map_or(u32::MAX, |n| n.collection))
    }

    /// The key of what is built; present if that is an object.
    #[must_use]
    pub fn key(&self) -> Option<Expr<'t>> {
        self.node().and_then(|n| n.key).map(|id| self.at.expr(id))
    }

    /// The value of what is built.
    #[must_use]
    pub fn value(&self) -> Expr<'t> {
        self.at.expr(self.node().map_or(u32::MAX, |n| n.value))
    }

    /// What stands behind `if`.
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
    at: At<'t>,
    id: Id,
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

    /// Where the name stands.
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

/// A quoted template or a heredoc.
#[derive(Clone, Copy)]
pub struct Template<'t> {
    at: At<'t>,
    parts: &'t [Id],
    heredoc: bool,
}

/// A part of a template.
#[derive(Clone, Copy)]
pub enum TemplatePart<'t> {
    /// Text, escapes resolved, with where it stands.
    Literal(&'t str, Span),
    /// `${value}`, with where all of it stands.
    Interpolation(Expr<'t>, Span),
    /// `%{if}` to `%{endif}`.
    If {
        /// What decides.
        condition: Expr<'t>,
        /// The parts if true.
        then: TemplateParts<'t>,
        /// The parts if false.
        otherwise: TemplateParts<'t>,
    },
    /// `%{for}` to `%{endfor}`.
    For {
        /// The variable for key or index.
        key_var: Option<&'t str>,
        /// The variable for the entry.
        value_var: &'t str,
        /// What is gone through.
        collection: Expr<'t>,
        /// The parts for each entry.
        body: TemplateParts<'t>,
    },
}

/// Parts of a template inside of a directive.
#[derive(Clone, Copy)]
pub struct TemplateParts<'t> {
    at: At<'t>,
    ids: &'t [Id],
}

impl<'t> TemplateParts<'t> {
    /// The parts in order.
    pub fn iter(self) -> impl Iterator<Item = TemplatePart<'t>> {
        let at = self.at;
        self.ids.iter().filter_map(move |id| {
            let node = at.chunk.node(*id);
            Some(match node.data {
                Data::Literal(text) => TemplatePart::Literal(at.text(text), at.span(node.span)),
                Data::Interpolation(value) => TemplatePart::Interpolation(at.expr(value), at.span(node.span)),
                Data::If {
                    condition,
                    then,
                    otherwise,
                } => TemplatePart::If {
                    condition: at.expr(condition),
                    then: TemplateParts {
                        at,
                        ids: at.chunk.list(then),
                    },
                    otherwise: TemplateParts {
                        at,
                        ids: at.chunk.list(otherwise),
                    },
                },
                Data::ForDirective {
                    key_var,
                    value_var,
                    collection,
                    body,
                } => TemplatePart::For {
                    key_var: key_var.map(|span| at.slice(span)),
                    value_var: at.slice(value_var),
                    collection: at.expr(collection),
                    body: TemplateParts {
                        at,
                        ids: at.chunk.list(body),
                    },
                },
                _ => return None,
            })
        })
    }
}

impl<'t> Template<'t> {
    /// The parts in order; at least one.
    #[must_use]
    pub fn parts(&self) -> TemplateParts<'t> {
        TemplateParts {
            at: self.at,
            ids: self.parts,
        }
    }

    /// Whether it is a heredoc.
    #[must_use]
    pub fn is_heredoc(&self) -> bool {
        self.heredoc
    }

    /// The text, if it has neither interpolation nor directive.
    #[must_use]
    pub fn as_text(&self) -> Option<&'t str> {
        let [only] = self.parts else { return None };
        match self.at.chunk.node(*only).data {
            Data::Literal(text) => Some(self.at.text(text)),
            _ => None,
        }
    }

    /// The expression of a template that is nothing but one interpolation: its value is taken as it
    /// is, without becoming a string.
    #[must_use]
    pub fn as_wrapped(&self) -> Option<Expr<'t>> {
        let [only] = self.parts else { return None };
        match self.at.chunk.node(*only).data {
            Data::Interpolation(value) => Some(self.at.expr(value)),
            _ => None,
        }
    }
}

/// Something on the way from the file to a position.
#[derive(Clone, Copy)]
pub enum NodeRef<'t> {
    /// A block.
    Block(Block<'t>),
    /// An attribute.
    Attribute(Attribute<'t>),
    /// An expression.
    Expr(Expr<'t>),
}

impl NodeRef<'_> {
    /// Where the node stands.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Block(block) => block.span(),
            Self::Attribute(attribute) => attribute.span(),
            Self::Expr(expr) => expr.span(),
        }
    }
}

impl Tree {
    /// The nodes that hold a cursor at `offset`, outermost first. A cursor just behind a node is in it,
    /// unless another node starts there.
    #[must_use]
    pub fn node_at(&self, offset: u32) -> Vec<NodeRef<'_>> {
        let mut path = Vec::new();
        let mut body = Some(self.body_near(offset));
        while let Some(items) = body.take() {
            let mut found = None;
            for item in items {
                if item.span().touches(offset) {
                    found = Some(item);
                }
            }
            match found {
                Some(Item::Block(block)) => {
                    path.push(NodeRef::Block(block));
                    body = Some(block.body().items().collect());
                }
                Some(Item::Attribute(attribute)) => {
                    path.push(NodeRef::Attribute(attribute));
                    expressions_at(attribute.value(), offset, &mut path);
                }
                None => {}
            }
        }
        path
    }

    fn body_near(&self, offset: u32) -> Vec<Item<'_>> {
        let near = self.chunks_in(Span::at(offset));
        near.flat_map(|placed| {
            let at = At {
                chunk: &placed.chunk,
                base: placed.start,
            };
            placed.chunk.items.iter().filter_map(move |id| at.item(*id))
        })
        .collect()
    }
}

fn expressions_at<'t>(root: Expr<'t>, offset: u32, path: &mut Vec<NodeRef<'t>>) {
    let mut next = Some(root);
    while let Some(expr) = next.take() {
        if !expr.span().touches(offset) {
            return;
        }
        let data = &expr.at.chunk.node(expr.id).data;
        if !matches!(
            data,
            Data::ObjectItem { .. }
                | Data::Interpolation(_)
                | Data::Literal(_)
                | Data::If { .. }
                | Data::ForDirective { .. }
        ) {
            path.push(NodeRef::Expr(expr));
        }
        next = expr
            .ids()
            .into_iter()
            .map(|id| expr.at.expr(id))
            .rfind(|e| e.span().touches(offset));
    }
}
