//! YAML: a tolerant parser into a flat tree with byte spans, and the dialects that engines read.
//!
//! [`parse`] never fails: what cannot be read is an error in the tree next to everything that can. Scalars are
//! kept raw; a [`dialect`] defines the meaning of a scalar, a key or a merge for one engine.
//!
//! All three engines that read YAML do so through libyaml or a port of it, which is neither YAML 1.2 nor quite
//! 1.1. So the tokenizer here follows libyaml's rules and rejects what it rejects.

mod build;
pub mod context;
pub mod dialect;
mod document;
pub mod edit;
pub mod index;
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

/// The version of libyaml that an engine's library is a port of, for cases where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Libyaml {
    /// 0.1, as in go-yaml.
    #[default]
    Old,
    /// 0.2, as in unsafe-libyaml: a question mark stays in a word in brackets, a colon before a bracket or
    /// comma there is rejected, a tag ends at a comma, a slash may be escaped, and a byte-order mark may start
    /// any line.
    New,
}

/// How a part of a text is read.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// Whether no other text of the stream precedes it.
    first: bool,
    libyaml: Libyaml,
}

/// Parses a text of any number of documents, as libyaml 0.1 does.
///
/// Never fails; see [`Tree::errors`]. A byte-order mark at the start is skipped. All spans are in
/// bytes of `text`.
#[must_use]
pub fn parse(text: impl Into<Arc<str>>) -> Tree {
    parse_as(text, Libyaml::Old)
}

/// Parses a text of any number of documents, as some version of libyaml does. See [`parse`].
#[must_use]
pub fn parse_as(text: impl Into<Arc<str>>, libyaml: Libyaml) -> Tree {
    Tree::parse(text.into(), libyaml)
}

#[cfg(test)]
mod tests;
