//! The value of a call.

use std::cell::Cell;

use super::super::convert::convert;
use super::super::expr::Evaluator;
use super::super::known::Known;
use super::super::marks::Marks;
use super::super::ops::{derived, of_known};
use super::super::types::Type;
use super::super::value::{Data, Place, Unknown, Value};
use super::BYTES_OF_STEP;
use super::args::{Args, Fault, Given, Taken, taken};
use super::function::{Body, Function, Marking, Passes};
use crate::hcl::Call;
use crate::text::Span;

/// Evaluates a call.
pub(in super::super) fn call(
    evaluator: &mut Evaluator<'_>,
    function: &'static Function,
    call: Call<'_>,
    span: Span,
) -> Value {
    let body = match function.body {
        Body::Lazy(body) => return body(evaluator, call, span),
        Body::Strict(body) => Some(body),
        Body::Opaque | Body::Unpredictable | Body::OfPlan => None,
    };
    let mut taken = match taken(evaluator, function, call, span) {
        Ok(taken) => taken,
        Err(value) => return value,
    };
    let marks = function.mark(&mut taken.values);
    if let Some((_, value)) = taken.unknown.as_mut().filter(|_| !marks.is_empty()) {
        *value = value.without_marks();
    }
    let of_only = taken.values.first().map_or(Marks::NONE, |value| value.marks);
    let value = result(evaluator, function, (call, span), body, taken);
    if Evaluator::has_failed(&value) {
        return value;
    }
    match function.marking {
        Marking::Made(made) => Value {
            marks: made(of_only),
            ..value
        },
        _ => value.marked(marks),
    }
}

/// The result of a function with its arguments.
fn result(
    evaluator: &mut Evaluator<'_>,
    function: &'static Function,
    (call, span): (Call<'_>, Span),
    body: Option<fn(&Args<'_>) -> Given>,
    taken: Taken,
) -> Value {
    let Some(body) = body else {
        let settled = function.settled.filter(|_| evaluator.scope().is_exact());
        return match settled.and_then(|settled| settled(&taken.values)) {
            Some(value) => value,
            None => opaque(evaluator, function, call, span, &taken),
        };
    };
    if let Some(value) = function.settled.and_then(|settled| settled(&taken.values)) {
        return value.likely(taken.likely);
    }
    if let Some((open, value)) = &taken.unknown {
        evaluator.leave_open(open);
        return match passed(evaluator, function, &taken, (open, value)) {
            Some(Ok(value)) => {
                // The engine only reports how many elements are left of a list once it knows them.
                evaluator.knows_ahead(value.elements().is_some());
                value.likely(taken.likely)
            }
            Some(Err(reason)) => evaluator.failed_call(call, span, &reason),
            None => match function.result_type(&taken.values) {
                Ok(ty) => of_unknown(evaluator, function, &taken, derived(open, ty, taken.likely), span),
                Err(fault) => failed(evaluator, function, (call, span), fault, &taken.values),
            },
        };
    }
    let Taken { values, likely, .. } = taken;
    // Functions that split or join strings iterate over all of them.
    let texts = values.iter().map(Value::text_len).fold(0, usize::saturating_add);
    let cost = if function.shallow {
        0
    } else {
        texts / BYTES_OF_STEP
    };
    if !evaluator.spend(1 + values.len() + cost, span) {
        return evaluator.not_computed(span, "a limit was reached");
    }
    let place = evaluator.place(span);
    let args = Args {
        values,
        scope: evaluator.scope(),
        budget: evaluator.budget,
        is_ahead: Cell::new(false),
    };
    let made = body(&args);
    evaluator.knows_ahead(args.is_ahead.get());
    match made {
        Ok(value) => {
            if args.scope.is_exact()
                && let Some(made) = value.first_unshared()
                && made.ty == Type::Dynamic
                && args.values.iter().all(|v| v.first_unshared().is_none())
            {
                args.scope.not_computed(place, &made.why);
            }
            if value.heuristic {
                evaluator.reads_likely();
            }
            finish(evaluator, value, likely, place)
        }
        Err(fault) => failed(evaluator, function, (call, span), fault, &args.values).likely(likely),
    }
}

/// The result of a function with unknown arguments, with what the engine knows of it.
fn of_unknown(
    evaluator: &Evaluator<'_>,
    function: &Function,
    taken: &Taken,
    value: Value,
    span: Span,
) -> Value {
    let has_more = |value: &Value| {
        let unknown = value.as_unknown();
        unknown.is_some_and(|unknown| matches!(&unknown.known, Known::Start(start) if !start.is_whole()))
    };
    if function.reads_start && taken.values.iter().any(has_more) {
        let why = "known prefixes of strings are not supported here";
        evaluator.scope().not_computed(evaluator.place(span), why);
    }
    known_of(function, taken, value)
}

/// An unknown result with what the engine knows of it.
fn known_of(function: &Function, taken: &Taken, value: Value) -> Value {
    let Some(unknown) = value.as_unknown() else {
        return value;
    };
    let known = match ((function.knows)(&taken.values), &unknown.known) {
        (_, Known::Perhaps | Known::Begins(_) | Known::Either(_) | Known::Infinite) | (Known::Type, _) => {
            return value;
        }
        // The engine knows nothing of a value without a type.
        (Known::NotNull, _) if unknown.ty == Type::Dynamic => return value,
        (Known::NotNull, known) => known.of_result_not_null(),
        (Known::Between(_) | Known::AtLeast(_), Known::Part) => return value,
        (known, _) => known,
    };
    of_known(value, known)
}

/// The result of a function that is not computed.
fn opaque(
    evaluator: &mut Evaluator<'_>,
    function: &Function,
    call: Call<'_>,
    span: Span,
    taken: &Taken,
) -> Value {
    let why = format!("{}() is not supported", call.name());
    let is_made_later = matches!(function.body, Body::Unpredictable | Body::OfPlan);
    if taken.unknown.is_none() && !is_made_later {
        evaluator.not_computed_here(span, &why);
    }
    match function.result_type(&taken.values) {
        Ok(ty) => {
            let value = evaluator.unknown(span, &why, ty).likely(taken.likely);
            let is_untold = matches!(&taken.unknown, Some((open, _)) if open.known.is_shared());
            let is_withheld = is_made_later && evaluator.scope().is_exact();
            let value = match (function.knows)(&taken.values) {
                // Terraform only reports a value that differs each time when it applies.
                known if is_withheld => of_known(value, known),
                known @ Known::Begins(_) if taken.unknown.is_none() => of_known(value, known),
                _ if matches!(function.body, Body::OfPlan) => value.read(),
                // What the engine knows of it is not modeled.
                _ if is_untold => of_known(value, Known::Part),
                _ => value,
            };
            // Without arguments, none of them can be wrong.
            if let Some(unknown) = value.as_unknown().filter(|_| !taken.values.is_empty()) {
                evaluator.leave_open(unknown);
            }
            value
        }
        Err(fault) => failed(evaluator, function, (call, span), fault, &taken.values),
    }
}

/// The result of a function even though an argument is unknown, or why it fails whatever that one is.
fn passed(
    evaluator: &Evaluator<'_>,
    function: &Function,
    taken: &Taken,
    (open, value): (&Unknown, &Value),
) -> Option<Result<Value, String>> {
    match function.passes {
        Passes::Nothing => None,
        Passes::Converted => {
            let wanted = function.result.ty();
            let converted = convert(value, &wanted);
            if open.ty == Type::Dynamic || open.ty == wanted {
                let value = converted.unwrap_or_else(|_| value.clone());
                let known = value.as_unknown().map(|unknown| unknown.known.of_result());
                return Some(Ok(match known {
                    Some(known) => of_known(value, known),
                    None => value,
                }));
            }
            converted.err().map(Err)
        }
        Passes::Only => Some(Ok(value.clone())),
        Passes::Certain(made) => made(&taken.values, evaluator.scope()).map(Ok),
        Passes::FirstGiven => {
            let mut given = taken.values.iter();
            let first = given.find(|value| !value.is_null() && value.as_str() != Some(""))?;
            let is_settled = match first.as_unknown() {
                Some(unknown) => unknown.symbol.is_some(),
                None => evaluator.scope().is_exact(),
            };
            let ty = function.result_type(&taken.values).ok().filter(|_| is_settled)?;
            let first = convert(first, &ty).unwrap_or_else(|_| first.clone());
            Some(Ok(known_of(function, taken, first)))
        }
    }
}

/// The value of a call that fails, or that is not computed.
fn failed(
    evaluator: &mut Evaluator<'_>,
    function: &Function,
    (call, span): (Call<'_>, Span),
    fault: Fault,
    values: &[Value],
) -> Value {
    match fault {
        Fault::Fails(message) => evaluator.failed_call(call, span, &message),
        Fault::Missing(message, is_forgotten) => {
            if let Some(path) = values.first().and_then(Value::as_str) {
                evaluator.missing_path(span, path);
            }
            evaluator.missing_file(span, message, is_forgotten, function.result.ty())
        }
        Fault::Inexact => {
            let value = evaluator.not_computed(span, "a number cannot be computed exactly");
            evaluator.depends_on(value.as_unknown(), span);
            value
        }
        Fault::Withheld(why) => evaluator.unknown(span, &why, function.result.ty()),
        Fault::Varies(why) => {
            evaluator.not_computed_here(span, &why);
            evaluator.not_computed(span, &why)
        }
        Fault::Unknown(why) => {
            if !evaluator.spend(0, span) || evaluator.budget.is_exhausted() {
                // Reported once, as the limit that it is.
                let _ = evaluator.spend(usize::MAX, span);
            }
            if values.iter().all(|value| value.first_unknown().is_none()) {
                evaluator.not_computed_here(span, &why);
            }
            // Whether the engine's function would fail is unknown too, and then its type would be.
            let value = evaluator.not_computed(span, &why);
            let has_unknown = values.iter().any(|value| value.first_unknown().is_some());
            let is_shared = values.iter().all(|value| value.first_unshared().is_none());
            match has_unknown && is_shared {
                true => of_known(value, Known::Part),
                false => value,
            }
        }
    }
}

fn finish(evaluator: &mut Evaluator<'_>, value: Value, likely: bool, place: Place) -> Value {
    let cost = match &value.data {
        Data::String(text) => text.len() / 256,
        _ => {
            value.elements().map_or(0, <[Value]>::len)
                + value.members().map_or(0, std::collections::BTreeMap::len)
        }
    };
    if !evaluator.spend(cost, place.span) {
        return evaluator.not_computed(place.span, "a limit was reached");
    }
    value.likely(likely).or_at(place)
}
