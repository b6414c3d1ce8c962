//! Functions that decide themselves which of their arguments are evaluated, and how errors in them are handled.

use super::super::convert::convert;
use super::super::expr::{Evaluator, Found};
use super::super::ops::derived;
use super::super::types::Type;
use super::super::value::{Data, Value};
use super::args::{Unevaluated, unevaluated};
use super::files::NOT_YET;
use crate::hcl::Call;
use crate::text::Span;

/// The first argument without error.
pub(super) fn r#try(evaluator: &mut Evaluator<'_>, call: Call<'_>, span: Span) -> Value {
    let args = match unevaluated(evaluator, call) {
        Ok(args) => args,
        Err(value) => return value,
    };
    if args.is_empty() {
        return evaluator.failed_call(call, span, "it needs at least one argument");
    }
    let mut reasons = Vec::new();
    // A result after an argument that only likely fails is likely too.
    let mut is_likely = false;
    // The types of arguments that become the result once the files they name exist.
    let mut later: Vec<Type> = Vec::new();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let (value, mut found) = evaluator.attempt(|e| arg.eval(e));
        if found.errors.is_empty() {
            if evaluator.scope().is_exact() && !later.is_empty() {
                return one_of(evaluator, &value, &later, span);
            }
            let may_fail = found.may_fail.take();
            if may_fail.is_some() && !args.any(|arg| never_fails(evaluator, arg)) {
                evaluator.note(Found {
                    may_fail,
                    ..Found::default()
                });
            }
            // Whether an unknown value would be an error is unknown too; what it depends on stays its reason,
            // whatever follows.
            let reason = match evaluator.scope().is_exact() && found.unreached.is_empty() {
                true => value.first_unknown(),
                false => found.open.as_deref(),
            };
            return match reason {
                Some(unknown) => derived(unknown, Type::Dynamic, is_likely || value.has_heuristic()),
                None => value.likely(is_likely),
            };
        }
        is_likely |= found.reads_likely;
        if is_missing(&found) {
            later.push(value.ty());
        }
        reasons.extend(
            found
                .errors
                .into_iter()
                .map(|e| e.message.trim_end_matches('.').to_owned()),
        );
    }
    let message = format!("every argument has an error: {}", reasons.join("; "));
    if !later.is_empty() {
        return evaluator.missing_file(span, message, false, Type::Dynamic);
    }
    evaluator.failed_call(call, span, &message)
}

/// Whether an argument has no error, whatever the engine reads from elsewhere.
fn never_fails(evaluator: &mut Evaluator<'_>, arg: Unevaluated<'_>) -> bool {
    let (_, found) = evaluator.attempt(|e| arg.eval(e));
    found.errors.is_empty() && found.may_fail.is_none()
}

/// Whether the argument has no error.
pub(super) fn can(evaluator: &mut Evaluator<'_>, call: Call<'_>, span: Span) -> Value {
    let args = match unevaluated(evaluator, call) {
        Ok(args) => args,
        Err(value) => return value,
    };
    let [arg] = args.as_slice() else {
        return evaluator.failed_call(call, span, "it takes 1 argument");
    };
    let (value, found) = evaluator.attempt(|e| arg.eval(e));
    let holds = found.errors.is_empty();
    let is_likely = found.reads_likely || value.has_heuristic();
    if is_missing(&found) && evaluator.scope().is_exact() {
        return evaluator.unknown(span, NOT_YET, Type::Bool);
    }
    // A value with an identity exists.
    let is_there = value.has_identity() && found.open.is_none();
    evaluator.knows_ahead(is_there);
    match value.first_unknown().or(found.open.as_deref()) {
        Some(unknown) if holds && !is_there => derived(unknown, Type::Bool, is_likely),
        _ => Value::bool(holds).likely(is_likely),
    }
}

/// A value that is the given one or, once files exist, another, of one of some types. The engine knows which.
fn one_of(evaluator: &Evaluator<'_>, value: &Value, later: &[Type], span: Span) -> Value {
    let ty = value.ty();
    let is_same = later.iter().all(|other| *other == ty);
    if is_same && value.as_str() != Some("") {
        return evaluator.unknown(span, NOT_YET, ty);
    }
    // An empty string is often rejected where another one is accepted.
    evaluator.scope().not_computed(evaluator.place(span), NOT_YET);
    evaluator.unknown(span, NOT_YET, Type::Dynamic)
}

/// Whether it fails only because files do not exist yet.
fn is_missing(found: &Found) -> bool {
    let mut errors = found.errors.iter();
    !found.errors.is_empty() && errors.all(|error| error.kind.is_missing())
}

/// The second argument if the first is true, else the third; the other one is not evaluated.
pub(super) fn ternary(evaluator: &mut Evaluator<'_>, call: Call<'_>, span: Span) -> Value {
    let args = match unevaluated(evaluator, call) {
        Ok(args) => args,
        Err(value) => return value,
    };
    let [condition, then, otherwise] = args.as_slice() else {
        return evaluator.failed_call(call, span, "it takes 3 arguments");
    };
    let value = condition.eval(evaluator);
    if value.is_null() {
        return evaluator.failed_call(call, condition.span(), "the condition is null");
    }
    match convert(&value, &Type::Bool) {
        Ok(Value {
            data: Data::Bool(holds),
            heuristic,
            ..
        }) => {
            // The engine splits the result before it evaluates it; the enclosing call resets this.
            evaluator.in_parts = true;
            let value = if holds { then } else { otherwise }.eval(evaluator);
            value.likely(heuristic)
        }
        Ok(other) => match other.as_unknown() {
            Some(unknown) => derived(unknown, Type::Dynamic, other.heuristic),
            None => evaluator.not_computed(span, "the condition is not a boolean"),
        },
        Err(reason) => evaluator.failed_call(call, condition.span(), &reason),
    }
}
