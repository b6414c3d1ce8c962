//! A resource as the object that kapp writes into and compares with what is applied.

use serde_json::{Map, Number, Value as Json};

use crate::matcher::{Panics, PathPart, Subject, api_group};
use crate::model::inputs::{Inputs, Item};
use applyorder_syntax::yaml::dialect::goyaml::{self, Value};
use applyorder_syntax::yaml::{self, Node};

/// The maximum number of values read from one resource; aliases can multiply them.
const BUDGET: usize = 1_000_000;

/// The maximum nesting of values; YAML text can only be deeper through aliases.
pub(super) const MAX_DEPTH: usize = 256;

/// The object of a resource; `Null` beyond a limit of ours.
pub(super) fn of(inputs: &Inputs, item: Item) -> Json {
    let document = inputs.document(item);
    let node = document.and_then(|d| d.content(item.resource as usize).node());
    let mut budget = BUDGET;
    node.and_then(|node| json(node, 0, &mut budget))
        .unwrap_or(Json::Null)
}

/// The object in an annotation of kapp.
pub(super) fn parsed(text: &str) -> Option<Json> {
    let tree = yaml::parse(text);
    let document = tree.first_document()?;
    if tree.errors().iter().any(|e| e.document == 0) || goyaml::refusal(document).is_some() {
        return None;
    }
    json(document.root()?, 0, &mut { BUDGET }).filter(Json::is_object)
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

fn text<'a>(object: &'a Json, key: &str) -> &'a str {
    object.get(key).and_then(Json::as_str).unwrap_or("")
}

/// The text at `metadata.<key>`.
pub(super) fn metadata<'a>(object: &'a Json, key: &str) -> &'a str {
    of_metadata(object, key).and_then(Json::as_str).unwrap_or("")
}

/// What is at `metadata.<key>`.
pub(super) fn of_metadata<'a>(object: &'a Json, key: &str) -> Option<&'a Json> {
    object.get("metadata")?.get(key)
}

/// Writes the final namespace; empty for none.
pub(super) fn set_namespace(object: &mut Json, namespace: &str) {
    if let Some(Json::Object(metadata)) = object.get_mut("metadata") {
        if namespace.is_empty() {
            metadata.remove("namespace");
        } else {
            metadata.insert("namespace".to_owned(), Json::from(namespace));
        }
    }
}

/// A mapping of the metadata as kapp sees it: `None` if a value in it is not a string.
pub(super) fn texts<'a>(object: &'a Json, key: &str) -> Option<&'a Map<String, Json>> {
    let map = of_metadata(object, key)?.as_object()?;
    map.values().all(Json::is_string).then_some(map)
}

/// An annotation as kapp sees it.
pub(super) fn annotation<'a>(object: &'a Json, key: &str) -> Option<&'a str> {
    texts(object, "annotations")?.get(key)?.as_str()
}

/// Removes keys from the annotations.
pub(super) fn without_annotations(object: &mut Json, keys: &[&str]) {
    if let Some(Json::Object(map)) = object.pointer_mut("/metadata/annotations") {
        for key in keys {
            map.shift_remove(*key);
        }
    }
}

/// An object as kapp's messages name it.
pub(super) fn describe(object: &Json) -> String {
    let subject = Object(object);
    crate::model::prepare::describe(
        subject.kind(),
        &subject.full_name(),
        subject.api_version(),
        metadata(object, "namespace"),
    )
}

/// An object as matchers see it.
pub(super) struct Object<'a>(pub(super) &'a Json);

impl Object<'_> {
    fn full_name(&self) -> String {
        match (metadata(self.0, "name"), metadata(self.0, "generateName")) {
            ("", "") => String::new(),
            ("", generated) => format!("{generated}*"),
            (name, _) => name.to_owned(),
        }
    }

    /// Its identity as kapp writes it: without the version of the API.
    pub(super) fn key(&self, name: Option<&str>) -> String {
        let own = self.full_name();
        format!(
            "{}/{}/{}/{}",
            metadata(self.0, "namespace"),
            api_group(self.api_version()),
            self.kind(),
            name.unwrap_or(&own)
        )
    }
}

impl Subject for Object<'_> {
    fn api_version(&self) -> &str {
        text(self.0, "apiVersion")
    }
    fn kind(&self) -> &str {
        text(self.0, "kind")
    }
    fn name(&self) -> Option<&str> {
        // A generated name is matched by its star, which no object on a cluster has.
        Some(metadata(self.0, "name"))
    }
    fn namespace(&self) -> Option<&str> {
        Some(metadata(self.0, "namespace"))
    }
    fn has_annotation(&self, key: &str) -> Option<bool> {
        Some(annotation(self.0, key).is_some())
    }
    fn is_empty_at(&self, path: &[PathPart]) -> Result<Option<bool>, Panics> {
        is_empty_at(self.0, path).map(Some)
    }
}

/// Whether no value is at a path, as kapp's `emptyFieldMatcher` sees it.
fn is_empty_at(object: &Json, path: &[PathPart]) -> Result<bool, Panics> {
    let mut stack: Vec<(&Json, &[PathPart])> = vec![(object, path)];
    while let Some((value, path)) = stack.pop() {
        let Some((part, rest)) = path.split_first() else {
            let empty = match value {
                Json::Null => true,
                Json::Array(list) => list.is_empty(),
                Json::Object(map) => map.is_empty(),
                _ => false,
            };
            if !empty {
                return Ok(false);
            }
            continue;
        };
        if let Some(panics) = part.panics() {
            return Err(panics);
        }
        match (part, value) {
            (_, Json::Null) => {}
            (PathPart::Key(key), Json::Object(map)) => {
                stack.extend(map.get(&**key).map(|inner| (inner, rest)));
            }
            (PathPart::Index(index), Json::Array(list)) => {
                let at = usize::try_from(*index).map_err(|_| Panics::index(*index))?;
                stack.extend(list.get(at).map(|item| (item, rest)));
            }
            (PathPart::All, Json::Array(list)) => stack.extend(list.iter().rev().map(|item| (item, rest))),
            _ => return Ok(false),
        }
    }
    Ok(true)
}

#[cfg(test)]
pub(super) fn object(text: &str) -> Json {
    let tree = yaml::parse(text);
    json(tree.first_document().unwrap().root().unwrap(), 0, &mut 1000).unwrap()
}
