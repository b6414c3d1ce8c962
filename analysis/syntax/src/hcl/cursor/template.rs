//! Templates and their parts.

use super::super::arena::{Data, Id};
use super::{At, Expr};
use crate::text::Span;

/// A quoted template or a heredoc.
#[derive(Clone, Copy)]
pub struct Template<'t> {
    pub(super) at: At<'t>,
    pub(super) parts: &'t [Id],
    pub(super) heredoc: bool,
}

/// A part of a template.
#[derive(Clone, Copy)]
pub enum TemplatePart<'t> {
    /// Text, escapes resolved, with its location.
    Literal(&'t str, Span),
    /// `${value}`, with the location of all of it.
    Interpolation(Expr<'t>, Span),
    /// `%{if}` to `%{endif}`.
    If {
        /// The condition.
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
        /// The collection that is iterated.
        collection: Expr<'t>,
        /// The parts for each entry.
        body: TemplateParts<'t>,
    },
}

/// Parts of a template inside a directive.
#[derive(Clone, Copy)]
pub struct TemplateParts<'t> {
    pub(super) at: At<'t>,
    pub(super) ids: &'t [Id],
}

impl<'t> TemplateParts<'t> {
    /// The parts in order.
    pub fn iter(self) -> impl Iterator<Item = TemplatePart<'t>> {
        let at = self.at;
        self.ids.iter().filter_map(move |id| {
            let node = at.chunk.node(*id);
            Some(match &node.data {
                Data::Literal(text) => TemplatePart::Literal(at.text(*text), at.span(node.span)),
                Data::Interpolation(value) => {
                    TemplatePart::Interpolation(at.expr(*value), at.span(node.span))
                }
                Data::If {
                    condition,
                    then,
                    otherwise,
                } => TemplatePart::If {
                    condition: at.expr(*condition),
                    then: TemplateParts {
                        at,
                        ids: at.chunk.list(*then),
                    },
                    otherwise: TemplateParts {
                        at,
                        ids: at.chunk.list(*otherwise),
                    },
                },
                Data::ForDirective(node) => TemplatePart::For {
                    key_var: node.key_var.map(|span| at.slice(span)),
                    value_var: at.slice(node.value_var),
                    collection: at.expr(node.collection),
                    body: TemplateParts {
                        at,
                        ids: at.chunk.list(node.body),
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

    /// The expression of a template that consists of a single interpolation: its value is used as it is,
    /// without conversion to a string.
    #[must_use]
    pub fn as_wrapped(&self) -> Option<Expr<'t>> {
        let [only] = self.parts else { return None };
        match self.at.chunk.node(*only).data {
            Data::Interpolation(value) => Some(self.at.expr(value)),
            _ => None,
        }
    }
}
