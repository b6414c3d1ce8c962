//! The parsed template.

use crate::text::Span;
use indexmap::IndexMap;

/// The template's own nodes and the named ones defined in it.
#[derive(Debug)]
pub(super) struct Program<'a> {
    pub(super) root: Vec<Node<'a>>,
    pub(super) definitions: IndexMap<String, Vec<Node<'a>>>,
}

#[derive(Debug)]
pub(super) enum Node<'a> {
    Text(Span),
    Action {
        /// The whole action, delimiters included; the same in every node.
        span: Span,
        pipe: Pipe<'a>,
    },
    /// `if` or `with`, with its `else if` or `else with` arms.
    Branch {
        sets_dot: bool,
        arms: Vec<Arm<'a>>,
        otherwise: Vec<Node<'a>>,
    },
    Range {
        span: Span,
        pipe: Pipe<'a>,
        body: Vec<Node<'a>>,
        otherwise: Vec<Node<'a>>,
    },
    Call {
        span: Span,
        name: String,
        name_span: Span,
        pipe: Option<Pipe<'a>>,
    },
    Break,
    Continue,
}

#[derive(Debug)]
pub(super) struct Arm<'a> {
    pub(super) span: Span,
    pub(super) pipe: Pipe<'a>,
    pub(super) body: Vec<Node<'a>>,
}

#[derive(Debug)]
pub(super) struct Pipe<'a> {
    pub(super) span: Span,
    /// Variables declared or, with `assigns`, set; at most two.
    pub(super) variables: Vec<&'a str>,
    pub(super) assigns: bool,
    pub(super) commands: Vec<Command<'a>>,
}

#[derive(Debug)]
pub(super) struct Command<'a> {
    pub(super) span: Span,
    /// Never empty.
    pub(super) words: Vec<Operand<'a>>,
}

#[derive(Debug)]
pub(super) struct Operand<'a> {
    pub(super) span: Span,
    pub(super) kind: Term<'a>,
}

#[derive(Debug)]
pub(super) enum Term<'a> {
    Dot,
    Nil,
    Bool(bool),
    Int(i64),
    /// An integer that fits only an unsigned type: an error once it is evaluated.
    TooLarge,
    Float(f64),
    Text(String),
    /// Valid, but its value is not modeled.
    Opaque(&'static str),
    Field(Vec<&'a str>),
    Variable(&'a str, Vec<&'a str>),
    Function(&'a str),
    Pipe(Box<Pipe<'a>>),
    Chain(Box<Operand<'a>>, Vec<&'a str>),
}
