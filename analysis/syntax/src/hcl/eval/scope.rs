//! What an engine gives the evaluator: variables, functions and files.

use std::num::NonZeroU32;

use super::Budget;
use super::functions::Function;
use super::value::{Place, Value};

/// A variable with the attributes and indexes behind it, as far as they are not splats.
#[derive(Clone, Copy, Debug)]
pub struct Traversal<'a> {
    /// The variable's name.
    pub root: &'a str,
    /// Where the name stands.
    pub root_place: Place,
    /// What stands behind it; may be empty.
    pub steps: &'a [Step<'a>],
}

/// One step of a [`Traversal`].
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// What the step is.
    pub kind: StepKind<'a>,
    /// Where it stands: the name, or the key in its brackets.
    pub place: Place,
}

/// The sorts of [`Step`].
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
    /// The value of the variable after the first `steps` steps; the evaluator goes on from there.
    Value {
        /// The value, which may be unknown.
        value: Value,
        /// How many steps it already stands for.
        steps: usize,
    },
    /// The engine rejects the name. The text is for people.
    Missing(String),
}

/// What a scope knows of a function.
#[derive(Clone, Copy)]
pub enum FunctionRef {
    /// One that can be computed.
    Known(&'static Function),
    /// The engine has it, but its result is not computed here.
    Opaque(&'static Function),
    /// The engine has no function of that name.
    Missing,
}

/// What a function makes of a file that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Its text, as it is or as a template.
    Text,
    /// A digest or an encoding of its bytes.
    Bytes,
}

/// A question about a file, asked by a function.
#[derive(Clone, Copy, Debug)]
pub enum FileRequest<'a> {
    /// The text of a file.
    Read(&'a str, Reads),
    /// Whether there is a file.
    Exists(&'a str),
    /// The files below a directory that match a pattern.
    Set(&'a str, &'a str),
    /// The absolute form of a path.
    Absolute(&'a str),
}

/// The answer to a [`FileRequest`].
#[derive(Clone, Debug)]
pub enum FileAnswer {
    /// A text: a file's, or a path.
    Text(String),
    /// Whether there is one.
    Bool(bool),
    /// Names, in any order.
    Names(Vec<String>),
    /// The engine would fail; the text is for people.
    Fails(String),
    /// The file is not there, and may be by the time the engine runs.
    Missing {
        /// For people, a sentence.
        message: String,
        /// Whether it seems to be forgotten rather than made later.
        is_forgotten: bool,
    },
    /// The answer to [`FileRequest::Exists`] where it is not there and may be by the time the engine runs, and to
    /// [`FileRequest::Set`] where that is so of all files.
    NotYet,
    /// It can't be known; the text is for people.
    Unknown(String),
}

/// Which operands of `&&` and `||` an engine takes errors of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// Those of both: HCL up to version 2.23, in Terraform up to 1.11.
    Both,
    /// One or the other, as its version has it.
    Either,
    /// Those of the operand that decides, where one alone does: HCL from version 2.24, in Terraform from 1.12, and OpenTofu's.
    OneSide,
}

/// What names mean where an expression stands.
pub trait Scope {
    /// The value of a variable. Whatever is evaluated for it must spend from the same budget.
    fn variable(&self, traversal: Traversal<'_>, budget: &Budget) -> Lookup;

    /// The function of a name.
    fn function(&self, name: &str) -> FunctionRef;

    /// Answers for the functions that look at files; unknown unless an engine says otherwise.
    fn file(&self, request: FileRequest<'_>) -> FileAnswer {
        let _ = request;
        FileAnswer::Unknown("files are not looked at here".to_owned())
    }

    /// Whether what has an identity is a text without white space, such as an id.
    fn is_word(&self, symbol: NonZeroU32) -> bool {
        let _ = symbol;
        false
    }

    /// Hears of a call whose arguments are all known and that is not computed: the engine may reject it.
    fn not_computed(&self, place: Place, why: &str) {
        let _ = (place, why);
    }

    /// Whether the engine itself does not know what is unknown here, so that it knows no more of a value than is
    /// known of it here.
    fn is_exact(&self) -> bool {
        false
    }

    /// Which operands of `&&` and `||` the engine takes errors of.
    fn logic(&self) -> Logic {
        Logic::Both
    }
}

/// A scope without any variable, with HCL's common functions under a prefix.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoVariables {
    /// What stands before every function's name; empty for none.
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

/// HCL's text for a name that is no variable.
#[must_use]
pub fn no_such_variable(name: &str) -> String {
    format!("There is no variable named \"{name}\"")
}
