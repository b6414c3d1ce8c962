//! What is wrong in one file, and the file's table of places: what reading it collects.

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
    /// The smallest place that is at fault.
    pub(crate) at: At,
    /// Terramate rejects the directory because of it.
    pub(crate) fatal: bool,
    /// The attribute and the value it is about, for the verdict.
    pub(crate) attribute: Option<Arc<str>>,
    pub(crate) value: Option<Arc<str>>,
    /// Terramate meets it already while it looks for the root of the project.
    pub(crate) early: bool,
    /// The experiment without which Terramate does not look at what it is about.
    pub(crate) experiment: Option<&'static str>,
    /// What else Terramate complains of for the same cause.
    pub(crate) also: Option<&'static str>,
    /// The reference that does not exist, where it is about one.
    pub(crate) reference: Option<Arc<str>>,
    /// The block that lacks something, where equal blocks of the directory are one with it.
    pub(crate) merged: Option<Arc<str>>,
    /// Terramate cannot merge the block that it is in, or something else is wrong with it, and it looks no further.
    pub(crate) is_unmerged: bool,
    /// The block that Terramate looks into only where it lacks nothing.
    pub(crate) behind: Option<Arc<str>>,
    /// Terramate does not come to it where the directory sets this attribute so.
    pub(crate) not_with: Option<&'static str>,
    /// It is one only where the directory sets this attribute of `terramate` to a list that is not empty.
    pub(crate) only_with: Option<&'static str>,
}

impl Problem {
    /// Whether the file is no HCL because of it.
    pub(crate) const fn is_syntax(&self) -> bool {
        matches!(self.fault, Fault::Syntax { .. })
    }
}

/// What is wrong. `words` are Terramate's own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    /// No HCL; where an attribute that is set twice was set first.
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
    /// An attribute of a stack that cannot be evaluated; the function's name where adding `tm_` makes one.
    Evaluation {
        kind: EvalErrorKind,
        attribute: Arc<str>,
        message: String,
        function: Option<Arc<str>>,
    },
    /// An attribute of a stack that is no text, but of the type `found`; its source, where quoting it makes one.
    NoText {
        path: String,
        found: String,
        source: Option<Arc<str>>,
    },
    /// An attribute of a stack that is no list.
    NoList {
        name: &'static str,
        found: String,
        source: Arc<str>,
        is_text: bool,
        is_set: bool,
    },
    /// An entry of a list of a stack that is no text.
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
    /// An attribute or a block that there is not.
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
    /// Another number of labels than the block takes.
    LabelCount {
        block: Arc<str>,
        takes: (usize, usize),
        count: usize,
        words: String,
    },
    /// Labels with which the block means nothing, and those with which it does.
    Labels {
        block: Arc<str>,
        ways: Vec<String>,
        words: String,
    },
    /// A block that may be there once.
    DuplicateBlock { block: Arc<str>, words: String },
    /// Two things that exclude each other.
    Conflict {
        name: Arc<str>,
        with: &'static str,
        words: String,
    },
    /// An attribute of `lets` that a `lets` above sets.
    Redeclared { name: Arc<str> },
    /// A value that is none of those that are allowed, or of another type.
    Value {
        name: Arc<str>,
        wanted: String,
        found: String,
        is_type: bool,
        words: String,
    },
}

/// What Terramate says of an attribute of a stack whose value it cannot find.
pub(crate) fn not_evaluated(attribute: &str, message: &str) -> String {
    format!("failed to evaluate \"{attribute}\" attribute: eval expression: {message}")
}

/// Terramate's words for an attribute that was set before, in files of the project.
pub(crate) fn redeclared(name: &str, file: &str, first: &str) -> String {
    let (file, first) = (go::quote(file.as_bytes()), go::quote(first.as_bytes()));
    format!("attribute \"{name}\" redeclared in file {file} (first defined in {first})")
}

/// Terramate's words for a value that is not a list of texts.
pub(crate) fn no_set(name: &str, found: &str) -> String {
    format!("field \"{name}\" must be a set(string) but found a \"{found}\"")
}

/// Terramate's words for an entry of such a list that is not a text.
pub(crate) fn no_text_in_set(name: &str, index: usize, found: &str) -> String {
    format!("field \"{name}\" must be a set(string) but element {index} has type \"{found}\"")
}

/// Terramate's words for an entry that such a list has twice.
pub(crate) fn duplicate_in_set(name: &str, index: usize, text: &str) -> String {
    let text = go::quote(text.as_bytes());
    format!("duplicated entry {text} in the index {index} of field \"{name}\" of type set(string)")
}

/// Where something unknown stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Among {
    /// Outside any block.
    File,
    /// In a block of this kind.
    Block(Arc<str>),
    /// Where labels say what is allowed.
    Here,
}

/// The problems and places of one file in the making.
pub(crate) struct Problems<'a> {
    pub(crate) input: &'a FactsInput<'a>,
    pub(crate) found: Vec<Problem>,
    places: Vec<Span>,
}

impl<'a> Problems<'a> {
    /// None yet.
    pub(crate) const fn new(input: &'a FactsInput<'a>) -> Self {
        Self {
            input,
            found: Vec::new(),
            places: Vec::new(),
        }
    }

    /// The problems in the order of their places, and the table of places.
    pub(crate) fn into_parts(self) -> (Vec<Problem>, Vec<Span>) {
        let Self {
            mut found, places, ..
        } = self;
        found.sort_by_key(|p| places.get(p.at as usize).copied().unwrap_or_default());
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

    /// As [`Self::fatal`], at a place that is noted already.
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
            not_with: None,
            only_with: None,
        })
    }
}
