//! The problems in one file, and the file's table of places: both are collected while reading it.

use std::sync::Arc;

use applyorder_core::engine::FactsInput;
use applyorder_syntax::go;
use applyorder_syntax::hcl::eval::EvalErrorKind;
use applyorder_syntax::text::Span;

/// An entry of the file's table of places.
pub(crate) type At = u32;

/// A problem in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub(crate) fault: Fault,
    /// The smallest place that contains the mistake.
    pub(crate) at: At,
    /// Terramate rejects the directory because of it.
    pub(crate) fatal: bool,
    /// The attribute and the value it is about, for the verdict.
    pub(crate) attribute: Option<Arc<str>>,
    pub(crate) value: Option<Arc<str>>,
    /// Terramate already meets it while it searches for the root of the project.
    pub(crate) early: bool,
    /// The experiment that has to be enabled for Terramate to check this.
    pub(crate) experiment: Option<&'static str>,
    /// Another error that Terramate reports for the same cause.
    pub(crate) also: Option<&'static str>,
    /// The reference that does not exist, if it is about one.
    pub(crate) reference: Option<Arc<str>>,
    /// The block that lacks something, if equal blocks of the directory are merged with it.
    pub(crate) merged: Option<Arc<str>>,
    /// Terramate cannot merge its block, or something else is wrong with the block, so it checks nothing else
    /// in it.
    pub(crate) is_unmerged: bool,
    /// The block that Terramate checks only if it lacks nothing.
    pub(crate) behind: Option<Arc<str>>,
    /// Terramate does not reach it if the directory sets this attribute so.
    pub(crate) not_with: Option<&'static str>,
    /// Terramate checks it only where nothing else is wrong.
    pub(crate) is_last: bool,
    /// It is a problem only if the directory sets this attribute of `terramate` to a list that is not empty.
    pub(crate) only_with: Option<&'static str>,
    /// The block that it is in, if Terramate does not check the block in the order of the text.
    pub(crate) block: Option<At>,
}

impl Problem {
    /// Whether it makes the file invalid HCL.
    pub(crate) const fn is_syntax(&self) -> bool {
        matches!(self.fault, Fault::Syntax { .. })
    }
}

/// What is wrong. `words` is Terramate's message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    /// Invalid HCL; if an attribute is set twice, where it was set first.
    Syntax { message: String, first: Option<At> },
    /// A limit of ours: the rest of the file is not analyzed.
    Truncated(String),
    /// A limit of ours: a value is not computed.
    TooLong(String),
    /// A value that is computed only when Terramate runs.
    Unresolved,
    /// A label of a `stack` block.
    StackLabel,
    /// A block of this kind in a `stack` block.
    StackBlock(Arc<str>),
    /// An attribute of a stack that cannot be evaluated; the function's name if adding `tm_` makes one.
    Evaluation {
        kind: EvalErrorKind,
        attribute: Arc<str>,
        message: String,
        function: Option<Arc<str>>,
    },
    /// An attribute of a stack that is not a string, but of the type `found`; its source, if quoting it makes
    /// it a string.
    NoText {
        path: String,
        found: String,
        source: Option<Arc<str>>,
    },
    /// An attribute of a stack that is not a list.
    NoList {
        name: &'static str,
        found: String,
        source: Arc<str>,
        is_text: bool,
        is_set: bool,
    },
    /// An entry of a list of a stack that is not a string.
    NoTextInList {
        name: &'static str,
        index: usize,
        found: String,
        source: Option<Arc<str>>,
    },
    /// An entry that a list of a stack has twice.
    DuplicateEntry {
        name: &'static str,
        index: usize,
        text: Arc<str>,
        first: At,
    },
    /// An unknown attribute or block.
    Unknown {
        what: &'static str,
        name: Arc<str>,
        among: Among,
        known: Vec<&'static str>,
        words: String,
    },
    /// A block without an attribute or a block that it has to have.
    Missing {
        name: Arc<str>,
        block: Arc<str>,
        words: String,
    },
    /// A wrong number of labels for the block.
    LabelCount {
        block: Arc<str>,
        takes: (usize, usize),
        count: usize,
        words: String,
    },
    /// Labels with which the block has no meaning, and those with which it has one.
    Labels {
        block: Arc<str>,
        ways: Vec<String>,
        words: String,
    },
    /// A block that may occur only once.
    DuplicateBlock { block: Arc<str>, words: String },
    /// Two things that exclude each other.
    Conflict {
        name: Arc<str>,
        with: &'static str,
        words: String,
    },
    /// An attribute of `lets` that a `lets` block above already sets.
    Redeclared { name: Arc<str> },
    /// A value that is not one of the allowed ones, or of another type.
    Value {
        name: Arc<str>,
        wanted: String,
        found: String,
        is_type: bool,
        words: String,
    },
}

/// Terramate's message for an attribute of a stack whose value it cannot find.
pub(crate) fn not_evaluated(attribute: &str, message: &str) -> String {
    format!("failed to evaluate \"{attribute}\" attribute: eval expression: {message}")
}

/// Terramate's message for an attribute that was set before, in files of the project.
pub(crate) fn redeclared(name: &str, file: &str, first: &str) -> String {
    let (file, first) = (go::quote(file.as_bytes()), go::quote(first.as_bytes()));
    format!("attribute \"{name}\" redeclared in file {file} (first defined in {first})")
}

/// Terramate's message for a value that is not a list of strings.
pub(crate) fn no_set(name: &str, found: &str) -> String {
    format!("field \"{name}\" must be a set(string) but found a \"{found}\"")
}

/// Terramate's message for an entry of such a list that is not a string.
pub(crate) fn no_text_in_set(name: &str, index: usize, found: &str) -> String {
    format!("field \"{name}\" must be a set(string) but element {index} has type \"{found}\"")
}

/// Terramate's message for a string that is null, such as `true ? null : ""`. It has the right type, so that
/// Terramate reads it and crashes.
pub(crate) const NULL_STRING: &str = "panic: value is null";

/// The text before Terramate's message when it crashes.
pub(crate) const CRASH: &str = "panic: ";

/// Terramate's message for a repeated entry of such a list.
pub(crate) fn duplicate_in_set(name: &str, index: usize, text: &str) -> String {
    let text = go::quote(text.as_bytes());
    format!("duplicated entry {text} in the index {index} of field \"{name}\" of type set(string)")
}

/// Where something unknown is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Among {
    /// Outside any block.
    File,
    /// In a block of this kind.
    Block(Arc<str>),
    /// Where labels define what is allowed.
    Here,
}

/// The problems and places of one file that is being read.
pub(crate) struct Problems<'a> {
    pub(crate) input: &'a FactsInput<'a>,
    pub(crate) found: Vec<Problem>,
    places: Vec<Span>,
}

impl<'a> Problems<'a> {
    /// Without any yet.
    pub(crate) const fn new(input: &'a FactsInput<'a>) -> Self {
        Self {
            input,
            found: Vec::new(),
            places: Vec::new(),
        }
    }

    /// The problems in the order of their places, those of a [`Problem::block`] as they were found, and the table
    /// of places.
    pub(crate) fn into_parts(self) -> (Vec<Problem>, Vec<Span>) {
        let Self {
            mut found, places, ..
        } = self;
        found.sort_by_key(|p| {
            let at = p.block.unwrap_or(p.at);
            places.get(at as usize).copied().unwrap_or_default()
        });
        (found, places)
    }

    /// Notes a place.
    pub(crate) fn at(&mut self, span: Span) -> At {
        let index = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        self.places.push(span);
        index
    }

    /// The bytes of a noted place.
    pub(crate) fn span_of(&self, at: At) -> Span {
        self.places.get(at as usize).copied().unwrap_or_default()
    }

    /// A problem because of which Terramate rejects the directory.
    pub(crate) fn fatal(&mut self, span: Span, fault: Fault) -> &mut Problem {
        let at = self.at(span);
        self.push(at, fault, true)
    }

    /// A problem that is not an error to Terramate.
    pub(crate) fn non_fatal(&mut self, span: Span, fault: Fault) -> &mut Problem {
        let at = self.at(span);
        self.push(at, fault, false)
    }

    /// Like [`Self::fatal`], at a place that is already noted.
    pub(crate) fn fatal_at(&mut self, at: At, fault: Fault) -> &mut Problem {
        self.push(at, fault, true)
    }

    fn push(&mut self, at: At, fault: Fault, fatal: bool) -> &mut Problem {
        self.found.push_mut(Problem {
            fault,
            at,
            fatal,
            attribute: None,
            value: None,
            early: false,
            experiment: None,
            also: None,
            reference: None,
            merged: None,
            is_unmerged: false,
            behind: None,
            is_last: false,
            not_with: None,
            only_with: None,
            block: None,
        })
    }
}
