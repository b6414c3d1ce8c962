//! Text of linted files, made harmless for the client: every message to it goes through here.
//!
//! Clients show messages, names and hovers as they come. Control characters (terminal escapes among them) and marks
//! that turn the direction of writing are written out instead. Texts that are put into documents stay what they are.

use std::borrow::Cow;

use applyorder_lint::escape;
use serde_json::Value;

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

/// A text as it is shown: lines and tabs stay.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| !matches!(c, '\n' | '\t' | '#');
    let mut out = String::new();
    let mut done = 0;
    for (at, c) in escape::harmful(text).filter(|(_, c)| is_harmful(*c)) {
        out.push_str(text.get(done..at).unwrap_or_default());
        out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        done = at + c.len_utf8();
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

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
    fn what_acts_is_written_out_and_lines_stay() {
        assert_eq!(
            text("a\x1b[31m\n\tb\u{202e}c\r"),
            "a\\u{1b}[31m\n\tb\\u{202e}c\\u{d}"
        );
        assert!(matches!(text("##[x] ä\n"), Cow::Borrowed(_)));
    }

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
}
