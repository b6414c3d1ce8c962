//! Why a text cannot be read into a generic value.

use crate::text::Span;

/// Why a text is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is at fault.
    pub span: Span,
    /// The place it conflicts with: the first of two equal keys, the first document.
    pub related: Option<Span>,
    /// What kind of fault.
    pub kind: RefusalKind,
    /// The library's message, with its path and position. For syntax errors only as far as it is always the
    /// same.
    pub message: String,
}

/// The kinds of [`Refusal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// The text is not YAML.
    Syntax,
    /// Two equal keys in one mapping.
    DuplicateKey,
    /// More than one document.
    SeveralDocuments,
    /// A byte-order mark that the library treats as a document of its own.
    ByteOrderMark,
    /// A byte-order mark that turns the document marker or directive next to it into text.
    BesideMark,
    /// An alias without an earlier anchor with its name.
    UnknownAnchor,
    /// Nested too deeply, also by an alias that contains itself.
    TooDeep,
    /// Aliases are followed too often.
    TooManyAliases,
    /// A value that its tag does not fit, or a number beyond 64 bits.
    BadScalar,
}

pub(super) fn refusal(span: Span, related: Option<Span>, kind: RefusalKind, message: String) -> Refusal {
    Refusal {
        span,
        related,
        kind,
        message,
    }
}
