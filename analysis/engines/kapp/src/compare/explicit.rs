//! References to versioned resources in annotations: kapp writes the new name into their text (kapp, versioned
//! resources).

use serde_json::{Map, Value as Json};

use super::templates::{DiffError, Fields, Named, replace};
use applyorder_syntax::yaml::dialect::goyaml;
use applyorder_syntax::yaml::{self, Node};

const EXPLICIT: &str = "kapp.k14s.io/versioned-explicit-ref";

/// Whether an annotation is a reference to a versioned resource.
pub(super) fn is_explicit(key: &str) -> bool {
    key.strip_prefix(EXPLICIT)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The annotation of an object that names a versioned resource, with the name written into it, and the
/// resulting name.
pub(super) fn write(
    text: &str,
    key: &str,
    named: &Named,
    description: &str,
) -> Result<(String, Option<String>), DiffError> {
    let mut map = parse(text, key).map_err(|fault| {
        fault.within(&format!(
            "Parsing versioned explicit ref on resource '{description}'"
        ))
    })?;
    let unsupported = map.values().any(contains_map);
    let replaced = if unsupported {
        Err(DiffError::error(
            "Remarshaling object reference: json: unsupported type: map[interface {}]interface {}",
        ))
    } else {
        replace(&mut map, "", named)
    };
    replaced.map_err(|fault| {
        fault.within(&format!(
            "Processing object ref for explicit ref on resource '{description}'"
        ))
    })?;
    let mut rows: Vec<String> = map
        .iter()
        .map(|(key, value)| format!("{}: {}\n", scalar(key), written(value)))
        .collect();
    rows.sort();
    let name = Fields::read(&map).ok().map(|read| read.name.to_owned());
    Ok((rows.concat(), name))
}

fn contains_map(value: &Json) -> bool {
    match value {
        Json::Object(_) => true,
        Json::Array(list) => list.iter().any(Json::is_object),
        _ => false,
    }
}

/// The error in such an annotation, as kapp's message.
fn parse(text: &str, key: &str) -> Result<Map<String, Json>, DiffError> {
    let tree = yaml::parse(text);
    let document = tree.first_document();
    let refused = |words: String| {
        DiffError::error(format!(
            "Parsing versioned explicit reference from annotation '{key}': {words}"
        ))
    };
    if let Some(refusal) = document
        .and_then(goyaml::refusal)
        .filter(|r| !r.message.starts_with("json: "))
    {
        return Err(refused(refusal.message));
    }
    let root = document.and_then(|d| d.root());
    let mut map = Map::new();
    match root.map(|root| (root, goyaml::value(root))) {
        None | Some((_, goyaml::Value::Null)) => {}
        Some((_, goyaml::Value::Map(fields))) => {
            for field in goyaml::fields(fields) {
                let value = plain(field.value);
                map.insert(field.name.into_owned(), value);
            }
        }
        Some((root, value)) => {
            let line = text
                .get(..root.span().start as usize)
                .map_or(1, |before| before.matches('\n').count() + 1);
            return Err(refused(format!(
                "yaml: unmarshal errors:\n  line {line}: cannot unmarshal {} into map[string]interface {{}}",
                go_value(root, &value)
            )));
        }
    }
    if ["apiVersion", "kind", "name"]
        .iter()
        .all(|key| map.contains_key(*key))
    {
        return Ok(map);
    }
    Err(DiffError::error(
        "Expected versioned explicit reference to specify non-empty apiVersion, kind and name keys",
    ))
}

fn plain(node: Node<'_>) -> Json {
    match goyaml::value(node) {
        goyaml::Value::Null => Json::Null,
        goyaml::Value::Bool(b) => Json::Bool(b),
        goyaml::Value::Int(n) => Json::from(n),
        goyaml::Value::Uint(n) => Json::from(n),
        goyaml::Value::Float(n) => Json::from(n),
        goyaml::Value::Str(text) => Json::String(text.into_owned()),
        // Only their presence matters: a reference with such a field is rejected.
        goyaml::Value::Seq(_) => Json::Array(Vec::new()),
        goyaml::Value::Map(_) => Json::Object(Map::new()),
    }
}

/// A value as the YAML library names it in its errors.
fn go_value(node: Node<'_>, value: &goyaml::Value<'_>) -> String {
    let tag = match value {
        goyaml::Value::Null => "!!null",
        goyaml::Value::Bool(_) => "!!bool",
        goyaml::Value::Int(_) | goyaml::Value::Uint(_) => "!!int",
        goyaml::Value::Float(_) => "!!float",
        goyaml::Value::Str(_) => "!!str",
        goyaml::Value::Seq(_) => return "!!seq".to_owned(),
        goyaml::Value::Map(_) => return "!!map".to_owned(),
    };
    let text = match value {
        goyaml::Value::Str(text) => text.to_string(),
        _ => node.source().to_owned(),
    };
    let shown = match text.get(..7) {
        Some(start) if text.len() > 10 => format!("{start}..."),
        _ => text,
    };
    format!("{tag} `{shown}`")
}

/// A scalar as the YAML library writes it.
fn scalar(text: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-');
    let plain = text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(safe);
    if !plain {
        return format!("'{}'", text.replace('\'', "''"));
    }
    match goyaml::resolve_plain(text) {
        goyaml::Scalar::Str(_) => text.to_owned(),
        _ => format!("\"{text}\""),
    }
}

fn written(value: &Json) -> String {
    match value {
        Json::String(text) => scalar(text),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_is_rewritten_in_the_order_of_its_keys() {
        let text = "{name: cfg, kind: ConfigMap, apiVersion: v1}";
        assert_eq!(
            write(text, EXPLICIT, &Named::example(), "x").unwrap(),
            (
                "apiVersion: v1\nkind: ConfigMap\nname: cfg-ver-2\n".to_owned(),
                Some("cfg-ver-2".to_owned())
            )
        );
        assert!(write("kind: ConfigMap", EXPLICIT, &Named::example(), "x").is_err());
    }
}
