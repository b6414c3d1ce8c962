//! The types of the table of functions.

use std::sync::Arc;

use super::super::expr::Evaluator;
use super::super::known::Known;
use super::super::marks::Marks;
use super::super::scope::Scope;
use super::super::types::Type;
use super::super::value::{Data, Value};
use super::args::{Args, Fault, Given};
use super::{marks, results};
use crate::hcl::Call;
use crate::text::Span;

/// Computes the type of a result from what is known of the arguments.
pub(super) type Typed = fn(&[Value]) -> Result<Type, Fault>;

/// Computes the result from what is known of the arguments.
pub(super) type Settled = fn(&[Value]) -> Option<Value>;

/// Computes what the engine knows of an unknown result besides its type.
pub(super) type Knows = fn(&[Value]) -> Known;

/// A function that can be computed.
pub struct Function {
    pub(super) name: &'static str,
    pub(super) params: &'static [Param],
    pub(super) rest: Option<Param>,
    /// Whether it looks only at the arguments themselves.
    pub(super) shallow: bool,
    /// Whether it accepts unknown elements in them.
    pub(super) partial: bool,
    /// The first parameter whose argument may be of unknown type; with any other the type of the result is
    /// unknown too.
    pub(super) open_from: usize,
    /// Whether it never fails if its arguments have the types it takes.
    pub(super) total: bool,
    /// Whether it may fail because of the values of its arguments, whatever their types, as far as they are
    /// known.
    pub(super) may_fail: Option<fn(&[Value]) -> bool>,
    pub(super) result: Ret,
    /// Computes the type of the result when an argument is unknown, if the type is not always the same; or an
    /// error if the call fails whatever the argument is.
    pub(super) typed: Option<Typed>,
    /// Its result if it follows from the types of its arguments alone.
    pub(super) settled: Option<Settled>,
    pub(super) passes: Passes,
    /// What the engine knows of a result that is unknown.
    pub(super) knows: Knows,
    /// Whether the engine uses how an unknown string begins.
    pub(super) reads_start: bool,
    pub(super) marking: Marking,
    pub(super) body: Body,
}

pub(super) enum Body {
    /// Its result is not computed.
    Opaque,
    /// Its result differs each time or on each machine.
    Unpredictable,
    /// Its result is determined when the engine plans.
    OfPlan,
    Strict(fn(&Args<'_>) -> Result<Value, Fault>),
    /// Evaluates its arguments itself.
    Lazy(fn(&mut Evaluator<'_>, Call<'_>, Span) -> Value),
}

/// The marks of a result.
#[derive(Clone, Copy)]
pub(super) enum Marking {
    /// All marks of the arguments and of anything in them, and none on the values in the result.
    Gathered,
    /// The values in the result keep the marks that they have in the arguments.
    Kept(Kept),
    /// The function computes the marks of the result from those of its only argument; the values in it are
    /// unchanged.
    Made(fn(Marks) -> Marks),
}

/// A function that passes on the marks of its arguments.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    /// The number of parameters this applies to; the marks of later arguments are gathered.
    pub(super) first: usize,
    /// Whether the function itself computes the result for an unknown argument; otherwise these marks are
    /// dropped then.
    pub(super) takes_unknown: bool,
    /// The marks of the result itself.
    pub(super) marks: fn(&[Value]) -> Marks,
}

/// The result of a function even though an argument is unknown.
#[derive(Clone, Copy)]
pub(super) enum Passes {
    Nothing,
    /// The only argument, known to the engine or not, if it has the type of the result or certainly converts to
    /// it.
    Converted,
    /// The only argument as it is.
    Only,
    /// The first argument that is not null and not empty. A value with an identity is not null.
    FirstGiven,
    /// The result for arguments in which every unknown has an identity, if that is certain.
    Certain(fn(&[Value], &dyn Scope) -> Option<Value>),
}

/// What a parameter takes.
#[derive(Clone, Copy)]
pub(super) struct Param {
    pub(super) wants: Wants,
    pub(super) null: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Wants {
    Any,
    String,
    /// A string that is not converted from anything else.
    Text,
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
    /// Any of these, or a string.
    Counted,
}

impl Wants {
    pub(super) fn ty(self) -> Type {
        match self {
            Self::Any | Self::Text | Self::Listed | Self::Sequence | Self::Mapping | Self::Counted => {
                Type::Dynamic
            }
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
    /// Why a value of a type is none of several kinds; for a single type, its conversion reports it.
    pub(super) fn refuses(self, ty: &Type) -> Option<&'static str> {
        let (is_sequence, is_mapping) = (ty.may_be_sequence(), ty.may_be_mapping());
        let is_listed = is_sequence && !matches!(ty, Type::Set(_));
        match self {
            Self::Text => (!matches!(ty, Type::String | Type::Dynamic)).then_some("a string is required"),
            Self::Listed => (!is_listed).then_some("a list is required"),
            Self::Sequence => (!is_sequence).then_some("a list or set is required"),
            Self::Mapping => (!is_mapping).then_some("a map is required"),
            Self::Counted => (!is_sequence && !is_mapping && *ty != Type::String)
                .then_some("a string or a collection is required"),
            _ => None,
        }
    }
}

/// The type of a result that cannot be known.
#[derive(Clone, Copy)]
pub(super) enum Ret {
    Any,
    String,
    Number,
    Bool,
    Strings,
    Numbers,
    /// With elements of any type, as the next two.
    List,
    Set,
    Map,
}

impl Ret {
    pub(super) fn ty(self) -> Type {
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

impl Function {
    const fn of(name: &'static str, params: &'static [Param], result: Ret, body: Body) -> Self {
        Self {
            name,
            params,
            rest: None,
            shallow: false,
            partial: false,
            open_from: usize::MAX,
            total: false,
            may_fail: None,
            result,
            typed: None,
            settled: None,
            passes: Passes::Nothing,
            knows: results::never_null,
            reads_start: false,
            marking: Marking::Gathered,
            body,
        }
    }

    pub(super) const fn new(
        name: &'static str,
        params: &'static [Param],
        result: Ret,
        body: fn(&Args<'_>) -> Given,
    ) -> Self {
        Self::of(name, params, result, Body::Strict(body))
    }

    pub(super) const fn opaque(name: &'static str, params: &'static [Param], result: Ret) -> Self {
        Self::of(name, params, result, Body::Opaque).shallow().open()
    }

    pub(super) const fn unpredictable(name: &'static str, params: &'static [Param], result: Ret) -> Self {
        Self::of(name, params, result, Body::Unpredictable)
            .shallow()
            .open()
    }

    pub(super) const fn of_plan(name: &'static str, result: Ret) -> Self {
        Self::of(name, &[], result, Body::OfPlan).shallow().open()
    }

    pub(super) const fn lazy(
        name: &'static str,
        body: fn(&mut Evaluator<'_>, Call<'_>, Span) -> Value,
    ) -> Self {
        Self::of(name, &[], Ret::Any, Body::Lazy(body)).shallow().open()
    }

    pub(super) const fn and(mut self, rest: Param) -> Self {
        self.rest = Some(rest);
        self
    }

    pub(super) const fn shallow(mut self) -> Self {
        self.shallow = true;
        self.partial()
    }

    pub(super) const fn partial(mut self) -> Self {
        self.partial = true;
        self
    }

    pub(super) const fn total(mut self) -> Self {
        self.total = true;
        self
    }

    pub(super) const fn may_fail(mut self, test: fn(&[Value]) -> bool) -> Self {
        self.may_fail = Some(test);
        self
    }

    pub(super) const fn open(self) -> Self {
        self.open_from(0)
    }

    pub(super) const fn open_from(mut self, first: usize) -> Self {
        self.open_from = first;
        self
    }

    pub(super) const fn typed(mut self, typed: Typed) -> Self {
        self.typed = Some(typed);
        self
    }

    pub(super) const fn settled(mut self, settled: Settled) -> Self {
        self.settled = Some(settled);
        self
    }

    pub(super) const fn knows(mut self, knows: Knows) -> Self {
        self.knows = knows;
        self
    }

    /// For a function whose unknown results the engine treats as possibly null.
    pub(super) const fn nullable(self) -> Self {
        self.knows(results::perhaps_null)
    }

    pub(super) const fn reads_start(mut self) -> Self {
        self.reads_start = true;
        self
    }

    pub(super) const fn marks(mut self, marking: Marking) -> Self {
        self.marking = marking;
        self
    }

    /// For a function that passes on the marks of each argument itself.
    pub(super) const fn keeps(self, takes_unknown: bool) -> Self {
        self.marks(Marking::Kept(Kept {
            first: usize::MAX,
            takes_unknown,
            marks: marks::of_each,
        }))
    }

    pub(super) const fn passes(mut self, passes: Passes) -> Self {
        self.passes = passes;
        self
    }

    /// The type of the result if not all arguments are known.
    pub(super) fn result_type(&self, values: &[Value]) -> Result<Type, Fault> {
        let is_open = |(index, value): (usize, &Value)| {
            let param = self.params.get(index).copied().or(self.rest);
            param.is_some_and(|param| self.is_open(index, param, value))
        };
        if values.iter().enumerate().any(is_open) {
            return Ok(Type::Dynamic);
        }
        self.typed.map_or(Ok(self.result.ty()), |typed| typed(values))
    }

    /// Whether an argument of unknown type, such as an untyped null, makes the result unknown.
    pub(super) fn is_open(&self, index: usize, param: Param, value: &Value) -> bool {
        let has_type = match &value.data {
            Data::Unknown(unknown) => unknown.ty != Type::Dynamic,
            Data::Null(ty) => *ty != Type::Dynamic,
            _ => true,
        };
        index < self.open_from && param.wants.ty() == Type::Dynamic && !has_type
    }
}
