//! An expression as it is written, evaluated while Terramate loads: with functions and without variables.
//!
//! Source: Terramate 0.17.2, "The `stack` block".

use super::functions::{function, may_fail};
use applyorder_syntax::hcl::eval::{
    self, Budget, EvalError, EvalErrorKind, FunctionRef, Lookup, Outcome, Scope, Traversal, Value,
    no_such_variable,
};
use applyorder_syntax::hcl::{Expr, ExprKind};

/// What the expression may name: functions, but no variable.
struct Functions;

impl Scope for Functions {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        Lookup::Missing(no_such_variable(traversal.root))
    }

    fn function(&self, name: &str) -> FunctionRef {
        function(name)
    }
}

/// What an expression about the project may name: functions, and what Terramate knows of the project, which a file
/// alone does not show.
pub(super) struct Project;

impl Scope for Project {
    fn variable(&self, traversal: Traversal<'_>, budget: &Budget) -> Lookup {
        match traversal.root {
            "terramate" => Lookup::Value {
                value: Value::unknown("it is known only when Terramate runs"),
                steps: 0,
            },
            _ => Functions.variable(traversal, budget),
        }
    }

    fn function(&self, name: &str) -> FunctionRef {
        function(name)
    }
}

/// An expression with all its parts.
pub(super) struct Written<'t> {
    pub(super) expr: Expr<'t>,
    all: Vec<Expr<'t>>,
}

impl<'t> Written<'t> {
    pub(super) fn of(expr: Expr<'t>) -> Self {
        let all = expr.descendants();
        Self { expr, all }
    }

    pub(super) fn is_broken(&self) -> bool {
        self.all.iter().any(|e| matches!(e.kind(), ExprKind::Broken))
    }

    pub(super) fn evaluate(&self) -> Outcome {
        self.evaluate_in(&Functions)
    }

    pub(super) fn evaluate_in(&self, scope: &dyn Scope) -> Outcome {
        eval::evaluate(self.expr, 0, scope, &Budget::default())
    }

    /// Whether Terramate may reject an expression that is not rejected here.
    pub(super) fn may_fail(&self, outcome: &Outcome) -> bool {
        self.may_fail_in(outcome, false)
    }

    /// The same if files were read, or not.
    pub(super) fn may_fail_in(&self, outcome: &Outcome, sees_files: bool) -> bool {
        let is_open = outcome.is_open || outcome.value.first_unknown().is_some();
        !outcome.errors.is_empty() || may_fail(&self.all, is_open, sees_files)
    }
}

/// The first error because of which Terramate rejects an expression.
pub(super) fn first_error(outcome: &Outcome) -> Option<&EvalError> {
    outcome
        .errors
        .iter()
        .find(|error| error.kind != EvalErrorKind::Limit)
}
