//! The flat arena behind a [`Tree`](super::Tree): nodes of one top-level piece of a file, positions
//! relative to that piece.

use crate::text::Span;

/// An error in the text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The bytes to underline.
    pub span: Span,
    /// The kind of error.
    pub kind: SyntaxErrorKind,
    /// One sentence without a full stop.
    pub message: String,
    /// A second place that belongs to it: the first definition of an attribute set twice.
    pub related: Option<Span>,
}

/// The maximum number of errors of one file that are kept. What follows is not read: after this many errors,
/// the rest of a text is not worth its memory.
pub(super) const MAX_ERRORS: usize = 1_000;

/// The kinds of [`SyntaxError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyntaxErrorKind {
    /// The text breaks HCL's grammar.
    Grammar,
    /// One attribute is set twice in one body, which HCL's parser rejects as well.
    DuplicateAttribute,
    /// A limit of ours (nesting, size), not an error of the engine.
    Limit,
}

impl SyntaxError {
    pub(super) fn new(span: Span, message: &str) -> Self {
        Self {
            span,
            kind: SyntaxErrorKind::Grammar,
            message: message.to_owned(),
            related: None,
        }
    }

    pub(super) fn limit(span: Span) -> Self {
        Self::past(
            span,
            format!("nested deeper than {} levels", super::lex::MAX_DEPTH),
        )
    }

    /// A limit of ours that the text exceeds.
    pub(super) fn past(span: Span, message: String) -> Self {
        Self {
            span,
            kind: SyntaxErrorKind::Limit,
            message,
            related: None,
        }
    }

    pub(super) fn shifted(&self, by: u32) -> Self {
        Self {
            span: self.span.shifted(by),
            related: self.related.map(|r| r.shifted(by)),
            ..self.clone()
        }
    }
}

/// A comment with its introducer; a line comment without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// From the introducer (`#`, `//`, `/*`) to the comment's last character.
    pub span: Span,
}

/// An index into [`Chunk::nodes`].
pub(super) type Id = u32;

/// A run of entries in [`Chunk::kids`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kids {
    pub(super) start: u32,
    pub(super) len: u32,
}

/// Text that is either a slice of the source or was changed by escapes or trimming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text {
    Source(Span),
    Pool(u32),
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Negate,
    Not,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) data: Data,
}

/// The parts of a `for` expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ForNode {
    pub(super) key_var: Option<Span>,
    pub(super) value_var: Span,
    pub(super) collection: Id,
    pub(super) key: Option<Id>,
    pub(super) value: Id,
    pub(super) condition: Option<Id>,
    pub(super) group: bool,
}

/// The parts of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockNode {
    pub(super) ident: Span,
    pub(super) labels: Kids,
    pub(super) header: Span,
    pub(super) body: Span,
    pub(super) items: Kids,
    pub(super) closed: bool,
}

/// The parts of a `for` directive of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ForDirectiveNode {
    pub(super) key_var: Option<Span>,
    pub(super) value_var: Span,
    pub(super) collection: Id,
    pub(super) body: Kids,
}

/// Large data is boxed: there are many nodes, and few of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Data {
    Attribute {
        name: Span,
        value: Id,
    },
    Block(Box<BlockNode>),
    Label(Text),
    Null,
    Bool(bool),
    Number,
    Template {
        parts: Kids,
        heredoc: bool,
    },
    Literal(Text),
    Interpolation(Id),
    If {
        condition: Id,
        then: Kids,
        otherwise: Kids,
    },
    ForDirective(Box<ForDirectiveNode>),
    Tuple(Kids),
    Object(Kids),
    ObjectItem {
        key: Id,
        value: Id,
        bare: bool,
    },
    For(Box<ForNode>),
    Call {
        name: Span,
        args: Kids,
        expand: bool,
    },
    Variable,
    GetAttr {
        source: Id,
        name: Span,
    },
    LegacyIndex {
        source: Id,
        number: Span,
    },
    Index {
        source: Id,
        key: Id,
    },
    Splat {
        source: Id,
        each: Id,
        full: bool,
    },
    SplatItem,
    Unary {
        op: UnaryOp,
        operand: Id,
    },
    Binary {
        op: BinaryOp,
        left: Id,
        right: Id,
    },
    Conditional {
        condition: Id,
        then: Id,
        otherwise: Id,
    },
    Paren(Id),
    Broken,
}

/// One top-level attribute or block with the text before it, or a broken stretch of lines.
/// Every position is relative to the chunk's first byte, so that an edit elsewhere leaves it as is.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    pub(super) text: Box<str>,
    pub(super) nodes: Vec<Node>,
    pub(super) kids: Vec<Id>,
    pub(super) pool: Vec<Box<str>>,
    pub(super) items: Vec<Id>,
    pub(super) comments: Vec<Comment>,
    pub(super) errors: Vec<SyntaxError>,
    /// Lines dropped because they could not be read.
    pub(super) skipped: Vec<Span>,
    /// Whether this is the text past a limit, which was not read.
    pub(super) unread: bool,
    /// Bytes from the chunk's start that decided where it ends and what is in it; `u32::MAX` if the
    /// text's end did.
    pub(super) examined: u32,
}

/// How far the text was looked at is not part of the result.
impl PartialEq for Chunk {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
            && self.nodes == other.nodes
            && self.kids == other.kids
            && self.pool == other.pool
            && self.items == other.items
            && self.comments == other.comments
            && self.errors == other.errors
            && self.skipped == other.skipped
            && self.unread == other.unread
    }
}

impl Chunk {
    /// Releases unused capacity.
    pub(super) fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
        self.kids.shrink_to_fit();
        self.pool.shrink_to_fit();
        self.items.shrink_to_fit();
        self.comments.shrink_to_fit();
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        static BROKEN: Node = Node {
            span: Span::new(0, 0),
            data: Data::Broken,
        };
        self.nodes.get(id as usize).unwrap_or(&BROKEN)
    }

    pub(super) fn list(&self, kids: Kids) -> &[Id] {
        self.kids
            .get(kids.start as usize..(kids.start + kids.len) as usize)
            .unwrap_or(&[])
    }

    pub(super) fn string(&self, text: Text) -> &str {
        match text {
            Text::Source(span) => span.slice(&self.text),
            Text::Pool(at) => self.pool.get(at as usize).map_or("", |s| s),
        }
    }
}

/// Collects nodes while an item is parsed; can be rolled back.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) nodes: Vec<Node>,
    pub(super) kids: Vec<Id>,
    pub(super) pool: Vec<Box<str>>,
}

/// A state of a [`Builder`] to return to.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize, usize, usize);

impl Builder {
    pub(super) fn add(&mut self, span: Span, data: Data) -> Id {
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(Node { span, data });
        id
    }

    pub(super) fn list(&mut self, ids: &[Id]) -> Kids {
        let start = u32::try_from(self.kids.len()).unwrap_or(u32::MAX);
        self.kids.extend_from_slice(ids);
        Kids {
            start,
            len: u32::try_from(ids.len()).unwrap_or(0),
        }
    }

    /// Stores a string, as a slice of the source if it is one.
    pub(super) fn text(&mut self, value: &str, span: Span, source: &str) -> Text {
        if span.slice(source) == value {
            return Text::Source(span);
        }
        let at = u32::try_from(self.pool.len()).unwrap_or(u32::MAX);
        self.pool.push(value.into());
        Text::Pool(at)
    }

    pub(super) fn span(&self, id: Id) -> Span {
        self.nodes.get(id as usize).map_or(Span::at(0), |n| n.span)
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.nodes.len(), self.kids.len(), self.pool.len())
    }

    pub(super) fn rewind(&mut self, mark: Mark) {
        self.nodes.truncate(mark.0);
        self.kids.truncate(mark.1);
        self.pool.truncate(mark.2);
    }
}
