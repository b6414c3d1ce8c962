//! The values of `map` blocks.
//!
//! Source: Terramate 0.17.2, its evaluation of `map`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::globals::{EvaluationError, evaluated};
use super::names::Names;
use super::variables::{Variable, variables};
use applyorder_syntax::hcl::eval::{Budget, Data, Type, Value};
use applyorder_syntax::hcl::{Block, Expr, ExprKind};

/// The maximum depth of nested maps that are followed.
const DEEPEST: usize = 32;

/// The name that a map uses for the current element.
///
/// # Errors
/// Why it has none, as text.
pub(super) fn iterator<'t>(map: Block<'t>) -> Result<&'t str, String> {
    match map.body().attribute("iterator").map(|a| a.value().kind()) {
        None => Ok("element"),
        Some(ExprKind::Variable(name)) => Ok(name),
        Some(ExprKind::GetAttr { .. } | ExprKind::Index { .. } | ExprKind::LegacyIndex { .. }) => {
            Err("dynamic iterator must be a single variable name".to_owned())
        }
        Some(_) => Err("A single static variable reference is required".to_owned()),
    }
}

/// The expressions of a map, and the maps in it.
fn parts(map: Block<'_>) -> (Vec<Expr<'_>>, Vec<Block<'_>>) {
    let named = ["for_each", "key", "value"].into_iter();
    let mut exprs: Vec<Expr<'_>> = named
        .filter_map(|n| map.body().attribute(n))
        .map(|a| a.value())
        .collect();
    let mut inner = Vec::new();
    for value in map.body().blocks().filter(|b| b.kind() == "value") {
        exprs.extend(value.body().attributes().map(|a| a.value()));
        inner.extend(value.body().blocks().filter(|b| b.kind() == "map"));
    }
    (exprs, inner)
}

/// The variables that it names, apart from the elements of itself and of the maps around it.
pub(super) fn named(map: Block<'_>) -> Vec<Variable<'_>> {
    let mut found = Vec::new();
    let mut open = vec![(map, Vec::new())];
    while let Some((map, mut bound)) = open.pop() {
        bound.extend(iterator(map).ok());
        let (exprs, inner) = parts(map);
        let all = exprs.into_iter().flat_map(variables);
        found.extend(all.filter(|v| !bound.contains(&v.root)));
        open.extend(inner.into_iter().map(|inner| (inner, bound.clone())));
    }
    found
}

/// The value of a map.
///
/// # Errors
/// Why it has no value, as text.
pub(super) fn evaluate(map: Block<'_>, names: &Names<'_>, budget: &Budget) -> Result<Value, EvaluationError> {
    let failed = |failure: EvaluationError| failure.within("eval expression");
    inner(map, names, budget, &mut Vec::new()).map_err(failed)
}

fn inner<'t>(
    map: Block<'t>,
    names: &Names<'_>,
    budget: &Budget,
    bound: &mut Vec<(&'t str, Value)>,
) -> Result<Value, EvaluationError> {
    let unknown = |why: &str| Ok(Value::unknown(why));
    if bound.len() >= DEEPEST {
        return unknown("maps are nested too deep");
    }
    let iterator = iterator(map).map_err(EvaluationError::new)?;
    let of = |name: &str| map.body().attribute(name).map(|a| a.value());
    let (Some(for_each), Some(key)) = (of("for_each"), of("key")) else {
        return unknown("it could not be read");
    };
    let all = evaluated(for_each, names, budget, bound).map_err(EvaluationError::without_kind)?;
    let elements: Vec<Value> = match &all.data {
        Data::Unknown(_) => return Ok(all),
        Data::Tuple(items) | Data::List(items, _) | Data::Set(items, _) => items.values().to_vec(),
        Data::Object(fields) | Data::Map(fields, _) => fields.values().values().cloned().collect(),
        Data::Null(Type::List(_) | Type::Set(_) | Type::Map(_) | Type::Tuple(_) | Type::Object(_)) => {
            return Err(EvaluationError::null("a collection"));
        }
        // Terramate records it without a severity, and continues without any value.
        _ => return unknown("`for_each` cannot be iterated"),
    };
    let mut made: BTreeMap<Arc<str>, Value> = BTreeMap::new();
    for element in elements {
        if !budget.spend(1) {
            return unknown("a limit was reached");
        }
        let of_element = |old: Option<&Value>| {
            let mut members = BTreeMap::from([(Arc::from("new"), element.clone())]);
            members.extend(old.map(|old| (Arc::from("old"), old.clone())));
            Value::object(members)
        };
        bound.push((iterator, of_element(None)));
        let of_key = |e: EvaluationError| {
            e.without_kind()
                .within("eval expression: failed to evaluate the map.key")
        };
        let at = evaluated(key, names, budget, bound).map_err(of_key);
        let at = at.and_then(|at| match &at.data {
            Data::String(text) => Ok(Some(text.clone())),
            Data::Unknown(_) => Ok(None),
            Data::Null(Type::String) => Err(EvaluationError::null("a string")),
            _ => Err(EvaluationError::new(format!(
                "map key is not a string but {}",
                at.type_name()
            ))),
        });
        bound.pop();
        let Some(at) = at? else {
            return unknown("a key is not known");
        };
        bound.push((iterator, of_element(made.get(&at))));
        let value = value(map, names, budget, bound);
        bound.pop();
        made.insert(at, value?);
    }
    Ok(Value::object(made))
}

fn value<'t>(
    map: Block<'t>,
    names: &Names<'_>,
    budget: &Budget,
    bound: &mut Vec<(&'t str, Value)>,
) -> Result<Value, EvaluationError> {
    let Some(block) = map.body().blocks().find(|b| b.kind() == "value") else {
        return match map.body().attribute("value") {
            Some(value) => evaluated(value.value(), names, budget, bound).map_err(|e| {
                e.without_kind()
                    .within("eval expression: failed to evaluate map.value")
            }),
            None => Ok(Value::unknown("it could not be read")),
        };
    };
    let mut members: BTreeMap<Arc<str>, Value> = BTreeMap::new();
    let mut attributes: Vec<_> = block.body().attributes().collect();
    attributes.sort_by_key(|a| a.name());
    for attribute in attributes {
        let value = evaluated(attribute.value(), names, budget, bound)?;
        members.insert(attribute.name().into(), value);
    }
    for nested in block.body().blocks().filter(|b| b.kind() == "map") {
        let label = nested.labels().next().map_or("", |l| l.text);
        let value = inner(nested, names, budget, bound)
            .map_err(|e| e.within(&format!("evaluating nested \"{label}\" map block")))?;
        members.insert(label.into(), value);
    }
    Ok(Value::object(members))
}
