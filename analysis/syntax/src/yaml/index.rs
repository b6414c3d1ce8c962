//! The children of long collections, found by position.
//!
//! A tree has no table of a node's children: they are iterated one by one. Callers that ask once for each of a
//! hundred thousand entries of one list use this index.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::tree::Tree;
use super::{Node, NodeId};
use crate::text::Span;

/// Collections with fewer children are iterated.
const LONG: usize = 32;

/// See the module. Belongs to one tree.
#[derive(Debug, Default)]
pub struct Index(Mutex<FxHashMap<NodeId, Arc<Parts>>>);

/// The parts of a collection in the order of the text: items, or entries.
#[derive(Debug, Default)]
pub struct Parts {
    /// The nodes directly below: items, or keys and values in turn.
    nodes: Vec<(NodeId, Span)>,
    /// The number of nodes per part.
    each: usize,
    /// The span of each part, as edits use it.
    spans: Vec<Span>,
    /// Whether no node starts before the previous one.
    in_order: bool,
}

impl Parts {
    /// The parts of a sequence or mapping; none for other nodes.
    #[must_use]
    pub fn of(node: Node<'_>) -> Self {
        let nodes: Vec<(NodeId, Span)> = node.children().map(|n| (n.id(), n.full_span())).collect();
        Self {
            in_order: nodes.is_sorted_by_key(|(_, span)| span.start),
            nodes,
            each: if node.is_mapping() { 2 } else { 1 },
            spans: match node.is_mapping() {
                true => node.entries().map(|e| e.span()).collect(),
                false => node.item_spans().collect(),
            },
        }
    }

    /// The location of each part: an item from its dash, an entry from its key.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The node of a part: the item, or the key.
    #[must_use]
    pub fn node<'t>(&self, tree: &'t Tree, index: usize) -> Option<Node<'t>> {
        tree.node(self.nodes.get(index * self.each)?.0)
    }

    /// The part whose item or key contains a range.
    #[must_use]
    pub fn holding(&self, span: Span) -> Option<usize> {
        let holds = |at: usize| self.nodes.get(at).is_some_and(|(_, s)| s.contains(span));
        if !self.in_order {
            return (0..self.spans.len()).find(|part| holds(part * self.each));
        }
        let behind = self.nodes.partition_point(|(_, s)| s.start <= span.start);
        // An empty node may start where the one that contains the range starts.
        let mut near = behind.saturating_sub(2 * self.each)..behind;
        let found = near.find(|at| at % self.each == 0 && holds(*at))?;
        Some(found / self.each)
    }

    /// The last node that a cursor touches.
    fn touched(&self, offset: u32) -> Option<NodeId> {
        let touches = |(_, span): &&(NodeId, Span)| span.touches(offset);
        let found = if self.in_order {
            let behind = self.nodes.partition_point(|(_, s)| s.start <= offset);
            self.nodes.get(behind.checked_sub(1)?).filter(touches)
        } else {
            self.nodes.iter().rfind(touches)
        };
        found.map(|(id, _)| *id)
    }
}

impl Index {
    /// The parts of a collection.
    #[must_use]
    pub fn parts(&self, node: Node<'_>) -> Arc<Parts> {
        if node.children().nth(LONG).is_none() {
            return Arc::new(Parts::of(node));
        }
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parts) = known().get(&node.id()) {
            return parts.clone();
        }
        let parts = Arc::new(Parts::of(node));
        known().insert(node.id(), parts.clone());
        parts
    }

    /// Like [`Tree::node_at`].
    #[must_use]
    pub fn node_at<'t>(&self, tree: &'t Tree, offset: u32) -> Vec<Node<'t>> {
        tree.path_to(offset, |node| {
            if node.children().nth(LONG).is_none() {
                return node.children().filter(|c| c.full_span().touches(offset)).last();
            }
            tree.node(self.parts(node).touched(offset)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    #[test]
    fn the_index_answers_as_the_tree_does() {
        let items: String = (0..40)
            .map(|n| format!("  - n{n}: &a{n} [x, *a{n}]\n  -\n"))
            .collect();
        let keys: String = (0..40).map(|n| format!("k{n}:\n? !t k\n: v{n}\n")).collect();
        let flow: String = (0..40).map(|n| format!("\"{n}\", ")).collect();
        let text = format!("a:\n{items}{keys}f: [{flow}]\n");
        let tree = parse(&*text);
        let index = Index::default();
        let mut nodes = 0;
        for offset in 0..u32::try_from(text.len()).unwrap() {
            let path = tree.node_at(offset);
            assert_eq!(index.node_at(&tree, offset), path, "{offset}");
            for pair in path.windows(2) {
                let [parent, child] = pair else { continue };
                let (parts, span) = (index.parts(*parent), child.span());
                let part = match parent.is_mapping() {
                    true => parent.entries().position(|e| e.key.full_span().contains(span)),
                    false => parent.items().position(|i| i.full_span().contains(span)),
                };
                assert_eq!(parts.holding(span), part, "{offset}");
                let node = part.and_then(|part| parts.node(&tree, part));
                assert_eq!(node.is_some_and(|n| n.full_span().contains(span)), part.is_some());
                nodes += 1;
            }
        }
        assert!(nodes > 1_000);
    }
}
