//! A three-valued evaluator of HCL expressions.
//!
//! A result is known, unknown with a reason, or either of them only likely. Elements of lists and maps keep the
//! place they were written at. What the engine would reject is an error; a value that only cannot be known is
//! not. An engine provides variables, functions and files through [`Scope`].
//!
//! Semantics: the HCL native syntax specification and, for conversions and type names, the type system it is
//! based on (cty).

mod compare;
mod convert;
mod expr;
pub mod functions;
mod known;
mod marks;
mod number;
mod ops;
mod scope;
mod types;
mod value;

#[cfg(test)]
mod tests;

use std::cell::Cell;

pub use convert::{Refusal, convert, required};
pub use known::Known;
pub use marks::Marks;
pub use number::Number;
pub use ops::{INFINITY, get_attr, index};
pub use scope::{
    FileAnswer, FileRequest, FunctionRef, Logic, Lookup, NoVariables, Reads, Scope, Step, StepKind,
    Templates, Traversal, no_such_variable,
};
pub use types::{Type, unify};
pub use value::{Data, Fields, Items, Place, Unknown, Value};

use super::Expr;
use expr::Evaluator;

/// The cost limit of an evaluation, shared by everything that belongs to one query. Single-threaded.
#[derive(Debug)]
pub struct Budget {
    steps: Cell<u64>,
    depth: Cell<u32>,
    exhausted: Cell<bool>,
}

/// Steps of an evaluation unless the user sets a limit.
pub const DEFAULT_STEPS: u64 = 2_000_000;

/// Deepest nesting of evaluation, through expressions and the variables they name.
const MAX_EVALUATION_DEPTH: u32 = 256;

impl Default for Budget {
    fn default() -> Self {
        Self::new(DEFAULT_STEPS)
    }
}

impl Budget {
    /// A budget of this many steps; one for each expression, and one for about every hundred bytes or for each
    /// element a function produces.
    #[must_use]
    pub fn new(steps: u64) -> Self {
        Self {
            steps: Cell::new(steps),
            depth: Cell::new(0),
            exhausted: Cell::new(false),
        }
    }

    /// Spends steps; returns whether enough were left.
    #[must_use]
    pub fn spend(&self, steps: u64) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(steps));
        if left < steps {
            self.exhausted.set(true);
        }
        left >= steps
    }

    /// The steps that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.steps.get()
    }

    /// Whether an evaluation was cut short.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted.get()
    }

    /// Goes one level deeper; returns whether that is allowed. [`Budget::leave`] goes back in both cases.
    #[must_use]
    pub fn enter(&self) -> bool {
        let depth = self.depth.get() + 1;
        self.depth.set(depth);
        if depth > MAX_EVALUATION_DEPTH {
            self.exhausted.set(true);
        }
        depth <= MAX_EVALUATION_DEPTH
    }

    /// Goes back one level.
    pub fn leave(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }
}

/// An error that the engine would report for an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    /// The kind of error.
    pub kind: EvalErrorKind,
    /// The expression at fault.
    pub place: Place,
    /// The message for users: a sentence.
    pub message: String,
}

/// The kinds of [`EvalError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvalErrorKind {
    /// A name that is not a variable.
    Variable,
    /// A name that is not a function.
    Function,
    /// A function that fails on its arguments.
    Call,
    /// An attribute, key or index that does not exist, or on a value without any.
    Access,
    /// A value of the wrong type for its use.
    Type,
    /// A `for` that produces one key twice.
    Duplicate,
    /// A file that does not exist, and may exist by the time the engine runs. With it, the value is different.
    Missing {
        /// Whether it was probably forgotten and is not created later.
        is_forgotten: bool,
    },
    /// A limit of ours was reached. Not an error of the engine; the value is unknown.
    Limit,
}

impl EvalErrorKind {
    pub(crate) const fn is_missing(self) -> bool {
        matches!(self, Self::Missing { .. })
    }
}

/// The result of an evaluation.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The value; unknown if there is an error.
    pub value: Value,
    /// What the engine would reject, in the order in which it would find it.
    pub errors: Vec<EvalError>,
    /// What the engine may or may not reject: an operand of `&&` or `||` that it may not evaluate.
    pub unreached: Vec<EvalError>,
    /// Whether something was not computed that the engine may reject, even if the value is known.
    pub is_open: bool,
    /// Whether something is known here that the engine may only know once other values are: that a value equals
    /// itself, what one side of `&&` or `||` decides.
    pub is_ahead: bool,
    /// The first part whose failure depends on a value that the engine reads from elsewhere, and why that is
    /// unknown here.
    pub may_fail: Option<(Place, std::sync::Arc<str>)>,
}

/// Evaluates an expression of the file that the engine numbers `file`.
#[must_use]
pub fn evaluate(expr: Expr<'_>, file: u32, scope: &dyn Scope, budget: &Budget) -> Outcome {
    let mut evaluator = Evaluator::new(scope, budget, file);
    let value = evaluator.eval(expr);
    evaluator.into_outcome(value)
}

/// Like [`evaluate`], with further variables that hide those of the scope.
#[must_use]
pub fn evaluate_with(
    expr: Expr<'_>,
    file: u32,
    scope: &dyn Scope,
    budget: &Budget,
    variables: &[(&str, Value)],
) -> Outcome {
    let mut evaluator = Evaluator::new(scope, budget, file);
    for (name, value) in variables {
        evaluator.bind(name, value.clone());
    }
    let value = evaluator.eval(expr);
    evaluator.into_outcome(value)
}
