//! What the table of functions is made of.

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

/// Tells the type of a result by what is known of the arguments.
pub(super) type Typed = fn(&[Value]) -> Result<Type, Fault>;

/// Tells the result by what is known of the arguments.
pub(super) type Settled = fn(&[Value]) -> Option<Value>;

/// Tells what the engine knows of an unknown result besides its type.
pub(super) type Knows = fn(&[Value]) -> Known;

/// A function that can be computed.
pub struct Function {
    pub(super) name: &'static str,
    pub(super) params: &'static [Param],
    pub(super) rest: Option<Param>,
    /// Whether it looks only at the arguments themselves.
    pub(super) shallow: bool,
    /// Whether it can take unknown elements in them.
    pub(super) partial: bool,
    /// The first parameter whose argument may be one of unknown type; with any other the type of the result is unknown
    /// too.
    pub(super) open_from: usize,
    /// Whether it never fails where its arguments have the types it takes.
    pub(super) total: bool,
    /// Whether it may fail by what its arguments are, whatever their types, where they are known so far.
    pub(super) may_fail: Option<fn(&[Value]) -> bool>,
    pub(super) result: Ret,
    /// Tells the type of the result where an argument is unknown, if it is not always the same; or that the call
    /// fails whatever it is.
    pub(super) typed: Option<Typed>,
    /// What it gives by the types of its arguments alone.
    pub(super) settled: Option<Settled>,
    pub(super) passes: Passes,
    /// What the engine knows of a result that is unknown.
    pub(super) knows: Knows,
    /// Whether the engine goes by how an unknown text begins.
    pub(super) reads_start: bool,
    pub(super) marking: Marking,
    pub(super) body: Body,
}

pub(super) enum Body {
    /// What it gives is not computed.
    Opaque,
    /// It gives something else each time or on each machine.
    Unpredictable,
    Strict(fn(&Args<'_>) -> Result<Value, Fault>),
    /// Evaluates its arguments itself.
    Lazy(fn(&mut Evaluator<'_>, Call<'_>, Span) -> Value),
}

/// What is noted about a result.
#[derive(Clone, Copy)]
pub(super) enum Marking {
    /// All that is noted about the arguments and anything in them, and then nothing about what is in the result.
    Gathered,
    /// What is in the result is as it is in the arguments.
    Kept(Kept),
    /// What the function makes of what is noted about the only argument; what is in it stays as it is.
    Made(fn(Marks) -> Marks),
}

/// A function that passes on what is noted about its arguments.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    /// So many parameters are like that; what is noted about the arguments behind is gathered.
    pub(super) first: usize,
    /// Whether it is the function that tells what an unknown argument gives; else nothing of these is noted then.
    pub(super) takes_unknown: bool,
    /// What is noted about the result itself.
    pub(super) marks: fn(&[Value]) -> Marks,
}

/// What a function gives of its arguments though one is unknown.
#[derive(Clone, Copy)]
pub(super) enum Passes {
    Nothing,
    /// The only argument, known to the engine or not, where it has the type of the result or certainly converts to it.
    Converted,
    /// The only argument as it is.
    Only,
    /// The first argument that is not null and not empty. What has an identity of its own is not null.
    FirstGiven,
    /// What it makes of arguments in which all that is unknown has an identity, where that is certain.
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
    pub(super) fn ty(self) -> Type {
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
    pub(super) fn refuses(self, ty: &Type) -> Option<&'static str> {
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
pub(super) enum Ret {
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

    /// Of a function whose unknown results the engine takes for ones that may be null.
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

    /// Of a function that passes on what is noted about each argument itself.
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

    /// The type of the result where not all arguments are known.
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

    /// Whether an argument of unknown type, as a null without one, leaves the result unknown.
    pub(super) fn is_open(&self, index: usize, param: Param, value: &Value) -> bool {
        let has_type = match &value.data {
            Data::Unknown(unknown) => unknown.ty != Type::Dynamic,
            Data::Null(ty) => *ty != Type::Dynamic,
            _ => true,
        };
        index < self.open_from && param.wants.ty() == Type::Dynamic && !has_type
    }
}
