//! `yamldecode`.
//!
//! What YAML 1.1 and 1.2 read differently is unknown, and so are tags, merge keys and anchors.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::number::Number;
use super::super::value::Value;
use super::{Args, Fault, Given};
use crate::yaml::{self, Kind, Node, Style, SyntaxErrorKind};

pub(super) fn yamldecode(args: &Args<'_>) -> Given {
    let text = args.string(0)?;
    args.spend(text.len() / 16)?;
    let tree = yaml::parse(text);
    // The engines' library is a port of the same libyaml.
    if let Some(error) = tree.errors().first() {
        return Err(match error.kind {
            SyntaxErrorKind::Limit => Fault::open("the text is nested too deep"),
            _ => Fault::new(format!("invalid YAML: {}", error.message)),
        });
    }
    let mut documents = tree.documents();
    let Some(first) = documents.next() else {
        return Err(Fault::new("the text has no document"));
    };
    if documents.next().is_some() {
        return Err(Fault::new("the text holds several documents"));
    }
    first.root().map_or_else(|| Ok(Value::null()), decode)
}

/// What is still to be made into values, and of how many values a collection is made.
enum Todo<'t> {
    Node(Node<'t>),
    List(usize),
    Fields(Vec<Arc<str>>),
}

fn decode(root: Node<'_>) -> Given {
    let mut open = vec![Todo::Node(root)];
    let mut made: Vec<Value> = Vec::new();
    while let Some(next) = open.pop() {
        match next {
            Todo::Node(node) => match node.kind() {
                _ if node.tag().is_some() || node.anchor().is_some() => {
                    made.push(unknown("tags and anchors are not followed"))
                }
                Kind::Alias => made.push(unknown("tags and anchors are not followed")),
                Kind::Scalar => made.push(scalar(node)),
                Kind::Sequence => {
                    let items: Vec<_> = node.items().collect();
                    open.push(Todo::List(items.len()));
                    open.extend(items.into_iter().rev().map(Todo::Node));
                }
                Kind::Mapping => {
                    let entries: Vec<_> = node.entries().collect();
                    let keys: Option<Vec<Arc<str>>> = entries.iter().map(|e| key(e.key)).collect();
                    match keys {
                        Some(keys) => {
                            open.push(Todo::Fields(keys));
                            open.extend(entries.into_iter().rev().map(|e| Todo::Node(e.value)));
                        }
                        None => made.push(unknown("a key is no plain text")),
                    }
                }
            },
            Todo::List(count) => {
                let items = made.split_off(made.len().saturating_sub(count));
                made.push(Value::tuple(items));
            }
            Todo::Fields(keys) => {
                let values = made.split_off(made.len().saturating_sub(keys.len()));
                let fields: BTreeMap<Arc<str>, Value> = keys.into_iter().zip(values).collect();
                made.push(Value::object(fields));
            }
        }
    }
    made.pop().ok_or_else(|| Fault::open("the text cannot be read"))
}

fn unknown(why: &str) -> Value {
    Value::unknown(why)
}

/// A key of a mapping. One that is no text becomes one; a merge is not followed.
fn key(node: Node<'_>) -> Option<Arc<str>> {
    let is_plain = node.kind() == Kind::Scalar && node.tag().is_none() && node.anchor().is_none();
    let text = is_plain.then(|| node.value())?;
    if node.style() != Style::Plain {
        return Some((*text).into());
    }
    (text != "<<" && (is_text(&text) || text.bytes().all(|b| b.is_ascii_digit()))).then(|| (*text).into())
}

fn scalar(node: Node<'_>) -> Value {
    let text = node.value();
    if node.style() != Style::Plain {
        return Value::string(&text);
    }
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => Value::null(),
        "true" | "True" | "TRUE" => Value::bool(true),
        "false" | "False" | "FALSE" => Value::bool(false),
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Value::bool(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Value::bool(false),
        text if is_text(text) => Value::string(text),
        text if is_number(text) => Number::parse(text).map_or_else(
            || unknown("the number is too large to be computed exactly"),
            Value::number,
        ),
        _ => unknown("what this word means differs between versions of YAML"),
    }
}

/// Whether a plain word is a text in every version of YAML.
fn is_text(text: &str) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    let words = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", ".inf", ".nan", "=", "<<",
    ];
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_word = words.iter().any(|word| unsigned.eq_ignore_ascii_case(word));
    // Numbers, dates and times have no other letters and signs.
    let may_count = |c: char| c.is_ascii_hexdigit() || "xXoO_.:+- TZtz".contains(c);
    let is_like_number = first.is_ascii_digit() || matches!(first, '+' | '-' | '.');
    !(text.is_empty() || is_word || is_like_number && text.chars().all(may_count))
}

/// A decimal number without a leading zero.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    all_digits(whole) && all_digits(fraction) && (whole == "0" || !whole.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use crate::hcl::eval::{Budget, NoVariables, evaluate};

    /// What `yamldecode` gives, as JSON.
    fn decoded(yaml: &str) -> Option<String> {
        let text = format!("x = jsonencode(yamldecode({}))\n", crate::hcl::edit::quote(yaml));
        let tree = crate::hcl::parse(&text);
        let value = tree.body().attribute("x")?.value();
        let outcome = evaluate(value, 0, &NoVariables::default(), &Budget::default());
        outcome.value.as_str().map(str::to_owned)
    }

    #[test]
    fn what_all_versions_read_alike_is_known() {
        for (yaml, json) in [
            (
                "a: [x, 1, true, null]\nb:\n  c: 'y'\n",
                Some(r#"{"a":["x",1,true,null],"b":{"c":"y"}}"#),
            ),
            ("- a b\n- \"1\"\n- -2.5\n", Some(r#"["a b","1",-2.5]"#)),
            ("", None),
            ("# nothing\n", None),
            ("---\n", Some("null")),
            ("a: [yes, Off, yES]\n", None),
            ("a: [yes, Off, y]\n", Some(r#"{"a":[true,false,true]}"#)),
            ("a: 010\n", None),
            ("a: -.Inf\n", None),
            ("a: 10.0.0.0/8\n", Some(r#"{"a":"10.0.0.0/8"}"#)),
            ("a: 3rd\n", Some(r#"{"a":"3rd"}"#)),
            ("a: 2020-01-01\n", None),
            ("a: &x 1\nb: *x\n", None),
            ("<<: {a: 1}\n", None),
            ("a: [\n", None),
        ] {
            assert_eq!(decoded(yaml).as_deref(), json, "{yaml}");
        }
    }
}
