//! A ConfigMap that is labeled as Config, as kapp reads all of it before it looks for the Config in it
//! (apimachinery, `runtime/converter.go`, from the untyped object to `v1.ConfigMap`).

use super::decode::json_kind;
use super::places::Places;
use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::goyaml::{self, Value};

/// A type of a field.
enum Type {
    Text,
    Flag,
    Whole,
    /// A timestamp.
    Time,
    /// Bytes, written in Base64.
    Bytes,
    Map(&'static Type),
    List(&'static Type),
    /// The fields that are checked, in the order of Go's struct.
    Struct(&'static [(&'static str, Type)]),
}

static REFERENCE: Type = Type::Struct(&[
    ("apiVersion", Type::Text),
    ("kind", Type::Text),
    ("name", Type::Text),
    ("uid", Type::Text),
    ("controller", Type::Flag),
    ("blockOwnerDeletion", Type::Flag),
]);

/// Except `fieldsV1`, which may be anything.
static MANAGED: Type = Type::Struct(&[
    ("manager", Type::Text),
    ("operation", Type::Text),
    ("apiVersion", Type::Text),
    ("time", Type::Time),
    ("fieldsType", Type::Text),
    ("subresource", Type::Text),
]);

static METADATA: Type = Type::Struct(&[
    ("name", Type::Text),
    ("generateName", Type::Text),
    ("namespace", Type::Text),
    ("selfLink", Type::Text),
    ("uid", Type::Text),
    ("resourceVersion", Type::Text),
    ("generation", Type::Whole),
    ("creationTimestamp", Type::Time),
    ("deletionTimestamp", Type::Time),
    ("deletionGracePeriodSeconds", Type::Whole),
    ("labels", Type::Map(&Type::Text)),
    ("annotations", Type::Map(&Type::Text)),
    ("ownerReferences", Type::List(&REFERENCE)),
    ("finalizers", Type::List(&Type::Text)),
    ("managedFields", Type::List(&MANAGED)),
]);

static CONFIG_MAP: [(&str, &Type); 4] = [
    ("metadata", &METADATA),
    ("immutable", &Type::Flag),
    ("data", &Type::Map(&Type::Text)),
    ("binaryData", &Type::Map(&Type::Bytes)),
];

/// The first field of a wrong type, as the converter's message. Which of several entries of a mapping comes
/// first is random in Go; here it is the first that is written.
pub(super) fn fault<'t>(fields: &[goyaml::Field<'t>], places: &mut Places<'_>) -> Option<(String, Node<'t>)> {
    let mut open: Vec<(Node<'t>, &'static Type)> = Vec::new();
    for (name, ty) in CONFIG_MAP.iter().rev() {
        open.extend(fields.iter().find(|f| f.name == *name).map(|f| (f.value, *ty)));
    }
    while let Some((node, ty)) = open.pop() {
        let value = goyaml::value(node);
        if value == Value::Null || !places.spend(1) {
            continue;
        }
        let words = match (ty, &value) {
            (Type::Text, Value::Str(_)) | (Type::Flag, Value::Bool(_)) => continue,
            (Type::Whole, Value::Int(_) | Value::Uint(_)) => continue,
            (Type::Whole, Value::Float(number)) if number.trunc() == *number => continue,
            (Type::Whole, Value::Float(_)) => "cannot convert float64 to int64".to_owned(),
            (Type::Text, _) => "unrecognized type: string".to_owned(),
            (Type::Flag, _) => "unrecognized type: bool".to_owned(),
            (Type::Whole, _) => "unrecognized type: int64".to_owned(),
            (Type::Time, Value::Str(text)) => match no_year(text) {
                Some(words) => words,
                None => continue,
            },
            (Type::Time, _) => {
                let kind = json_kind(&value);
                format!("json: cannot unmarshal {kind} into Go value of type string")
            }
            (Type::Bytes, Value::Str(text)) => match not_base64(text.as_bytes()) {
                Some(at) => format!("error decoding from json: illegal base64 data at input byte {at}"),
                None => continue,
            },
            (Type::Map(ty), Value::Map(map)) => {
                let entries = goyaml::fields(*map);
                open.extend(entries.iter().rev().map(|f| (f.value, *ty)));
                continue;
            }
            (Type::List(ty), Value::Seq(list)) => {
                let items: Vec<_> = list.items().collect();
                open.extend(items.into_iter().rev().map(|item| (item, *ty)));
                continue;
            }
            (Type::Struct(wanted), Value::Map(map)) => {
                let entries = goyaml::fields(*map);
                for (name, ty) in wanted.iter().rev() {
                    open.extend(entries.iter().find(|f| f.name == *name).map(|f| (f.value, ty)));
                }
                continue;
            }
            (Type::Map(_), _) => format!("cannot restore map from {}", kind(&value)),
            (Type::List(_) | Type::Bytes, _) => format!("cannot restore slice from {}", kind(&value)),
            (Type::Struct(_), _) => format!("cannot restore struct from: {}", kind(&value)),
        };
        return Some((words, node));
    }
    None
}

/// Where Go stops in a text that is not Base64; errors after its padding are not searched for.
fn not_base64(text: &[u8]) -> Option<usize> {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let is_break = |byte: &u8| matches!(byte, b'\r' | b'\n');
    match text.iter().position(|byte| !is_digit(byte) && !is_break(byte)) {
        Some(at) => (text.get(at) != Some(&b'=')).then_some(at),
        None => {
            let left_over = text.iter().filter(|byte| is_digit(byte)).count() % 4;
            (left_over > 0).then(|| text.len() - left_over)
        }
    }
}

/// Go's message about a time that does not begin with a year; other errors in it are not searched for.
fn no_year(text: &str) -> Option<String> {
    let has_year = text
        .get(..4)
        .is_some_and(|year| year.bytes().all(|b| b.is_ascii_digit()));
    let is_plain = text.bytes().all(|b| b.is_ascii_alphanumeric());
    (!has_year && is_plain).then(|| {
        format!(
            "parsing time \"{text}\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"{text}\" as \"2006\""
        )
    })
}

/// The kind of a decoded JSON value in Go's reflection.
fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => "float64",
        Value::Str(_) => "string",
        Value::Seq(_) => "slice",
        Value::Map(_) => "map",
    }
}
