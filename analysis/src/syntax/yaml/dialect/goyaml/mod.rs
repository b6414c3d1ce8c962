//! go-yaml v2 as `sigs.k8s.io/yaml` uses it: YAML 1.1 scalars, merge keys in file order, the last
//! of several equal keys, keys and numbers as text where a string is wanted.

mod check;
mod fields;
mod resolve;

pub use check::check;
pub use fields::{Field, Loser, Via, fields, is_merge, key_text};
pub use resolve::{Scalar, float_text, resolve_plain, scalar};

use std::borrow::Cow;

use crate::syntax::text::Span;
use crate::syntax::yaml::build::strict;
use crate::syntax::yaml::scan::break_len;
use crate::syntax::yaml::{Document, Kind, Node, SyntaxError, SyntaxErrorKind};

/// A fault that go-yaml or the conversion to JSON reports about a text that is YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectError {
    /// The smallest node or token at fault.
    pub span: Span,
    /// The place it conflicts with, such as the anchor.
    pub related: Option<Span>,
    /// What kind of fault.
    pub kind: DialectErrorKind,
    /// The library's own words where they are stable, without its prefixes and line number.
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
    /// An alias without an earlier anchor of its name.
    UnknownAnchor,
    /// An anchor whose value contains an alias to itself.
    RecursiveAnchor,
    /// Aliases expand to too much.
    ExcessiveAliasing,
    /// A merge key with a value that is neither a mapping nor a list of mappings.
    BadMerge,
    /// A key that is a mapping or a sequence.
    CollectionKey,
    /// A key that is null or a whole number beyond 63 bits.
    BadKey,
    /// A value that its explicit tag does not fit.
    BadTag,
    /// A number that JSON can't express. No error where a field of type string is filled.
    NotJson,
    /// A directive that go-yaml refuses.
    Directive,
    /// A character that go-yaml refuses anywhere.
    Character,
    /// A text that go-yaml's scanner or parser refuses though others read it.
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
    /// Null, also a missing value and an alias that leads nowhere.
    Null,
    /// A boolean, `yes` and `on` included.
    Bool(bool),
    /// A whole number of at most 63 bits.
    Int(i64),
    /// A whole number that needs 64 bits.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// A text.
    Str(Cow<'t, str>),
    /// A sequence; the node is the sequence itself, never an alias.
    Seq(Node<'t>),
    /// A mapping; the node is the mapping itself, never an alias. Read it with [`fields`].
    Map(Node<'t>),
}

impl<'t> Value<'t> {
    /// The text that ends up in a field of type string: numbers and booleans are written out as
    /// the conversion does it. `None` for null, sequences and mappings.
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

/// Decodes a node. What is wrong inside is found by [`check`]; here it reads as null.
#[must_use]
pub fn value(node: Node<'_>) -> Value<'_> {
    let Some(node) = node.resolve() else {
        return Value::Null;
    };
    match node.kind() {
        Kind::Mapping => Value::Map(node),
        Kind::Sequence => Value::Seq(node),
        Kind::Scalar | Kind::Alias => match scalar(node) {
            Ok(Scalar::Null) => Value::Null,
            Ok(Scalar::Bool(b)) => Value::Bool(b),
            Ok(Scalar::Int(n)) => Value::Int(n),
            Ok(Scalar::Uint(n)) => Value::Uint(n),
            Ok(Scalar::Float(f)) => Value::Float(f),
            Ok(Scalar::Str(text)) => Value::Str(text),
            Err(_) => Value::Null,
        },
    }
}

/// The text of a node in a field of type string; see [`Value::into_text`].
#[must_use]
pub fn text(node: Node<'_>) -> Option<Cow<'_, str>> {
    value(node).into_text()
}

/// Whether a syntax error of the first document makes go-yaml refuse the text. It reads only that
/// document and does not notice what follows; nor does it share limits of ours.
#[must_use]
pub fn refuses(error: &SyntaxError) -> bool {
    !matches!(error.kind, SyntaxErrorKind::Trailing | SyntaxErrorKind::Limit)
}

/// What go-yaml says about a document that is not YAML to it: the place where it notices, and its
/// words, with the line it prints (for some errors that is not the line of the place). `None` for a
/// document that it reads. Reads the document once more, as the words depend on all of it.
#[must_use]
pub fn syntax_message(document: Document<'_>) -> Option<(Span, String)> {
    let text = document.span().slice(document.tree().text());
    let fault = strict(text, document.starts_the_text())
        .fault
        .filter(|f| f.kind != SyntaxErrorKind::Trailing)?;
    let start = document.span().start;
    let noticed = line(text, fault.at, fault.at_end);
    let shown = match fault.kind {
        _ if noticed == 0 => fault.context.map_or(0, |c| line(text, c, false)),
        SyntaxErrorKind::Scanner => noticed + 1,
        _ => noticed,
    };
    let more = document.tree().text().len() > document.span().end as usize;
    let message = match fault.message {
        "found unexpected end of stream" if more => "found unexpected document indicator",
        message => message,
    };
    let message = if shown == 0 {
        message.to_owned()
    } else {
        format!("line {shown}: {message}")
    };
    Some((Span::from_usize(fault.at, fault.at).shifted(start), message))
}

/// go-yaml's line of an offset, from 0. At the `end` a last line without line break counts as ended.
fn line(text: &str, offset: usize, end: bool) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut lines, mut start) = (0, 0, 0);
    while at < offset {
        let len = break_len(bytes, at);
        at += len.max(1);
        if len > 0 {
            lines += 1;
            start = at;
        }
    }
    lines + usize::from(end && start < offset)
}
