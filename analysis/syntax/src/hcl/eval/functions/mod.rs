//! The functions that HCL's users share, as OpenTofu and Terraform define them, and a few that only
//! some engines add. What is not computed here (time, randomness, remote things, rare encodings) is
//! known by name, so that its result is unknown and not an error.

mod collections;
mod convert_to;
mod csv;
mod digests;
mod encoding;
mod files;
mod format;
mod lazy;
mod nets;
mod numbers;
mod results;
mod sets;
mod strings;
mod table;
mod templates;
mod times;
mod yaml;
mod yaml_encode;

use std::sync::Arc;

pub use self::table::{OTHER, extra_names, lookup, lookup_extra, names};
use super::convert::convert;
use super::expr::Evaluator;
use super::ops::derived;
use super::scope::Scope;
use super::types::Type;
use super::value::{Data, Place, Value};
use super::{Budget, EvalErrorKind};
use crate::hcl::Call;
use crate::text::Span;

/// So many bytes of text cost a step.
pub(super) const BYTES_OF_STEP: usize = 32;

/// Tells the type of a result by what is known of the arguments.
type Typed = fn(&[Value]) -> Result<Type, Fault>;

/// Tells the result by what is known of the arguments.
type Settled = fn(&[Value]) -> Option<Value>;

/// A function that can be computed.
pub struct Function {
    name: &'static str,
    params: &'static [Param],
    rest: Option<Param>,
    /// Whether it looks only at the arguments themselves.
    shallow: bool,
    /// Whether it can take unknown elements in them.
    partial: bool,
    /// The first parameter whose argument may be one of unknown type; with any other the type of the result is unknown
    /// too.
    open_from: usize,
    result: Ret,
    /// Tells the type of the result where an argument is unknown, if it is not always the same; or that the call
    /// fails whatever it is.
    typed: Option<Typed>,
    /// What it gives by the types of its arguments alone.
    settled: Option<Settled>,
    body: Body,
}

enum Body {
    /// What it gives is not computed.
    Opaque,
    /// It gives something else each time or on each machine.
    Unpredictable,
    Strict(fn(&Args<'_>) -> Result<Value, Fault>),
    /// Evaluates its arguments itself.
    Lazy(fn(&mut Evaluator<'_>, Call<'_>, Span) -> Value),
}

/// What a parameter takes.
#[derive(Clone, Copy)]
struct Param {
    wants: Wants,
    null: bool,
}

#[derive(Clone, Copy)]
enum Wants {
    Any,
    String,
    Number,
    ListOfString,
    ListOfAny,
    SetOfAny,
    ListOfBool,
    /// A list or a tuple.
    Listed,
    /// The same or a set.
    Sequence,
    /// A map or an object.
    Mapping,
    /// Any of these, or a text.
    Counted,
}

impl Wants {
    fn ty(self) -> Type {
        match self {
            Self::Any | Self::Listed | Self::Sequence | Self::Mapping | Self::Counted => Type::Dynamic,
            Self::String => Type::String,
            Self::Number => Type::Number,
            Self::ListOfString => Type::List(Arc::new(Type::String)),
            Self::ListOfAny => Type::List(Arc::new(Type::Dynamic)),
            Self::SetOfAny => Type::Set(Arc::new(Type::Dynamic)),
            Self::ListOfBool => Type::List(Arc::new(Type::Bool)),
        }
    }
}

impl Wants {
    /// Why a value of a type is none of several sorts; what one type takes its conversion tells.
    fn refuses(self, ty: &Type) -> Option<&'static str> {
        let is_listed = matches!(ty, Type::List(_) | Type::Tuple(_) | Type::Dynamic);
        let is_sequence = is_listed || matches!(ty, Type::Set(_));
        let is_mapping = matches!(ty, Type::Map(_) | Type::Object(_) | Type::Dynamic);
        match self {
            Self::Listed => (!is_listed).then_some("a list is required"),
            Self::Sequence => (!is_sequence).then_some("a list or set is required"),
            Self::Mapping => (!is_mapping).then_some("a map is required"),
            Self::Counted => (!is_sequence && !is_mapping && *ty != Type::String)
                .then_some("a string or a collection is required"),
            _ => None,
        }
    }
}

/// The type of a result that can't be known.
#[derive(Clone, Copy)]
enum Ret {
    Any,
    String,
    Number,
    Bool,
    Strings,
    Numbers,
    /// Of elements of any type, as the next two.
    List,
    Set,
    Map,
}

impl Ret {
    fn ty(self) -> Type {
        match self {
            Self::Any => Type::Dynamic,
            Self::String => Type::String,
            Self::Number => Type::Number,
            Self::Bool => Type::Bool,
            Self::Strings => Type::List(Arc::new(Type::String)),
            Self::Numbers => Type::List(Arc::new(Type::Number)),
            Self::List => Type::List(Arc::new(Type::Dynamic)),
            Self::Set => Type::Set(Arc::new(Type::Dynamic)),
            Self::Map => Type::Map(Arc::new(Type::Dynamic)),
        }
    }
}

/// Why a function gives no value.
enum Fault {
    /// The engine's would fail too; the end of a sentence.
    Fails(String),
    /// The result can't be known; the reason.
    Unknown(String),
    /// The same, and some versions of the engine fail.
    Varies(String),
    /// It depends on digits of a number that are not computed.
    Inexact,
}

impl Fault {
    fn new(message: impl Into<String>) -> Self {
        Self::Fails(message.into())
    }

    fn open(why: impl Into<String>) -> Self {
        Self::Unknown(why.into())
    }
}

type Given = Result<Value, Fault>;

/// The arguments of a call, converted to what the parameters take.
struct Args<'a> {
    values: Vec<Value>,
    scope: &'a dyn Scope,
    budget: &'a Budget,
}

impl Args<'_> {
    fn get(&self, index: usize) -> Result<&Value, Fault> {
        self.values
            .get(index)
            .ok_or_else(|| Fault::new("an argument is missing"))
    }

    fn string(&self, index: usize) -> Result<&str, Fault> {
        self.get(index)?
            .as_str()
            .ok_or_else(|| Fault::new("a string is required"))
    }

    fn number(&self, index: usize) -> Result<super::Number, Fault> {
        self.get(index)?
            .as_number()
            .ok_or_else(|| Fault::new("a number is required"))
    }

    /// A whole number.
    fn whole(&self, index: usize) -> Result<i64, Fault> {
        let number = self.number(index)?;
        match number.as_i64() {
            Some(whole) => Ok(whole),
            None if number.is_rounded() => Err(Fault::Inexact),
            None => Err(Fault::new("a whole number is required")),
        }
    }

    fn elements(&self, index: usize) -> Result<&[Value], Fault> {
        self.get(index)?
            .elements()
            .ok_or_else(|| Fault::new("a list is required"))
    }

    fn strings(&self, index: usize) -> Result<Vec<&str>, Fault> {
        let all = self.elements(index)?.iter();
        all.map(|v| v.as_str().ok_or_else(|| Fault::new("an element is null")))
            .collect()
    }

    fn rest(&self, from: usize) -> &[Value] {
        self.values.get(from..).unwrap_or(&[])
    }

    fn spend(&self, steps: usize) -> Result<(), Fault> {
        if self.budget.spend(u64::try_from(steps).unwrap_or(u64::MAX)) {
            Ok(())
        } else {
            Err(Fault::open("a limit was reached"))
        }
    }
}

impl Function {
    const fn new(
        name: &'static str,
        params: &'static [Param],
        result: Ret,
        body: fn(&Args<'_>) -> Given,
    ) -> Self {
        Self {
            name,
            params,
            rest: None,
            shallow: false,
            partial: false,
            open_from: usize::MAX,
            result,
            typed: None,
            settled: None,
            body: Body::Strict(body),
        }
    }

    const fn opaque(name: &'static str, params: &'static [Param], result: Ret) -> Self {
        Self {
            name,
            params,
            rest: None,
            shallow: true,
            partial: true,
            open_from: 0,
            result,
            typed: None,
            settled: None,
            body: Body::Opaque,
        }
    }

    const fn unpredictable(name: &'static str, params: &'static [Param], result: Ret) -> Self {
        Self {
            body: Body::Unpredictable,
            ..Self::opaque(name, params, result)
        }
    }

    const fn lazy(name: &'static str, body: fn(&mut Evaluator<'_>, Call<'_>, Span) -> Value) -> Self {
        Self {
            name,
            params: &[],
            rest: None,
            shallow: true,
            partial: true,
            open_from: 0,
            result: Ret::Any,
            typed: None,
            settled: None,
            body: Body::Lazy(body),
        }
    }

    const fn and(mut self, rest: Param) -> Self {
        self.rest = Some(rest);
        self
    }

    const fn shallow(mut self) -> Self {
        self.shallow = true;
        self.partial()
    }

    const fn partial(mut self) -> Self {
        self.partial = true;
        self
    }

    const fn open(self) -> Self {
        self.open_from(0)
    }

    const fn open_from(mut self, first: usize) -> Self {
        self.open_from = first;
        self
    }

    const fn typed(mut self, typed: Typed) -> Self {
        self.typed = Some(typed);
        self
    }

    const fn settled(mut self, settled: Settled) -> Self {
        self.settled = Some(settled);
        self
    }

    /// The type of the result where not all arguments are known.
    fn result_type(&self, values: &[Value]) -> Result<Type, Fault> {
        let is_open = |(index, value): (usize, &Value)| {
            let param = self.params.get(index).copied().or(self.rest);
            param.is_some_and(|param| self.is_open(index, param, value))
        };
        if values.iter().enumerate().any(is_open) {
            return Ok(Type::Dynamic);
        }
        self.typed.map_or(Ok(self.result.ty()), |typed| typed(values))
    }

    /// Whether an argument of unknown type, as a null without one, leaves the result unknown.
    fn is_open(&self, index: usize, param: Param, value: &Value) -> bool {
        let has_type = match &value.data {
            Data::Unknown(unknown) => unknown.ty != Type::Dynamic,
            Data::Null(ty) => *ty != Type::Dynamic,
            _ => true,
        };
        index < self.open_from && param.wants.ty() == Type::Dynamic && !has_type
    }
}

/// Evaluates a call.
pub(super) fn call(
    evaluator: &mut Evaluator<'_>,
    function: &'static Function,
    call: Call<'_>,
    span: Span,
) -> Value {
    let body = match function.body {
        Body::Lazy(body) => return body(evaluator, call, span),
        Body::Strict(body) => Some(body),
        Body::Opaque | Body::Unpredictable => None,
    };
    let errors = evaluator.error_count();
    let given = match arguments(evaluator, call) {
        Ok(given) => given,
        Err(value) => return value,
    };
    if evaluator.error_count() > errors {
        return evaluator.not_computed(span, "it has an error");
    }
    if let Err(message) = arity(function, given.len()) {
        return evaluator.failed_call(call, span, &message);
    }
    let mut values = Vec::with_capacity(given.len());
    let mut unknown = None;
    let mut likely = false;
    let mut refused = None;
    // What is behind an argument whose type the engine does not know it does not look at yet.
    let mut is_looked_at = true;
    let is_exact = evaluator.scope().is_exact();
    for (index, (value, at)) in given.into_iter().enumerate() {
        let Some(param) = function.params.get(index).copied().or(function.rest) else {
            continue;
        };
        if value.is_null() && !param.null && is_looked_at {
            return argument_error(evaluator, call, at, index, "it must not be null");
        }
        let converted = match convert(&value, &param.wants.ty()) {
            Ok(converted) => converted,
            Err(reason) => return argument_error(evaluator, call, at, index, &reason),
        };
        if let Some(reason) = param.wants.refuses(&converted.ty()) {
            refused.get_or_insert((at, index, reason));
        }
        let is_open = function.is_open(index, param, &converted);
        is_looked_at &= !(is_exact && is_open);
        if is_open && converted.is_null() {
            let why = Value::unknown("the type of the null is unknown");
            unknown = unknown.or_else(|| Some((why.as_unknown()?.clone(), why.clone())));
        }
        likely |= if function.shallow {
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
            unknown.get_or_insert_with(|| (open.clone(), converted.clone()));
        }
        values.push(converted);
    }
    // Which sorts of values it takes the engine asks once it knows the type of each.
    if let Some((at, index, reason)) = refused.filter(|_| is_looked_at) {
        return argument_error(evaluator, call, at, index, reason);
    }
    let Some(body) = body else {
        let why = format!("what {}() gives is not computed", call.name());
        if unknown.is_none() && !matches!(function.body, Body::Unpredictable) {
            evaluator.scope().not_computed(evaluator.place(span), &why);
        }
        return match function.result_type(&values) {
            Ok(ty) => {
                let value = evaluator.unknown(span, &why, ty).likely(likely);
                // Without arguments nothing can be wrong with them.
                if let Some(unknown) = value.as_unknown().filter(|_| !values.is_empty()) {
                    evaluator.leave_open(unknown);
                }
                value
            }
            Err(fault) => failed(evaluator, call, span, fault, &values),
        };
    };
    if let Some(value) = function.settled.and_then(|settled| settled(&values)) {
        return value.likely(likely);
    }
    if let Some((open, value)) = unknown {
        evaluator.leave_open(&open);
        // What has an identity of its own is not null, so that it is the first of `coalesce`.
        if function.name == "coalesce" {
            let mut given = values.iter();
            let first = given.find(|value| !value.is_null() && value.as_str() != Some(""));
            let is_settled = |value: &Value| match value.as_unknown() {
                Some(unknown) => unknown.symbol.is_some(),
                None => evaluator.scope().is_exact(),
            };
            if let Some(first) = first.filter(|first| is_settled(first))
                && let Ok(ty) = function.result_type(&values)
            {
                return convert(first, &ty)
                    .unwrap_or_else(|_| first.clone())
                    .likely(likely);
            }
        }
        // A conversion to the type a value already has passes it on, whoever's it is.
        let passes =
            function.name.starts_with("to") && function.params.len() == 1 && value.as_unknown().is_some();
        if passes && (open.ty == Type::Dynamic || open.ty == function.result.ty()) {
            let wanted = function.result.ty();
            return convert(&value, &wanted).unwrap_or(value).likely(likely);
        }
        if function.name.starts_with("to")
            && let Err(reason) = convert(&value, &function.result.ty())
        {
            return evaluator.failed_call(call, span, &reason);
        }
        return match function.result_type(&values) {
            Ok(ty) => derived(&open, ty, likely),
            Err(fault) => failed(evaluator, call, span, fault, &values),
        };
    }
    // What takes texts apart or puts them together goes through all of them.
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
    };
    match body(&args) {
        Ok(value) => {
            let made = value.first_unshared().filter(|made| made.ty == Type::Dynamic);
            if is_exact
                && let Some(made) = made
                && args.values.iter().all(|v| v.first_unshared().is_none())
            {
                args.scope.not_computed(place, &made.why);
            }
            finish(evaluator, value, likely, place)
        }
        Err(fault) => failed(evaluator, call, span, fault, &args.values).likely(likely),
    }
}

/// What stands for the result of a call that fails, or that is not computed.
fn failed(
    evaluator: &mut Evaluator<'_>,
    call: Call<'_>,
    span: Span,
    fault: Fault,
    values: &[Value],
) -> Value {
    match fault {
        Fault::Fails(message) => evaluator.failed_call(call, span, &message),
        Fault::Inexact => evaluator.not_computed(span, "a number cannot be computed exactly"),
        Fault::Varies(why) => {
            evaluator.scope().not_computed(evaluator.place(span), &why);
            evaluator.not_computed(span, &why)
        }
        Fault::Unknown(why) => {
            if !evaluator.spend(0, span) || evaluator.budget.is_exhausted() {
                // Said once, as the limit that it is.
                let _ = evaluator.spend(usize::MAX, span);
            }
            if values.iter().all(|value| value.first_unknown().is_none()) {
                evaluator.scope().not_computed(evaluator.place(span), &why);
            }
            // Whether the engine's would fail is unknown too, and then its type would be.
            evaluator.not_computed(span, &why)
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

/// The evaluated arguments with their places, a spread last one taken apart.
fn arguments(evaluator: &mut Evaluator<'_>, call: Call<'_>) -> Result<Vec<(Value, Span)>, Value> {
    let args = call.args();
    let mut given = Vec::with_capacity(args.len());
    for (index, arg) in args.iter().enumerate() {
        let value = evaluator.eval(arg);
        let at = arg.span();
        if !(call.expands() && index + 1 == args.len()) {
            given.push((value, at));
            continue;
        }
        if value.is_null() {
            return Err(evaluator.error(EvalErrorKind::Call, at, "The argument spread with `...` is null."));
        }
        if let Some(unknown) = value.as_unknown()
            && Wants::Sequence.refuses(&unknown.ty).is_none()
        {
            return Err(derived(unknown, Type::Dynamic, value.heuristic));
        }
        match value.elements() {
            Some(elements) => given.extend(elements.iter().map(|v| (v.clone().likely(value.heuristic), at))),
            None => {
                let message = "Only a list, set or tuple can be spread with `...`.";
                return Err(evaluator.error(EvalErrorKind::Call, at, message));
            }
        }
    }
    Ok(given)
}
