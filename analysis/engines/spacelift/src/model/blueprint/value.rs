//! What a value is, as far as all readers of YAML agree.

use std::sync::Arc;

use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::goyaml::{self, Value};

use crate::read::blueprint::COMPUTED;

/// See the module.
pub(super) enum Sort<'t> {
    Text(Arc<str>),
    /// It is computed when stacks are made of the text.
    Computed,
    Bool(bool),
    Null,
    Number,
    List(Node<'t>),
    Map(Node<'t>),
    /// Readers differ.
    Open,
}

impl Sort<'_> {
    /// The word for it.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Text(_) | Self::Computed | Self::Open => "a string",
            Self::Bool(_) => "a boolean",
            Self::Null => "null",
            Self::Number => "a number",
            Self::List(_) => "a list",
            Self::Map(_) => "a mapping",
        }
    }

    /// Whether it is known to be something else than a text.
    pub(super) const fn is_no_text(&self) -> bool {
        !matches!(self, Self::Text(_) | Self::Computed | Self::Open)
    }
}

/// What a node is.
pub(super) fn sort(node: Node<'_>) -> Sort<'_> {
    let Some(node) = node.resolve() else {
        return Sort::Open;
    };
    if node.is_mapping() {
        return Sort::Map(node);
    }
    if node.is_sequence() {
        return Sort::List(node);
    }
    let text = node.value();
    if text.contains(COMPUTED) {
        return Sort::Computed;
    }
    if node.tag().is_some() {
        return Sort::Open;
    }
    match goyaml::value(node) {
        Value::Str(text) => Sort::Text(text.into()),
        Value::Null => Sort::Null,
        Value::Bool(is_true) if matches!(&*text, "true" | "false") => Sort::Bool(is_true),
        Value::Int(_) | Value::Float(_) if text.parse::<f64>().is_ok() => Sort::Number,
        _ => Sort::Open,
    }
}

/// A plain string; `None` if it is not a string, or not known.
pub(super) fn text(node: Node<'_>) -> Option<Arc<str>> {
    match sort(node) {
        Sort::Text(text) => Some(text),
        _ => None,
    }
}
