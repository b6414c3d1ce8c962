//! Values of another type than their field's.

use super::Reader;
use crate::read::fault::{Fault, FaultKind, TypeFix, WantedType, WrongType};
use crate::schema::{Field, Ty};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::goyaml::Value;
use applyorder_syntax::yaml::{Node, Style};

impl Reader<'_, '_> {
    pub(super) fn type_error(
        &mut self,
        node: Node<'_>,
        value: &Value<'_>,
        go: &str,
        via: Option<Span>,
        field: Option<&'static Field>,
    ) {
        let place = self.pen.place(via.unwrap_or(node.span()));
        let origin = node.resolve().unwrap_or(node).span();
        let is_elsewhere = via.is_some_and(|via| via != origin);
        let origin = is_elsewhere.then(|| self.pen.place(origin));
        let fix = field.filter(|_| !is_elsewhere);
        let go_field = if self.path.is_empty() {
            "value".to_owned()
        } else {
            format!("struct field {}.{}", self.owner, self.path.join("."))
        };
        let wrong = WrongType {
            field: self.path.last().copied(),
            is_entry: is_entry(go, field),
            wanted: wanted(go, field),
            found: go_kind(value),
            number: if go == "int" {
                json_number(value)
            } else {
                String::new()
            },
            go_field,
            go_type: go.to_owned(),
            origin,
            fix: fix.and_then(|field| type_fix(node, value, field)),
        };
        self.errors
            .push(Fault::new(place, FaultKind::WrongType(Box::new(wrong))));
    }
}

/// A number as Go writes it into JSON, after a blank: an integer that does not fit is named.
fn json_number(value: &Value<'_>) -> String {
    match value {
        Value::Uint(number) => format!(" {number}"),
        Value::Float(number) if (1e-6..1e21).contains(&number.abs()) => format!(" {number}"),
        Value::Float(number) => {
            let text = format!(" {number:e}");
            match text.split_once('e') {
                Some((digits, power)) if !power.starts_with('-') => format!("{digits}e+{power}"),
                _ => text,
            }
        }
        _ => String::new(),
    }
}

/// Whether a value of this expected type is an entry of the field's list or mapping.
fn is_entry(go: &str, field: Option<&Field>) -> bool {
    field.is_none_or(|f| go == "string" && matches!(f.ty, Ty::Strs | Ty::StrMap))
}

/// The expected type.
fn wanted(go: &str, field: Option<&Field>) -> WantedType {
    match go {
        "string" => WantedType::Text,
        "bool" => WantedType::Boolean,
        "int" => WantedType::Integer,
        "[]string" => WantedType::Texts,
        "map[string]string" => WantedType::TextMap,
        _ if go.starts_with("[]") => WantedType::Mappings,
        _ if field.is_some_and(|f| matches!(f.ty, Ty::Str)) => WantedType::Text,
        _ => WantedType::Mapping,
    }
}

/// The actual type, in Go's words.
const fn go_kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => "number",
        Value::Str(_) => "string",
        Value::Seq(_) => "array",
        Value::Map(_) => "object",
    }
}

fn type_fix(node: Node<'_>, value: &Value<'_>, field: &Field) -> Option<TypeFix> {
    match (field.ty, value) {
        (Ty::Strs, Value::Str(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Bool(_)) => {
            Some(TypeFix::List)
        }
        (Ty::Objs(table), Value::Str(_)) if table.fields.first().is_some_and(|f| f.name == "path") => {
            Some(TypeFix::PathList(node.source().to_owned()))
        }
        (Ty::Bool | Ty::Int, Value::Str(text)) => {
            let fits = match field.ty {
                Ty::Bool => text == "true" || text == "false",
                _ => text.parse::<i64>().is_ok(),
            };
            (fits && node.style() != Style::Plain).then(|| TypeFix::Unquoted(text.to_string()))
        }
        _ => None,
    }
}
