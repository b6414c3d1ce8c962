//! Functions on lists and tuples, and on collections of any sort. Elements are passed on with the place they came from.

use std::sync::Arc;

use super::super::convert::convert;
use super::super::number::Number;
use super::super::ops::{derived, undecided};
use super::super::scope::Scope;
use super::super::types::{Type, unify};
use super::super::value::{Data, Value};
use super::{Args, BYTES_OF_STEP, Fault, Given, results, strings};

fn element_type(value: &Value) -> Type {
    value.ty().element().cloned().unwrap_or(Type::Dynamic)
}

pub(super) fn wrong(value: &Value, wanted: &str) -> Fault {
    Fault::new(format!("{wanted} is required, not {}", value.type_name()))
}

pub(super) fn length(args: &Args<'_>) -> Given {
    let value = args.get(0)?;
    let count = match &value.data {
        Data::String(text) => {
            args.spend(text.len() / BYTES_OF_STEP)?;
            strings::count(text)?
        }
        Data::Set(items, _) if items.values().len() > 1 && value.first_unknown().is_some() => {
            return Err(Fault::open(
                "elements of the set that cannot be known may be equal",
            ));
        }
        Data::Tuple(items) | Data::List(items, _) | Data::Set(items, _) => items.values().len(),
        Data::Object(fields) | Data::Map(fields, _) => fields.values().len(),
        _ => return Err(wrong(value, "a string or a collection")),
    };
    Ok(Value::number(Number::count(count)))
}

pub(super) fn concat(args: &Args<'_>) -> Given {
    if args.values.is_empty() {
        return Err(Fault::new("it needs at least one list"));
    }
    let mut all = Vec::new();
    let mut lists = Vec::new();
    for value in &args.values {
        match &value.data {
            Data::List(items, ty) => {
                lists.push(ty.clone());
                all.extend(items.values().iter().map(|v| v.clone().likely(value.heuristic)));
            }
            Data::Tuple(items) => {
                all.extend(items.values().iter().map(|v| v.clone().likely(value.heuristic)))
            }
            _ => return Err(wrong(value, "a list or a tuple")),
        }
    }
    args.spend(all.len())?;
    if lists.len() == args.values.len()
        && let Some(ty) = unify(&lists)
    {
        let converted: Result<Vec<Value>, String> = all.iter().map(|v| convert(v, &ty)).collect();
        if let Ok(all) = converted {
            return Ok(Value::list(all, ty));
        }
    }
    Ok(Value::tuple(all))
}

pub(super) fn compact(args: &Args<'_>) -> Given {
    let kept = args
        .elements(0)?
        .iter()
        .filter(|v| v.as_str().is_some_and(|s| !s.is_empty()))
        .cloned();
    Ok(Value::list(kept.collect(), Type::String))
}

/// A value with an identity is not empty.
pub(super) fn compacted(values: &[Value], _: &dyn Scope) -> Option<Value> {
    let [list] = values else { return None };
    let is_kept = |v: &&Value| v.has_identity() || v.as_str().is_some_and(|s| !s.is_empty());
    let kept = || {
        list.elements()
            .into_iter()
            .flatten()
            .filter(is_kept)
            .cloned()
            .collect()
    };
    (!list.has_anonymous()).then(|| Value::list(kept(), Type::String))
}

/// The one element that all are equal to.
pub(super) fn all_same(values: &[Value], _: &dyn Scope) -> Option<Value> {
    let [list] = values else { return None };
    let first = list.elements()?.first()?;
    let is_same = |v: &Value| v.equals(first) == Some(true);
    let are_same = list.elements()?.iter().all(is_same);
    are_same.then(|| Value::list(vec![first.clone()], element_type(list)))
}

pub(super) fn distinct(args: &Args<'_>) -> Given {
    let elements = args.elements(0)?;
    let mut order: Vec<(usize, &Value)> = elements.iter().enumerate().collect();
    order.sort_by(|(i, a), (j, b)| a.total_order(b).then(i.cmp(j)));
    let is_same = |a: &Value, b: &Value| a.total_order(b).is_eq();
    let mut pairs = order.iter().zip(order.iter().skip(1));
    if pairs.any(|((_, a), (_, b))| is_same(a, b) && a.equals(b).is_none()) {
        return Err(Fault::Inexact);
    }
    order.dedup_by(|(_, later), (_, earlier)| is_same(later, earlier));
    order.sort_by_key(|(i, _)| *i);
    let kept = order.into_iter().map(|(_, v)| v.clone()).collect();
    Ok(Value::list(kept, element_type(args.get(0)?)))
}

pub(super) fn flatten(args: &Args<'_>) -> Given {
    let value = args.get(0)?;
    if value.elements().is_none() {
        return Err(match value.first_unknown() {
            Some(unknown) => Fault::open(unknown.why.as_ref()),
            None => wrong(value, "a list, set or tuple"),
        });
    }
    let mut flat = Vec::new();
    let mut open = vec![(value.clone(), value.heuristic)];
    while let Some((value, likely)) = open.pop() {
        match value.elements() {
            Some(elements) => {
                args.spend(elements.len())?;
                open.extend(elements.iter().rev().map(|v| (v.clone(), likely || v.heuristic)));
            }
            None => match value.as_unknown() {
                Some(unknown) if !matches!(unknown.ty, Type::Bool | Type::Number | Type::String) => {
                    return Err(Fault::open(unknown.why.as_ref()));
                }
                _ => flat.push(value.likely(likely)),
            },
        }
    }
    Ok(Value::tuple(flat))
}

pub(super) fn reverse(args: &Args<'_>) -> Given {
    let value = args.get(0)?;
    let Some(elements) = value.elements() else {
        return Err(wrong(value, "a list or a tuple"));
    };
    let reversed = elements.iter().rev().cloned().collect();
    Ok(match &value.data {
        Data::Tuple(_) => Value::tuple(reversed),
        _ => Value::list(reversed, element_type(value)),
    })
}

pub(super) fn sort(args: &Args<'_>) -> Given {
    let elements = args.elements(0)?;
    if let [only] = elements
        && only.has_identity()
    {
        return Ok(args.get(0)?.clone());
    }
    if let Some(unknown) = args.get(0)?.first_unknown() {
        let any = derived(unknown, Type::String, false);
        return Ok(Value::list(vec![any; elements.len()], Type::String));
    }
    args.strings(0)?;
    let mut sorted = elements.to_vec();
    sorted.sort_by(Value::total_order);
    Ok(Value::list(sorted, Type::String))
}

pub(super) fn slice(args: &Args<'_>) -> Given {
    let value = args.get(0)?;
    let (Data::Tuple(items) | Data::List(items, _)) = &value.data else {
        return Err(wrong(value, "a list or a tuple"));
    };
    let (start, end) = (usize::try_from(args.whole(1)?), usize::try_from(args.whole(2)?));
    let (Ok(start), Ok(end)) = (start, end) else {
        return Err(Fault::new("the indexes must not be negative"));
    };
    let Some(part) = items.values().get(start..end) else {
        return Err(Fault::new(
            "the indexes must be in the list, and the start not after the end",
        ));
    };
    Ok(match &value.data {
        Data::List(_, ty) => Value::list(part.to_vec(), ty.clone()),
        _ => Value::tuple(part.to_vec()),
    })
}

pub(super) fn chunklist(args: &Args<'_>) -> Given {
    let elements = args.elements(0)?;
    let element = element_type(args.get(0)?);
    let Ok(size) = usize::try_from(args.whole(1)?) else {
        return Err(Fault::new("the size must not be negative"));
    };
    let size = if size == 0 { elements.len().max(1) } else { size };
    let chunks = elements
        .chunks(size)
        .map(|c| Value::list(c.to_vec(), element.clone()))
        .collect();
    Ok(Value::list(chunks, Type::List(Arc::new(element))))
}

pub(super) fn element(args: &Args<'_>) -> Given {
    let value = args.get(0)?;
    let (Data::Tuple(items) | Data::List(items, _)) = &value.data else {
        return Err(wrong(value, "a list or a tuple"));
    };
    let index = args.whole(1)?;
    let count = i64::try_from(items.values().len()).unwrap_or(i64::MAX);
    if count == 0 {
        return Err(Fault::new("the list is empty"));
    }
    if index % count != 0 && index < 0 && matches!(value.data, Data::Tuple(_)) {
        // Terraform 1.11 fails here because of a bug.
        let why = "a negative index of a tuple is not supported";
        return Err(Fault::Varies(why.to_owned()));
    }
    let at = usize::try_from(index.rem_euclid(count)).unwrap_or(0);
    items
        .values()
        .get(at)
        .cloned()
        .ok_or_else(|| Fault::new("the element does not exist"))
}

pub(super) fn index(args: &Args<'_>) -> Given {
    let value = args.get(0)?;
    let (Data::Tuple(items) | Data::List(items, _)) = &value.data else {
        return Err(wrong(value, "a list or a tuple"));
    };
    if items.values().is_empty() {
        return Err(Fault::new("the list is empty"));
    }
    let wanted = args.get(1)?;
    for (at, element) in items.values().iter().enumerate() {
        match args.equal(element, wanted) {
            Some(true) => return Ok(Value::number(Number::count(at))),
            Some(false) => {}
            None if element.first_unknown().or(wanted.first_unknown()).is_none() => {
                return Err(Fault::Inexact);
            }
            None => return Ok(undecided(element, wanted, Type::Number)),
        }
    }
    Err(Fault::new("unknown element"))
}

pub(super) fn contains(args: &Args<'_>) -> Given {
    let value = args.get(0)?;
    let Some(elements) = value.elements() else {
        return Err(wrong(value, "a list, set or tuple"));
    };
    let wanted = args.get(1)?;
    let mut open = None;
    for element in elements {
        match args.equal(element, wanted) {
            Some(true) => {
                // One equal element decides, whatever the others are.
                args.is_ahead.set(element.is_equal_ahead(wanted));
                return Ok(Value::bool(true).likely(element.heuristic));
            }
            Some(false) => {}
            None => open = Some(undecided(element, wanted, Type::Bool)),
        }
    }
    match open {
        Some(value) => Ok(value),
        None => Ok(Value::bool(false).likely(value.has_heuristic())),
    }
}

pub(super) fn coalesce(args: &Args<'_>) -> Given {
    let types: Vec<Type> = args.values.iter().map(Value::ty).collect();
    let Some(ty) = unify(&types) else {
        return Err(Fault::new("the arguments have incompatible types"));
    };
    for value in &args.values {
        if value.is_null() {
            continue;
        }
        let converted = convert(value, &ty).map_err(Fault::Fails)?;
        if ty == Type::String && converted.as_str() == Some("") {
            continue;
        }
        return Ok(converted);
    }
    Err(Fault::new("every argument is null or an empty string"))
}

pub(super) fn coalescelist(args: &Args<'_>) -> Given {
    if args.values.is_empty() {
        return Err(Fault::new("it needs at least one list"));
    }
    let list = |v: &&Value| matches!(v.ty(), Type::Tuple(_) | Type::List(_));
    if let Some(other) = args.values.iter().find(|v| !list(v)) {
        return Err(wrong(other, "a list or a tuple"));
    }
    let filled = |v: &&Value| v.elements().is_some_and(|e| !e.is_empty());
    if let Some(found) = args.values.iter().find(filled) {
        return Ok(found.clone());
    }
    Err(Fault::new("every argument is null or empty"))
}

/// The maximum number of elements of `range`; the engines reject more.
const MAX_RANGE: usize = 1024;

pub(super) fn range(args: &Args<'_>) -> Given {
    let zero = Number::whole(0);
    let (start, end, step) = match args.values.len() {
        1 => (zero, args.number(0)?, None),
        2 => (args.number(0)?, args.number(1)?, None),
        3 => (args.number(0)?, args.number(1)?, Some(args.number(2)?)),
        _ => return Err(Fault::new("it takes 1 to 3 numbers")),
    };
    let compared = |a: Number, b: Number| a.compare(b).ok_or(Fault::Inexact);
    let down = compared(end, start)?.is_lt();
    let step = step.unwrap_or(Number::whole(if down { -1 } else { 1 }));
    if step.is_zero() && step.is_rounded() {
        return Err(Fault::Inexact);
    }
    if step.is_zero() {
        return Err(Fault::new("the step must not be zero"));
    }
    if step.is_negative() && compared(end, start)?.is_gt() {
        return Err(Fault::new(
            "the end must be below the start if the step is negative",
        ));
    }
    if !step.is_negative() && down {
        return Err(Fault::new(
            "the end must be above the start if the step is positive",
        ));
    }
    let mut values = Vec::new();
    let mut at = start;
    loop {
        let done = if step.is_negative() {
            !compared(at, end)?.is_gt()
        } else {
            !compared(at, end)?.is_lt()
        };
        if done {
            return Ok(Value::list(values, Type::Number));
        }
        if values.len() >= MAX_RANGE {
            return Err(Fault::new(format!("it gives more than {MAX_RANGE} numbers")));
        }
        values.push(Value::number(at));
        match at.plus(step) {
            Some(next) => at = next,
            None => return Err(Fault::open("a number is too large to be computed exactly")),
        }
    }
}

pub(super) fn one(args: &Args<'_>) -> Given {
    let value = args.get(0)?;
    let Some(elements) = value.elements() else {
        return Err(wrong(value, "a list, set or tuple"));
    };
    match elements {
        // Unknown elements may be equal.
        [_, _, ..] if matches!(value.data, Data::Set(..)) => match value.first_unknown() {
            Some(unknown) => Ok(derived(unknown, element_type(value), value.has_heuristic())),
            None => Err(Fault::new("the collection has more than one element")),
        },
        [] => Ok(match &value.data {
            Data::List(_, ty) | Data::Set(_, ty) => Data::Null(ty.clone()).into(),
            _ => Value::null(),
        }),
        [only] => Ok(only.clone()),
        _ => Err(Fault::new("the collection has more than one element")),
    }
}

/// Elements after an unknown one are not looked at.
pub(super) fn alltrue(args: &Args<'_>) -> Given {
    let other = args.elements(0)?.iter().find(|v| v.as_bool() != Some(true));
    Ok(match other.and_then(Value::as_unknown) {
        Some(unknown) => derived(unknown, Type::Bool, false),
        None => Value::bool(other.is_none()),
    })
}

pub(super) fn anytrue(args: &Args<'_>) -> Given {
    let elements = args.elements(0)?;
    let holds = elements.iter().any(|v| v.as_bool() == Some(true));
    Ok(match elements.iter().find_map(Value::as_unknown) {
        Some(unknown) if !holds => derived(unknown, Type::Bool, false),
        _ => Value::bool(holds),
    })
}

pub(super) fn matchkeys(args: &Args<'_>) -> Given {
    let (values, keys, wanted) = (args.elements(0)?, args.elements(1)?, args.elements(2)?);
    if values.len() != keys.len() {
        return Err(Fault::new("there must be as many keys as values"));
    }
    let types = [element_type(args.get(1)?), element_type(args.get(2)?)];
    let ty = unify(&types).ok_or_else(|| Fault::new("the keys have incompatible types"))?;
    args.spend(keys.len().saturating_mul(wanted.len()))?;
    let wanted: Result<Vec<Value>, String> = wanted.iter().map(|v| convert(v, &ty)).collect();
    let wanted = wanted.map_err(Fault::Fails)?;
    let open = |index: usize| args.get(index).ok().and_then(Value::first_unknown);
    if let Some(unknown) = open(1).or_else(|| open(2)) {
        return Ok(derived(unknown, args.get(0)?.ty(), false));
    }
    let mut kept = Vec::new();
    for (value, key) in values.iter().zip(keys) {
        let key = convert(key, &ty).map_err(Fault::Fails)?;
        if wanted.iter().any(|w| args.equal(w, &key) == Some(true)) {
            kept.push(value.clone());
        }
    }
    Ok(Value::list(kept, element_type(args.get(0)?)))
}

pub(super) fn no_list(args: &Args<'_>) -> Given {
    results::no_list(&args.values).map(|_| Value::null())
}

pub(super) fn no_map(args: &Args<'_>) -> Given {
    results::no_map(&args.values).map(|_| Value::null())
}

/// The value of a function that only changes the marks of its argument.
pub(super) fn same(args: &Args<'_>) -> Given {
    args.get(0).cloned()
}
