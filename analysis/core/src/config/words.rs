//! Messages about a value that cannot be read: the messages of the TOML parser are about Rust types.

use toml::de::DeValue;

use crate::nearest::{nearest, question};

/// The message about a name that is none of those known, and the one that was probably meant.
pub(super) fn unknown<'a>(
    what: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> (String, Option<String>) {
    let near = nearest(name, known);
    let message = format!("unknown {what} `{name}`{}", question(near));
    (message, near.map(str::to_owned))
}

/// The error in our words, and the word that was probably meant. `names`: the keys that lead to the value, from the
/// outermost on. `found`: the actual value.
pub(super) fn reworded(
    message: &str,
    names: &[&str],
    found: Option<&DeValue<'_>>,
) -> (String, Option<String>) {
    let key = match names {
        [.., "rules", _] => "severity",
        [.., key] => key,
        [] => "value",
    };
    let written = match found {
        Some(DeValue::String(text))
            if !text.is_empty() && text.len() <= 60 && !text.contains(['`', '\n']) =>
        {
            format!(" `{text}`")
        }
        Some(DeValue::Integer(number)) => format!(" `{}`", number.as_str()),
        _ => String::new(),
    };
    let quoted = |text: &str| -> Vec<String> {
        let parts = text.split('`').skip(1).step_by(2);
        parts.map(str::to_owned).collect()
    };
    let (what, expected) = message.split_once(", expected ").unwrap_or((message, ""));
    if let Some(unknown) = what.strip_prefix("unknown field ") {
        let known = quoted(expected);
        let unknown = unknown.split('`').nth(1).unwrap_or(unknown);
        return self::unknown("key", unknown, known.iter().map(String::as_str));
    }
    if what.starts_with("unknown variant ") {
        let known = quoted(expected);
        let near = match found {
            Some(DeValue::String(text)) => nearest(text, known.iter().map(String::as_str)),
            _ => None,
        };
        let message = format!("invalid {key}{written}: expected {}", listed(&known));
        return (message, near.map(str::to_owned));
    }
    (other(message, key, &written, found), None)
}

/// The same for an error that is not about an unknown word. `written`: the actual value, quoted.
fn other(message: &str, key: &str, written: &str, found: Option<&DeValue<'_>>) -> String {
    let (what, expected) = message.split_once(", expected ").unwrap_or((message, ""));
    if let Some(missing) = what.strip_prefix("missing field ") {
        return format!("missing key {missing}");
    }
    if what.starts_with("invalid type") || what == "wanted string or table" {
        let found = found.map_or_else(String::new, |found| format!(", found {}", kind(found)));
        return format!("invalid {key}: expected {}{found}", type_in_words(expected));
    }
    if what.starts_with("invalid value") {
        return format!("invalid {key}{written}: expected {}", type_in_words(expected));
    }
    if message.starts_with("expected ") || message.starts_with("unknown ") {
        return format!("invalid {key}{written}: {message}");
    }
    message.to_owned()
}

/// A list of words of which one is expected.
fn listed(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "another value".to_owned(),
    }
}

/// A type as the parser calls it.
fn type_in_words(expected: &str) -> &'static str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "an integer of 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "an integer",
        "f32" | "f64" => "a number",
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list",
        "a map" | "a table" => "a table",
        "a string" | "" => "a string",
        other if other.starts_with("struct ") => "a table",
        other if other.starts_with("enum ") || other.contains("string") => "a string",
        _ => "another value",
    }
}

/// The kind of a value.
const fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_type_of_rust_is_named() {
        for (message, said_of_it) in [
            (
                "invalid type: integer `1`, expected struct Own",
                "invalid key: expected a table",
            ),
            (
                "unknown variant `x`, expected `auto` or `off`",
                "invalid key: expected `auto` or `off`",
            ),
            ("unknown field `x`, there are no fields", "unknown key `x`"),
            ("missing field `files`", "missing key `files`"),
            ("wanted string or table", "invalid key: expected a string"),
            ("invalid pattern: y", "invalid pattern: y"),
            ("expected an URL", "invalid key: expected an URL"),
        ] {
            assert_eq!(
                reworded(message, &["section", "key"], None).0,
                said_of_it,
                "{message}"
            );
        }
    }
}
