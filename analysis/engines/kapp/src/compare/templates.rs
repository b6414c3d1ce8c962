//! References to versioned resources: kapp writes the new name wherever a template rule or an annotation
//! leads (kapp, versioned resources).

use serde_json::{Map, Value as Json};

use crate::matcher::{self, Matcher, NIL, Panics, PathPart};
use crate::read::ObjectReference;

/// What prevents kapp from writing a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiffError {
    pub(crate) message: String,
    pub(crate) panics: bool,
    /// The annotation at fault.
    pub(crate) annotation: Option<Box<str>>,
    /// Whether only the beginning of the message is predicted.
    pub(crate) is_partial: bool,
    /// The Config and the place in it of the rule at fault.
    pub(crate) rule: Option<(u32, u32)>,
    /// The matcher without a known field at fault: its Config, and the place in it.
    pub(crate) matcher: Option<(u32, u32)>,
    /// Whether it is not an error at all: the result of a ytt overlay in kapp cannot be known.
    pub(crate) unknown: bool,
}

impl DiffError {
    pub(super) fn error(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            panics: false,
            annotation: None,
            is_partial: false,
            rule: None,
            matcher: None,
            unknown: false,
        }
    }

    pub(super) fn panic(message: impl Into<String>) -> Self {
        Self {
            message: format!("panic: {}", message.into()),
            panics: true,
            annotation: None,
            is_partial: false,
            rule: None,
            matcher: None,
            unknown: false,
        }
    }

    /// With kapp's wrapping of an error at a path of a resource; it panics if a part of the path has no name.
    pub(super) fn on(self, what: &str, path: &[PathPart], description: &str) -> Self {
        if self.panics {
            return self;
        }
        if let Some(part) = path
            .iter()
            .find(|p| matches!(p, PathPart::Unknown | PathPart::Nil))
        {
            return match part {
                PathPart::Nil => Self::panic(NIL),
                _ => Self::panic("Unknown path part"),
            };
        }
        let path: Vec<String> = path.iter().map(PathPart::to_string).collect();
        let path = path.join(",");
        self.within(&format!("{what} for path '{path}' on resource '{description}'"))
    }

    /// Whether it occurred when versioned resources got their names.
    pub(crate) fn is_of_versions(&self) -> bool {
        let marks = [
            "FieldCopyMod",
            "FieldRemoveMod",
            "Applying rebase rule",
            "rebase rule",
        ];
        self.rule.is_none() && !marks.iter().any(|mark| self.message.starts_with(mark))
    }

    /// With the rule at fault.
    pub(super) const fn of_rule(mut self, rule: Option<(u32, u32)>) -> Self {
        self.rule = rule;
        self
    }

    /// With the matcher at fault.
    pub(super) fn of_matcher(mut self, config: u32, matchers: &[Matcher]) -> Self {
        let place = matcher::unknown(matchers).first().copied();
        self.matcher = place.map(|place| (config, place));
        self
    }

    /// With a message that is predicted only in part.
    pub(super) fn partial(mut self) -> Self {
        self.is_partial = true;
        self
    }

    /// With the annotation at fault.
    pub(super) fn of_annotation(mut self, key: &str) -> Self {
        self.annotation = Some(key.into());
        self
    }

    /// A result that depends on a ytt overlay of a Config.
    pub(super) fn unknown(message: impl Into<String>) -> Self {
        Self {
            unknown: true,
            ..Self::error(message)
        }
    }

    /// With a prefix, as Go wraps errors; panics are passed on.
    pub(super) fn within(mut self, words: &str) -> Self {
        if !self.panics {
            self.message = format!("{words}: {}", self.message);
        }
        self
    }
}

/// A versioned resource as references name it.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) base: String,
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) kind: String,
    pub(super) api_version: String,
}

#[cfg(test)]
impl Named {
    /// A `ConfigMap` in its second version.
    pub(super) fn example() -> Self {
        Self {
            base: "cfg".to_owned(),
            name: "cfg-ver-2".to_owned(),
            namespace: "prod".to_owned(),
            kind: "ConfigMap".to_owned(),
            api_version: "v1".to_owned(),
        }
    }
}

pub(super) fn non_map(value: &Json) -> DiffError {
    DiffError::error(format!("Unexpected non-map found: {}", go_type(value)))
}

pub(super) fn non_array(value: &Json) -> DiffError {
    DiffError::error(format!("Unexpected non-array found: {}", go_type(value)))
}

/// kapp's panic at a part of a path that is not valid there.
pub(super) fn no_part(part: &PathPart) -> DiffError {
    DiffError::panic(match part {
        PathPart::Regex(_) => "Regex in path part is only supported for rebaseRules.",
        PathPart::Nil => NIL,
        _ => "Unknown array index: &resources.PathPartArrayIndex",
    })
}

/// The entry of a list at an index.
///
/// # Errors
/// kapp panics at a negative index.
pub(super) fn element(list: &mut [Json], index: i64) -> Result<Option<&mut Json>, DiffError> {
    let at = usize::try_from(index).map_err(|_| DiffError::panic(Panics::index(index).0))?;
    Ok(list.get_mut(at))
}

pub(super) fn go_type(value: &Json) -> &'static str {
    match value {
        Json::Null => "<nil>",
        Json::Bool(_) => "bool",
        Json::Number(_) => "float64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    }
}

/// Writes the name of a versioned resource into the references at a path of an object that `description` names.
/// Returns whether it is written anywhere, and the first obstacle.
pub(super) fn write(
    object: &mut Json,
    reference: &ObjectReference,
    named: &Named,
    description: &str,
) -> (bool, Option<DiffError>) {
    let mut is_written = false;
    let done = each(object, reference, description, &mut |map| {
        is_written |= replace(map, &reference.name_key, named)?;
        Ok(())
    });
    (is_written, done.err())
}

/// The names in the references at a path of an object, up to the first obstacle.
pub(super) fn names(object: &mut Json, reference: &ObjectReference) -> Vec<String> {
    let mut names = Vec::new();
    let _ = each(object, reference, "", &mut |map| {
        let read = Fields::read(map)?;
        names.extend(read.written(map, &reference.name_key).map(str::to_owned));
        Ok(())
    });
    names
}

/// Applies a function to the references at a path of an object that `description` names, one after the other.
fn each(
    object: &mut Json,
    reference: &ObjectReference,
    description: &str,
    visit: &mut impl FnMut(&mut Map<String, Json>) -> Result<(), DiffError>,
) -> Result<(), DiffError> {
    let mut at: Vec<(&mut Json, &[PathPart])> = vec![(object, &reference.path)];
    let wrapped = |fault: DiffError| fault.on("ObjectRefSetMod", &reference.path, description);
    while let Some((value, path)) = at.pop() {
        let Some((part, rest)) = path.split_first() else {
            let Json::Object(map) = value else {
                return Err(wrapped(non_map(value)));
            };
            visit(map).map_err(wrapped)?;
            continue;
        };
        match part {
            PathPart::Key(key) => match value {
                Json::Object(map) => at.extend(map.get_mut(&**key).map(|inner| (inner, rest))),
                other => return Err(wrapped(non_map(other))),
            },
            PathPart::All | PathPart::Index(_) => match (part, value) {
                (PathPart::All, Json::Null) => {}
                (PathPart::Index(index), Json::Array(list)) => {
                    let item = element(list, *index)?;
                    at.extend(item.map(|item| (item, rest)));
                }
                (_, Json::Array(list)) => at.extend(list.iter_mut().rev().map(|item| (item, rest))),
                (_, other) => {
                    return Err(wrapped(non_array(other)));
                }
            },
            PathPart::Regex(_) | PathPart::Unknown | PathPart::Nil => return Err(no_part(part)),
        }
    }
    Ok(())
}

/// The fields of a reference in Kubernetes, all strings: their names in JSON, and their types.
const FIELDS: [(&str, &str); 7] = [
    ("apiVersion", "string"),
    ("fieldPath", "string"),
    ("kind", "string"),
    ("name", "string"),
    ("namespace", "string"),
    ("resourceVersion", "string"),
    ("uid", "types.UID"),
];

/// The fields of one reference.
pub(super) struct Fields<'m> {
    api_version: &'m str,
    kind: &'m str,
    pub(super) name: &'m str,
    namespace: &'m str,
}

impl<'m> Fields<'m> {
    pub(super) fn read(map: &'m Map<String, Json>) -> Result<Self, DiffError> {
        let mut sorted: Vec<(&str, &Json)> = map.iter().map(|(k, v)| (k.as_str(), v)).collect();
        sorted.sort_by_key(|(key, _)| *key);
        let mut read: [&str; FIELDS.len()] = [""; FIELDS.len()];
        let mut wrong = None;
        for (key, value) in sorted {
            // Go decodes case-insensitively; a later key overwrites an earlier one.
            let exact = FIELDS.iter().position(|(name, _)| *name == key);
            let field = exact.or_else(|| FIELDS.iter().position(|(name, _)| name.eq_ignore_ascii_case(key)));
            let Some((at, (name, ty))) = field.and_then(|at| Some((at, FIELDS.get(at)?))) else {
                continue;
            };
            match (value, read.get_mut(at)) {
                (Json::Null, _) => {}
                (Json::String(text), Some(slot)) => *slot = text,
                (other, _) => {
                    let kind = match other {
                        Json::Bool(_) => "bool",
                        Json::Number(_) => "number",
                        Json::Array(_) => "array",
                        _ => "object",
                    };
                    wrong.get_or_insert_with(|| {
                        format!("json: cannot unmarshal {kind} into Go struct field ObjectReference.{name} of type {ty}")
                    });
                }
            }
        }
        if let Some(wrong) = wrong {
            return Err(DiffError::error(format!(
                "Unmarshaling object reference: {wrong}"
            )));
        }
        let [api_version, _, kind, name, namespace, ..] = read;
        Ok(Self {
            api_version,
            kind,
            name,
            namespace,
        })
    }

    /// The name that is compared, which a rule may find under another key.
    fn written(&self, map: &'m Map<String, Json>, name_key: &str) -> Option<&'m str> {
        match name_key {
            "" => Some(self.name),
            key => map.get(key).and_then(Json::as_str),
        }
    }
}

/// Writes the name into one reference, if it refers to the resource, and returns whether it does.
pub(super) fn replace(map: &mut Map<String, Json>, name_key: &str, named: &Named) -> Result<bool, DiffError> {
    let read = Fields::read(map)?;
    let other = |text: &str, own: &str| !text.is_empty() && text != own;
    let is_meant = read.written(map, name_key) == Some(&*named.base)
        && !other(read.namespace, &named.namespace)
        && !other(read.kind, &named.kind)
        && !other(read.api_version, &named.api_version);
    if is_meant {
        let key = if name_key.is_empty() { "name" } else { name_key };
        map.insert(key.to_owned(), Json::String(named.name.clone()));
    }
    Ok(is_meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(object: &str, path: &'static str, key: &'static str) -> Result<String, String> {
        let mut object: Json = serde_json::from_str(object).unwrap();
        let part = |part: &str| match part {
            "*" => PathPart::All,
            key => PathPart::Key(key.into()),
        };
        let reference = ObjectReference {
            path: path.split('/').map(part).collect(),
            matchers: Vec::new(),
            name_key: key.into(),
        };
        write(&mut object, &reference, &Named::example(), "x/a (v1) cluster")
            .1
            .map_or_else(|| Ok(object.to_string()), |fault| Err(fault.message))
    }

    #[test]
    fn a_reference_gets_the_new_name_where_nothing_speaks_against_it() {
        let meant = |object: &str| after(object, "l/*", "").unwrap().contains("cfg-ver-2");
        assert!(meant(r#"{"l": [{"name": "cfg"}]}"#));
        assert!(meant(r#"{"l": [{}, {"Name": "cfg", "namespace": "prod"}]}"#));
        assert!(!meant(r#"{"l": [{"name": "other"}]}"#));
        assert!(!meant(r#"{"l": [{"name": "cfg", "namespace": "dev"}]}"#));
        assert!(!meant(r#"{"l": [{"name": "cfg", "kind": "Secret"}]}"#));
        assert!(
            after(r#"{"s": {"secretName": "cfg"}}"#, "s", "secretName")
                .unwrap()
                .contains("cfg-ver-2")
        );
    }

    #[test]
    fn an_invalid_reference_is_an_error_with_kapps_message() {
        assert_eq!(
            after(r#"{"l": {}}"#, "l/*", "").unwrap_err(),
            "ObjectRefSetMod for path 'l,(all)' on resource 'x/a (v1) cluster': Unexpected non-array found: map[string]interface {}"
        );
        assert_eq!(
            after(r#"{"l": [{"name": 5}]}"#, "l/*", "").unwrap_err(),
            "ObjectRefSetMod for path 'l,(all)' on resource 'x/a (v1) cluster': Unmarshaling object reference: json: cannot unmarshal number into Go struct field ObjectReference.name of type string"
        );
    }
}
