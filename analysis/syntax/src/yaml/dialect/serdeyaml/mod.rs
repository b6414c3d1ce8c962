//! `serde_yaml` 0.9 over `unsafe-libyaml`: scalars close to YAML 1.2, no merge keys, equal keys rejected, one
//! document only, tags as enum variants.

mod refusal;
mod scalar;
mod text;
mod utf8;
mod values;

pub use refusal::{Refusal, RefusalKind};
pub use scalar::{Scalar, float_text, plain, scalar, untagged};
pub use text::refusals;
pub use utf8::invalid_utf8;

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::yaml::{Kind, Node};

/// A node as the library decodes it into a generic value; aliases are followed.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'t> {
    /// Null, also a missing value and an alias without a target.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer of at most 64 bits.
    Int(i128),
    /// Any other number.
    Float(f64),
    /// A string.
    Str(Cow<'t, str>),
    /// A sequence; never an alias.
    Seq(Node<'t>),
    /// A mapping; never an alias.
    Map(Node<'t>),
    /// A value after a local tag, as the variant of an enum: the tag without `!`.
    Tagged(&'t str, Node<'t>),
}

/// Decodes a node.
#[must_use]
pub fn value(node: Node<'_>) -> Value<'_> {
    let Some(node) = node.resolve() else {
        return Value::Null;
    };
    match local_tag(node) {
        Some(tag) => Value::Tagged(tag, node),
        None => inner(node, false),
    }
}

/// Decodes the value after a local tag.
#[must_use]
pub fn behind_tag(node: Node<'_>) -> Value<'_> {
    node.resolve()
        .map_or(Value::Null, |node| inner(node, local_tag(node).is_some()))
}

fn inner(node: Node<'_>, tagged: bool) -> Value<'_> {
    match node.kind() {
        Kind::Mapping => Value::Map(node),
        Kind::Sequence => Value::Seq(node),
        Kind::Scalar | Kind::Alias => {
            let found = if tagged { Ok(untagged(node)) } else { scalar(node) };
            found.map_or(Value::Null, Value::from)
        }
    }
}

impl<'t> From<Scalar<'t>> for Value<'t> {
    fn from(scalar: Scalar<'t>) -> Self {
        match scalar {
            Scalar::Null => Self::Null,
            Scalar::Bool(b) => Self::Bool(b),
            Scalar::Int(n) => Self::Int(n),
            Scalar::Float(f) => Self::Float(f),
            Scalar::Str(text) => Self::Str(text),
        }
    }
}

/// The tag that makes a value an enum variant, without its `!`. Aliases have no tag of their own.
#[must_use]
pub fn local_tag(node: Node<'_>) -> Option<&str> {
    let rest = node.tag()?.strip_prefix('!')?;
    Some(if rest.is_empty() { "!" } else { rest })
}

/// Where a node starts according to the library: its tag or anchor, or that of its first key.
#[must_use]
pub fn start(node: Node<'_>) -> u32 {
    let own = node.full_span().start;
    let first = node.children().next().map(|c| c.full_span().start);
    first.map_or(own, |first| own.min(first))
}

/// The lines of a text as the library counts them. They are counted on demand: most texts have no fault.
#[derive(Clone, Debug)]
pub struct Marks<'t> {
    text: &'t str,
    lines: OnceCell<Lines>,
}

#[derive(Clone, Debug)]
struct Lines {
    starts: Vec<u32>,
    /// By block of the text: the number of characters that begin before it.
    blocks: Vec<u32>,
}

/// The number of bytes whose characters are counted at once.
const BLOCK: usize = 1024;

impl Lines {
    fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let next = if text.is_ascii() {
            |rest: &[u8]| memchr::memchr2(b'\n', b'\r', rest)
        } else {
            |rest: &[u8]| rest.iter().position(|b| matches!(b, b'\n' | b'\r' | 0xC2 | 0xE2))
        };
        let mut starts = vec![0];
        let mut at = 0;
        while let Some(step) = bytes.get(at..).and_then(next) {
            at += step;
            let len = crate::yaml::scan::break_len(bytes, at);
            at += len.max(1);
            if len > 0 {
                starts.push(u32::try_from(at).unwrap_or(u32::MAX));
            }
        }
        let mut before = 0;
        let blocks = bytes.chunks(BLOCK).map(|block| {
            let own = before;
            before += characters(block);
            own
        });
        Self {
            starts,
            blocks: blocks.collect(),
        }
    }
}

impl<'t> Marks<'t> {
    /// The lines of a text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            lines: OnceCell::new(),
        }
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::new(self.text))
    }

    /// Line and column of an offset, both from 0; the column in characters; a byte-order mark counts as one.
    #[must_use]
    pub fn of(&self, offset: u32) -> (usize, usize) {
        let starts = &self.lines().starts;
        let line = starts.partition_point(|s| *s <= offset).saturating_sub(1);
        let start = starts.get(line).copied().unwrap_or(0);
        let own = self.text.as_bytes().get(start as usize..offset as usize);
        let column = match own.filter(|own| own.len() <= BLOCK) {
            Some(own) => characters(own),
            None => self.before(offset).saturating_sub(self.before(start)),
        };
        (line, column as usize)
    }

    /// The number of characters that begin before an offset.
    fn before(&self, offset: u32) -> u32 {
        let offset = (offset as usize).min(self.text.len());
        let block = offset / BLOCK;
        let own = self
            .text
            .as_bytes()
            .get(block * BLOCK..offset)
            .unwrap_or_default();
        let known = match self.lines().blocks.get(block) {
            Some(known) => *known,
            // The end of a text that ends with a block.
            None => return characters(self.text.as_bytes()),
        };
        known + characters(own)
    }

    /// ` at line 3 column 5`, as the library ends its messages; empty for the first character.
    #[must_use]
    pub fn suffix(&self, offset: u32) -> String {
        match self.of(offset) {
            (0, 0) => String::new(),
            (line, column) => format!(" at line {} column {}", line + 1, column + 1),
        }
    }
}

/// The number of characters that begin in some bytes.
fn characters(bytes: &[u8]) -> u32 {
    let firsts = bytes.iter().filter(|b| **b & 0xC0 != 0x80).count();
    u32::try_from(firsts).unwrap_or(u32::MAX)
}
