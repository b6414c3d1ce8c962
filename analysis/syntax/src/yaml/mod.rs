//! YAML: a tolerant parser into a flat tree with byte spans, and the dialects that engines read.
//!
//! [`parse`] never fails: what can't be read is an error in the tree beside everything that can.
//! Scalars are kept raw; a [`dialect`] says what a scalar, a key or a merge means to one engine.
//!
//! All three engines that read YAML do so through libyaml or a port of it, which is neither YAML
//! 1.2 nor quite 1.1. So the tokeniser here follows libyaml's rules and refuses what it refuses.

mod build;
pub mod dialect;
mod document;
pub mod edit;
mod node;
mod recover;
mod reparse;
mod scalar;
mod scan;
mod split;
mod tree;

pub use node::{Anchor, Entry, Kind, Node, NodeId, NodeKey, Style};
pub use scalar::ScalarMap;
pub use tree::{Comment, Document, SyntaxError, SyntaxErrorKind, Tree};

use std::sync::Arc;

/// The deepest nesting that is read; beyond it a [`SyntaxErrorKind::Limit`] error is reported.
pub const MAX_DEPTH: usize = 200;

/// Parses a text of any number of documents.
///
/// Never fails; see [`Tree::errors`]. A byte-order mark at the start is skipped. All spans are in
/// bytes of `text`.
#[must_use]
pub fn parse(text: impl Into<Arc<str>>) -> Tree {
    Tree::parse(text.into())
}

#[cfg(test)]
mod tests;
