//! `yamldecode`.
//!
//! Source: go-cty-yaml 1.1, of which the engines use 1.0 or 1.1.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::convert::convert;
use super::super::types::Type;
use super::super::value::{Data, Value};
use super::yaml_scalar::{Resolved, resolve, scalar};
use super::{Args, Fault, Given};
use crate::yaml::{self, Kind, Node, SyntaxErrorKind};

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
        return Err(Fault::new("the text has several documents"));
    }
    first
        .root()
        .map_or_else(|| Ok(Value::null()), |root| decode(root, args))
}

/// What remains to be converted into values, and the number of values of a collection.
enum Todo<'t> {
    Node(Node<'t>),
    List(usize),
    Fields(Vec<Key>),
    /// The most recent value has this name.
    Named(&'t str),
}

enum Key {
    Text(Arc<str>),
    Merge,
    Unknown(Value),
}

/// The values of anchors.
#[derive(Default)]
struct Anchors<'t> {
    values: BTreeMap<&'t str, Value>,
    /// How many nodes with a name are being converted.
    open: BTreeMap<&'t str, u32>,
}

fn decode(root: Node<'_>, args: &Args<'_>) -> Given {
    let mut open = vec![Todo::Node(root)];
    let mut made: Vec<Value> = Vec::new();
    let mut anchors = Anchors::default();
    while let Some(next) = open.pop() {
        match next {
            Todo::Node(node) => {
                if let Some(anchor) = node.anchor() {
                    *anchors.open.entry(anchor.name).or_default() += 1;
                    open.push(Todo::Named(anchor.name));
                }
                match node.kind() {
                    Kind::Alias => {
                        let value = anchors.value(&node.value())?;
                        args.spend(value.count())?;
                        made.push(value);
                    }
                    Kind::Scalar => made.push(scalar(node)?),
                    Kind::Sequence => {
                        check_tag(node, "tag:yaml.org,2002:seq")?;
                        let items: Vec<_> = node.items().collect();
                        open.push(Todo::List(items.len()));
                        open.extend(items.into_iter().rev().map(Todo::Node));
                    }
                    Kind::Mapping => {
                        check_tag(node, "tag:yaml.org,2002:map")?;
                        let entries: Vec<_> = node.entries().collect();
                        let keys: Result<Vec<_>, _> = entries.iter().map(|e| key(e.key)).collect();
                        open.push(Todo::Fields(keys?));
                        open.extend(entries.into_iter().rev().map(|e| Todo::Node(e.value)));
                    }
                }
            }
            Todo::List(count) => {
                let items = made.split_off(made.len().saturating_sub(count));
                made.push(Value::tuple(items));
            }
            Todo::Fields(keys) => {
                let values = made.split_off(made.len().saturating_sub(keys.len()));
                made.push(mapping(keys.into_iter().zip(values), args)?);
            }
            Todo::Named(name) => {
                if let Some(count) = anchors.open.get_mut(name) {
                    *count -= 1;
                }
                if let Some(value) = made.last() {
                    anchors.values.insert(name, value.clone());
                }
            }
        }
    }
    made.pop().ok_or_else(|| Fault::open("the text cannot be read"))
}

impl Anchors<'_> {
    fn value(&self, name: &str) -> Given {
        if self.open.get(name).is_some_and(|count| *count > 0) {
            return Err(Fault::new(format!(
                "invalid YAML: `&{name}` contains an alias of itself"
            )));
        }
        let value = self.values.get(name).cloned();
        value.ok_or_else(|| {
            Fault::new(format!(
                "invalid YAML: the anchor of the alias `*{name}` does not exist"
            ))
        })
    }
}

fn check_tag(node: Node<'_>, wanted: &str) -> Result<(), Fault> {
    match node.tag() {
        Some(tag) if tag != wanted => Err(Fault::new(format!("invalid YAML: the tag `{tag}` does not fit"))),
        _ => Ok(()),
    }
}

/// A key of a mapping, as a string. An anchor on it is not kept.
fn key(node: Node<'_>) -> Result<Key, Fault> {
    let refused = |what: &str| Fault::new(format!("invalid YAML: {what} cannot be a key"));
    match node.kind() {
        Kind::Scalar => {}
        Kind::Alias => return Err(refused("an alias")),
        Kind::Mapping | Kind::Sequence => return Err(refused("a collection")),
    }
    let value = match resolve(node)? {
        Resolved::Merge => return Ok(Key::Merge),
        Resolved::Value(value) => value,
    };
    if value.is_null() {
        return Err(refused("null"));
    }
    Ok(match convert(&value, &Type::String) {
        Ok(Value {
            data: Data::String(text),
            ..
        }) => Key::Text(text),
        _ => Key::Unknown(value),
    })
}

/// A mapping from its entries, of which a later one wins, written or merged.
fn mapping(entries: impl Iterator<Item = (Key, Value)>, args: &Args<'_>) -> Given {
    let mut fields: BTreeMap<Arc<str>, Value> = BTreeMap::new();
    let mut unknown = None;
    for (key, value) in entries {
        match (key, value.data) {
            (Key::Text(name), data) => {
                fields.insert(name, Value { data, ..value });
            }
            (Key::Unknown(key), _) => unknown = unknown.or(Some(key)),
            (Key::Merge, Data::Object(merged)) => {
                args.spend(merged.values().len())?;
                let merged = merged.values().iter();
                fields.extend(merged.map(|(name, value)| (Arc::clone(name), value.clone())));
            }
            (Key::Merge, data @ Data::Unknown(_)) => unknown = unknown.or(Some(data.into())),
            (Key::Merge, _) => {
                return Err(Fault::new("invalid YAML: only a mapping can be merged with `<<`"));
            }
        }
    }
    // The type of the others is unknown too.
    Ok(match unknown.as_ref().and_then(Value::as_unknown) {
        Some(why) => Value::unknown(&why.why),
        None => Value::object(fields),
    })
}

#[cfg(test)]
mod tests {
    use crate::hcl::eval::{Budget, EvalErrorKind, NoVariables, evaluate};

    /// The result of `yamldecode`, as JSON; `rejected`, or `open` if it cannot be known here.
    fn decoded(yaml: &str) -> String {
        let text = format!("x = jsonencode(yamldecode({}))\n", crate::hcl::edit::quote(yaml));
        let tree = crate::hcl::parse(&text);
        let value = tree.body().attribute("x").unwrap().value();
        let outcome = evaluate(value, 0, &NoVariables::default(), &Budget::default());
        match outcome.value.as_str() {
            Some(json) => json.to_owned(),
            None if outcome.errors.iter().any(|e| e.kind != EvalErrorKind::Limit) => "rejected".to_owned(),
            None => "open".to_owned(),
        }
    }

    #[test]
    fn texts_become_what_terraform_makes_of_them() {
        for (yaml, json) in [
            (
                "a: [x, 1, true, null]\nb:\n  c: 'y'\n",
                r#"{"a":["x",1,true,null],"b":{"c":"y"}}"#,
            ),
            ("- a b\n- \"1\"\n- -2.5\n", r#"["a b","1",-2.5]"#),
            ("", "rejected"),
            ("# nothing\n", "rejected"),
            ("---\n", "null"),
            ("a: [yes, Off, yES]\n", r#"{"a":[true,false,"yES"]}"#),
            ("a: [\n", "rejected"),
            ("a: 10.0.0.0/8\n", r#"{"a":"10.0.0.0/8"}"#),
            (
                "a: [+5, 010, 0x1F, 0o17, 1e3, 1., .5, -.5]\n",
                r#"{"a":[5,10,31,15,1000,1,0.5,-0.5]}"#,
            ),
            (
                "a: [., 12:30, 1.2.3, 3rd, =, tRuE, <<]\n",
                r#"{"a":[".","12:30","1.2.3","3rd","=","tRuE","\u003c\u003c"]}"#,
            ),
            // Infinity cannot be written as JSON.
            ("a: -.Inf\n", "rejected"),
            ("a: .nan\n", "rejected"),
            // Read differently by earlier versions.
            ("a: 1_000\n", "open"),
            ("a: -0x1F\n", "open"),
            // The content of a block scalar is resolved like a word.
            (
                "a: |-\n  yes\nb: >-\n  010\nc: |-\n  ~\nd: |\n  yes\n",
                r#"{"a":"true","b":"10","c":null,"d":"yes\n"}"#,
            ),
        ] {
            assert_eq!(decoded(yaml), json, "{yaml}");
        }
    }

    #[test]
    fn times_are_texts() {
        for (yaml, text) in [
            ("2020-01-01", "2020-01-01T00:00:00Z"),
            ("2020-1-2T3:4:5Z", "2020-01-02T03:04:05Z"),
            ("2020-01-02 03:04:05.5", "2020-01-02T03:04:05Z"),
            ("2020-01-02t03:04:05+02:00", "2020-01-02T03:04:05+02:00"),
            ("2020-01-02T03:04:05,5-07:30", "2020-01-02T03:04:05-07:30"),
            ("2020-01-02T03:04:05+00:00", "2020-01-02T03:04:05Z"),
            ("2020-13-01", "2020-13-01"),
            ("2021-02-29", "2021-02-29"),
            ("2020-01-02T03:04:05", "2020-01-02T03:04:05"),
        ] {
            assert_eq!(decoded(yaml), format!("\"{text}\""), "{yaml}");
        }
        assert_eq!(decoded("2020-01-02T03:04:05+24:00"), "open");
    }

    #[test]
    fn aliases_and_merges_are_followed() {
        for (yaml, json) in [
            ("a: &x 1\nb: *x\n", r#"{"a":1,"b":1}"#),
            ("a: &x 1\nb: &x 2\nc: *x\n", r#"{"a":1,"b":2,"c":2}"#),
            (
                "a: &x {k: &y [1]}\nb: *y\nc: *x\n",
                r#"{"a":{"k":[1]},"b":[1],"c":{"k":[1]}}"#,
            ),
            ("a: &x\nb: *x\n", r#"{"a":null,"b":null}"#),
            (
                "b: &b {x: 1, z: 2}\nc:\n  <<: *b\n  z: 3\n",
                r#"{"b":{"x":1,"z":2},"c":{"x":1,"z":3}}"#,
            ),
            // The last one wins, merged or not.
            (
                "b: &b {x: 1}\nc:\n  x: 5\n  <<: *b\n",
                r#"{"b":{"x":1},"c":{"x":1}}"#,
            ),
            ("\"<<\": {a: 1}\n", r#"{"a":1}"#),
            ("b: &b {x: 1}\nc:\n  <<: [*b]\n", "rejected"),
            ("<<: ~\n", "rejected"),
            ("a: &a [*a]\n", "rejected"),
            ("a: *nowhere\n", "rejected"),
            // An anchor on a key names nothing.
            ("&k key: 1\nb: *k\n", "rejected"),
            ("x: &a y\n*a : 1\n", "rejected"),
        ] {
            assert_eq!(decoded(yaml), json, "{yaml}");
        }
    }

    #[test]
    fn keys_become_texts() {
        for (yaml, json) in [
            ("1: x\ntrue: v\n2.50: z\n", r#"{"1":"x","2.5":"z","true":"v"}"#),
            ("yes: 1\n", r#"{"true":1}"#),
            ("2020-01-01: x\n", r#"{"2020-01-01T00:00:00Z":"x"}"#),
            ("? |-\n  yes\n: 1\n", r#"{"true":1}"#),
            ("a: 1\na: 2\n", r#"{"a":2}"#),
            ("null: x\n", "rejected"),
            ("~: x\n", "rejected"),
            ("? [a]\n: 1\n", "rejected"),
            ("1_0: x\n", "open"),
        ] {
            assert_eq!(decoded(yaml), json, "{yaml}");
        }
    }

    #[test]
    fn tags_say_what_a_word_is() {
        for (yaml, json) in [
            ("!!str 12", r#""12""#),
            ("!!str", r#""""#),
            ("!!int '12'", r#""12""#),
            ("!!int x", "rejected"),
            ("!!int yes", "true"),
            ("!!int 1_000", "1000"),
            ("!!int 0b11", "3"),
            ("!!bool 12", "12"),
            ("!!null foo", "null"),
            ("!!binary aGk=", r#""aGk=""#),
            ("!!binary a", "rejected"),
            ("!!timestamp 2020-01-01", r#""2020-01-01T00:00:00Z""#),
            ("!!timestamp x", "rejected"),
            ("!!map {b: 1}", r#"{"b":1}"#),
            ("!!seq [1]", "[1]"),
            ("!!set {b: 1}", "rejected"),
            ("! 12", "rejected"),
            ("!foo 12", "rejected"),
        ] {
            assert_eq!(decoded(yaml), json, "{yaml}");
        }
    }

    #[test]
    fn aliases_of_aliases_meet_a_limit() {
        let mut yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = format!("*a{}", level - 1);
            yaml += &format!("a{level}: &a{level} [{}]\n", vec![before; 10].join(", "));
        }
        assert_eq!(decoded(&yaml), "open");
    }
}
