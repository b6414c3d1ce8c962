//! Objects of answers.

use serde_json::Value;

/// Sets a key of an answer that is an object.
pub(crate) fn set(answer: &mut Value, key: &str, value: impl Into<Value>) {
    if let Value::Object(object) = answer {
        object.insert(key.to_owned(), value.into());
    }
}
