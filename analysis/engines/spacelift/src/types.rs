//! The types that variables declare, and the conversion of values to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use applyorder_syntax::hcl::eval::{self, Type, Value, unify};
use applyorder_syntax::hcl::{Expr, ExprKind, ObjectKey};
use applyorder_syntax::text::Span;

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

/// The maximum nesting of types; deeper ones accept any value.
const MAX_DEPTH: usize = 64;

/// Reads a type expression. An invalid type accepts any value.
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
        let name: Arc<str> = item.key.as_text().unwrap_or("").into();
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

impl Spec {
    /// The type of its values; open if there can be more than one.
    pub(crate) fn ty(&self) -> Type {
        match self {
            Self::Any => Type::Dynamic,
            Self::Plain(ty) => ty.clone(),
            Self::List(inner) => Type::List(Arc::new(inner.ty())),
            Self::Set(inner) => Type::Set(Arc::new(inner.ty())),
            Self::Map(inner) => Type::Map(Arc::new(inner.ty())),
            Self::Tuple(all) => Type::Tuple(all.iter().map(Self::ty).collect()),
            Self::Object(members) => {
                let members = members.iter().map(|m| (m.name.clone(), m.spec.ty()));
                Type::Object(Arc::new(members.collect()))
            }
        }
    }
}

impl Spec {
    /// Whether a variable of this type accepts a value of another type, as far as types tell.
    fn takes(&self, ty: &Type) -> bool {
        if *ty == Type::Dynamic {
            return true;
        }
        match (self, ty) {
            (Self::Any, _) => true,
            (Self::Plain(wanted), _) => ty.converts_to(wanted),
            (Self::List(inner) | Self::Set(inner), Type::List(element) | Type::Set(element))
            | (Self::Map(inner), Type::Map(element)) => inner.takes(element),
            (Self::List(inner) | Self::Set(inner), Type::Tuple(_)) if matches!(**inner, Self::Any) => {
                ty.converts_to(&self.ty())
            }
            (Self::Map(inner), Type::Object(_)) if matches!(**inner, Self::Any) => ty.converts_to(&self.ty()),
            (Self::List(inner) | Self::Set(inner), Type::Tuple(all)) => all.iter().all(|t| inner.takes(t)),
            (Self::Map(inner), Type::Object(all)) => all.values().all(|t| inner.takes(t)),
            (Self::Tuple(specs), Type::Tuple(all)) => {
                specs.len() == all.len() && specs.iter().zip(all.iter()).all(|(spec, t)| spec.takes(t))
            }
            (Self::Object(members), Type::Map(element)) => members.iter().all(|m| m.spec.takes(element)),
            (Self::Object(members), Type::Object(all)) => members.iter().all(|m| match all.get(&m.name) {
                Some(ty) => m.spec.takes(ty),
                None => m.is_optional,
            }),
            _ => false,
        }
    }
}

/// Why a variable of a type does not accept a value; the end of a sentence.
pub(crate) fn admits(value: &Value, spec: &Spec) -> Result<(), String> {
    if value.is_null() {
        return Ok(());
    }
    let wanted = || Err(eval::required(&spec.ty()));
    if let Some(unknown) = value.as_unknown() {
        return match spec.takes(&unknown.ty) {
            true => Ok(()),
            false => wanted(),
        };
    }
    match spec {
        Spec::Any => Ok(()),
        Spec::Plain(ty) => eval::convert(value, ty).map(|_| ()),
        // For a collection its type decides, even if it is empty.
        Spec::List(_) | Spec::Set(_) | Spec::Map(_)
            if value.ty().element().is_some() && !spec.takes(&value.ty()) =>
        {
            wanted()
        }
        Spec::List(inner) | Spec::Set(inner) => match value.elements() {
            Some(all) => {
                all.iter().try_for_each(|v| admits(v, inner))?;
                agree(value, inner, &Type::List(Arc::new(Type::Dynamic)))
            }
            None => wanted(),
        },
        Spec::Map(inner) => match value.members() {
            Some(all) => {
                all.values().try_for_each(|v| admits(v, inner))?;
                agree(value, inner, &Type::Map(Arc::new(Type::Dynamic)))
            }
            None => wanted(),
        },
        Spec::Tuple(specs) => match value.elements() {
            Some(all) if all.len() == specs.len() => {
                all.iter().zip(specs).try_for_each(|(v, s)| admits(v, s))
            }
            _ => wanted(),
        },
        Spec::Object(members) => {
            let Some(fields) = value.members() else {
                return wanted();
            };
            for member in members {
                match fields.get(&member.name) {
                    Some(given) => admits(given, &member.spec)
                        .map_err(|why| format!("attribute \"{}\": {why}", member.name))?,
                    None if member.is_optional => {}
                    None => return Err(format!("attribute \"{}\" is required", member.name)),
                }
            }
            Ok(())
        }
    }
}

/// Elements of any type must have one in common.
fn agree(value: &Value, inner: &Spec, wanted: &Type) -> Result<(), String> {
    match inner {
        Spec::Any => eval::convert(value, wanted).map(|_| ()),
        _ => Ok(()),
    }
}

/// Where an invalid type is written, or a default that its type does not accept, and why. `constant` gives the
/// value of an expression that must not refer to anything.
pub(crate) fn check(
    expr: Expr<'_>,
    constant: &dyn Fn(Expr<'_>) -> Result<Value, String>,
) -> Result<(), (Span, String)> {
    // Older versions accepted these without an element type.
    let is_old = match expr.kind() {
        ExprKind::Variable(word) => matches!(word, "list" | "map"),
        _ => false,
    };
    if is_old {
        return Ok(());
    }
    let mut open = vec![(expr, 0)];
    while let Some((expr, depth)) = open.pop() {
        let fails = |why: &str| Err((expr.span(), why.to_owned()));
        if depth > MAX_DEPTH {
            continue;
        }
        let call = match expr.kind() {
            ExprKind::Variable("bool" | "string" | "number" | "any") => continue,
            ExprKind::Variable(word @ ("list" | "set" | "map" | "object" | "tuple")) => {
                return fails(&format!("`{word}` needs the type of what it holds"));
            }
            ExprKind::Variable(word) => return fails(&format!("`{word}` is not a type")),
            ExprKind::Broken => continue,
            ExprKind::Call(call) => call,
            _ => return fails("a type is required"),
        };
        let only = call.args().get(0).filter(|_| call.args().len() == 1);
        let name = call.name();
        match (name, only, only.map(|e| e.kind())) {
            ("list" | "set" | "map", Some(inner), _) => open.push((inner, depth + 1)),
            ("tuple", _, Some(ExprKind::Tuple(all))) => open.extend(all.iter().map(|e| (e, depth + 1))),
            ("object", _, Some(ExprKind::Object(object))) => {
                let mut names = BTreeSet::new();
                for item in object.items() {
                    let name = match item.key {
                        ObjectKey::Name(name, _) => name,
                        ObjectKey::Expr(key) if matches!(key.kind(), ExprKind::Broken) => continue,
                        ObjectKey::Expr(key) => {
                            let why = "the name of an attribute is written without quotes".to_owned();
                            return Err((key.span(), why));
                        }
                    };
                    if !names.insert(name) {
                        return Err((item.value.span(), "this attribute is there already".to_owned()));
                    }
                    let inner = match item.value.kind() {
                        ExprKind::Call(call) if call.name() == "optional" => {
                            if !matches!(call.args().len(), 1 | 2) {
                                return fails("`optional` needs a type, and may have a default");
                            }
                            if let (Some(ty), Some(default)) = (call.args().get(0), call.args().get(1)) {
                                let spec = read(ty, &|inner| {
                                    constant(inner).unwrap_or_else(|why| Value::unknown(&why))
                                });
                                constant(default)
                                    .and_then(|value| admits(&value, &spec))
                                    .map_err(|why| (default.span(), why))?;
                            }
                            call.args().get(0)
                        }
                        _ => Some(item.value),
                    };
                    open.extend(inner.map(|e| (e, depth + 1)));
                }
            }
            ("list" | "set" | "map" | "tuple" | "object", ..) => {
                return fails(&format!("`{name}` needs one argument, which says what it holds"));
            }
            _ => return fails(&format!("`{name}` is not a type")),
        }
    }
    Ok(())
}

/// The value converted to the type of a variable. What cannot be converted stays as it is: whether Terraform rejects
/// it is not checked here.
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

/// The type that all values have; open if they have none in common.
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
