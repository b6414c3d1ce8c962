//! Keys of mappings anywhere, as `ank apply` checks them (A3, A5, A6): it accepts only names, even in what it
//! ignores.

use std::fmt::Arguments;

use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::serdeyaml::{Value, behind_tag, float_text, value};

use super::fields;
use super::manifest::{FaultKind, Version};
use super::reader::{Draft, Reader, unexpected};
use crate::judge::stage;

/// A key that `ank apply` rejects.
pub(super) struct RefusedKey {
    pub(super) stage: &'static str,
    pub(super) words: String,
}

/// The message of `ank apply` about a key as such.
pub(super) fn refused(key: Node<'_>) -> Option<RefusedKey> {
    refused_as(&value(key))
}

/// The same for a decoded key.
fn refused_as(key: &Value<'_>) -> Option<RefusedKey> {
    let at = |stage, words| Some(RefusedKey { stage, words });
    let unsupported = |what: String| at(stage::KEYS, format!("Unsupported mapping key '{what}'"));
    match key {
        Value::Str(text) if fields::is_name(text) => None,
        Value::Str(text) => at(
            stage::KEYS,
            format!("Invalid mapping key '{text}': Expected to have characters in [a-zA-Z0-9_-]."),
        ),
        Value::Int(_) => None,
        Value::Bool(b) => unsupported(format!("Bool({b})")),
        Value::Float(f) if !f.is_finite() => at(
            stage::JSON,
            "float key must be finite (got NaN or +/-inf)".to_owned(),
        ),
        Value::Float(f) => unsupported(format!("Number({})", float_text(*f))),
        Value::Null | Value::Seq(_) | Value::Map(_) | Value::Tagged(..) => {
            at(stage::JSON, "key must be a string".to_owned())
        }
    }
}

/// A key that is not a scalar, where the server expects the name of something: the messages of both. `path` is
/// the mapping that contains it, in the server's notation.
pub(super) fn is_complex(
    reader: &mut Reader<'_>,
    key: Node<'_>,
    path: Arguments<'_>,
    expected: &str,
) -> bool {
    if key.resolve().is_none_or(|key| key.is_scalar() || key.is_absent()) {
        return false;
    }
    reader.seen.insert(key.span().start);
    let place = reader.place_of(key);
    let at = reader.at(key);
    let path = path.to_string();
    let colon = if path.is_empty() { "" } else { ": " };
    let what = unexpected(&behind_tag(key));
    let words = format!("{path}{colon}invalid type: {what}, expected {expected}{at}");
    let mut draft =
        Draft::new(FaultKind::KeyCharacters(key.source().into()), place).startup(stage::PARSE, words);
    if let Some(refused) = refused(key) {
        draft = draft.apply(refused.stage, refused.words);
    }
    reader.fault(draft);
    true
}

/// Checks all keys below a root that were not checked when reading fields.
pub(super) fn check(reader: &mut Reader<'_>, root: Node<'_>) {
    // Below a local tag only the conversion to JSON checks keys.
    let mut stack = vec![(root, 0usize, false)];
    while let Some((node, depth, is_tagged)) = stack.pop() {
        let first = stack.len();
        let (decoded, is_tagged) = match value(node) {
            Value::Tagged(..) => (behind_tag(node), true),
            decoded => (decoded, is_tagged),
        };
        match decoded {
            Value::Map(map) => {
                for entry in map.entries() {
                    if is_tagged {
                        key_as_json(reader, entry.key);
                    } else {
                        key(reader, entry.key, entry.value, depth);
                    }
                    // The target of an alias is checked where it is written.
                    if !entry.value.is_scalar() && entry.value.anchored().is_none() {
                        stack.push((entry.value, depth + 1, is_tagged));
                    }
                }
            }
            Value::Seq(list) => {
                let items = list.items().filter(|i| i.anchored().is_none());
                stack.extend(items.map(|i| (i, depth + 1, is_tagged)));
            }
            _ => {}
        }
        stack.get_mut(first..).unwrap_or_default().reverse();
    }
}

/// A negative number as a key where `ank apply` converts fields, which it also accepts by their numbers.
pub(super) fn below_zero(reader: &mut Reader<'_>, key: Node<'_>) {
    let number = value(key);
    if matches!(number, Value::Int(number) if number < 0) {
        let place = reader.place_of(key);
        let kind = FaultKind::KeyCharacters(key.source().into());
        let words = format!("invalid type: {}, expected field identifier", unexpected(&number));
        reader.fault(Draft::new(kind, place).apply(stage::CONVERT, words));
    }
}

fn key_as_json(reader: &mut Reader<'_>, key: Node<'_>) {
    if reader.seen.contains(&key.span().start) {
        return;
    }
    if let Some(refused) = refused(key).filter(|refused| refused.stage == stage::JSON) {
        let place = reader.place_of(key);
        let kind = FaultKind::KeyCharacters(key.source().into());
        reader.fault(Draft::new(kind, place).apply(refused.stage, refused.words));
    }
}

fn key(reader: &mut Reader<'_>, key: Node<'_>, item: Node<'_>, depth: usize) {
    let text = value(key);
    if depth > 0 && matches!(&text, Value::Str(t) if t == "apiVersion") {
        let nested = match value(item) {
            Value::Str(t) if t == "v1" => Version::V1,
            Value::Str(t) if t == "v0.1" => Version::V01,
            _ => Version::Other(item.value().into()),
        };
        if nested != reader.version {
            let place = reader.place_of(key);
            let top = reader.out.version_place;
            let draft = Draft::new(FaultKind::NestedVersion(item.value().into()), place);
            reader.fault(draft.related(top));
        }
        reader.out.nested_versions.push(nested);
    }
    if reader.seen.contains(&key.span().start) {
        return;
    }
    if let Some(refused) = refused_as(&text) {
        let place = reader.place_of(key);
        let kind = match &text {
            Value::Str(t) if t == "<<" => FaultKind::MergeKey,
            _ => FaultKind::KeyCharacters(key.source().into()),
        };
        reader.fault(Draft::new(kind, place).apply(refused.stage, refused.words));
    }
}
