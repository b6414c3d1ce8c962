//! What `count` and `for_each` may be.
//!
//! Source: Terraform 1.11 and OpenTofu 1.10, where values may be unknown.

use applyorder_syntax::hcl::eval::{Data, Type, Value, convert};

/// Why a value cannot be that of `count` or `for_each`; the end of a sentence.
pub(in crate::model) fn repeats(name: &str, value: &Value, is_tofu: bool) -> Result<(), String> {
    match name {
        "count" => count(value),
        _ => each(value, is_tofu),
    }
}

/// Whether OpenTofu validates nothing of a `for_each` of a resource, as it does not know what the value will be. A value
/// of another type is rejected.
///
/// Source: OpenTofu 1.10, `validateForEach` and `performTypeAndValueChecks`.
pub(super) fn is_open(value: &Value) -> bool {
    value.as_unknown().is_some()
        && matches!(
            value.ty(),
            Type::Dynamic | Type::Map(_) | Type::Object(_) | Type::Set(_)
        )
}

/// Why a value is not a valid `count`; the end of a sentence.
fn count(value: &Value) -> Result<(), String> {
    if value.is_null() {
        return Err("it is null, and a whole number is required".to_owned());
    }
    let number = convert(value, &Type::Number)?;
    if number.as_unknown().is_some() {
        return Ok(());
    }
    match number.as_number() {
        Some(number) if number.is_perhaps_whole() => Ok(()),
        Some(number) => match number.as_i64() {
            Some(0..) => Ok(()),
            Some(_) => Err("it must not be negative".to_owned()),
            None => Err("a whole number is required".to_owned()),
        },
        None => Err("a number is required".to_owned()),
    }
}

/// Why a value is not a valid `for_each`; the end of a sentence.
fn each(value: &Value, is_tofu: bool) -> Result<(), String> {
    if value.is_null() {
        return Err("it is null, and a map or a set of strings is required".to_owned());
    }
    let is_known = value.as_unknown().is_none();
    match value.ty() {
        Type::Map(_) | Type::Object(_) => Ok(()),
        Type::Dynamic if !is_known => Ok(()),
        Type::Set(_) if !is_known && !is_tofu => Ok(()),
        Type::Set(element) => match &value.data {
            Data::Set(items, _) if items.values().is_empty() && !is_tofu => Ok(()),
            _ if !matches!(*element, Type::String | Type::Dynamic) => {
                Err("a set of strings is required".to_owned())
            }
            Data::Set(..) if is_tofu && value.first_unknown().is_some() => Ok(()),
            Data::Set(items, _) if items.values().iter().any(Value::is_null) => {
                Err("a key of it is null".to_owned())
            }
            _ => Ok(()),
        },
        _ => Err("a map or a set of strings is required".to_owned()),
    }
}
