//! What an engine provides to the evaluator: variables, functions and files.

use std::num::NonZeroU32;

use super::Budget;
use super::functions::Function;
use super::value::{Place, Value};

/// A variable with the attributes and indexes after it, as far as they are not splats.
#[derive(Clone, Copy, Debug)]
pub struct Traversal<'a> {
    /// The variable's name.
    pub root: &'a str,
    /// The location of the name.
    pub root_place: Place,
    /// The steps after it; may be empty.
    pub steps: &'a [Step<'a>],
}

/// One step of a [`Traversal`].
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// The kind of the step.
    pub kind: StepKind<'a>,
    /// Its location: the name, or the key in its brackets.
    pub place: Place,
}

/// The kinds of [`Step`].
#[derive(Clone, Debug)]
pub enum StepKind<'a> {
    /// `.name`.
    Attr(&'a str),
    /// `[key]` or `.0`, the key evaluated.
    Index(Value),
}

/// What a scope knows of a variable.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// The value of the variable after the first `steps` steps; the evaluator continues from there.
    Value {
        /// The value, which may be unknown.
        value: Value,
        /// How many steps it already includes.
        steps: usize,
    },
    /// The engine rejects the name. The text is shown to users.
    Missing(String),
}

/// What a scope knows of a function.
#[derive(Clone, Copy)]
pub enum FunctionRef {
    /// One that can be computed.
    Known(&'static Function),
    /// The engine has it, but its result is not computed here.
    Opaque(&'static Function),
    /// The engine has no function with that name.
    Missing,
}

/// How a function uses a file that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Its text, verbatim or as a template.
    Text,
    /// A digest or an encoding of its bytes.
    Bytes,
}

/// A query about a file, made by a function.
#[derive(Clone, Copy, Debug)]
pub enum FileRequest<'a> {
    /// The text of a file.
    Read(&'a str, Reads),
    /// Whether the file exists.
    Exists(&'a str),
    /// The files below a directory that match a pattern.
    Set(&'a str, &'a str),
    /// The absolute form of a path.
    Absolute(&'a str),
}

/// The answer to a [`FileRequest`].
#[derive(Clone, Debug)]
pub enum FileAnswer {
    /// A text: the content of a file, or a path.
    Text(String),
    /// Whether it exists.
    Bool(bool),
    /// Names, in any order.
    Names(Vec<String>),
    /// The engine would fail; the text is shown to users.
    Fails(String),
    /// The file does not exist, and may exist by the time the engine runs.
    Missing {
        /// The message for users, a sentence.
        message: String,
        /// Whether it was probably forgotten and is not created later.
        is_forgotten: bool,
    },
    /// The answer to [`FileRequest::Exists`] if the file does not exist and may exist by the time the engine
    /// runs, and to [`FileRequest::Set`] if that is true of all files.
    NotYet,
    /// It cannot be known; the text is shown to users.
    Unknown(String),
}

/// The errors of which operands of `&&` and `||` an engine reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// Those of both: HCL up to version 2.23, in Terraform up to 1.11.
    Both,
    /// One or the other, depending on its version.
    Either,
    /// Those of the deciding operand, if one alone decides: HCL from version 2.24, in Terraform from 1.12, and
    /// OpenTofu's.
    OneSide,
}

/// What an engine does with templates that functions render.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Templates {
    /// What their functions do in another template is not computed.
    Unknown,
    /// Terraform's: their functions fail in another template, those that read files fail in the template of a
    /// `templatestring`, and a template must not be null.
    Flat,
    /// OpenTofu's: their functions may be called in another template.
    Nested,
}

/// The meaning of names at an expression.
pub trait Scope {
    /// The value of a variable. Everything evaluated for it must spend from the same budget.
    fn variable(&self, traversal: Traversal<'_>, budget: &Budget) -> Lookup;

    /// The function with a name.
    fn function(&self, name: &str) -> FunctionRef;

    /// Answers for the functions that look at files; unknown unless an engine overrides it.
    fn file(&self, request: FileRequest<'_>) -> FileAnswer {
        let _ = request;
        FileAnswer::Unknown("files are not looked at here".to_owned())
    }

    /// Whether a value with an identity is a string without white space, such as an ID.
    fn is_word(&self, symbol: NonZeroU32) -> bool {
        let _ = symbol;
        false
    }

    /// Called for a call whose arguments are all known and that is not computed: the engine may reject it.
    fn not_computed(&self, place: Place, why: &str) {
        let _ = (place, why);
    }

    /// Whether the engine itself does not know what is unknown here, so that it knows no more of a value than
    /// is known here.
    fn is_exact(&self) -> bool {
        false
    }

    /// The errors of which operands of `&&` and `||` the engine reports.
    fn logic(&self) -> Logic {
        Logic::Both
    }

    /// What the engine does with templates that functions render.
    fn templates(&self) -> Templates {
        Templates::Unknown
    }
}

/// A scope without any variable, with HCL's common functions under a prefix.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoVariables {
    /// The prefix of every function's name; may be empty.
    pub prefix: &'static str,
}

impl Scope for NoVariables {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        Lookup::Missing(no_such_variable(traversal.root))
    }

    fn function(&self, name: &str) -> FunctionRef {
        name.strip_prefix(self.prefix)
            .map_or(FunctionRef::Missing, super::functions::lookup)
    }
}

/// HCL's message for a name that is not a variable.
#[must_use]
pub fn no_such_variable(name: &str) -> String {
    format!("There is no variable named \"{name}\"")
}
