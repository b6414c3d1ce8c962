//! go-yaml v2 as `sigs.k8s.io/yaml` uses it: YAML 1.1 scalars, merge keys in file order, the last of several
//! equal keys, keys and numbers as text where a string is expected.

mod ahead;
mod check;
mod fields;
mod refusal;
mod resolve;
mod timestamp;
mod utf8;

pub use ahead::beyond_the_first;
pub use check::check;
pub use fields::{Field, Loser, Via, fields, is_merge, key_text};
pub use refusal::{Refusal, SyntaxFault, refusal, refuses, syntax_fault};
pub use resolve::{Scalar, float_text, resolve_plain, scalar};
pub use utf8::{invalid_utf8, octets};

use std::borrow::Cow;

use crate::text::Span;
use crate::yaml::{Kind, Node};

/// A fault that go-yaml or the conversion to JSON reports about a text that is YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectError {
    /// The smallest node or token at fault.
    pub span: Span,
    /// The place it conflicts with, such as the anchor.
    pub related: Option<Span>,
    /// What kind of fault.
    pub kind: DialectErrorKind,
    /// The library's own message if it is stable, without its prefixes and line number.
    pub message: String,
}

/// The steps of reading, in the order in which they run; each ends at its first error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Reading the text into nodes.
    Parse,
    /// Resolving scalars, aliases and merges.
    Decode,
    /// Turning the result into JSON.
    Convert,
}

/// The kinds of [`DialectError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DialectErrorKind {
    /// An alias without an earlier anchor with its name.
    UnknownAnchor,
    /// An anchor whose value contains an alias to itself.
    RecursiveAnchor,
    /// Aliases expand to too much.
    ExcessiveAliasing,
    /// A merge key with a value that is neither a mapping nor a list of mappings.
    BadMerge,
    /// A key that is a mapping or a sequence.
    CollectionKey,
    /// A key that is null or an integer beyond 63 bits.
    BadKey,
    /// A value that its explicit tag does not fit.
    BadTag,
    /// A number that JSON cannot express. Not an error if a field of type string is filled.
    NotJson,
    /// A directive that go-yaml rejects.
    Directive,
    /// A character that go-yaml rejects anywhere.
    Character,
    /// A text that go-yaml's scanner or parser rejects though others accept it.
    Syntax,
}

impl DialectErrorKind {
    /// The step that reports it. Errors of an earlier step hide those of a later one.
    #[must_use]
    pub fn stage(self) -> Stage {
        match self {
            Self::UnknownAnchor | Self::Directive | Self::Character | Self::Syntax => Stage::Parse,
            Self::RecursiveAnchor
            | Self::ExcessiveAliasing
            | Self::BadMerge
            | Self::BadTag
            | Self::CollectionKey => Stage::Decode,
            Self::BadKey | Self::NotJson => Stage::Convert,
        }
    }
}

/// A node as go-yaml decodes it; aliases are followed.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'t> {
    /// Null, also a missing value and an alias without a target.
    Null,
    /// A boolean, `yes` and `on` included.
    Bool(bool),
    /// An integer of at most 63 bits.
    Int(i64),
    /// An integer that needs 64 bits.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// A string.
    Str(Cow<'t, str>),
    /// A sequence; the node is the sequence itself, never an alias.
    Seq(Node<'t>),
    /// A mapping; the node is the mapping itself, never an alias. Read it with [`fields`].
    Map(Node<'t>),
}

impl<'t> Value<'t> {
    /// The text in a field of type string: numbers and booleans are written as the conversion does it. `None`
    /// for null, sequences and mappings.
    #[must_use]
    pub fn into_text(self) -> Option<Cow<'t, str>> {
        match self {
            Value::Str(text) => Some(text),
            Value::Bool(b) => Some(Cow::Borrowed(if b { "true" } else { "false" })),
            Value::Int(n) => Some(Cow::Owned(n.to_string())),
            Value::Uint(n) => Some(Cow::Owned(n.to_string())),
            Value::Float(f) => Some(Cow::Owned(float_text(f))),
            Value::Null | Value::Seq(_) | Value::Map(_) => None,
        }
    }
}

/// Decodes a node. Errors inside are found by [`check`]; here they read as null.
#[must_use]
pub fn value(node: Node<'_>) -> Value<'_> {
    if let Some(text) = node.bare() {
        return resolve_plain(text).into();
    }
    let Some(node) = node.resolve() else {
        return Value::Null;
    };
    match node.kind() {
        Kind::Mapping => Value::Map(node),
        Kind::Sequence => Value::Seq(node),
        Kind::Scalar | Kind::Alias => scalar(node).map_or(Value::Null, Value::from),
    }
}

impl<'t> From<Scalar<'t>> for Value<'t> {
    fn from(scalar: Scalar<'t>) -> Self {
        match scalar {
            Scalar::Null => Value::Null,
            Scalar::Bool(b) => Value::Bool(b),
            Scalar::Int(n) => Value::Int(n),
            Scalar::Uint(n) => Value::Uint(n),
            Scalar::Float(f) => Value::Float(f),
            Scalar::Str(text) => Value::Str(text),
        }
    }
}

/// The text of a node in a field of type string; see [`Value::into_text`].
#[must_use]
pub fn text(node: Node<'_>) -> Option<Cow<'_, str>> {
    value(node).into_text()
}
