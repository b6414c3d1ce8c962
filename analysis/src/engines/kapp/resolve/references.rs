//! References to versioned resources: a new version changes who refers to it (kapp's template rules).

use super::changes::Change;
use super::load::Loaded;
use crate::syntax::yaml::dialect::goyaml::{self, Value};

/// A versioned resource that gets a new name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Renamed {
    pub(crate) kind: Box<str>,
    pub(crate) namespace: Box<str>,
    pub(crate) name: Box<str>,
}

/// Keys under which a resource is named, with its kind, and the key of the name.
const NAMED_UNDER: [(&str, &str, &str); 9] = [
    ("configMapKeyRef", "ConfigMap", "name"),
    ("configMapRef", "ConfigMap", "name"),
    ("configMap", "ConfigMap", "name"),
    ("secretKeyRef", "Secret", "name"),
    ("secretRef", "Secret", "name"),
    ("secret", "Secret", "secretName"),
    ("secret", "Secret", "name"),
    ("imagePullSecrets", "Secret", "name"),
    ("kubeconfigSecretRef", "Secret", "name"),
];

/// How many values are looked at in one resource.
const BUDGET: usize = 1_000_000;

/// Whether a resource refers to one that gets a new name.
pub(crate) fn mentions(loaded: &Loaded, change: &Change, renamed: &[Renamed]) -> bool {
    if renamed.is_empty() {
        return false;
    }
    let node = loaded.input(change.item).and_then(|input| {
        let piece = &input.facts.pieces.get(change.item.piece as usize)?.piece;
        piece.content(change.item.resource as usize).node()
    });
    let named = |kind: &str, name: &str| {
        renamed
            .iter()
            .any(|r| *r.kind == *kind && *r.name == *name && r.namespace == change.namespace)
    };
    let mut stack: Vec<_> = node.into_iter().map(|n| ("", n)).collect();
    let mut budget = BUDGET;
    while let Some((under, node)) = stack.pop() {
        budget -= 1;
        if budget == 0 {
            return false;
        }
        match goyaml::value(node) {
            Value::Map(map) => {
                let fields = goyaml::fields(map);
                for (key, kind, name_key) in NAMED_UNDER {
                    if key != under {
                        continue;
                    }
                    let name = fields
                        .iter()
                        .find(|f| f.name == name_key)
                        .map(goyaml::Field::decoded);
                    if matches!(&name, Some(Value::Str(name)) if named(kind, name)) {
                        return true;
                    }
                }
                for field in fields {
                    let key = NAMED_UNDER.iter().find(|(k, _, _)| field.name == *k);
                    stack.push((key.map_or("", |(k, _, _)| *k), field.value));
                }
            }
            Value::Seq(list) => stack.extend(list.items().map(|item| (under, item))),
            _ => {}
        }
    }
    false
}
