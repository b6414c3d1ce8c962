//! The functions that HCL's users share, as OpenTofu and Terraform define them, and a few that only
//! some engines add. What is not computed here (time, randomness, remote things, rare encodings) is
//! known by name, so that its result is unknown and not an error.

mod collections;
mod convert_to;
mod encoding;
mod files;
mod format;
mod lazy;
mod numbers;
mod sets;
mod strings;

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use super::convert::convert;
use super::expr::Evaluator;
use super::ops::derived;
use super::scope::{FunctionRef, Scope};
use super::types::Type;
use super::value::{Data, Place, Value};
use super::{Budget, EvalErrorKind};
use crate::syntax::hcl::Call;
use crate::syntax::text::Span;

/// A function that can be computed.
pub struct Function {
    name: &'static str,
    params: &'static [Param],
    rest: Option<Param>,
    /// Whether it looks only at the arguments themselves and can take unknown elements in them.
    shallow: bool,
    result: Ret,
    body: Body,
}

enum Body {
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
}

impl Wants {
    fn ty(self) -> Type {
        match self {
            Self::Any => Type::Dynamic,
            Self::String => Type::String,
            Self::Number => Type::Number,
            Self::ListOfString => Type::List(Arc::new(Type::String)),
            Self::ListOfAny => Type::List(Arc::new(Type::Dynamic)),
            Self::SetOfAny => Type::Set(Arc::new(Type::Dynamic)),
            Self::ListOfBool => Type::List(Arc::new(Type::Bool)),
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
}

impl Ret {
    fn ty(self) -> Type {
        match self {
            Self::Any => Type::Dynamic,
            Self::String => Type::String,
            Self::Number => Type::Number,
            Self::Bool => Type::Bool,
        }
    }
}

/// Why a function gives no value.
enum Fault {
    /// The engine's would fail too; the end of a sentence.
    Fails(String),
    /// The result can't be known; the reason.
    Unknown(String),
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
            None if number.is_rounded() => Err(Fault::open("a number can't be computed exactly")),
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

const fn p(wants: Wants) -> Param {
    Param { wants, null: false }
}

const fn nullable(wants: Wants) -> Param {
    Param { wants, null: true }
}

const S: Param = p(Wants::String);
const N: Param = p(Wants::Number);
const A: Param = p(Wants::Any);
const LS: Param = p(Wants::ListOfString);
const LA: Param = p(Wants::ListOfAny);

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
            result,
            body: Body::Strict(body),
        }
    }

    const fn lazy(name: &'static str, body: fn(&mut Evaluator<'_>, Call<'_>, Span) -> Value) -> Self {
        Self {
            name,
            params: &[],
            rest: None,
            shallow: true,
            result: Ret::Any,
            body: Body::Lazy(body),
        }
    }

    const fn and(mut self, rest: Param) -> Self {
        self.rest = Some(rest);
        self
    }

    const fn shallow(mut self) -> Self {
        self.shallow = true;
        self
    }
}

static COMMON: &[Function] = &[
    Function::new("abs", &[N], Ret::Number, numbers::abs),
    Function::new("abspath", &[S], Ret::String, files::abspath),
    Function::new(
        "alltrue",
        &[p(Wants::ListOfBool)],
        Ret::Bool,
        collections::alltrue,
    ),
    Function::new(
        "anytrue",
        &[p(Wants::ListOfBool)],
        Ret::Bool,
        collections::anytrue,
    ),
    Function::new("base64decode", &[S], Ret::String, encoding::base64decode),
    Function::new("base64encode", &[S], Ret::String, encoding::base64encode),
    Function::new("basename", &[S], Ret::String, files::basename),
    Function::lazy("can", lazy::can),
    Function::new("ceil", &[N], Ret::Number, numbers::ceil),
    Function::new("chomp", &[S], Ret::String, strings::chomp),
    Function::new("chunklist", &[LA, N], Ret::Any, collections::chunklist).shallow(),
    Function::new("coalesce", &[], Ret::Any, collections::coalesce)
        .and(nullable(Wants::Any))
        .shallow(),
    Function::new("coalescelist", &[], Ret::Any, collections::coalescelist)
        .and(nullable(Wants::Any))
        .shallow(),
    Function::new("compact", &[LS], Ret::Any, collections::compact),
    Function::new("concat", &[], Ret::Any, collections::concat)
        .and(A)
        .shallow(),
    Function::new("contains", &[A, A], Ret::Bool, collections::contains).shallow(),
    Function::new("dirname", &[S], Ret::String, files::dirname),
    Function::new("distinct", &[LA], Ret::Any, collections::distinct),
    Function::new("element", &[A, N], Ret::Any, collections::element).shallow(),
    Function::new("endswith", &[S, S], Ret::Bool, strings::endswith),
    Function::new("file", &[S], Ret::String, files::file),
    Function::new("fileexists", &[S], Ret::Bool, files::fileexists),
    Function::new("fileset", &[S, S], Ret::Any, files::fileset),
    Function::new("flatten", &[A], Ret::Any, collections::flatten).shallow(),
    Function::new("floor", &[N], Ret::Number, numbers::floor),
    Function::new("format", &[S], Ret::String, format::format).and(nullable(Wants::Any)),
    Function::new("formatlist", &[S], Ret::Any, format::formatlist).and(nullable(Wants::Any)),
    Function::new("indent", &[N, S], Ret::String, strings::indent),
    Function::new("index", &[A, A], Ret::Any, collections::index),
    Function::new("join", &[S], Ret::String, strings::join).and(LS),
    Function::new("jsondecode", &[S], Ret::Any, encoding::jsondecode),
    Function::new(
        "jsonencode",
        &[nullable(Wants::Any)],
        Ret::String,
        encoding::jsonencode,
    ),
    Function::new("keys", &[A], Ret::Any, collections::keys).shallow(),
    Function::new("length", &[A], Ret::Number, collections::length).shallow(),
    Function::new("lookup", &[A, S], Ret::Any, collections::lookup)
        .and(nullable(Wants::Any))
        .shallow(),
    Function::new("lower", &[S], Ret::String, strings::lower),
    Function::new("matchkeys", &[LA, LA, LA], Ret::Any, collections::matchkeys),
    Function::new("max", &[], Ret::Number, numbers::max).and(N),
    Function::new("merge", &[], Ret::Any, collections::merge)
        .and(nullable(Wants::Any))
        .shallow(),
    Function::new("min", &[], Ret::Number, numbers::min).and(N),
    Function::new("one", &[A], Ret::Any, collections::one).shallow(),
    Function::new("parseint", &[A, N], Ret::Number, numbers::parseint),
    Function::new("pow", &[N, N], Ret::Number, numbers::pow),
    Function::new("range", &[], Ret::Any, collections::range).and(N),
    Function::new("regex", &[S, S], Ret::Any, strings::regex),
    Function::new("regexall", &[S, S], Ret::Any, strings::regexall),
    Function::new("replace", &[S, S, S], Ret::String, strings::replace),
    Function::new("reverse", &[A], Ret::Any, collections::reverse).shallow(),
    Function::new(
        "setintersection",
        &[p(Wants::SetOfAny)],
        Ret::Any,
        sets::intersection,
    )
    .and(p(Wants::SetOfAny)),
    Function::new("setproduct", &[], Ret::Any, sets::product).and(A),
    Function::new(
        "setsubtract",
        &[p(Wants::SetOfAny), p(Wants::SetOfAny)],
        Ret::Any,
        sets::subtract,
    ),
    Function::new("setunion", &[p(Wants::SetOfAny)], Ret::Any, sets::union).and(p(Wants::SetOfAny)),
    Function::new("signum", &[N], Ret::Number, numbers::signum),
    Function::new("slice", &[A, N, N], Ret::Any, collections::slice).shallow(),
    Function::new("sort", &[LS], Ret::Any, collections::sort),
    Function::new("split", &[S, S], Ret::Any, strings::split),
    Function::new("startswith", &[S, S], Ret::Bool, strings::startswith),
    Function::new("strcontains", &[S, S], Ret::Bool, strings::strcontains),
    Function::new("strrev", &[S], Ret::String, strings::strrev),
    Function::new("substr", &[S, N, N], Ret::String, strings::substr),
    Function::new("sum", &[A], Ret::Number, numbers::sum),
    Function::new("title", &[S], Ret::String, strings::title),
    Function::new("tobool", &[nullable(Wants::Any)], Ret::Bool, convert_to::bool).shallow(),
    Function::new("tolist", &[nullable(Wants::Any)], Ret::Any, convert_to::list).shallow(),
    Function::new("tomap", &[nullable(Wants::Any)], Ret::Any, convert_to::map).shallow(),
    Function::new(
        "tonumber",
        &[nullable(Wants::Any)],
        Ret::Number,
        convert_to::number,
    )
    .shallow(),
    Function::new("toset", &[nullable(Wants::Any)], Ret::Any, convert_to::set).shallow(),
    Function::new(
        "tostring",
        &[nullable(Wants::Any)],
        Ret::String,
        convert_to::string,
    )
    .shallow(),
    Function::new("transpose", &[A], Ret::Any, collections::transpose),
    Function::new("trim", &[S, S], Ret::String, strings::trim),
    Function::new("trimprefix", &[S, S], Ret::String, strings::trimprefix),
    Function::new("trimspace", &[S], Ret::String, strings::trimspace),
    Function::new("trimsuffix", &[S, S], Ret::String, strings::trimsuffix),
    Function::lazy("try", lazy::r#try),
    Function::new("upper", &[S], Ret::String, strings::upper),
    Function::new("urlencode", &[S], Ret::String, encoding::urlencode),
    Function::new("values", &[A], Ret::Any, collections::values).shallow(),
    Function::new("zipmap", &[LS, A], Ret::Any, collections::zipmap).shallow(),
];

/// Functions of the common set whose result is not computed.
static OPAQUE: &[&str] = &[
    "base64gunzip",
    "base64gzip",
    "base64sha256",
    "base64sha512",
    "bcrypt",
    "cidrcontains",
    "cidrhost",
    "cidrnetmask",
    "cidrsubnet",
    "cidrsubnets",
    "csvdecode",
    "ephemeralasnull",
    "filebase64",
    "filebase64sha256",
    "filebase64sha512",
    "filemd5",
    "filesha1",
    "filesha256",
    "filesha512",
    "formatdate",
    "issensitive",
    "list",
    "log",
    "map",
    "md5",
    "nonsensitive",
    "pathexpand",
    "plantimestamp",
    "rsadecrypt",
    "sensitive",
    "sha1",
    "sha256",
    "sha512",
    "templatefile",
    "templatestring",
    "textdecodebase64",
    "textencodebase64",
    "timeadd",
    "timecmp",
    "timestamp",
    "urldecode",
    "uuid",
    "uuidv5",
    "yamldecode",
    "yamlencode",
];

static EXTRA: &[Function] = &[
    Function::new("joinlist", &[S, A], Ret::Any, strings::joinlist),
    Function::new("slug", &[nullable(Wants::Any)], Ret::Any, strings::slug),
    Function::lazy("ternary", lazy::ternary),
    Function::new("unslug", &[nullable(Wants::Any), A], Ret::Any, strings::unslug),
];

static EXTRA_OPAQUE: &[&str] = &[
    "hcldecode",
    "hclencode",
    "tomldecode",
    "tomlencode",
    "tree",
    "version_match",
];

fn table(functions: &'static [Function]) -> FxHashMap<&'static str, &'static Function> {
    functions.iter().map(|f| (f.name, f)).collect()
}

fn find(
    name: &str,
    known: &FxHashMap<&'static str, &'static Function>,
    opaque: &'static [&'static str],
) -> FunctionRef {
    match known.get(name) {
        Some(function) => FunctionRef::Known(function),
        None if opaque.contains(&name) => FunctionRef::Opaque,
        None => FunctionRef::Missing,
    }
}

/// A function of the set that OpenTofu and Terraform define, by its name there.
#[must_use]
pub fn lookup(name: &str) -> FunctionRef {
    static TABLE: LazyLock<FxHashMap<&str, &Function>> = LazyLock::new(|| table(COMMON));
    find(name, &TABLE, OPAQUE)
}

/// A function beyond the common set that an engine may add: `slug`, `unslug`, `joinlist`, `ternary`,
/// and some that are not computed.
#[must_use]
pub fn lookup_extra(name: &str) -> FunctionRef {
    static TABLE: LazyLock<FxHashMap<&str, &Function>> = LazyLock::new(|| table(EXTRA));
    find(name, &TABLE, EXTRA_OPAQUE)
}

/// The names of all functions, for completion and for the nearest to a wrong one.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMMON.iter().map(|f| f.name).chain(OPAQUE.iter().copied())
}

/// The names of the functions beyond the common set.
pub fn extra_names() -> impl Iterator<Item = &'static str> {
    EXTRA.iter().map(|f| f.name).chain(EXTRA_OPAQUE.iter().copied())
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
        Body::Strict(body) => body,
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
    for (index, (value, at)) in given.into_iter().enumerate() {
        let Some(param) = function.params.get(index).copied().or(function.rest) else {
            continue;
        };
        if value.is_null() && !param.null {
            return argument_error(evaluator, call, at, index, "it must not be null");
        }
        let converted = match convert(&value, &param.wants.ty()) {
            Ok(converted) => converted,
            Err(reason) => return argument_error(evaluator, call, at, index, &reason),
        };
        likely |= if function.shallow {
            converted.heuristic
        } else {
            converted.has_heuristic()
        };
        let open = if function.shallow {
            converted.as_unknown()
        } else {
            converted.first_unknown()
        };
        if let Some(open) = open {
            unknown.get_or_insert_with(|| (open.clone(), converted.clone()));
        }
        values.push(converted);
    }
    if let Some((open, value)) = unknown {
        // A conversion to the type a value already has passes it on, whoever's it is.
        let passes =
            function.name.starts_with("to") && function.params.len() == 1 && value.as_unknown().is_some();
        if passes && (open.ty == Type::Dynamic || open.ty == function.result.ty()) {
            let wanted = function.result.ty();
            return convert(&value, &wanted).unwrap_or(value).likely(likely);
        }
        return derived(&open, function.result.ty(), likely);
    }
    if !evaluator.spend(1 + values.len(), span) {
        return evaluator.not_computed(span, "a limit was reached");
    }
    let place = evaluator.place(span);
    let args = Args {
        values,
        scope: evaluator.scope(),
        budget: evaluator.budget,
    };
    match body(&args) {
        Ok(value) => finish(evaluator, value, likely, place),
        Err(Fault::Fails(message)) => evaluator.failed_call(call, span, &message),
        Err(Fault::Unknown(why)) => {
            if !evaluator.spend(0, span) || evaluator.budget.is_exhausted() {
                // Said once, as the limit that it is.
                let _ = evaluator.spend(usize::MAX, span);
            }
            // Whether the engine's would fail is unknown too, and then its type would be.
            evaluator.not_computed(span, &why).likely(likely)
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
        if let Some(unknown) = value.as_unknown() {
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
