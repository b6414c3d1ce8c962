//! The arguments of a call.

use std::cell::Cell;

use super::super::Budget;
use super::super::EvalErrorKind;
use super::super::convert::convert;
use super::super::expr::Evaluator;
use super::super::number::Number;
use super::super::ops::derived;
use super::super::scope::Scope;
use super::super::types::Type;
use super::super::value::{Unknown, Value};
use super::function::{Function, Wants};
use crate::hcl::{Call, Expr};
use crate::text::Span;

/// Why a function gives no value.
pub(super) enum Fault {
    /// The engine's function would fail too; the end of a sentence.
    Fails(String),
    /// The result cannot be known; the reason.
    Unknown(String),
    /// The same, and some versions of the engine fail.
    Varies(String),
    /// It depends on digits of a number that are not computed.
    Inexact,
    /// A file does not exist yet: a sentence, and whether it was probably forgotten.
    Missing(String, bool),
    /// It does not fail, and its result is not computed; the reason.
    Withheld(String),
}

impl Fault {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self::Fails(message.into())
    }

    pub(super) fn withheld(why: impl Into<String>) -> Self {
        Self::Withheld(why.into())
    }

    pub(super) fn open(why: impl Into<String>) -> Self {
        Self::Unknown(why.into())
    }
}

pub(super) type Given = Result<Value, Fault>;

/// The arguments of a call, converted to the types of the parameters.
pub(super) struct Args<'a> {
    pub(super) values: Vec<Value>,
    pub(super) scope: &'a dyn Scope,
    pub(super) budget: &'a Budget,
    /// Whether something is known here that the engine may know only later.
    pub(super) is_ahead: Cell<bool>,
}

impl Args<'_> {
    /// Whether two values are equal; `None` if unknown.
    pub(super) fn equal(&self, one: &Value, other: &Value) -> Option<bool> {
        let equal = one.equals(other);
        if equal.is_some() && one.is_equal_ahead(other) {
            self.is_ahead.set(true);
        }
        equal
    }

    pub(super) fn get(&self, index: usize) -> Result<&Value, Fault> {
        self.values
            .get(index)
            .ok_or_else(|| Fault::new("an argument is missing"))
    }

    pub(super) fn string(&self, index: usize) -> Result<&str, Fault> {
        self.get(index)?
            .as_str()
            .ok_or_else(|| Fault::new("a string is required"))
    }

    pub(super) fn number(&self, index: usize) -> Result<Number, Fault> {
        self.get(index)?
            .as_number()
            .ok_or_else(|| Fault::new("a number is required"))
    }

    /// An integer.
    pub(super) fn whole(&self, index: usize) -> Result<i64, Fault> {
        let whole = self.large(index)?;
        i64::try_from(whole).map_err(|_| Fault::new("a whole number is required"))
    }

    /// An integer that the engine accepts however large it is.
    pub(super) fn large(&self, index: usize) -> Result<i128, Fault> {
        let number = self.number(index)?;
        match number.as_whole() {
            Some(whole) => Ok(whole),
            None if number.is_perhaps_whole() => Err(Fault::Inexact),
            None => Err(Fault::new("a whole number is required")),
        }
    }

    pub(super) fn elements(&self, index: usize) -> Result<&[Value], Fault> {
        self.get(index)?
            .elements()
            .ok_or_else(|| Fault::new("a list is required"))
    }

    pub(super) fn strings(&self, index: usize) -> Result<Vec<&str>, Fault> {
        let all = self.elements(index)?.iter();
        all.map(|v| v.as_str().ok_or_else(|| Fault::new("an element is null")))
            .collect()
    }

    pub(super) fn rest(&self, from: usize) -> &[Value] {
        self.values.get(from..).unwrap_or(&[])
    }

    pub(super) fn spend(&self, steps: usize) -> Result<(), Fault> {
        if self.budget.spend(u64::try_from(steps).unwrap_or(u64::MAX)) {
            Ok(())
        } else {
            Err(Fault::open("a limit was reached"))
        }
    }
}

/// The arguments of a call, converted to the types of the parameters.
pub(super) struct Taken {
    pub(super) values: Vec<Value>,
    /// The first unknown in them, and the argument that contains it.
    pub(super) unknown: Option<(Unknown, Value)>,
    pub(super) likely: bool,
}

/// The arguments of a call as a function receives them; else the value of the call.
pub(super) fn taken(
    evaluator: &mut Evaluator<'_>,
    function: &Function,
    call: Call<'_>,
    span: Span,
) -> Result<Taken, Value> {
    let errors = evaluator.error_count();
    let given = evaluated(evaluator, call)?;
    if evaluator.error_count() > errors {
        return Err(evaluator.failed_argument(span, errors, &function.result.ty()));
    }
    if let Err(message) = arity(function, given.len()) {
        return Err(evaluator.failed_call(call, span, &message));
    }
    let mut taken = Taken {
        values: Vec::with_capacity(given.len()),
        unknown: None,
        likely: false,
    };
    let mut refused = None;
    let mut read = None;
    // The engine does not look at arguments after one of unknown type yet.
    let mut is_looked_at = true;
    let is_exact = evaluator.scope().is_exact();
    for (index, (value, at)) in given.into_iter().enumerate() {
        let Some(param) = function.params.get(index).copied().or(function.rest) else {
            continue;
        };
        if value.is_null() && !param.null && is_looked_at {
            return Err(argument_error(evaluator, call, at, index, "it must not be null"));
        }
        let converted = match convert(&value, &param.wants.ty()) {
            Ok(converted) => converted,
            Err(reason) => return Err(argument_error(evaluator, call, at, index, &reason)),
        };
        evaluator.may_not_convert(&value, &converted.ty(), at);
        if !function.total || converted.ty() != value.ty() {
            let withheld = match function.shallow {
                true => value.as_unknown(),
                false => value.first_unshared(),
            };
            evaluator.depends_on(withheld, at);
        }
        read = read.or_else(|| {
            let deep = || converted.find_unknown(|unknown| unknown.is_read);
            let unknown = if function.shallow {
                converted.as_unknown()
            } else {
                deep()
            };
            Some((unknown?.clone(), at))
        });
        if let Some(reason) = param.wants.refuses(&converted.ty()) {
            refused.get_or_insert((at, index, reason));
        }
        let is_open = function.is_open(index, param, &converted);
        is_looked_at &= !(is_exact && is_open);
        if is_open && converted.is_null() {
            let why = Value::unknown("the type of the null is unknown");
            let unknown = || Some((why.as_unknown()?.clone(), why.clone()));
            taken.unknown = taken.unknown.or_else(unknown);
        }
        taken.likely |= if function.shallow {
            converted.heuristic
        } else {
            converted.has_heuristic()
        };
        let open = if function.partial {
            converted.as_unknown()
        } else {
            converted.first_unknown()
        };
        if let Some(open) = open {
            taken
                .unknown
                .get_or_insert_with(|| (open.clone(), converted.clone()));
        }
        taken.values.push(converted);
    }
    if let Some((unknown, at)) = read.filter(|_| function.may_fail.is_some_and(|test| test(&taken.values))) {
        evaluator.may_fail(Some(&unknown), at);
    }
    // The engine checks which kinds of values it accepts once it knows the type of each.
    match refused.filter(|_| is_looked_at) {
        Some((at, index, reason)) => Err(argument_error(evaluator, call, at, index, reason)),
        None => Ok(taken),
    }
}

fn argument_error(
    evaluator: &mut Evaluator<'_>,
    call: Call<'_>,
    at: Span,
    index: usize,
    reason: &str,
) -> Value {
    let message = format!(
        "Argument {} of \"{}\" is not valid: {reason}.",
        index + 1,
        call.name()
    );
    evaluator.error(EvalErrorKind::Call, at, message)
}

fn arity(function: &Function, given: usize) -> Result<(), String> {
    let wanted = function.params.len();
    if given < wanted {
        return Err(format!(
            "it needs {}{wanted} arguments, {given} are given",
            if function.rest.is_some() { "at least " } else { "" }
        ));
    }
    if given > wanted && function.rest.is_none() {
        return Err(format!("it takes {wanted} arguments, {given} are given"));
    }
    Ok(())
}

/// The evaluated arguments with their places, with a spread last one expanded.
fn evaluated(evaluator: &mut Evaluator<'_>, call: Call<'_>) -> Result<Vec<(Value, Span)>, Value> {
    let args = call.args();
    let mut given = Vec::with_capacity(args.len());
    let expanded = args.iter().last().filter(|_| call.expands());
    // HCL evaluates a spread argument first, and no other one if that has an error or is unknown.
    let mut last = Vec::new();
    if let Some(arg) = expanded {
        let errors = evaluator.error_count();
        last.extend(spread(evaluator, arg)?.into_iter().map(|v| (v, arg.span())));
        if evaluator.error_count() > errors {
            return Ok(last);
        }
    }
    let written = args.len() - usize::from(expanded.is_some());
    for arg in args.iter().take(written) {
        given.push((evaluator.eval(arg), arg.span()));
    }
    given.extend(last);
    Ok(given)
}

/// The values of an argument followed by `...`; else the value of the call.
fn spread(evaluator: &mut Evaluator<'_>, arg: Expr<'_>) -> Result<Vec<Value>, Value> {
    let value = evaluator.eval(arg);
    let at = arg.span();
    if value.is_null() {
        return Err(evaluator.error(EvalErrorKind::Call, at, "The argument spread with `...` is null."));
    }
    if let Some(unknown) = value.as_unknown()
        && Wants::Sequence.refuses(&unknown.ty).is_none()
    {
        // There may be too many or too few.
        evaluator.may_fail(Some(unknown), at);
        return Err(derived(unknown, Type::Dynamic, value.heuristic));
    }
    let Some(elements) = value.elements() else {
        let message = "Only a list, set or tuple can be spread with `...`.";
        return Err(evaluator.error(EvalErrorKind::Call, at, message));
    };
    let one = |v: &Value| v.clone().likely(value.heuristic).marked(value.marks);
    Ok(elements.iter().map(one).collect())
}

/// An argument of a function that itself decides what is evaluated.
#[derive(Clone)]
pub(super) enum Unevaluated<'a> {
    Written(Expr<'a>),
    /// A spread argument is evaluated before.
    Spread(Value, Span),
}

impl Unevaluated<'_> {
    pub(super) fn eval(&self, evaluator: &mut Evaluator<'_>) -> Value {
        match self {
            Self::Written(expr) => evaluator.eval(*expr),
            Self::Spread(value, _) => value.clone(),
        }
    }

    pub(super) fn span(&self) -> Span {
        match self {
            Self::Written(expr) => expr.span(),
            Self::Spread(_, span) => *span,
        }
    }
}

/// The arguments of such a function, with a spread last one expanded; else the value of the call.
pub(super) fn unevaluated<'a>(
    evaluator: &mut Evaluator<'_>,
    call: Call<'a>,
) -> Result<Vec<Unevaluated<'a>>, Value> {
    let mut args: Vec<Unevaluated<'a>> = call.args().iter().map(Unevaluated::Written).collect();
    if call.expands()
        && let Some(Unevaluated::Written(last)) = args.pop()
    {
        let elements = spread(evaluator, last)?.into_iter();
        args.extend(elements.map(|value| Unevaluated::Spread(value, last.span())));
    }
    Ok(args)
}
