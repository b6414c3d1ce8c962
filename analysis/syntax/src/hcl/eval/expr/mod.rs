//! The walk over expressions. Recursion is bounded by the budget's depth; what can be long without being deep
//! (chains of operators and of steps) is processed in loops.

use std::sync::Arc;

mod arms;
mod loops;
mod operators;
mod steps;
mod templates;

use super::functions;
use super::known::Known;
use super::ops;
use super::scope::{FunctionRef, Scope};
use super::types::Type;
use super::value::{Place, Unknown, Value};
use super::{Budget, EvalError, EvalErrorKind, Outcome};
use crate::hcl::{Call, Expr, ExprKind, Exprs};
use crate::text::Span;

/// The reason why the value of a failed expression is unknown.
const FAILED: &str = "it has an error";

/// Where something may fail, and why that is unknown.
type MayFail = Box<(Place, Arc<str>)>;

/// The result of an evaluation besides its value.
#[derive(Default)]
pub(super) struct Found {
    pub(super) errors: Vec<EvalError>,
    /// See [`Outcome::unreached`](super::Outcome::unreached).
    pub(super) unreached: Vec<EvalError>,
    /// The first part that was not computed and that the engine may reject.
    pub(super) open: Option<Box<Unknown>>,
    /// See [`Outcome::is_ahead`](super::Outcome::is_ahead).
    pub(super) is_ahead: bool,
    /// Whether a value was looked up that is only likely.
    pub(super) reads_likely: bool,
    /// See [`Outcome::may_fail`](super::Outcome::may_fail).
    pub(super) may_fail: Option<MayFail>,
    /// The files that do not exist yet, and where they are read.
    pub(super) missing: Vec<(Place, Arc<str>)>,
}

/// The state of one evaluation.
pub(super) struct Evaluator<'s> {
    scope: &'s dyn Scope,
    pub(super) budget: &'s Budget,
    file: u32,
    /// Variables of `for`, innermost last.
    locals: Vec<(Arc<str>, Value)>,
    /// Entries of the enclosing splats, innermost last.
    splat_items: Vec<Value>,
    found: Found,
    limit_reported: bool,
    /// In an arm of `ternary`, outside calls: both results of a conditional are evaluated there, one part after
    /// the other, and `for` directives are not.
    pub(super) in_parts: bool,
}

impl<'s> Evaluator<'s> {
    pub(super) fn new(scope: &'s dyn Scope, budget: &'s Budget, file: u32) -> Self {
        Self {
            scope,
            budget,
            file,
            locals: Vec::new(),
            splat_items: Vec::new(),
            found: Found::default(),
            limit_reported: false,
            in_parts: false,
        }
    }

    pub(super) fn error_count(&self) -> usize {
        self.found.errors.len()
    }

    pub(super) fn into_outcome(self, value: Value) -> Outcome {
        Outcome {
            value,
            errors: self.found.errors,
            unreached: self.found.unreached,
            is_open: self.found.open.is_some(),
            is_ahead: self.found.is_ahead,
            may_fail: self.found.may_fail.map(|found| *found),
        }
    }

    pub(super) fn bind(&mut self, name: &str, value: Value) {
        self.locals.push((name.into(), value));
    }

    pub(super) fn scope(&self) -> &'s dyn Scope {
        self.scope
    }

    /// Any entry of a collection, with what the engine knows of it.
    pub(super) fn any_entry(&self, ty: Type) -> Value {
        let known = match self.scope.is_exact() {
            true => Known::Type,
            false => Known::Perhaps,
        };
        Unknown {
            known,
            ..Unknown::new("it may be any entry", ty)
        }
        .into()
    }

    pub(super) fn place(&self, span: Span) -> Place {
        Place {
            file: self.file,
            span,
        }
    }

    /// Records an error; the value of an expression with an error is unknown.
    pub(super) fn error(&mut self, kind: EvalErrorKind, span: Span, message: impl Into<String>) -> Value {
        let place = self.place(span);
        self.found.errors.push(EvalError {
            kind,
            place,
            message: message.into(),
        });
        self.broken(span, FAILED)
    }

    /// Whether a value is that of something with an error, which the engine gives no marks.
    pub(in super::super) fn has_failed(value: &Value) -> bool {
        value.as_unknown().is_some_and(|unknown| *unknown.why == *FAILED)
    }

    /// The value of something that is not computed: the engine may reject it.
    fn broken(&mut self, span: Span, why: &str) -> Value {
        let value = self.unknown(span, why, Type::Dynamic);
        if let Some(unknown) = value.as_unknown() {
            self.leave_open(unknown);
        }
        value
    }

    /// Records that a failure depends on a value that the engine may know. If something has already failed,
    /// that decides, and the engine has no value either.
    pub(super) fn depends_on(&self, unknown: Option<&Unknown>, span: Span) {
        if let Some(unknown) = unknown.filter(|unknown| !unknown.known.is_shared())
            && self.scope.is_exact()
            && self.found.errors.is_empty()
            && *unknown.why != *FAILED
        {
            self.scope.not_computed(self.place(span), &unknown.why);
        }
    }

    /// Records that a failure depends on a value that the engine reads from elsewhere.
    pub(super) fn may_fail(&mut self, unknown: Option<&Unknown>, span: Span) {
        if let Some(unknown) = unknown.filter(|unknown| unknown.is_read) {
            let found = || Box::new((self.place(span), unknown.why.clone()));
            if self.found.may_fail.is_none() {
                self.found.may_fail = Some(found());
            }
        }
    }

    /// Records a call that the engine computes and may reject, and that is not computed here.
    pub(super) fn not_computed_here(&mut self, span: Span, why: &str) {
        let place = self.place(span);
        if self.scope.is_exact() {
            self.scope.not_computed(place, why);
        } else {
            self.found
                .may_fail
                .get_or_insert_with(|| Box::new((place, why.into())));
        }
    }

    /// Records that the engine may read a string from elsewhere that is not a number, or not a bool.
    pub(super) fn may_not_convert(&mut self, value: &Value, wanted: &Type, span: Span) {
        let unknown = value.as_unknown().filter(|unknown| unknown.ty == Type::String);
        if matches!(wanted, Type::Number | Type::Bool) {
            self.may_fail(unknown, span);
        }
    }

    /// Records that the engine may reject what depends on this.
    pub(super) fn leave_open(&mut self, unknown: &Unknown) {
        self.found.open.get_or_insert_with(|| Box::new(unknown.clone()));
    }

    pub(super) fn unknown(&self, span: Span, why: &str, ty: Type) -> Value {
        let place = self.place(span);
        let unknown = Unknown {
            place: Some(place),
            ..Unknown::new(why, ty)
        };
        Value::from(unknown).at(place)
    }

    /// Records that the result depends on a value that is only likely.
    pub(super) fn reads_likely(&mut self) {
        self.found.reads_likely = true;
    }

    /// Takes steps from the budget; false, with the limit reported once, if none are left.
    pub(super) fn spend(&mut self, steps: usize, span: Span) -> bool {
        if self.budget.spend(u64::try_from(steps).unwrap_or(u64::MAX)) {
            return true;
        }
        self.limit(span, "the expression takes too many steps to evaluate");
        false
    }

    /// Whether this many steps are left: work that takes one step for each entry is not started without them.
    fn has_steps(&mut self, steps: usize, span: Span) -> bool {
        let is_left = u64::try_from(steps).is_ok_and(|steps| steps <= self.budget.left());
        is_left || self.spend(usize::MAX, span)
    }

    fn limit(&mut self, span: Span, message: &str) -> Value {
        if !std::mem::replace(&mut self.limit_reported, true) {
            let place = self.place(span);
            self.found.errors.push(EvalError {
                kind: EvalErrorKind::Limit,
                place,
                message: message.to_owned(),
            });
        }
        self.broken(span, "a limit was reached")
    }

    /// Evaluates separately: returns the findings instead of recording them, except for limits.
    pub(super) fn attempt<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> (T, Found) {
        let before = std::mem::take(&mut self.found);
        let result = run(self);
        let found = std::mem::replace(&mut self.found, before);
        let (limits, errors) = found
            .errors
            .into_iter()
            .partition(|e| e.kind == EvalErrorKind::Limit);
        self.found.errors.extend::<Vec<EvalError>>(limits);
        let found = Found { errors, ..found };
        (result, found)
    }

    /// Records that something is known here that the engine may only know later.
    pub(super) fn knows_ahead(&mut self, is_ahead: bool) {
        self.found.is_ahead |= is_ahead;
    }

    pub(super) fn note(&mut self, found: Found) {
        self.found.errors.extend(found.errors);
        self.found.unreached.extend(found.unreached);
        self.found.open = self.found.open.take().or(found.open);
        self.found.is_ahead |= found.is_ahead;
        self.found.reads_likely |= found.reads_likely;
        self.found.may_fail = self.found.may_fail.take().or(found.may_fail);
        self.found.missing.extend(found.missing);
    }

    pub(super) fn eval(&mut self, expr: Expr<'_>) -> Value {
        let span = expr.span();
        if !self.budget.enter() {
            self.budget.leave();
            return self.limit(span, "the expression is nested too deep to evaluate");
        }
        let value = if self.spend(1, span) {
            self.dispatch(expr, span)
        } else {
            self.broken(span, "a limit was reached")
        };
        self.budget.leave();
        let place = self.place(span);
        value.or_at(place)
    }

    fn dispatch(&mut self, expr: Expr<'_>, span: Span) -> Value {
        match expr.kind() {
            ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) => constant(expr),
            ExprKind::Template(template) => self.template(template, span),
            ExprKind::Tuple(entries) => self.tuple(entries, span),
            ExprKind::Object(object) => self.object(object),
            ExprKind::For(node) => self.for_expression(node, span),
            ExprKind::Call(call) => self.call(call, span),
            ExprKind::Variable(_)
            | ExprKind::GetAttr { .. }
            | ExprKind::LegacyIndex { .. }
            | ExprKind::Index { .. }
            | ExprKind::SplatItem => self.chain(expr),
            ExprKind::Splat { source, each, .. } => self.splat(source, each, span),
            ExprKind::Unary { op, operand } => self.unary(op, operand, span),
            ExprKind::Binary { .. } => self.operators(expr),
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                let arms = then.span().cover(otherwise.span());
                self.conditional(condition, arms, |e| e.eval(then), |e| e.eval(otherwise))
            }
            ExprKind::Paren(inner) => self.eval(inner),
            ExprKind::Broken => self.broken(span, "it could not be read"),
        }
    }

    fn tuple(&mut self, entries: Exprs<'_>, span: Span) -> Value {
        if !self.has_steps(entries.len(), span) {
            return self.broken(span, "a limit was reached");
        }
        Value::tuple(entries.iter().map(|entry| self.eval(entry)).collect())
    }

    /// Records an error of an expression whose type is still known.
    fn typed_error(&mut self, span: Span, message: String, ty: Type) -> Value {
        self.error(EvalErrorKind::Type, span, message);
        self.erroneous(span, ty)
    }

    fn erroneous(&self, span: Span, ty: Type) -> Value {
        Unknown {
            place: Some(self.place(span)),
            ..Unknown::new(FAILED, ty)
        }
        .into()
    }

    fn call(&mut self, call: Call<'_>, span: Span) -> Value {
        let function = match self.scope.function(call.name()) {
            FunctionRef::Known(function) | FunctionRef::Opaque(function) => function,
            FunctionRef::Missing => {
                let message = format!("There is no function named \"{}\"", call.name());
                return self.error(EvalErrorKind::Function, call.name_span(), message);
            }
        };
        let outside = std::mem::take(&mut self.in_parts);
        let value = functions::call(self, function, call, span);
        self.in_parts = outside;
        value
    }

    /// The error of a call that fails.
    pub(super) fn failed_call(&mut self, call: Call<'_>, span: Span, message: &str) -> Value {
        self.error(
            EvalErrorKind::Call,
            span,
            format!("The call of \"{}\" fails: {message}.", call.name()),
        )
    }

    /// Records which file a call does not find yet.
    pub(super) fn missing_path(&mut self, span: Span, path: &str) {
        let place = self.place(span);
        self.found.missing.push((place, path.into()));
    }

    /// Records that the failure needs a file that does not exist yet.
    pub(super) fn missing_file(
        &mut self,
        span: Span,
        message: String,
        is_forgotten: bool,
        ty: Type,
    ) -> Value {
        let _ = self.error(EvalErrorKind::Missing { is_forgotten }, span, message);
        // It is only likely that it fails.
        self.found.reads_likely = true;
        self.erroneous(span, ty)
    }

    /// The value of a call with an argument that has an error; `before` is the number of errors before that.
    pub(super) fn failed_argument(&mut self, span: Span, before: usize, ty: &Type) -> Value {
        let value = self.not_computed(span, "it has an error");
        let mut own = self.found.errors.iter().skip(before);
        match own.all(|error| error.kind.is_missing()) {
            true => self.erroneous(span, ty.clone()),
            false => value,
        }
    }

    pub(super) fn not_computed(&mut self, span: Span, why: &str) -> Value {
        self.broken(span, why)
    }
}

/// A literal word or number.
fn constant(expr: Expr<'_>) -> Value {
    match expr.kind() {
        ExprKind::Bool(value) => Value::bool(value),
        // The parser has rejected what is out of range.
        ExprKind::Number(text) => ops::decimal(text).unwrap_or_else(|()| ops::arithmetic(None)),
        _ => Value::null(),
    }
}
