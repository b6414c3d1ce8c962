//! The values a template computes with.

use std::rc::Rc;

/// The initial `.`: a Go struct of string fields.
#[derive(Clone, Copy, Debug)]
pub struct Data<'d> {
    /// The struct's type as Go names it in messages.
    pub type_name: &'d str,
    /// Names and values of its fields, in the order of their declaration.
    pub fields: &'d [(&'d str, &'d str)],
}

impl<'d> Data<'d> {
    pub(super) fn field(&self, name: &str) -> Option<&'d str> {
        self.fields
            .iter()
            .find(|(field, _)| *field == name)
            .map(|(_, value)| *value)
    }
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    /// No value at all, or `nil`.
    Nil,
    Bool(bool),
    Int(i64),
    /// The result of indexing a string.
    Byte(u8),
    Float(f64),
    Text(Rc<str>),
    /// The struct of [`Data`].
    Data,
}

impl Value {
    pub(super) fn type_name<'s>(&self, data: &Data<'s>) -> &'s str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Byte(_) => "uint8",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
            Self::Data => data.type_name,
        }
    }

    /// The truth of the value for `if`, `with`, `and`, `or` and `not`.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(b) => *b,
            Self::Int(i) => *i != 0,
            Self::Byte(b) => *b != 0,
            Self::Float(f) => *f != 0.0,
            Self::Text(t) => !t.is_empty(),
            Self::Data => true,
        }
    }
}
