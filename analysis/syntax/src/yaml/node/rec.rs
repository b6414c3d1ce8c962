//! The kind of a node and how it is written, packed into one number.

use std::borrow::Cow;

use crate::yaml::scalar;
use crate::yaml::tree::Rec;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A scalar, including the empty one for a missing value.
    Scalar,
    /// A mapping.
    Mapping,
    /// A sequence.
    Sequence,
    /// A reference `*name`.
    Alias,
}

/// How a node is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// A scalar without quotes, also an empty one.
    Plain,
    /// A scalar in `'`.
    SingleQuoted,
    /// A scalar in `"`.
    DoubleQuoted,
    /// A block scalar after `|`.
    Literal,
    /// A block scalar after `>`.
    Folded,
    /// A mapping or sequence by indentation.
    Block,
    /// A mapping or sequence in brackets, or a single pair inside a bracketed sequence.
    Flow,
}

pub(super) const HAS_PROPS: u32 = 1 << 5;
/// The node represents the items of a list that was cut out; the number follows.
const HOLE: u32 = 1 << 6;
const INDENT_SHIFT: u32 = 8;
/// The largest indentation of a block scalar that is distinguished from larger ones.
const MAX_INDENT: usize = (1 << 24) - 1;

impl Rec {
    pub(in crate::yaml) fn meta(kind: Kind, style: Style, block_indent: usize) -> u32 {
        let indent = u32::try_from(block_indent.min(MAX_INDENT)).unwrap_or(0);
        kind as u32 | (style as u32) << 2 | indent << INDENT_SHIFT
    }

    pub(in crate::yaml) fn set_props(&mut self) {
        self.meta |= HAS_PROPS;
    }

    pub(in crate::yaml) fn set_hole(&mut self, hole: usize) {
        self.meta |= HOLE | u32::try_from(hole.min(MAX_INDENT)).unwrap_or(0) << INDENT_SHIFT;
    }

    pub(super) fn hole(self) -> Option<usize> {
        (self.meta & HOLE != 0).then_some((self.meta >> INDENT_SHIFT) as usize)
    }

    pub(in crate::yaml) fn is_scalar(self) -> bool {
        self.kind() == Kind::Scalar
    }

    /// The text of a scalar from its source and the text after that.
    pub(in crate::yaml) fn decode<'a>(self, source: &'a str, behind: &str) -> Cow<'a, str> {
        scalar::decode(source, self.style(), self.block_indent(), behind)
    }

    pub(in crate::yaml) fn kind(self) -> Kind {
        match self.meta & 3 {
            0 => Kind::Scalar,
            1 => Kind::Mapping,
            2 => Kind::Sequence,
            _ => Kind::Alias,
        }
    }

    pub(in crate::yaml) fn style(self) -> Style {
        match self.meta >> 2 & 7 {
            0 => Style::Plain,
            1 => Style::SingleQuoted,
            2 => Style::DoubleQuoted,
            3 => Style::Literal,
            4 => Style::Folded,
            5 => Style::Block,
            _ => Style::Flow,
        }
    }

    pub(super) fn block_indent(self) -> usize {
        (self.meta >> INDENT_SHIFT) as usize
    }
}
