//! The types of results if arguments are unknown.
//!
//! Source: the functions of cty and of Terraform 1.11, which determine the type of a result before they compute
//! it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::convert::convert;
use super::super::known::{Known, Start};
use super::super::number::Number;
use super::super::types::{Type, unify};
use super::super::value::{Unknown, Value};
use super::function::Wants;
use super::maps::unknown_key;
use super::{Fault, strings};

type Told = Result<Type, Fault>;

fn ty(values: &[Value], at: usize) -> Type {
    values.get(at).map_or(Type::Dynamic, Value::ty)
}

fn list(element: Type) -> Type {
    Type::List(Arc::new(element))
}

fn set(element: Type) -> Type {
    Type::Set(Arc::new(element))
}

fn whole(values: &[Value], at: usize) -> Option<i64> {
    values.get(at)?.as_number()?.as_i64()
}

fn count(len: usize) -> Value {
    Value::number(Number::count(len))
}

/// The length of an unknown value is known if its type determines it.
pub(super) fn length(values: &[Value]) -> Option<Value> {
    match &values.first()?.as_unknown()?.ty {
        Type::Tuple(all) => Some(count(all.len())),
        Type::Object(all) => Some(count(all.len())),
        _ => None,
    }
}

/// That it is not null, which most functions guarantee.
pub(super) fn never_null(_: &[Value]) -> Known {
    Known::NotNull
}

/// Nothing but its type.
pub(super) fn perhaps_null(_: &[Value]) -> Known {
    Known::Type
}

/// The text before the first verb of a format is known.
pub(super) fn known_format(values: &[Value]) -> Known {
    let format = values.first().and_then(Value::as_str).unwrap_or("");
    let before = format.split_once('%').map_or("", |(before, _)| before);
    Start::of_known(before).known()
}

/// The beginning of a value that is not null follows from its type.
pub(super) fn known_json(values: &[Value]) -> Known {
    let Some(value) = values.first() else {
        return Known::NotNull;
    };
    if value
        .as_unknown()
        .is_some_and(|unknown| !unknown.known.is_not_null())
    {
        return Known::NotNull;
    }
    let first = match value.ty() {
        Type::String => "\"",
        Type::Object(_) | Type::Map(_) => "{",
        Type::Tuple(_) | Type::List(_) | Type::Set(_) => "[",
        _ => "",
    };
    Start::full(first).known()
}

/// The type of a JSON text that is unknown; it fails for infinity if everything else is known.
pub(super) fn json(values: &[Value]) -> Result<Type, Fault> {
    let is_infinite = |unknown: &Unknown| matches!(unknown.known, Known::Infinite);
    let mut values = values.iter();
    match values.any(|value| {
        value.find_unknown(is_infinite).is_some()
            && value
                .find_unknown(|unknown| !matches!(unknown.known, Known::Infinite))
                .is_none()
    }) {
        true => Err(Fault::new("infinity cannot be written as JSON")),
        false => Ok(Type::String),
    }
}

/// Whether an unknown string begins with another.
pub(super) fn startswith(values: &[Value]) -> Option<Value> {
    let [text, prefix] = values else { return None };
    let unknown = text.as_unknown().filter(|unknown| unknown.ty == Type::String)?;
    let prefix = prefix.as_str()?;
    let start = unknown.known.start().map_or("", |start| start.text());
    match start.starts_with(prefix) {
        true => Some(Value::bool(true)),
        false => (start.len() >= prefix.len()).then(|| Value::bool(false)),
    }
}

/// The type of a JSON text, judged by how it begins.
pub(super) fn jsondecode(values: &[Value]) -> Told {
    let unknown = values.first().and_then(Value::as_unknown);
    let start = unknown.and_then(|unknown| unknown.known.start());
    Ok(match start.and_then(|start| start.text().trim().chars().next()) {
        None | Some('{' | '[' | 'n') => Type::Dynamic,
        Some('"') => Type::String,
        Some('t' | 'f') => Type::Bool,
        Some('-' | '.' | '0'..='9') => Type::Number,
        Some(first) => {
            return Err(Fault::new(format!(
                "a JSON document cannot begin with the character '{first}'"
            )));
        }
    })
}

/// How each gzip text begins: with its header.
pub(super) fn known_gzip(_: &[Value]) -> Known {
    Start::full("H4sIAAAAAAAA/").of_open()
}

/// A length is never negative. The upper bound is known for collections only.
pub(super) fn known_length(values: &[Value]) -> Known {
    match ty(values, 0) {
        Type::List(_) | Type::Set(_) | Type::Map(_) => {
            // The greatest `int` of Go.
            let most = usize::MAX / 2;
            Known::Between(Arc::new((Number::count(0), Number::count(most))))
        }
        Type::String => {
            let unknown = values.first().and_then(Value::as_unknown);
            match unknown.and_then(|unknown| unknown.known.start()) {
                Some(start) if start.is_whole() => {
                    Known::AtLeast(u32::try_from(start.text().len()).unwrap_or(u32::MAX))
                }
                Some(_) => Known::Part,
                None => Known::AtLeast(0),
            }
        }
        _ => Known::NotNull,
    }
}

/// The result of types of which one is unknown is not modeled here.
pub(super) fn known_first(values: &[Value]) -> Known {
    match values.iter().any(|value| value.ty() == Type::Dynamic) {
        true => Known::Part,
        false => Known::NotNull,
    }
}

/// A list if all are lists of one type, else a tuple, unless a list of unknown length is among them.
pub(super) fn concat(values: &[Value]) -> Told {
    let types: Vec<Type> = values.iter().map(Value::ty).collect();
    if types.iter().all(|t| matches!(t, Type::List(_)))
        && let Some(common) = unify(&types)
    {
        return Ok(common);
    }
    let mut elements = Vec::new();
    for (value, ty) in values.iter().zip(types) {
        match ty {
            Type::Tuple(all) => elements.extend(all.iter().cloned()),
            Type::List(element) => match value.elements() {
                Some(all) => elements.extend(all.iter().map(|_| (*element).clone())),
                None => return Ok(Type::Dynamic),
            },
            _ => return Err(Fault::new("a list or a tuple is required")),
        }
    }
    Ok(Type::Tuple(elements.into()))
}

/// The type if there is only one kind of list. Arguments after an unknown one are not looked at.
pub(super) fn coalescelist(values: &[Value]) -> Told {
    let known = values.iter().take_while(|v| v.as_unknown().is_none());
    for value in known {
        if !matches!(value.ty(), Type::List(_) | Type::Tuple(_)) {
            return Err(Fault::new("a list or a tuple is required"));
        }
    }
    Ok(Type::Dynamic)
}

/// The first list with an element, unless it comes after an unknown one.
pub(super) fn first_filled(values: &[Value]) -> Option<Value> {
    coalescelist(values).ok()?;
    let mut known = values.iter().take_while(|v| v.as_unknown().is_none());
    let is_filled = |v: &&Value| v.elements().is_some_and(|all| !all.is_empty());
    known.find(is_filled).cloned()
}

/// Whether no list with an element is known among them.
pub(super) fn has_none_filled(values: &[Value]) -> bool {
    let is_filled = |value: &Value| value.elements().is_some_and(|all| !all.is_empty());
    !values.iter().any(is_filled)
}

/// Whether the first is not a list, a set or a tuple.
pub(super) fn is_not_sequence(values: &[Value]) -> bool {
    Wants::Sequence.refuses(&ty(values, 0)).is_some()
}

pub(super) fn matchkeys(values: &[Value]) -> Told {
    if unify(&[ty(values, 1), ty(values, 2)]).is_none() {
        return Err(Fault::new("the keys have incompatible types"));
    }
    let len = |at: usize| Some(values.get(at)?.elements()?.len());
    if let (Some(values), Some(keys)) = (len(0), len(1))
        && values != keys
    {
        return Err(Fault::new("there must be as many keys as values"));
    }
    first_list(values)
}

/// Arguments after one of unknown type are not looked at.
pub(super) fn merge(values: &[Value]) -> Told {
    let mut attributes = BTreeMap::new();
    let mut is_told = true;
    for value in values {
        match value.ty() {
            Type::Dynamic => return Ok(Type::Dynamic),
            Type::Object(all) if !value.is_null() => {
                attributes.extend(all.iter().map(|(name, ty)| (Arc::clone(name), ty.clone())));
            }
            Type::Map(element) => {
                let names = value.members().into_iter().flat_map(BTreeMap::keys);
                attributes.extend(names.map(|name| (Arc::clone(name), (*element).clone())));
                is_told &= value.as_unknown().is_none();
            }
            Type::Object(_) => {}
            _ => return Err(Fault::new("a map or an object is required")),
        }
    }
    let mut types = values.iter().map(Value::ty);
    let first = types.next();
    Ok(match first {
        Some(first) if types.all(|t| t == first) => first,
        _ if is_told => Type::Object(Arc::new(attributes)),
        _ => Type::Dynamic,
    })
}

/// The type of a list, the first argument.
pub(super) fn first_list(values: &[Value]) -> Told {
    Ok(match ty(values, 0) {
        Type::Dynamic => list(Type::Dynamic),
        known => known,
    })
}

/// The type of the first argument.
pub(super) fn first(values: &[Value]) -> Told {
    Ok(ty(values, 0))
}

pub(super) fn element(values: &[Value]) -> Told {
    Ok(match ty(values, 0) {
        Type::List(element) => (*element).clone(),
        Type::Tuple(all) => match whole(values, 1) {
            Some(_) if all.is_empty() => return Err(Fault::new("the list is empty")),
            Some(at) => {
                let count = i64::try_from(all.len()).unwrap_or(i64::MAX);
                let at = usize::try_from(at.rem_euclid(count)).ok();
                at.and_then(|at| all.get(at).cloned()).unwrap_or(Type::Dynamic)
            }
            None => Type::Dynamic,
        },
        _ => Type::Dynamic,
    })
}

pub(super) fn keys(values: &[Value]) -> Told {
    Ok(match ty(values, 0) {
        Type::Map(_) => list(Type::String),
        Type::Object(all) => Type::Tuple(all.keys().map(|_| Type::String).collect()),
        _ => Type::Dynamic,
    })
}

pub(super) fn values(values: &[Value]) -> Told {
    Ok(match ty(values, 0) {
        Type::Map(element) => Type::List(element),
        Type::Object(all) => Type::Tuple(all.values().cloned().collect()),
        _ => Type::Dynamic,
    })
}

pub(super) fn lookup(values: &[Value]) -> Told {
    let key = values.get(1).and_then(Value::as_str);
    let default = values.get(2);
    Ok(match (ty(values, 0), key) {
        (Type::Map(element), _) => {
            if default.is_some_and(|default| convert(default, &element).is_err()) {
                return Err(Fault::new("the default must have the type of the elements"));
            }
            (*element).clone()
        }
        (Type::Object(all), Some(key)) => match (all.get(key), default) {
            (Some(ty), _) => ty.clone(),
            (None, Some(default)) => default.ty(),
            (None, None) => return Err(unknown_key(key)),
        },
        _ => Type::Dynamic,
    })
}

pub(super) fn coalesce(values: &[Value]) -> Told {
    let types: Vec<Type> = values.iter().map(Value::ty).collect();
    unify(&types).ok_or_else(|| Fault::new("all arguments must have the same type"))
}

pub(super) fn reverse(values: &[Value]) -> Told {
    Ok(match ty(values, 0) {
        Type::List(element) | Type::Set(element) => Type::List(element),
        Type::Tuple(all) => Type::Tuple(all.iter().rev().cloned().collect()),
        _ => Type::Dynamic,
    })
}

pub(super) fn slice(values: &[Value]) -> Told {
    for at in [1, 2] {
        let number = values.get(at).and_then(Value::as_number);
        if number.is_some_and(|n| n.as_i64().is_none() && !n.is_rounded()) {
            return Err(Fault::new("a whole number is required"));
        }
    }
    let (start, end) = (whole(values, 1), whole(values, 2));
    if start.is_some_and(|n| n < 0) || end.is_some_and(|n| n < 0) {
        return Err(Fault::new("the indexes must not be negative"));
    }
    if let (Some(start), Some(end)) = (start, end)
        && start > end
    {
        return Err(Fault::new("the start must not be after the end"));
    }
    Ok(match ty(values, 0) {
        Type::List(element) => Type::List(element),
        Type::Tuple(all) => {
            let at = |n: Option<i64>| n.and_then(|n| usize::try_from(n).ok());
            match (at(start), at(end)) {
                (Some(start), Some(end)) => match all.get(start..end) {
                    Some(part) => Type::Tuple(part.into()),
                    None => return Err(Fault::new("the indexes must be in the list")),
                },
                _ => Type::Dynamic,
            }
        }
        _ => Type::Dynamic,
    })
}

pub(super) fn chunklist(values: &[Value]) -> Told {
    Ok(list(ty(values, 0)))
}

pub(super) fn one(values: &[Value]) -> Told {
    Ok(match ty(values, 0) {
        Type::List(element) | Type::Set(element) => (*element).clone(),
        Type::Tuple(all) => match &*all {
            [] => Type::Dynamic,
            [only] => only.clone(),
            _ => return Err(Fault::new("the collection has more than one element")),
        },
        _ => Type::Dynamic,
    })
}

/// A map or an object is refused once it is there, even if something in it is unknown.
pub(super) fn sum(values: &[Value]) -> Told {
    let given = values.first().filter(|given| given.as_unknown().is_none());
    match given.and_then(|given| Wants::Sequence.refuses(&given.ty())) {
        Some(why) => Err(Fault::new(why)),
        None => Ok(Type::Number),
    }
}

pub(super) fn index(_: &[Value]) -> Told {
    Ok(Type::Number)
}

pub(super) fn zipmap(values: &[Value]) -> Told {
    let keys = values.first().and_then(Value::elements);
    Ok(match (ty(values, 1), keys) {
        (Type::List(element), _) => Type::Map(element),
        (Type::Tuple(all), Some(keys)) if keys.len() != all.len() => {
            return Err(Fault::new(format!(
                "{} keys and {} values are given",
                keys.len(),
                all.len()
            )));
        }
        (Type::Tuple(all), Some(keys)) => {
            let named = keys.iter().zip(all.iter());
            let named = named.map(|(key, ty)| Some((Arc::from(key.as_str()?), ty.clone())));
            named
                .collect::<Option<_>>()
                .map_or(Type::Dynamic, |all| Type::Object(Arc::new(all)))
        }
        _ => Type::Dynamic,
    })
}

/// For sets: one with the common element type.
pub(super) fn sets(values: &[Value]) -> Told {
    let elements: Vec<Type> = values
        .iter()
        .map(|v| v.ty().element().cloned().unwrap_or(Type::Dynamic))
        .collect();
    if elements.contains(&Type::Dynamic) {
        return Ok(set(Type::Dynamic));
    }
    let common = unify(&elements);
    common
        .map(set)
        .ok_or_else(|| Fault::new("the sets have elements of incompatible types"))
}

pub(super) fn product(values: &[Value]) -> Told {
    if values.len() < 2 {
        return Err(Fault::new("at least two arguments are required"));
    }
    let mut elements = Vec::with_capacity(values.len());
    let mut are_lists = true;
    for value in values {
        elements.push(match value.ty() {
            Type::List(element) => (*element).clone(),
            Type::Set(element) => {
                are_lists = false;
                (*element).clone()
            }
            Type::Tuple(all) if all.is_empty() => Type::Dynamic,
            Type::Tuple(all) => {
                unify(&all).ok_or_else(|| Fault::new("the elements of a list have incompatible types"))?
            }
            _ => return Ok(Type::Dynamic),
        });
    }
    let row = Type::Tuple(elements.into());
    Ok(if are_lists { list(row) } else { set(row) })
}

pub(super) fn regex(values: &[Value]) -> Told {
    match values.first().and_then(Value::as_str) {
        Some(pattern) => strings::match_type(pattern),
        None => Ok(Type::Dynamic),
    }
}

pub(super) fn regexall(values: &[Value]) -> Told {
    regex(values).map(list)
}

pub(super) fn transpose(values: &[Value]) -> Told {
    let wanted = Type::Map(Arc::new(list(Type::String)));
    if ty(values, 0).converts_to(&wanted) {
        Ok(wanted)
    } else {
        Err(Fault::new("a map of lists of strings is required"))
    }
}

pub(super) fn strings(_: &[Value]) -> Told {
    Ok(list(Type::String))
}

pub(super) fn names(_: &[Value]) -> Told {
    Ok(set(Type::String))
}

/// A function that Terraform no longer has.
pub(super) fn no_list(_: &[Value]) -> Told {
    Err(Fault::new("Terraform no longer has it; use `tolist([...])`"))
}

/// The same.
pub(super) fn no_map(_: &[Value]) -> Told {
    Err(Fault::new("Terraform no longer has it; use `tomap({...})`"))
}
