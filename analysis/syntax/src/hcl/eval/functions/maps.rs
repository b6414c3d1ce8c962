//! Functions on maps and objects. Values are passed on with the place they came from.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::convert::convert;
use super::super::ops::derived;
use super::super::types::Type;
use super::super::value::{Data, Value};
use super::collections::wrong;
use super::{Args, Fault, Given, results};

pub(super) fn keys(args: &Args<'_>) -> Given {
    let value = args.get(0)?;
    let Some(members) = value.members() else {
        return Err(wrong(value, "a map or an object"));
    };
    let keys = members
        .iter()
        .map(|(k, v)| Value {
            place: v.place,
            ..Value::from(Data::String(Arc::clone(k)))
        })
        .collect();
    Ok(match value.data {
        Data::Object(_) => Value::tuple(keys),
        _ => Value::list(keys, Type::String),
    })
}

pub(super) fn values(args: &Args<'_>) -> Given {
    let value = args.get(0)?;
    let Some(members) = value.members() else {
        return Err(wrong(value, "a map or an object"));
    };
    let all = members.values().cloned().collect();
    Ok(match &value.data {
        Data::Map(_, ty) => Value::list(all, ty.clone()),
        _ => Value::tuple(all),
    })
}

/// The result of `lookup` for a known map and key.
pub(super) fn found(values: &[Value]) -> Option<Value> {
    let known = values.iter().take(2).all(|value| value.as_unknown().is_none());
    looked_up(values).ok().filter(|_| known)
}

pub(super) fn lookup(args: &Args<'_>) -> Given {
    looked_up(&args.values)
}

fn looked_up(values: &[Value]) -> Given {
    let [value, key, rest @ ..] = values else {
        return Err(Fault::new("an argument is missing"));
    };
    if rest.len() > 1 {
        return Err(Fault::new("it takes a map, a key and a default"));
    }
    let key = key.as_str().ok_or_else(|| Fault::new("a string is required"))?;
    let Some(members) = value.members() else {
        return Err(wrong(value, "a map or an object"));
    };
    let default = rest.first();
    let convert_default = |default: &Value| match &value.data {
        Data::Map(_, ty) => convert(default, ty).map_err(Fault::Fails),
        _ => Ok(default.clone()),
    };
    match (members.get(key), default) {
        (Some(found), None) => Ok(found.clone()),
        (Some(found), Some(default)) => {
            convert_default(default)?;
            Ok(found.clone())
        }
        (None, Some(default)) => convert_default(default),
        (None, None) => Err(unknown_key(key)),
    }
}

pub(super) fn unknown_key(key: &str) -> Fault {
    Fault::new(format!("unknown key \"{key}\""))
}

pub(super) fn merge(args: &Args<'_>) -> Given {
    let mut merged = BTreeMap::new();
    let mut types = Vec::new();
    let mut all_maps = true;
    for value in &args.values {
        match &value.data {
            Data::Null(Type::Dynamic | Type::Map(_) | Type::Object(_)) => continue,
            Data::Map(fields, ty) => {
                types.push(ty.clone());
                merged.extend(
                    fields
                        .values()
                        .iter()
                        .map(|(k, v)| (Arc::clone(k), v.clone().likely(value.heuristic))),
                );
            }
            Data::Object(fields) => {
                all_maps = false;
                merged.extend(
                    fields
                        .values()
                        .iter()
                        .map(|(k, v)| (Arc::clone(k), v.clone().likely(value.heuristic))),
                );
            }
            _ => return Err(wrong(value, "a map or an object")),
        }
    }
    args.spend(merged.len())?;
    match types.first() {
        Some(first) if all_maps && types.iter().all(|t| t == first) => Ok(Value::map(merged, first.clone())),
        _ => Ok(Value::object(merged)),
    }
}

pub(super) fn zipmap(args: &Args<'_>) -> Given {
    let keys = args.elements(0)?;
    let value = args.get(1)?;
    let (Data::Tuple(items) | Data::List(items, _)) = &value.data else {
        return Err(wrong(value, "a list or a tuple"));
    };
    if let Some(unknown) = keys.iter().find_map(Value::first_unknown) {
        return Ok(derived(unknown, results::zipmap(&args.values)?, false));
    }
    if keys.len() != items.values().len() {
        return Err(Fault::new(format!(
            "{} keys and {} values are given",
            keys.len(),
            items.values().len()
        )));
    }
    let mut zipped = BTreeMap::new();
    for (key, member) in keys.iter().zip(items.values()) {
        match &key.data {
            Data::String(text) => zipped.insert(Arc::clone(text), member.clone()),
            _ => return Err(Fault::new("a key is null")),
        };
    }
    Ok(match &value.data {
        Data::List(_, ty) => Value::map(zipped, ty.clone()),
        _ => Value::object(zipped),
    })
}

pub(super) fn transpose(args: &Args<'_>) -> Given {
    let wanted = Type::Map(Arc::new(Type::List(Arc::new(Type::String))));
    let value = convert(args.get(0)?, &wanted).map_err(Fault::Fails)?;
    let mut turned: BTreeMap<Arc<str>, Vec<Value>> = BTreeMap::new();
    for (key, list) in value.members().into_iter().flatten() {
        if list.is_null() {
            return Err(Fault::new("a list is null"));
        }
        for element in list.elements().unwrap_or(&[]) {
            let Data::String(text) = &element.data else {
                return Err(Fault::new("an element is null"));
            };
            let name = Value {
                place: list.place,
                ..Value::from(Data::String(Arc::clone(key)))
            };
            turned.entry(Arc::clone(text)).or_default().push(name);
        }
    }
    let members = turned.into_iter().map(|(k, mut v)| {
        v.sort_by(Value::total_order);
        (k, Value::list(v, Type::String))
    });
    Ok(Value::map(members.collect(), Type::List(Arc::new(Type::String))))
}
