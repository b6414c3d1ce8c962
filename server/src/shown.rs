//! Text of linted files, made harmless for the client: every message to it goes through here, diagnostics text by text.
//!
//! Clients show messages, names and hovers verbatim. Control characters (including terminal escapes) and bidirectional
//! formatting characters are escaped instead. Texts that are put into documents stay as they are.

use std::borrow::Cow;

pub(crate) use applyorder_lint::escape::text;
use serde_json::Value;

use crate::convert::without_nowhere;

/// The fields of the protocol that a client shows, wherever they are.
const SHOWN: [&str; 9] = [
    "containerName",
    "detail",
    "documentation",
    "label",
    "message",
    "name",
    "title",
    "tooltip",
    "value",
];

/// The fields with texts for documents or for programs.
const NOT_SHOWN: [&str; 3] = ["data", "edit", "textEdit"];

/// Makes all that is shown of a message harmless.
pub(crate) fn make_harmless(message: &mut Value) {
    let mut open = vec![message];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                for (name, value) in fields {
                    match value {
                        Value::String(shown) if SHOWN.contains(&name.as_str()) => {
                            if let Cow::Owned(harmless) = text(shown) {
                                *shown = harmless;
                            }
                            if let Some(named) = without_nowhere(shown) {
                                *shown = named;
                            }
                        }
                        Value::Array(_) | Value::Object(_) if !NOT_SHOWN.contains(&name.as_str()) => {
                            open.push(value);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_for_documents_stay_what_they_are() {
        let mut message = json!({
            "label": "a\u{1b}", "newText": "\u{1b}", "textEdit": { "label": "\u{1b}" },
            "items": [{ "message": "\u{202e}", "data": { "name": "\u{1b}" } }],
        });
        make_harmless(&mut message);
        let expected = json!({
            "label": "a\\u{1b}", "newText": "\u{1b}", "textEdit": { "label": "\u{1b}" },
            "items": [{ "message": "\\u{202e}", "data": { "name": "\u{1b}" } }],
        });
        assert_eq!(message, expected);
    }

    #[test]
    fn documents_without_a_directory_are_called_by_their_names() {
        let mut message = json!({ "value": "of `/untitled:/-/-/-/-/-/-/-/-/-/-/-/-/Untitled-1`" });
        make_harmless(&mut message);
        assert_eq!(message, json!({ "value": "of `Untitled-1`" }));
    }
}
