//! Go's built-in template functions, on values that are already evaluated.
//!
//! `and` and `or` are not here: they evaluate their arguments one by one. Nor is `call`, as no value can be
//! called.

use super::format;
use super::value::{Data, Value};
use std::cmp::Ordering;
use std::rc::Rc;

/// How a function takes its arguments.
#[derive(Clone, Copy)]
pub(super) struct Signature {
    /// The minimum number of arguments.
    pub(super) least: usize,
    /// Whether more are accepted.
    pub(super) variadic: bool,
    /// Whether the first must be a string.
    pub(super) text_first: bool,
}

pub(super) fn signature(name: &str) -> Option<Signature> {
    let (least, variadic) = match name {
        "print" | "println" | "html" | "js" | "urlquery" => (0, true),
        "and" | "or" | "call" | "index" | "slice" | "eq" | "printf" => (1, true),
        "not" | "len" => (1, false),
        "ne" | "lt" | "le" | "gt" | "ge" => (2, false),
        _ => return None,
    };
    Some(Signature {
        least,
        variadic,
        text_first: name == "printf",
    })
}

pub(super) fn is_known(name: &str) -> bool {
    signature(name).is_some()
}

/// Why a call has no value.
pub(super) enum Failed {
    /// Go's function fails, with this message.
    Error(String),
    /// The value is not modeled.
    Unknown(&'static str),
}

impl From<String> for Failed {
    fn from(message: String) -> Self {
        Self::Error(message)
    }
}

impl From<&'static str> for Failed {
    fn from(message: &'static str) -> Self {
        Self::Error(message.into())
    }
}

type Called = Result<Value, Failed>;

/// Calls a built-in with as many arguments as its signature requires.
pub(super) fn call(name: &str, args: &[Value], data: &Data<'_>) -> Called {
    let text = |s: String| Ok(Value::Text(Rc::from(s)));
    match (name, args) {
        ("print", _) => text(format::sprint(args, data)),
        ("println", _) => text(format::sprintln(args, data)),
        ("printf", [Value::Text(format), rest @ ..]) => {
            text(format::sprintf(format, rest, data).map_err(Failed::Unknown)?)
        }
        ("html", _) => text(format::escape_html(&format::joined(args, data))),
        ("js", _) => text(format::escape_js(&format::joined(args, data))),
        ("urlquery", _) => text(format::escape_query(&format::joined(args, data))),
        ("not", [value]) => Ok(Value::Bool(!value.is_true())),
        ("len", [Value::Text(t)]) => Ok(Value::Int(i64::try_from(t.len()).unwrap_or(i64::MAX))),
        ("len", [value]) => Err(format!("len of type {}", value.type_name(data)).into()),
        ("index", [item, at @ ..]) => index(item, at, data),
        ("slice", [item, at @ ..]) => slice(item, at, data),
        ("eq", [first, rest @ ..]) => eq(first, rest, data),
        ("ne", [a, b]) => Ok(Value::Bool(!is_equal(a, b, data)?)),
        ("lt", [a, b]) => Ok(Value::Bool(is_less(a, b, data)?)),
        ("le", [a, b]) => Ok(Value::Bool(is_less(a, b, data)? || is_equal(a, b, data)?)),
        ("gt", [a, b]) => Ok(Value::Bool(!(is_less(a, b, data)? || is_equal(a, b, data)?))),
        ("ge", [a, b]) => Ok(Value::Bool(!is_less(a, b, data)?)),
        _ => Err(Failed::Unknown("this function is not supported")),
    }
}

fn index(item: &Value, at: &[Value], data: &Data<'_>) -> Called {
    if matches!(item, Value::Nil) {
        return Err("index of untyped nil".into());
    }
    let mut item = item.clone();
    for position in at {
        let Value::Text(text) = &item else {
            return Err(format!("can't index item of type {}", item.type_name(data)).into());
        };
        let position = position_in(position, text.len(), data)?;
        let byte = text
            .as_bytes()
            .get(position)
            .ok_or("reflect: string index out of range")?;
        item = Value::Byte(*byte);
    }
    Ok(item)
}

fn slice(item: &Value, at: &[Value], data: &Data<'_>) -> Called {
    if matches!(item, Value::Nil) {
        return Err("slice of untyped nil".into());
    }
    if at.len() > 3 {
        return Err(format!("too many slice indexes: {}", at.len()).into());
    }
    let Value::Text(text) = item else {
        return Err(format!("can't slice item of type {}", item.type_name(data)).into());
    };
    if at.len() == 3 {
        return Err("cannot 3-index slice a string".into());
    }
    let mut bounds = [0, text.len()];
    for (bound, position) in bounds.iter_mut().zip(at) {
        *bound = position_in(position, text.len(), data)?;
    }
    let [start, end] = bounds;
    if start > end {
        return Err(format!("invalid slice index: {start} > {end}").into());
    }
    match text.get(start..end) {
        Some(part) => Ok(Value::Text(Rc::from(part))),
        None => Err(Failed::Unknown("a part of a character is not supported")),
    }
}

fn position_in(position: &Value, len: usize, data: &Data<'_>) -> Result<usize, Failed> {
    let number = match position {
        Value::Int(i) => *i,
        Value::Byte(b) => i64::from(*b),
        Value::Nil => return Err("cannot index slice/array with nil".into()),
        other => {
            return Err(format!("cannot index slice/array with type {}", other.type_name(data)).into());
        }
    };
    match usize::try_from(number) {
        Ok(n) if n <= len => Ok(n),
        _ => Err(format!("index out of range: {number}").into()),
    }
}

fn eq(first: &Value, rest: &[Value], data: &Data<'_>) -> Called {
    if rest.is_empty() {
        return Err("missing argument for comparison".into());
    }
    for other in rest {
        if is_equal(first, other, data)? {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

/// Equality of one kind; signed and unsigned integers compare by value, only nil equals nil.
#[allow(clippy::float_cmp)]
fn is_equal(a: &Value, b: &Value, data: &Data<'_>) -> Result<bool, Failed> {
    Ok(match (a, b) {
        (Value::Nil, Value::Nil) | (Value::Data, Value::Data) => true,
        (Value::Nil, _) | (_, Value::Nil) => false,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Byte(a), Value::Byte(b)) => a == b,
        (Value::Int(a), Value::Byte(b)) | (Value::Byte(b), Value::Int(a)) => *a == i64::from(*b),
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        _ => return Err(incompatible(a, b, data)),
    })
}

fn is_less(a: &Value, b: &Value, data: &Data<'_>) -> Result<bool, Failed> {
    let order = match (a, b) {
        (Value::Nil | Value::Data, _) | (_, Value::Nil | Value::Data) => {
            return Err("invalid type for comparison".into());
        }
        (Value::Bool(_), Value::Bool(_)) => return Err("invalid type for comparison".into()),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Byte(a), Value::Byte(b)) => a.cmp(b),
        (Value::Int(a), Value::Byte(b)) => a.cmp(&i64::from(*b)),
        (Value::Byte(a), Value::Int(b)) => i64::from(*a).cmp(b),
        (Value::Float(a), Value::Float(b)) => return Ok(a < b),
        (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        _ => return Err(incompatible(a, b, data)),
    };
    Ok(order == Ordering::Less)
}

fn incompatible(a: &Value, b: &Value, data: &Data<'_>) -> Failed {
    let (a, b) = (a.type_name(data), b.type_name(data));
    Failed::Error(format!("incompatible types for comparison: {a} and {b}"))
}
