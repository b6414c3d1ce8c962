//! The direct children of a node.

use std::ops::Range;

use super::Node;
use crate::text::Span;

/// A key and its value in a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'t> {
    /// The key; a null scalar if none is written.
    pub key: Node<'t>,
    /// The value; a null scalar with an empty span after the colon if none is written.
    pub value: Node<'t>,
}

impl Entry<'_> {
    /// From the key's first byte (its tag, anchor or `?` included) to the value's last.
    #[must_use]
    #[inline]
    pub fn span(&self) -> Span {
        let key = self.key.full_span();
        let text = self.key.tree.text();
        let before = text
            .get(..key.start as usize)
            .unwrap_or("")
            .trim_end_matches([' ', '\t']);
        let start = match before.strip_suffix('?') {
            Some(rest)
                if before.len() < key.start as usize
                    && rest
                        .chars()
                        .next_back()
                        .is_none_or(|c| c.is_whitespace() || "[{,-:?".contains(c)) =>
            {
                Span::from_usize(rest.len(), rest.len()).start
            }
            _ => key.start,
        };
        Span::new(start, self.value.full_span().end.max(key.end))
    }
}

/// The direct children of a node, including those of lists that were cut out.
pub(super) struct Children<'t> {
    pub(super) main: Siblings<'t>,
    pub(super) cut_out: Option<Siblings<'t>>,
    /// The items of a list that was cut out, each in a piece of its own.
    pub(super) parts: Range<u32>,
}

impl<'t> Iterator for Children<'t> {
    type Item = Node<'t>;

    #[inline]
    fn next(&mut self) -> Option<Node<'t>> {
        if self.cut_out.is_none() && self.parts.is_empty() {
            let child = self.main.next()?;
            if child.rec.hole().is_none() {
                return Some(child);
            }
            self.open(child)?;
        }
        self.next_cut_out()
    }
}

impl<'t> Children<'t> {
    /// Continues with the list that a stand-in represents.
    fn open(&mut self, placeholder: Node<'t>) -> Option<()> {
        let hole = placeholder.doc()?.doc.holes.get(placeholder.rec.hole()?)?;
        self.parts = hole.items.clone();
        Some(())
    }

    #[cold]
    fn next_cut_out(&mut self) -> Option<Node<'t>> {
        loop {
            if let Some(item) = self.cut_out.as_mut().and_then(Iterator::next) {
                return Some(item);
            }
            self.cut_out = None;
            if let Some(part) = self.parts.next() {
                let parent = self.main.first;
                self.cut_out = Node::at(parent.tree, parent.slot, part + 1, 0).map(|root| Siblings {
                    first: root,
                    next: 1,
                    end: root.rec.next,
                });
                continue;
            }
            let child = self.main.next()?;
            match child.rec.hole() {
                Some(_) => self.open(child)?,
                None => return Some(child),
            }
        }
    }
}

/// Nodes of one piece with the same parent.
pub(super) struct Siblings<'t> {
    /// Any node of the piece.
    pub(super) first: Node<'t>,
    pub(super) next: u32,
    pub(super) end: u32,
}

impl<'t> Iterator for Siblings<'t> {
    type Item = Node<'t>;

    #[inline]
    fn next(&mut self) -> Option<Node<'t>> {
        if self.next >= self.end {
            return None;
        }
        let node = self.first.beside(self.next)?;
        self.next = node.rec.next;
        Some(node)
    }
}
