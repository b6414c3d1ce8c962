//! A resource as the object that kapp writes references into and compares with what is applied.

use serde_json::{Map, Number, Value as Json};

use super::load::{Item, Loaded};
use crate::syntax::yaml::Node;
use crate::syntax::yaml::dialect::goyaml::{self, Value};

/// How many values are taken out of one resource; aliases can make more of them than there is text.
const BUDGET: usize = 1_000_000;

/// How deep values may be nested; what YAML writes can only be deeper through aliases.
const MAX_DEPTH: usize = 256;

/// The object of a resource; `Null` past a limit of ours.
pub(super) fn of(loaded: &Loaded, item: Item) -> Json {
    let node = loaded.input(item).and_then(|input| {
        let piece = &input.facts.pieces.get(item.piece as usize)?.piece;
        piece.content(item.resource as usize).node()
    });
    let mut budget = BUDGET;
    node.and_then(|node| json(node, 0, &mut budget))
        .unwrap_or(Json::Null)
}

fn json(node: Node<'_>, depth: usize, budget: &mut usize) -> Option<Json> {
    if depth > MAX_DEPTH {
        return None;
    }
    *budget = budget.checked_sub(1)?;
    Some(match goyaml::value(node) {
        Value::Null => Json::Null,
        Value::Bool(b) => Json::Bool(b),
        Value::Int(n) => number(n as f64),
        Value::Uint(n) => number(n as f64),
        Value::Float(n) => number(n),
        Value::Str(text) => Json::String(text.into_owned()),
        Value::Seq(list) => Json::Array(
            list.items()
                .map(|item| json(item, depth + 1, budget))
                .collect::<Option<_>>()?,
        ),
        Value::Map(map) => {
            let mut out = Map::new();
            for field in goyaml::fields(map) {
                out.insert(field.name.into_owned(), json(field.value, depth + 1, budget)?);
            }
            Json::Object(out)
        }
    })
}

fn number(value: f64) -> Json {
    Number::from_f64(value).map_or(Json::Null, Json::Number)
}

/// The text at `metadata.<key>`.
pub(super) fn metadata<'a>(object: &'a Json, key: &str) -> &'a str {
    object["metadata"][key].as_str().unwrap_or("")
}

/// Writes the namespace that was decided on; empty for none.
pub(super) fn set_namespace(object: &mut Json, namespace: &str) {
    if let Some(Json::Object(metadata)) = object.get_mut("metadata") {
        if namespace.is_empty() {
            metadata.remove("namespace");
        } else {
            metadata.insert("namespace".to_owned(), Json::from(namespace));
        }
    }
}

/// An annotation.
pub(super) fn annotation<'a>(object: &'a Json, key: &str) -> Option<&'a str> {
    object["metadata"]["annotations"].get(key)?.as_str()
}

/// kapp's annotation with what was applied last.
const ORIGINAL: &str = "kapp.k14s.io/original";

/// Whether an object was read from a cluster and not out of a manifest.
pub(super) fn is_of_cluster(object: &Json) -> bool {
    !metadata(object, "uid").is_empty()
        || annotation(object, IDENTITY).is_some()
        || annotation(object, ORIGINAL).is_some()
}

const IDENTITY: &str = "kapp.k14s.io/identity";

/// Whether an object on a cluster was made by a controller and not by kapp. kapp tells by an annotation of its own
/// that it takes off before it prints an object; who owns it, and what was applied, is still there.
pub(super) fn is_transient(object: &Json) -> bool {
    if metadata(object, "uid").is_empty() || annotation(object, IDENTITY).is_some() {
        return false;
    }
    let owned = object["metadata"]["ownerReferences"]
        .as_array()
        .is_some_and(|o| !o.is_empty());
    let recorded = [ORIGINAL, "kapp.k14s.io/disable-original"]
        .iter()
        .any(|key| annotation(object, key).is_some());
    owned || !recorded
}

/// Labels and annotations that kapp adds to what it applies.
const ADDED: [&str; 7] = [
    "kapp.k14s.io/app",
    "kapp.k14s.io/association",
    IDENTITY,
    "kapp.k14s.io/nonce",
    ORIGINAL,
    "kapp.k14s.io/original-diff",
    "kapp.k14s.io/original-diff-md5",
];

/// What of an object on the cluster a new one is compared with: what was applied last, where kapp noted it.
pub(super) fn applied(object: &Json) -> Json {
    let noted = annotation(object, ORIGINAL).and_then(|text| serde_json::from_str(text).ok());
    comparable(noted.unwrap_or_else(|| object.clone()))
}

/// What counts in a comparison: not the status, of the metadata labels and annotations alone, and nothing that
/// kapp itself adds (kapp's rebase rules).
pub(super) fn comparable(mut object: Json) -> Json {
    if let Json::Object(map) = &mut object {
        map.remove("status");
        if let Some(Json::Object(metadata)) = map.get_mut("metadata") {
            metadata.retain(|key, _| matches!(key.as_str(), "labels" | "annotations"));
            metadata.retain(|_, value| !is_empty(value));
        }
        map.retain(|key, value| key != "metadata" || !is_empty(value));
    }
    strip(&mut object, 0);
    object
}

fn is_empty(value: &Json) -> bool {
    value.is_null() || value.as_object().is_some_and(Map::is_empty)
}

/// Takes out what kapp adds, with the mappings it had to make for it, and writes numbers alike.
fn strip(value: &mut Json, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Json::Number(n) => {
            if let Some(plain) = n.as_f64() {
                *value = number(plain);
            }
        }
        Json::Array(list) => list.iter_mut().for_each(|item| strip(item, depth + 1)),
        Json::Object(map) => {
            map.retain(|key, inner| {
                if ADDED.contains(&key.as_str()) {
                    return false;
                }
                let empty = is_empty(inner);
                strip(inner, depth + 1);
                empty || !is_empty(inner)
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Json {
        let tree = crate::syntax::yaml::parse(text);
        json(tree.first_document().unwrap().root().unwrap(), 0, &mut 1000).unwrap()
    }

    #[test]
    fn what_a_cluster_adds_does_not_count() {
        let new = object("{metadata: {name: a, labels: {x: y}}, spec: {status: 1, n: 0x10}}");
        let stored = object(
            "{metadata: {name: a, uid: u, labels: {x: y, kapp.k14s.io/app: '1'}}, spec: {status: 1, n: 16}, status: {x: y}}",
        );
        assert_eq!(comparable(new.clone()), applied(&stored));
        assert_ne!(
            comparable(new),
            comparable(object("{metadata: {labels: {x: y}}}"))
        );
    }

    #[test]
    fn mappings_that_kapp_makes_for_its_labels_do_not_count_and_others_do() {
        let made = object("{spec: {template: {metadata: {labels: {kapp.k14s.io/app: '1'}}, a: {}}}}");
        assert_eq!(comparable(made), object("{spec: {template: {a: {}}}}"));
    }

    #[test]
    fn what_was_applied_last_comes_before_what_is_there() {
        let stored = object(
            r#"{metadata: {uid: u, annotations: {kapp.k14s.io/original: '{"spec":{"size":1}}'}}, spec: {size: 1, defaulted: true}}"#,
        );
        assert_eq!(applied(&stored), object("spec: {size: 1}"));
        assert!(!is_transient(&stored));
        assert!(is_transient(&object(
            "metadata: {uid: u, ownerReferences: [{kind: ReplicaSet}]}"
        )));
    }
}
