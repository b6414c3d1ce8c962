//! Operators, and access to attributes and elements.

use std::cmp::Ordering;

use super::convert::convert;
use super::known::{self, Known};
use super::number::Number;
use super::types::Type;
use super::value::{Data, Unknown, Value};
use crate::hcl::BinaryOp;
use crate::hcl::decimal::{Magnitude, magnitude};

/// An unknown that is derived from another one: with its reason, of another type and without an identity.
pub(super) fn derived(unknown: &Unknown, ty: Type, heuristic: bool) -> Value {
    let value = Value::from(Unknown {
        ty,
        symbol: None,
        known: unknown.known.of_result(),
        ..unknown.clone()
    });
    value.likely(heuristic)
}

/// Like [`derived`], as the result of an operation that never gives null.
pub(super) fn derived_not_null(unknown: &Unknown, ty: Type, heuristic: bool) -> Value {
    of_known(
        derived(unknown, ty, heuristic),
        unknown.known.of_result_not_null(),
    )
}

/// An unknown of which the engine knows something; if that determines the value, that value.
pub(super) fn of_known(value: Value, known: Known) -> Value {
    if let Known::Between(bounds) = &known
        && bounds.0.compare(bounds.1) == Some(Ordering::Equal)
    {
        return Value {
            data: Data::Number(Box::new(bounds.0)),
            ..value
        };
    }
    let mut value = value;
    if let Data::Unknown(unknown) = &mut value.data {
        unknown.known = known;
    }
    value
}

/// The result of an operation that depends on whether two values are equal, if that is unknown.
pub(super) fn undecided(one: &Value, other: &Value, ty: Type) -> Value {
    let heuristic = one.has_heuristic() || other.has_heuristic();
    let Some(unknown) = one.first_unknown().or_else(|| other.first_unknown()) else {
        let value = Value::from(Unknown {
            place: one.place,
            ..Unknown::new("whether the numbers are equal depends on rounding", ty)
        });
        return value.likely(heuristic);
    };
    of_known(derived(unknown, ty, heuristic), known::of_equality(one, other))
}

/// The operand because of which arithmetic may have no result: infinity less infinity or times zero, zero by
/// zero.
pub(super) fn perhaps_undefined<'v>(op: BinaryOp, left: &'v Value, right: &'v Value) -> Option<&'v Unknown> {
    if result_type(op) != Type::Number {
        return None;
    }
    let is_zero = |value: &Value| value.as_number().is_some_and(Number::is_zero);
    let unshared = |value: &'v Value| value.as_unknown().filter(|unknown| !unknown.known.is_shared());
    match (unshared(left), unshared(right)) {
        (Some(one), Some(_)) => Some(one),
        (_, Some(divisor)) if matches!(op, BinaryOp::Divide | BinaryOp::Modulo) => Some(divisor),
        (Some(one), _) if is_zero(right) => Some(one),
        (_, Some(one)) if is_zero(left) => Some(one),
        _ => None,
    }
}

/// Why the result of a division by zero is unknown here.
pub const INFINITY: &str = "a division by zero gives infinity";

fn unknown_number(why: &str) -> Value {
    Unknown::new(why, Type::Number).into()
}

pub(super) fn infinity(why: &str) -> Value {
    of_known(unknown_number(why), Known::Infinite)
}

fn is_infinite(value: &Value) -> bool {
    value
        .as_unknown()
        .is_some_and(|unknown| matches!(unknown.known, Known::Infinite))
}

/// Whether the result of arithmetic is infinite because one operand is.
fn stays_infinite(op: BinaryOp, left: &Value, right: &Value) -> bool {
    let is_finite = |value: &Value| value.as_number().is_some();
    let is_factor = |value: &Value| value.as_number().is_some_and(|n| !n.is_zero() && !n.is_rounded());
    match op {
        BinaryOp::Add | BinaryOp::Subtract => {
            is_infinite(left) && is_finite(right) || is_finite(left) && is_infinite(right)
        }
        BinaryOp::Multiply => is_infinite(left) && is_factor(right) || is_factor(left) && is_infinite(right),
        BinaryOp::Divide => is_infinite(left) && is_finite(right),
        _ => false,
    }
}

/// A decimal number.
///
/// # Errors
/// The engine rejects it.
pub(super) fn decimal(text: &str) -> Result<Value, ()> {
    match (Number::parse(text), magnitude(text)) {
        (_, Magnitude::Rejected) => Err(()),
        (Some(number), _) => Ok(Value::number(number)),
        (None, Magnitude::Infinite) => Ok(infinity("the number is too large")),
        (None, Magnitude::Number) => Ok(arithmetic(None)),
    }
}

/// The result type of an operator.
pub(super) fn result_type(op: BinaryOp) -> Type {
    match op {
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => {
            Type::Number
        }
        _ => Type::Bool,
    }
}

/// The operand type of an operator.
pub(super) fn operand_type(op: BinaryOp) -> Type {
    match op {
        BinaryOp::Equal | BinaryOp::NotEqual => Type::Dynamic,
        BinaryOp::Or | BinaryOp::And => Type::Bool,
        _ => Type::Number,
    }
}

/// Whether an operand alone decides the result of `&&` or `||`. `&&` does not check that null is not false.
fn decides(op: BinaryOp, operand: &Value) -> bool {
    match op {
        BinaryOp::And => operand.is_null() || operand.as_bool() == Some(false),
        BinaryOp::Or => operand.as_bool() == Some(true),
        _ => false,
    }
}

/// The result of `&&` and `||` if the engine evaluates no more than needed; `None` if it needs both operands.
///
/// Source: `ShortCircuit` of HCL 2.24, in Terraform from 1.12, and of OpenTofu's HCL.
pub(super) fn one_sided(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    let heuristic = left.has_heuristic() || right.has_heuristic();
    if decides(op, left) || decides(op, right) {
        return Some(Value::bool(op == BinaryOp::Or).likely(heuristic));
    }
    let unknown = left.as_unknown().or_else(|| right.as_unknown())?;
    let is_null = left.is_null() || right.is_null();
    (op == BinaryOp::Or && is_null).then(|| derived_not_null(unknown, Type::Bool, heuristic))
}

/// Whether the errors of the left and of the right operand of `&&` or `||` count if the engine evaluates no
/// more than needed; `None` if that depends on a value that it may know.
///
/// Source: as for [`one_sided`].
pub(super) fn counted(op: BinaryOp, [left, right]: [&Value; 2], fail: [bool; 2]) -> [Option<bool>; 2] {
    let [left_fails, right_fails] = fail;
    let is_open = |operand: &Value| {
        operand
            .as_unknown()
            .is_some_and(|unknown| !unknown.known.is_shared())
    };
    let of_left = match decides(op, left) {
        true => Some(true),
        false if decides(op, right) => Some(false),
        false if is_open(right) && !right_fails => None,
        false => Some(true),
    };
    let of_right = match decides(op, left) {
        true => Some(false),
        false if left_fails || left.as_unknown().is_none() => Some(true),
        false if is_open(left) => None,
        false => Some(false),
    };
    [of_left, of_right]
}

/// Applies an operator to operands that already have the type it takes.
///
/// # Errors
/// With the engine's message.
pub(super) fn binary(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, String> {
    let heuristic = left.has_heuristic() || right.has_heuristic();
    if let BinaryOp::Equal | BinaryOp::NotEqual = op {
        return Ok(match left.equals(right) {
            Some(equal) => Value::bool(equal == (op == BinaryOp::Equal)).likely(heuristic),
            None => undecided(left, right, Type::Bool),
        });
    }
    if left.is_null() || right.is_null() {
        return Err("an operand is null".to_owned());
    }
    if let BinaryOp::Or | BinaryOp::And = op {
        let decides = op == BinaryOp::Or;
        for side in [left, right] {
            if side.as_bool() == Some(decides) {
                let mut unknown = [left, right].into_iter().filter_map(Value::as_unknown);
                // Before version 1.12 of Terraform one side alone decides nothing.
                return Ok(match unknown.find(|unknown| unknown.known.is_shared()) {
                    Some(unknown) => of_known(derived(unknown, Type::Bool, heuristic), Known::NotNull),
                    None => Value::bool(decides).likely(heuristic),
                });
            }
        }
    }
    if let Some(unknown) = left.as_unknown().or_else(|| right.as_unknown()) {
        if stays_infinite(op, left, right) {
            return Ok(infinity(&unknown.why).likely(heuristic));
        }
        return Ok(match known::of_operator(op, left, right) {
            Ok(holds) => Value::bool(holds).likely(heuristic),
            Err(known) => of_known(derived(unknown, result_type(op), heuristic), known),
        });
    }
    if let BinaryOp::Or | BinaryOp::And = op {
        return Ok(Value::bool(op == BinaryOp::And).likely(heuristic));
    }
    let (Some(a), Some(b)) = (left.as_number(), right.as_number()) else {
        return Err("the operands are not numbers".to_owned());
    };
    let value = match op {
        BinaryOp::Add => arithmetic(a.plus(b)),
        BinaryOp::Subtract => arithmetic(a.minus(b)),
        BinaryOp::Multiply => arithmetic(a.times(b)),
        BinaryOp::Divide | BinaryOp::Modulo if b.is_zero() && b.is_rounded() => {
            unknown_number("whether the divisor is zero depends on rounding")
        }
        BinaryOp::Divide if a.is_zero() && a.is_rounded() && b.is_zero() => {
            unknown_number("whether zero is divided by zero depends on rounding")
        }
        BinaryOp::Divide if a.is_zero() && b.is_zero() => return Err("zero is divided by zero".to_owned()),
        // HCL's numbers have infinities, and its remainder of a division by zero is the dividend.
        BinaryOp::Divide if b.is_zero() => infinity(INFINITY),
        BinaryOp::Modulo if b.is_zero() => Value::number(a),
        BinaryOp::Divide => arithmetic(a.over(b)),
        BinaryOp::Modulo => arithmetic(a.remainder(b)),
        BinaryOp::Less => ordering(a.compare(b), |o| o == Ordering::Less),
        BinaryOp::LessEqual => ordering(a.compare(b), |o| o != Ordering::Greater),
        BinaryOp::Greater => ordering(a.compare(b), |o| o == Ordering::Greater),
        _ => ordering(a.compare(b), |o| o != Ordering::Less),
    };
    Ok(value.likely(heuristic))
}

/// The result of arithmetic, unknown if it does not fit.
pub(super) fn arithmetic(result: Option<Number>) -> Value {
    result.map_or_else(
        || unknown_number("the number cannot be computed exactly"),
        Value::number,
    )
}

fn ordering(order: Option<Ordering>, test: fn(Ordering) -> bool) -> Value {
    match order {
        Some(order) => Value::bool(test(order)),
        None => Unknown::new("how the numbers compare depends on rounding", Type::Bool).into(),
    }
}

/// `value.name`.
///
/// # Errors
/// With the engine's message.
pub fn get_attr(value: &Value, name: &str) -> Result<Value, String> {
    attribute(value, name).map(|found| found.marked(value.marks))
}

fn attribute(value: &Value, name: &str) -> Result<Value, String> {
    match &value.data {
        Data::Null(_) => Err("This value is null, so it does not have any attributes.".to_owned()),
        Data::Unknown(unknown) => match &unknown.ty {
            Type::Dynamic => Ok(derived(unknown, Type::Dynamic, value.heuristic)),
            Type::Map(element) => Ok(derived(unknown, (**element).clone(), value.heuristic)),
            Type::Object(attributes) => match attributes.get(name) {
                Some(ty) => Ok(derived(unknown, ty.clone(), value.heuristic)),
                None => Err(format!(
                    "This object does not have an attribute named \"{name}\"."
                )),
            },
            ty => Err(no_attributes(ty, name)),
        },
        Data::Object(fields) => match fields.values().get(name) {
            Some(member) => Ok(member.clone().likely(value.heuristic)),
            None => Err(format!(
                "This object does not have an attribute named \"{name}\"."
            )),
        },
        Data::Map(fields, _) => match fields.values().get(name) {
            Some(member) => Ok(member.clone().likely(value.heuristic)),
            None => Err(format!(
                "This map does not have an element with the key \"{name}\"."
            )),
        },
        _ => Err(no_attributes(&value.ty(), name)),
    }
}

fn no_attributes(ty: &Type, name: &str) -> String {
    let element = match ty {
        Type::List(element) | Type::Set(element) => match &**element {
            Type::Object(attributes) => Some(attributes.contains_key(name)),
            _ => None,
        },
        _ => None,
    };
    match (ty, element) {
        (Type::String | Type::Number | Type::Bool, _) => {
            format!("Can't access attributes on a primitive-typed value ({ty}).")
        }
        (Type::List(_), Some(true)) => format!(
            "Can't access attributes on a list of objects. Did you mean to access attribute \"{name}\" for a \
             specific element of the list, or across all elements of the list?"
        ),
        (Type::List(_), Some(false)) => {
            "Can't access attributes on a list of objects. Did you mean to access an \
             attribute for a specific element of the list, or across all elements of the list?"
                .to_owned()
        }
        (Type::Set(_), Some(_)) => "Can't access attributes on a set of objects. Did you mean to access an \
             attribute across all elements of the set?"
            .to_owned(),
        _ => "This value does not have any attributes.".to_owned(),
    }
}

/// `value[key]`.
///
/// # Errors
/// With the engine's message.
pub fn index(value: &Value, key: &Value) -> Result<Value, String> {
    let is_unknown = value.as_unknown().is_some() || key.as_unknown().is_some();
    // The marks of a key are used if it is the key of a collection, and something is found by it.
    let marks = match value.ty() {
        Type::Tuple(_) if key.as_unknown().is_none() => value.marks | key.marks,
        Type::Tuple(_) | Type::List(_) | Type::Map(_) if !is_unknown => value.marks | key.marks,
        _ => value.marks,
    };
    element(value, key).map(|found| found.marked(marks))
}

fn element(value: &Value, key: &Value) -> Result<Value, String> {
    let heuristic = value.heuristic || key.heuristic;
    if value.is_null() {
        return Err("This value is null, so it does not have any indices.".to_owned());
    }
    if key.is_null() {
        return Err("Can't use a null value as an indexing key.".to_owned());
    }
    let mut untyped = key.as_unknown().into_iter().filter(|key| key.ty == Type::Dynamic);
    if let Some(key) = untyped.next() {
        // Before the type of a key is known HCL does not look up anything by it, whatever the value is.
        let unknown = value.as_unknown().unwrap_or(key);
        return Ok(derived(unknown, Type::Dynamic, heuristic));
    }
    match value.ty() {
        Type::Dynamic => match value.as_unknown() {
            Some(unknown) => Ok(derived(unknown, Type::Dynamic, heuristic)),
            None => Err("This value does not have any indices.".to_owned()),
        },
        Type::Tuple(_) | Type::List(_) => {
            let key = convert(key, &Type::Number).map_err(|e| format!("The key is not valid: {e}."))?;
            let at = key
                .as_number()
                .and_then(Number::as_i64)
                .and_then(|i| usize::try_from(i).ok());
            let is_known = key.as_number().is_some_and(|n| !n.is_perhaps_whole());
            if let Some(unknown) = value.as_unknown().or_else(|| key.as_unknown()) {
                let ty = match value.ty() {
                    Type::List(element) => (*element).clone(),
                    Type::Tuple(all) if is_known => match at.and_then(|i| all.get(i)) {
                        Some(ty) => ty.clone(),
                        None => return Err(no_element(all.len())),
                    },
                    _ => Type::Dynamic,
                };
                return Ok(derived(unknown, ty, heuristic));
            }
            let elements = value.elements().unwrap_or(&[]);
            if !is_known {
                return Ok(Value::unknown("the index cannot be computed exactly").likely(heuristic));
            }
            match at.and_then(|i| elements.get(i)) {
                Some(found) => Ok(found.clone().likely(heuristic)),
                None => Err(no_element(elements.len())),
            }
        }
        Type::Map(_) | Type::Object(_) => {
            let key = convert(key, &Type::String).map_err(|e| format!("The key is not valid: {e}."))?;
            if let Some(unknown) = value.as_unknown().or_else(|| key.as_unknown()) {
                let ty = match value.ty() {
                    Type::Map(element) => (*element).clone(),
                    // HCL reads nothing from an unknown object by a key.
                    _ => Type::Dynamic,
                };
                return Ok(derived(unknown, ty, heuristic));
            }
            let members = value.members();
            match members.and_then(|m| m.get(key.as_str().unwrap_or(""))) {
                Some(found) => Ok(found.clone().likely(heuristic)),
                None => Err(no_element(members.map_or(0, std::collections::BTreeMap::len))),
            }
        }
        Type::Set(_) => Err("Elements of a set are known only by their value and have no index.".to_owned()),
        _ => Err("This value does not have any indices.".to_owned()),
    }
}

fn no_element(len: usize) -> String {
    let text = "The given key does not identify an element in this collection value";
    if len == 0 {
        format!("{text}: the collection has no elements.")
    } else {
        format!("{text}.")
    }
}
