//! The types that variables declare, and values as they become under them.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_syntax::hcl::eval::{self, Type, Value, unify};
use applyorder_syntax::hcl::{Expr, ExprKind, ObjectKey};

/// A type as a variable declares it.
#[derive(Clone, Debug)]
pub(crate) enum Spec {
    Any,
    Plain(Type),
    List(Box<Spec>),
    Set(Box<Spec>),
    Map(Box<Spec>),
    Tuple(Vec<Spec>),
    Object(Vec<Member>),
}

/// An attribute of an object type.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Arc<str>,
    spec: Spec,
    is_optional: bool,
    default: Option<Value>,
}

/// How deep types may nest; deeper ones take any value.
const MAX_DEPTH: usize = 64;

/// Reads a type expression. What is no type takes any value.
pub(crate) fn read(expr: Expr<'_>, literal: &dyn Fn(Expr<'_>) -> Value) -> Spec {
    read_at(expr, literal, 0)
}

fn read_at(expr: Expr<'_>, literal: &dyn Fn(Expr<'_>) -> Value, depth: usize) -> Spec {
    if depth > MAX_DEPTH {
        return Spec::Any;
    }
    let word = |word: &str| match word {
        "string" => Spec::Plain(Type::String),
        "number" => Spec::Plain(Type::Number),
        "bool" => Spec::Plain(Type::Bool),
        "list" => Spec::List(Box::new(Spec::Any)),
        "map" => Spec::Map(Box::new(Spec::Any)),
        "set" => Spec::Set(Box::new(Spec::Any)),
        _ => Spec::Any,
    };
    match expr.kind() {
        ExprKind::Variable(name) => word(name),
        ExprKind::Template(template) => template.as_text().map_or(Spec::Any, word),
        ExprKind::Call(call) => {
            let inner = || {
                let first = call.args().get(0);
                Box::new(first.map_or(Spec::Any, |e| read_at(e, literal, depth + 1)))
            };
            match call.name() {
                "list" => Spec::List(inner()),
                "set" => Spec::Set(inner()),
                "map" => Spec::Map(inner()),
                "tuple" => {
                    let entries = call.args().get(0).and_then(|e| e.entries());
                    let all = entries.map(|e| e.iter().map(|e| read_at(e, literal, depth + 1)).collect());
                    all.map_or(Spec::Any, Spec::Tuple)
                }
                "object" => match call.args().get(0).map(|e| e.kind()) {
                    Some(ExprKind::Object(object)) => Spec::Object(members(object, literal, depth + 1)),
                    _ => Spec::Any,
                },
                _ => Spec::Any,
            }
        }
        _ => Spec::Any,
    }
}

fn members(
    object: applyorder_syntax::hcl::Object<'_>,
    literal: &dyn Fn(Expr<'_>) -> Value,
    depth: usize,
) -> Vec<Member> {
    let mut found = Vec::new();
    for item in object.items() {
        let name: Arc<str> = match item.key {
            ObjectKey::Name(name, _) => name.into(),
            ObjectKey::Expr(key) => key.as_text().unwrap_or("").into(),
        };
        let optional = match item.value.kind() {
            ExprKind::Call(call) if call.name() == "optional" => Some(call),
            _ => None,
        };
        let (spec, default) = match optional {
            Some(call) => (
                call.args()
                    .get(0)
                    .map_or(Spec::Any, |e| read_at(e, literal, depth)),
                call.args().get(1).map(literal),
            ),
            None => (read_at(item.value, literal, depth), None),
        };
        found.push(Member {
            name,
            spec,
            is_optional: optional.is_some(),
            default,
        });
    }
    found
}

/// The value as a variable of a type has it. What cannot become one stays what it is: whether Terraform rejects it is
/// not looked at.
pub(crate) fn conform(value: Value, spec: &Spec) -> Value {
    let (heuristic, place) = (value.heuristic, value.place);
    let is_open = value.as_unknown().is_some() || value.is_null();
    let mut made = match spec {
        Spec::Any => return value,
        Spec::Plain(ty) => match eval::convert(&value, ty) {
            Ok(converted) => converted,
            Err(_) => return value,
        },
        _ if is_open => return value,
        Spec::List(inner) | Spec::Set(inner) => {
            let Some(elements) = value.elements() else {
                return value;
            };
            let values: Vec<Value> = elements.iter().map(|v| conform(v.clone(), inner)).collect();
            let ty = common(&values);
            match spec {
                Spec::Set(_) => Value::set(values, ty),
                _ => Value::list(values, ty),
            }
        }
        Spec::Map(inner) => {
            let Some(fields) = value.members() else {
                return value;
            };
            let values: BTreeMap<Arc<str>, Value> = fields
                .iter()
                .map(|(k, v)| (k.clone(), conform(v.clone(), inner)))
                .collect();
            let ty = common(&values.values().cloned().collect::<Vec<_>>());
            Value::map(values, ty)
        }
        Spec::Tuple(specs) => {
            let Some(elements) = value.elements() else {
                return value;
            };
            let both = elements.iter().zip(specs);
            Value::tuple(both.map(|(v, s)| conform(v.clone(), s)).collect())
        }
        Spec::Object(wanted) => {
            let Some(fields) = value.members() else {
                return value;
            };
            let mut values = BTreeMap::new();
            for member in wanted {
                let given = fields
                    .get(&member.name)
                    .filter(|v| !(member.is_optional && v.is_null()));
                let own = match (given, &member.default) {
                    (Some(given), _) => given.clone(),
                    (None, Some(default)) => default.clone(),
                    (None, None) => Value::null(),
                };
                values.insert(member.name.clone(), conform(own, &member.spec));
            }
            Value::object(values)
        }
    };
    made.heuristic |= heuristic;
    made.place = made.place.or(place);
    made
}

/// The type that all values have; open where they have none in common.
pub(crate) fn common(values: &[Value]) -> Type {
    let types: Vec<Type> = values
        .iter()
        .map(Value::ty)
        .filter(|ty| *ty != Type::Dynamic)
        .collect();
    unify(&types).unwrap_or(Type::Dynamic)
}

/// A value of JSON.
pub(crate) fn from_json(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::null(),
        serde_json::Value::Bool(b) => Value::bool(*b),
        serde_json::Value::Number(n) => eval::Number::parse(&n.to_string())
            .map_or_else(|| Value::unknown("the number is too large"), Value::number),
        serde_json::Value::String(s) => Value::string(s),
        serde_json::Value::Array(items) => Value::tuple(items.iter().map(from_json).collect()),
        serde_json::Value::Object(fields) => Value::object(
            fields
                .iter()
                .map(|(k, v)| (k.as_str().into(), from_json(v)))
                .collect(),
        ),
    }
}
