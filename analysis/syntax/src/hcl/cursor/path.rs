//! From a position to the nodes around it.

use super::super::Tree;
use super::super::arena::{Data, Id};
use super::{At, Attribute, Block, Expr, Item};
use crate::text::Span;

/// A node on the path from the file to a position.
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
    /// The location of the node.
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
    /// The nodes that contain a cursor at `offset`, outermost first. A cursor directly after a node is in it,
    /// unless another node starts there.
    #[must_use]
    pub fn node_at(&self, offset: u32) -> Vec<NodeRef<'_>> {
        let mut path = Vec::new();
        let near = self.chunks_in(Span::at(offset)).map(|placed| {
            let at = At {
                chunk: &placed.chunk,
                base: placed.start,
            };
            at.item(at.touched(&placed.chunk.items, offset)?)
        });
        let mut next = near.flatten().last();
        while let Some(item) = next.take() {
            match item {
                Item::Block(block) => {
                    path.push(NodeRef::Block(block));
                    next = block.item_at(offset);
                }
                Item::Attribute(attribute) => {
                    path.push(NodeRef::Attribute(attribute));
                    expressions_at(attribute.value(), offset, &mut path);
                }
            }
        }
        path
    }

    /// The top-level block without a closing brace that an indented line belongs to, if a cursor is on one. What is being
    /// typed there is often in no node yet.
    #[must_use]
    pub fn unclosed_block(&self, text: &str, offset: u32) -> Option<Block<'_>> {
        let before = text.get(..offset as usize)?;
        let line = before.rfind('\n').map(|end| end + 1)?;
        let is_indented = before.get(line..)?.starts_with([' ', '\t']);
        let blocks = self.body().blocks();
        let last = blocks
            .take_while(|block| block.body_span().start <= offset)
            .last()?;
        (is_indented && !last.is_closed()).then_some(last)
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
                | Data::ForDirective(_)
        ) {
            path.push(NodeRef::Expr(expr));
        }
        let touched = match data {
            Data::Template { parts: kids, .. } | Data::Tuple(kids) | Data::Object(kids) => {
                expr.at.touched(expr.at.chunk.list(*kids), offset)
            }
            _ => {
                let is_touched = |id: &Id| expr.at.expr(*id).span().touches(offset);
                expr.ids().into_iter().rfind(is_touched)
            }
        };
        next = touched.map(|id| expr.at.expr(id));
    }
}
