//! From a position to the nodes around it.

use super::super::Tree;
use super::super::arena::Data;
use super::{At, Attribute, Block, Expr, Item};
use crate::text::Span;

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
