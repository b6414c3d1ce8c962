//! Values of a YAML node as Go decodes them into typed fields: case-insensitive names, numbers and booleans as
//! strings where a string is expected, null as missing, the first wrong type as the error.

use std::borrow::Cow;

use super::places::Places;
use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::goyaml::{self, Field, Value};

/// Go's name of the type of a JSON value in its errors.
pub(super) fn json_kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => "number",
        Value::Str(_) => "string",
        Value::Seq(_) => "array",
        Value::Map(_) => "object",
    }
}

/// The Go type that a decoded JSON value has in an untyped tree.
pub(super) fn go_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => "float64",
        Value::Str(_) => "string",
        Value::Seq(_) => "[]interface {}",
        Value::Map(_) => "map[string]interface {}",
    }
}

/// A type of Go's.
#[derive(Debug)]
pub(super) enum Type {
    /// A string.
    Text,
    /// A boolean.
    Flag,
    /// A struct, or a pointer to one.
    Struct(&'static Struct),
    /// A slice of structs.
    Structs(&'static Struct),
    /// A string whose type has its own name.
    Named(&'static str),
    /// A slice of strings.
    Texts(&'static Type),
    /// A map of strings.
    TextMap,
    /// A slice of paths' parts.
    Path,
    /// A slice of such slices.
    Paths,
}

/// A struct of Go's.
#[derive(Debug)]
pub(super) struct Struct {
    /// Its name.
    pub(super) name: &'static str,
    /// The package that errors name before it.
    pub(super) package: &'static str,
    /// Its fields: the name in JSON, and the type.
    pub(super) fields: &'static [(&'static str, Type)],
}

impl Type {
    fn go(&self) -> String {
        match self {
            Self::Text => "string".to_owned(),
            Self::Flag => "bool".to_owned(),
            Self::Struct(s) => format!("{}.{}", s.package, s.name),
            Self::Structs(s) => format!("[]{}.{}", s.package, s.name),
            Self::Named(name) => (*name).to_owned(),
            Self::Texts(item) => format!("[]{}", item.go()),
            Self::TextMap => "map[string]string".to_owned(),
            Self::Path => "resources.Path".to_owned(),
            Self::Paths => "[]resources.Path".to_owned(),
        }
    }
}

/// The field of a struct for a key: the exact spelling, or one that differs in case only.
pub(super) fn field_of(schema: &'static Struct, key: &str) -> Option<&'static (&'static str, Type)> {
    schema.fields.iter().find(|(name, _)| *name == key).or_else(|| {
        schema
            .fields
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(key))
    })
}

/// A wrong type: Go's text after `json: `, and the node.
pub(super) struct TypeError<'t> {
    pub(super) message: String,
    pub(super) node: Node<'t>,
}

/// The maximum depth of a typed value; YAML text can only be deeper through aliases.
const MAX_DEPTH: usize = 200;

/// Go's error, visiting keys of a mapping in byte order, depth first: the first invalid part of a path, which
/// ends the decoding, else the first wrong type.
pub(super) fn first_fault<'t>(
    root: Node<'t>,
    schema: &'static Struct,
    places: &mut Places<'_>,
) -> Option<TypeError<'t>> {
    let mut stack: Vec<(Node<'t>, Wanted, &'static Struct, String, usize)> =
        vec![(root, Wanted::Struct(schema), schema, String::new(), 0)];
    let mut first = None;
    while let Some((node, wanted, owner, path, depth)) = stack.pop() {
        if !places.spend(1) {
            break;
        }
        let value = goyaml::value(node);
        let fault = |of: String| {
            let place = if path.is_empty() {
                format!("Go value of type {of}")
            } else {
                format!("Go struct field {}.{path} of type {of}", owner.name)
            };
            TypeError {
                message: format!("cannot unmarshal {} into {place}", json_kind(&value)),
                node,
            }
        };
        let ty = match wanted {
            Wanted::Struct(inner) => match value {
                Value::Null => continue,
                Value::Map(map) => {
                    if depth >= MAX_DEPTH {
                        continue;
                    }
                    let mut found = goyaml::fields(map);
                    // The stack reverses.
                    found.sort_by(|a, b| b.name.cmp(&a.name));
                    for field in &found {
                        if let Some((name, ty)) = field_of(inner, &field.name) {
                            let path = if path.is_empty() {
                                (*name).to_owned()
                            } else {
                                format!("{path}.{name}")
                            };
                            stack.push((field.value, Wanted::Type(ty), inner, path, depth + 1));
                        }
                    }
                    continue;
                }
                _ => {
                    first.get_or_insert_with(|| fault(format!("{}.{}", inner.package, inner.name)));
                    continue;
                }
            },
            Wanted::Type(ty) => ty,
        };
        match (ty, &value) {
            (_, Value::Null)
            | (
                Type::Text | Type::Named(_),
                Value::Str(_) | Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_),
            )
            | (Type::Flag, Value::Bool(_)) => {}
            (Type::Struct(inner), _) => stack.push((node, Wanted::Struct(inner), owner, path, depth)),
            (Type::Structs(inner), Value::Seq(list)) => {
                let items: Vec<_> = list.items().collect();
                for item in items.into_iter().rev() {
                    stack.push((item, Wanted::Struct(inner), owner, path.clone(), depth + 1));
                }
            }
            (Type::Texts(of), Value::Seq(list)) => {
                let items: Vec<_> = list.items().collect();
                for item in items.into_iter().rev() {
                    stack.push((item, Wanted::Type(of), owner, path.clone(), depth + 1));
                }
            }
            (Type::Path, Value::Seq(list)) => {
                if let Some(bad) = list.items().find(|i| !is_path_part(*i)) {
                    return Some(TypeError {
                        message: "Unknown path part".to_owned(),
                        node: bad,
                    });
                }
            }
            (Type::Paths, Value::Seq(list)) => {
                let items: Vec<_> = list.items().collect();
                for item in items.into_iter().rev() {
                    stack.push((item, Wanted::Type(&Type::Path), owner, path.clone(), depth + 1));
                }
            }
            (Type::TextMap, Value::Map(map)) => {
                let mut found = goyaml::fields(*map);
                found.sort_by(|a, b| b.name.cmp(&a.name));
                for field in &found {
                    stack.push((
                        field.value,
                        Wanted::Type(&Type::Text),
                        owner,
                        path.clone(),
                        depth + 1,
                    ));
                }
            }
            _ => {
                first.get_or_insert_with(|| fault(ty.go()));
            }
        }
    }
    first
}

enum Wanted {
    Struct(&'static Struct),
    Type(&'static Type),
}

fn is_path_part(node: Node<'_>) -> bool {
    match goyaml::value(node) {
        Value::Map(_) => {
            let fields = Fields::of(node);
            let has = |name: &str| fields.get(name).map(Field::decoded);
            let index = has("index").is_none_or(|value| whole(&value).is_some());
            matches!(has("regex"), Some(Value::Str(_)))
                || index && matches!(has("allIndexes"), None | Some(Value::Bool(_)))
        }
        Value::Null | Value::Str(_) => true,
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Seq(_) => false,
    }
}

/// A struct's fields as Go sets them: the last of several spellings in byte order wins.
pub(super) struct Fields<'t>(Vec<Field<'t>>);

impl<'t> Fields<'t> {
    /// The fields of a mapping; none for everything else.
    pub(super) fn of(node: Node<'t>) -> Self {
        let mut found = goyaml::fields(node);
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Self(found)
    }

    /// Every key, in byte order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Field<'t>> {
        self.0.iter()
    }

    /// The final field under a name, ignoring null.
    pub(super) fn get(&self, name: &str) -> Option<&Field<'t>> {
        self.0
            .iter()
            .rev()
            .find(|f| f.name.eq_ignore_ascii_case(name) && f.decoded() != Value::Null)
    }

    /// The text of a field; numbers and booleans are converted.
    pub(super) fn text(&self, name: &str) -> Option<(Cow<'t, str>, Node<'t>)> {
        let field = self.get(name)?;
        Some((scalar_text(field.decoded())?, field.value))
    }

    /// The items of a list field.
    pub(super) fn items(&self, name: &str) -> Vec<Node<'t>> {
        match self.get(name).map(Field::decoded) {
            Some(Value::Seq(list)) => list.items().collect(),
            _ => Vec::new(),
        }
    }
}

/// The integer in a field of a Config. kapp writes it as JSON before: a float without a fraction is one then.
pub(super) fn whole(value: &Value<'_>) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 9.2e18 => Some(*number as i64),
        _ => None,
    }
}

/// The text in a field of a Config. An integer that needs all 64 bits was converted to a float before.
pub(super) fn scalar_text(value: Value<'_>) -> Option<Cow<'_, str>> {
    match value {
        Value::Uint(number) => Some(Cow::Owned((number as f64).to_string())),
        value => value.into_text(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Value, scalar_text, whole};

    #[test]
    fn a_float_without_a_fraction_is_an_integer() {
        assert_eq!(whole(&Value::Float(1e0)), Some(1));
        assert_eq!(whole(&Value::Float(-0.0)), Some(0));
        assert_eq!(whole(&Value::Float(1.5)), None);
        assert_eq!(whole(&Value::Float(1e20)), None);
        assert_eq!(whole(&Value::Uint(u64::MAX)), None);
    }

    #[test]
    fn a_number_that_needs_all_64_bits_has_the_digits_of_a_float() {
        let text = |number| scalar_text(Value::Uint(number)).unwrap();
        assert_eq!(text(9_223_372_036_854_775_808), "9223372036854776000");
        assert_eq!(text(u64::MAX), "18446744073709552000");
        assert_eq!(scalar_text(Value::Int(i64::MAX)).unwrap(), "9223372036854775807");
    }
}
