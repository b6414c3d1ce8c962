//! Expressions.

use super::super::arena::{BinaryOp, Data, Id, UnaryOp};
use super::{At, Call, For, Object, Template};
use crate::text::Span;

/// An expression.
#[derive(Clone, Copy)]
pub struct Expr<'t> {
    pub(super) at: At<'t>,
    pub(super) id: Id,
}

/// A list of expressions.
#[derive(Clone, Copy)]
pub struct Exprs<'t> {
    pub(super) at: At<'t>,
    pub(super) ids: &'t [Id],
}

impl<'t> Exprs<'t> {
    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.ids.len()
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.ids.is_empty()
    }

    /// The expressions in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Expr<'t>> + ExactSizeIterator {
        self.ids.iter().map(move |id| self.at.expr(*id))
    }

    /// The index of the one that contains a range.
    #[must_use]
    pub fn holding(self, span: Span) -> Option<usize> {
        let start = |id: &Id| self.at.expr(*id).span().start;
        let at = self
            .ids
            .partition_point(|id| start(id) <= span.start)
            .checked_sub(1)?;
        self.get(at).filter(|e| e.span().contains(span)).map(|_| at)
    }

    /// The one at an index.
    #[must_use]
    pub fn get(self, index: usize) -> Option<Expr<'t>> {
        self.ids.get(index).map(|id| self.at.expr(*id))
    }
}

/// The kind of an expression.
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
        /// The expression before the dot.
        source: Expr<'t>,
        /// The name after it.
        name: &'t str,
        /// The location of the name.
        name_span: Span,
    },
    /// `source.0`.
    LegacyIndex {
        /// The expression before the dot.
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
        /// The collection that is iterated.
        source: Expr<'t>,
        /// The expression for each entry, in which [`ExprKind::SplatItem`] is the entry.
        each: Expr<'t>,
        /// `[*]` and not `.*`.
        full: bool,
    },
    /// The entry inside a splat.
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
        /// The operand after it.
        right: Expr<'t>,
    },
    /// `condition ? then : otherwise`.
    Conditional {
        /// The condition.
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
    /// The location of the expression.
    #[must_use]
    pub fn span(&self) -> Span {
        self.at.span(self.at.chunk.node(self.id).span)
    }

    /// Its kind.
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

    /// The name of a variable and the attributes after it, as in `a.b.c`; `None` for any other expression. The
    /// keyword values of HCL are not names.
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

    pub(super) fn ids(&self) -> Vec<Id> {
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
            Data::ForDirective(node) => {
                let mut ids = vec![node.collection];
                ids.extend_from_slice(chunk.list(node.body));
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

    /// All expressions inside this one and itself, outer before inner.
    #[must_use]
    pub fn descendants(&self) -> Vec<Expr<'t>> {
        self.walk().collect()
    }

    /// The same as an iterator.
    pub fn walk(&self) -> impl Iterator<Item = Expr<'t>> + use<'t> {
        let at = self.at;
        let mut open = vec![self.id];
        std::iter::from_fn(move || {
            while let Some(id) = open.pop() {
                let expr = at.expr(id);
                let is_expression = !matches!(
                    at.chunk.node(id).data,
                    Data::ObjectItem { .. }
                        | Data::Interpolation(_)
                        | Data::Literal(_)
                        | Data::If { .. }
                        | Data::ForDirective(_)
                );
                open.extend(expr.ids().into_iter().rev());
                if is_expression {
                    return Some(expr);
                }
            }
            None
        })
    }
}
