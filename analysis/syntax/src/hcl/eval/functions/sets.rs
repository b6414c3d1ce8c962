//! Functions on sets.

use std::sync::Arc;

use super::super::convert::convert;
use super::super::ops::derived;
use super::super::types::{Type, unify};
use super::super::value::{Data, Value};
use super::{Args, Fault, Given, results};

/// All arguments as sets of their common element type.
fn same_type(args: &Args<'_>) -> Result<(Vec<Vec<Value>>, Type), Fault> {
    // An empty one without a type takes that of the others.
    let is_untyped =
        |value: &Value, ty: &Type| *ty == Type::Dynamic && value.elements().is_some_and(<[Value]>::is_empty);
    let all = args.values.iter();
    let types: Vec<Type> = all
        .map(|v| (v, v.ty().element().cloned().unwrap_or(Type::Dynamic)))
        .filter(|(v, ty)| !is_untyped(v, ty))
        .map(|(_, ty)| ty)
        .collect();
    let ty = if types.is_empty() {
        Type::Dynamic
    } else {
        unify(&types).ok_or_else(|| Fault::new("the sets have elements of incompatible types"))?
    };
    let wanted = Type::Set(Arc::new(ty.clone()));
    let sets: Result<Vec<Vec<Value>>, Fault> = args
        .values
        .iter()
        .map(|v| {
            convert(v, &wanted)
                .map(|v| v.elements().unwrap_or(&[]).to_vec())
                .map_err(Fault::Fails)
        })
        .collect();
    Ok((sets?, ty))
}

fn has(set: &[Value], value: &Value) -> bool {
    set.binary_search_by(|v| v.total_order(value)).is_ok()
}

fn fold(args: &Args<'_>, step: fn(Vec<Value>, &[Value]) -> Vec<Value>) -> Given {
    let (sets, ty) = same_type(args)?;
    args.spend(sets.iter().map(Vec::len).sum())?;
    let mut sets = sets.into_iter();
    let mut result = sets.next().unwrap_or_default();
    for set in sets {
        result = step(result, &set);
        result.sort_by(Value::total_order);
    }
    Ok(Value::set(result, ty))
}

pub(super) fn union(args: &Args<'_>) -> Given {
    fold(args, |mut left, right| {
        let is_new = |v: &&Value| v.first_unknown().is_some() || !has(&left, v);
        let added: Vec<Value> = right.iter().filter(is_new).cloned().collect();
        left.extend(added);
        left
    })
}

pub(super) fn intersection(args: &Args<'_>) -> Given {
    fold(args, |left, right| {
        left.into_iter().filter(|v| has(right, v)).collect()
    })
}

pub(super) fn subtract(args: &Args<'_>) -> Given {
    fold(args, |left, right| {
        left.into_iter().filter(|v| !has(right, v)).collect()
    })
}

/// Every combination of one element of each argument.
pub(super) fn product(args: &Args<'_>) -> Given {
    if args.values.len() < 2 {
        return Err(Fault::new("it needs at least two sets"));
    }
    let mut count: usize = 1;
    let mut any_set = false;
    let mut columns: Vec<Vec<Value>> = Vec::new();
    let mut types = Vec::new();
    // The number of elements of a set depends on the unknown ones.
    let open = args
        .values
        .iter()
        .filter(|v| matches!(v.data, Data::Set(..)) && v.elements().is_some_and(|all| all.len() > 1))
        .find_map(Value::first_unknown);
    if let Some(unknown) = open {
        let likely = args.values.iter().any(Value::has_heuristic);
        return Ok(derived(unknown, results::product(&args.values)?, likely));
    }
    for (index, value) in args.values.iter().enumerate() {
        let elements = args.elements(index)?;
        any_set |= matches!(value.data, Data::Set(..));
        let ty = match &value.data {
            Data::List(_, ty) | Data::Set(_, ty) => ty.clone(),
            _ if elements.is_empty() => Type::Dynamic,
            _ => unify(&elements.iter().map(Value::ty).collect::<Vec<_>>())
                .ok_or_else(|| Fault::new("the elements of a list have incompatible types"))?,
        };
        let converted: Result<Vec<Value>, String> = elements.iter().map(|v| convert(v, &ty)).collect();
        columns.push(converted.map_err(Fault::Fails)?);
        types.push(ty);
        count = count.saturating_mul(elements.len());
    }
    args.spend(count.saturating_mul(columns.len()))?;
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for column in &columns {
        let mut longer = Vec::with_capacity(rows.len() * column.len());
        for row in &rows {
            for value in column {
                let mut row = row.clone();
                row.push(value.clone());
                longer.push(row);
            }
        }
        rows = longer;
    }
    let element = Type::Tuple(types.into());
    let is_mixed = element.is_open() && {
        let mut types = rows
            .iter()
            .map(|row| row.iter().map(Value::ty).collect::<Vec<_>>());
        let first = types.next();
        types.any(|ty| Some(ty) != first)
    };
    if is_mixed {
        // Terraform 1.11 fails here because of a bug.
        let why = "rows with partly unknown types are not supported";
        return Err(Fault::Varies(why.to_owned()));
    }
    let tuples: Vec<Value> = rows.into_iter().map(Value::tuple).collect();
    if any_set {
        return Ok(Value::set(tuples, element));
    }
    Ok(Value::list(tuples, element))
}
