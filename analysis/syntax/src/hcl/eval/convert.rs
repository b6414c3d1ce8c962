//! Conversion of values from type to type, as HCL does it for arguments, conditionals and templates.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ops::{self, derived};
use super::types::{Type, unify};
use super::value::{Data, Unknown, Value};

/// Why a value cannot be converted to a type; the end of a sentence, as `a number is required`.
pub type Refusal = String;

/// A collection type with an open element type, with the element type of another type.
fn with_elements(ty: &Type, wanted: &Type) -> Type {
    let (Type::List(element) | Type::Set(element) | Type::Map(element)) = wanted else {
        return wanted.clone();
    };
    if **element != Type::Dynamic {
        return wanted.clone();
    }
    let held = match ty {
        Type::List(own) | Type::Set(own) | Type::Map(own) => (**own).clone(),
        Type::Tuple(all) => unify(all).unwrap_or(Type::Dynamic),
        Type::Object(all) => unify(&all.values().cloned().collect::<Vec<_>>()).unwrap_or(Type::Dynamic),
        _ => Type::Dynamic,
    };
    let held = Arc::new(held);
    match wanted {
        Type::List(_) => Type::List(held),
        Type::Set(_) => Type::Set(held),
        _ => Type::Map(held),
    }
}

/// Whether a type may convert to another, whatever the types of their parts are.
fn is_of_kind(ty: &Type, wanted: &Type) -> bool {
    match wanted {
        Type::List(_) | Type::Set(_) => {
            matches!(ty, Type::Dynamic | Type::Tuple(_) | Type::List(_) | Type::Set(_))
        }
        Type::Map(_) => matches!(ty, Type::Dynamic | Type::Object(_) | Type::Map(_)),
        _ => true,
    }
}

/// The value converted to type `wanted`. Places, heuristics and reasons are kept.
///
/// # Errors
/// If no such conversion exists, or it fails for this value.
pub fn convert(value: &Value, wanted: &Type) -> Result<Value, Refusal> {
    let ty = value.ty();
    if ty == *wanted || *wanted == Type::Dynamic {
        return Ok(value.clone());
    }
    if !ty.converts_to(wanted) {
        // A part with an open type converts to anything; only if one type is looked for, its own may decide.
        let is_final = !wanted.is_open() || !ty.is_open() || !is_of_kind(&ty, wanted);
        return match value.first_unshared().filter(|_| !is_final) {
            // Its type is only open here, not in the engine.
            Some(unknown) => {
                let converted = derived(unknown, wanted.clone(), value.has_heuristic());
                Ok(converted.marked(value.all_marks()))
            }
            None => Err(required(wanted)),
        };
    }
    let with = |data: Data| Value {
        data,
        place: value.place,
        heuristic: value.heuristic,
        marks: value.marks,
    };
    let keep = |converted: Value| Value {
        data: converted.data,
        place: value.place,
        heuristic: value.heuristic || converted.heuristic,
        marks: value.marks | converted.marks,
    };
    match (&value.data, wanted) {
        (Data::Unknown(unknown), _) => {
            // An ID that is converted to a string is still that ID.
            let symbol = unknown.symbol.filter(|_| ty == Type::Dynamic || ty == *wanted);
            Ok(with(Data::from(Unknown {
                ty: with_elements(&ty, wanted),
                symbol,
                known: unknown.known.converted(),
                ..(**unknown).clone()
            })))
        }
        (Data::Null(_), _) => Ok(with(Data::Null(wanted.clone()))),
        (Data::Bool(b), Type::String) => Ok(with(Data::String(if *b { "true" } else { "false" }.into()))),
        (Data::Number(n), Type::String) => Ok(with(match n.text() {
            Some(text) => Data::String(text.as_str().into()),
            None => inexact(value, Type::String).into(),
        })),
        (Data::String(text), Type::Number) => {
            if !looks_like_number(text) {
                return Err(required(wanted));
            }
            let number = ops::decimal(text).map_err(|()| required(wanted))?;
            Ok(with(match number.data {
                Data::Unknown(unknown) => Data::from(Unknown {
                    place: value.place,
                    ..*unknown
                }),
                data => data,
            }))
        }
        (Data::String(text), Type::Bool) => match text.as_ref() {
            "true" | "1" => Ok(with(Data::Bool(true))),
            "false" | "0" => Ok(with(Data::Bool(false))),
            _ => Err(required(wanted)),
        },
        (Data::Tuple(items) | Data::List(items, _) | Data::Set(items, _), Type::List(element)) => {
            let (values, ty) = members(items.values(), &ty, element)?;
            Ok(keep(Value::list(values, ty)))
        }
        (Data::Tuple(items) | Data::List(items, _) | Data::Set(items, _), Type::Set(element)) => {
            let (values, ty) = members(items.values(), &ty, element)?;
            Ok(keep(Value::set(values, ty)))
        }
        (Data::Tuple(items), Type::Tuple(types)) if items.values().len() == types.len() => {
            let values: Result<Vec<_>, _> = items
                .values()
                .iter()
                .zip(types.iter())
                .map(|(v, t)| convert(v, t))
                .collect();
            Ok(keep(Value::tuple(values?)))
        }
        (Data::Object(fields) | Data::Map(fields, _), Type::Map(element)) => {
            let plain: Vec<Value> = fields.values().values().cloned().collect();
            let (values, ty) = members(&plain, &ty, element)?;
            let named = fields.values().keys().cloned().zip(values).collect();
            Ok(keep(Value::map(named, ty)))
        }
        (Data::Object(fields) | Data::Map(fields, _), Type::Object(attributes)) => {
            let mut values = BTreeMap::new();
            for (name, ty) in attributes.iter() {
                let Some(member) = fields.values().get(name) else {
                    return Err(format!("attribute \"{name}\" is required"));
                };
                values.insert(
                    Arc::clone(name),
                    convert(member, ty).map_err(|e| format!("attribute \"{name}\": {e}"))?,
                );
            }
            Ok(keep(Value::object(values)))
        }
        _ => Err(required(wanted)),
    }
}

/// Elements of a value of type `from` converted to one type, which is found by unification if it is open.
fn members(values: &[Value], from: &Type, element: &Type) -> Result<(Vec<Value>, Type), Refusal> {
    let types: Vec<Type> = values.iter().map(Value::ty).collect();
    let ty = if *element == Type::Dynamic {
        if types.is_empty() {
            from.element().cloned().unwrap_or(Type::Dynamic)
        } else {
            unify(&types).ok_or_else(|| "all elements must have the same type".to_owned())?
        }
    } else {
        element.clone()
    };
    let converted: Result<Vec<Value>, Refusal> = values.iter().map(|v| convert(v, &ty)).collect();
    let converted = converted?;
    match ty.is_open() {
        true => of_one_type(converted, ty),
        false => Ok((converted, ty)),
    }
}

/// Elements of an open type: they must still have one type, which is then their type.
fn of_one_type(mut values: Vec<Value>, ty: Type) -> Result<(Vec<Value>, Type), Refusal> {
    let types: Vec<Type> = values.iter().map(Value::ty).collect();
    let own: Vec<&Type> = types.iter().filter(|t| **t != Type::Dynamic).collect();
    let Some(first) = own.first().copied() else {
        return Ok((values, ty));
    };
    if own.iter().all(|t| *t == first) {
        return Ok((values, first.clone()));
    }
    // Their resulting types may be unified again.
    if let Some(one) = unify(&types) {
        let again: Result<Vec<Value>, Refusal> = values.iter().map(|v| convert(v, &one)).collect();
        values = again?;
        let mut types = values.iter().map(Value::ty).filter(|t| *t != Type::Dynamic);
        let first = types.next().unwrap_or(Type::Dynamic);
        if types.all(|t| t == first) {
            return Ok((values, first));
        }
    }
    match values.iter().any(|v| v.first_unshared().is_some()) {
        true => Ok((values, ty)),
        false => Err("all elements must have the same type".to_owned()),
    }
}

fn inexact(value: &Value, ty: Type) -> Unknown {
    Unknown {
        place: value.place,
        ..Unknown::new("the number cannot be computed exactly", ty)
    }
}

fn looks_like_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(digits, "Inf" | "inf") {
        return true;
    }
    // A power of ten, or of two.
    let (mantissa, exponent) = match digits.split_once(['e', 'E', 'p', 'P']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let number = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['-', '+']).unwrap_or(e);
        !e.is_empty() && number(e)
    });
    !(whole.is_empty() && fraction.is_empty()) && number(whole) && number(fraction) && exponent_fits
}

/// The end of a sentence that says which type is required.
#[must_use]
pub fn required(wanted: &Type) -> Refusal {
    match wanted {
        Type::Bool => "a bool is required".to_owned(),
        Type::Number => "a number is required".to_owned(),
        Type::String => "a string is required".to_owned(),
        Type::List(_) | Type::Set(_) | Type::Map(_) => format!("{wanted} is required"),
        Type::Tuple(_) => "a tuple is required".to_owned(),
        Type::Object(_) => "an object is required".to_owned(),
        Type::Dynamic => "a value is required".to_owned(),
    }
}
