//! Keys of instances, and addresses.

use std::fmt;
use std::sync::Arc;

use applyorder_syntax::hcl::edit::quote;
use applyorder_syntax::hcl::eval::{Number, Type, Value, convert};

/// Which instance of a resource or call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Key {
    /// The only one.
    None,
    /// One of `count`.
    Int(u64),
    /// One of `for_each`.
    Str(Arc<str>),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Int(n) => write!(f, "[{n}]"),
            Self::Str(text) => write!(f, "[{}]", quote(text)),
        }
    }
}

impl Key {
    /// The key as a value of the language.
    pub(crate) fn value(&self) -> Value {
        match self {
            Self::None => Value::null(),
            Self::Int(n) => Value::number(Number::count(usize::try_from(*n).unwrap_or(usize::MAX))),
            Self::Str(text) => Value::string(text),
        }
    }

    /// An index as a key of `count`.
    pub(crate) fn index(value: &Value) -> Option<Self> {
        let number = convert(value, &Type::Number).ok()?.as_number()?.as_i64()?;
        u64::try_from(number).ok().map(Self::Int)
    }

    /// The key that an address has by this value: a whole number or a string, neither of which is converted.
    pub(crate) fn of_address(value: &Value) -> Option<Self> {
        match value.as_number() {
            Some(_) => Self::index(value),
            None => value.as_str().map(|text| Self::Str(text.into())),
        }
    }

    /// An index as a key of `for_each`.
    pub(crate) fn name(value: &Value) -> Option<Self> {
        let text = convert(value, &Type::String).ok()?;
        text.as_str().map(|t| Self::Str(t.into()))
    }
}
