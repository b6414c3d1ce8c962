//! What Terraform rejects in an expression.
//!
//! Source: spec section 5.

use std::sync::Arc;

use super::known_names::Compared;
use super::module::{Module, Spot};
use crate::schema::Kind;

/// The sorts of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FaultKind {
    UnknownStack,
    UnknownDependency,
    UnknownInstance,
    MissingInstanceKey,
    UnexpectedInstanceKey,
    UndeclaredModule,
    UndeclaredOutput,
    UndeclaredLocal,
    UndeclaredVariable,
    UnsupportedAttribute,
    /// A file that is not there, and may be made before; its subject is a sentence.
    MissingFile,
    /// Anything else; its subject is a sentence.
    InvalidExpression,
    /// The same, of what only values make wrong.
    FailingExpression,
}

impl FaultKind {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::UnknownStack => "unknown-stack",
            Self::UnknownDependency => "unknown-dependency",
            Self::UnknownInstance => "unknown-instance",
            Self::MissingInstanceKey => "missing-instance-key",
            Self::UnexpectedInstanceKey => "unexpected-instance-key",
            Self::UndeclaredModule => "undeclared-module",
            Self::UndeclaredOutput => "undeclared-output",
            Self::UndeclaredLocal => "undeclared-local",
            Self::UndeclaredVariable => "undeclared-variable",
            Self::UnsupportedAttribute => "unsupported-attribute",
            Self::MissingFile => "missing-file",
            Self::InvalidExpression | Self::FailingExpression => "invalid-expression",
        }
    }

    /// Whether `terraform validate` finds it, whatever the values are.
    pub(crate) const fn is_static(self) -> bool {
        !matches!(self, Self::UnknownInstance | Self::FailingExpression)
    }
}

/// What is at fault, wherever it is met.
#[derive(Clone, Debug)]
pub(crate) struct FaultText {
    pub(crate) kind: FaultKind,
    /// The address or name that is meant.
    pub(crate) subject: String,
    /// What may have been meant: the current text, and its replacement.
    pub(crate) near: Option<(String, String)>,
    /// What it is about, and a word on it.
    pub(crate) related: Option<(Spot, String)>,
    /// It depends on a value that is only likely.
    pub(crate) heuristic: bool,
    /// It comes after a key. `terraform validate` checks only what comes after a literal key, not after a
    /// computed one.
    pub(crate) is_behind_key: bool,
}

impl FaultText {
    pub(crate) fn new(kind: FaultKind, subject: String) -> Self {
        Self {
            kind,
            subject,
            near: None,
            related: None,
            heuristic: false,
            is_behind_key: false,
        }
    }

    /// For the address of a resource that a module does not declare; `path` precedes the addresses in it.
    pub(crate) fn undeclared(
        module: &Module<'_>,
        compared: &Compared,
        path: &str,
        (is_data, ty, name): (bool, &str, &str),
    ) -> Self {
        let kind = match Kind::of(ty) {
            Kind::Dependency => FaultKind::UnknownDependency,
            _ => FaultKind::UnknownStack,
        };
        let known = module.known_resources(is_data, ty);
        let near = known.and_then(|known| compared.nearest(name, known));
        let prefix = if is_data { "data." } else { "" };
        Self::new(kind, format!("{path}{prefix}{ty}.{name}")).near(name, near)
    }

    pub(crate) fn near(mut self, word: &str, near: Option<&str>) -> Self {
        self.near = near.map(|near| (word.to_owned(), near.to_owned()));
        self
    }

    pub(crate) fn related(mut self, spot: Spot, text: impl Into<String>) -> Self {
        self.related = Some((spot, text.into()));
        self
    }

    pub(crate) fn likely(mut self, heuristic: bool) -> Self {
        self.heuristic |= heuristic;
        self
    }

    pub(crate) fn behind_key(mut self, is_behind_key: bool) -> Self {
        self.is_behind_key = is_behind_key;
        self
    }

    /// Whether `terraform validate` finds it, whatever the values are.
    pub(crate) const fn is_static(&self) -> bool {
        self.kind.is_static() && !self.is_behind_key
    }
}

/// A fault at a place.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) text: FaultText,
    pub(crate) spot: Spot,
    /// What was being resolved: the address of an instance, and the argument.
    pub(crate) at: Arc<str>,
    /// The same without keys.
    pub(crate) static_at: Arc<str>,
    /// Whether `terraform validate` finds it, whatever the values are.
    pub(crate) is_static: bool,
    /// Whether a value was read on the way to it that is only likely.
    pub(crate) reads_likely: bool,
}
