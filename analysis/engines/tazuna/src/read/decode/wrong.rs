//! Values of another type than their field's, in Tazuna's words and in ours.

use super::Reader;
use crate::judge::Stage;
use crate::read::draft::Draft;
use crate::schema::{Field, Ty};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety};
use applyorder_core::rules::{coerced_scalar, wrong_type};
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
        let found = kind_word(value);
        let place = self.pen.place(via.unwrap_or(node.span()));
        let what = match self.path.last() {
            // What is no field's own value is one of its entries.
            Some(name) if is_entry(go, field) => format!("an entry of `{name}`"),
            Some(name) => format!("`{name}`"),
            None => "the file".to_owned(),
        };
        let wanted = wanted(go, field);
        let mut d = Diagnostic::new(
            &wrong_type::RULE,
            place,
            format!("{what} must be {wanted}, not {}", found.1),
        );
        let origin = node.resolve().unwrap_or(node).span();
        if via.is_some_and(|via| via != origin) {
            d = d.related(self.pen.place(origin), "the value stands here");
        } else if let Some(field) = field {
            d = with_fix(d, place, node, value, field);
        }
        let message = format!(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {}{} into Go {} of type {go}",
            found.0,
            if go == "int" {
                json_number(value)
            } else {
                String::new()
            },
            if self.path.is_empty() {
                "value".to_owned()
            } else {
                format!("struct field {}.{}", self.owner, self.path.join("."))
            },
        );
        let field = self.path.last().copied().unwrap_or("");
        self.errors
            .push(Draft::rejected(Stage::Decode, d, message).detail("field", field));
    }
}

/// A number as Go writes it into JSON, behind a blank: an integer that it does not fit is named.
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

/// Whether a value of this wanted type is an entry of the field's list or mapping.
fn is_entry(go: &str, field: Option<&Field>) -> bool {
    field.is_none_or(|f| go == "string" && matches!(f.ty, Ty::Strs | Ty::StrMap))
}

pub(super) fn coerced(place: Place, written: &str, seen: &str, field: &str) -> Draft {
    Draft::lint(
        Diagnostic::new(
            &coerced_scalar::RULE,
            place,
            format!("`{field}: {written}` is read as `{seen}`"),
        )
        .note("Tazuna reads plain scalars as YAML 1.1 and turns them into text; it says nothing")
        .fix(
            format!("write `{seen}` as text"),
            Safety::Safe,
            vec![FixStep::Replace(place, format!("\"{seen}\""))],
        )
        .fix(
            format!("quote `{written}` as it stands"),
            Safety::Unsafe,
            vec![FixStep::Replace(place, format!("\"{written}\""))],
        ),
    )
}

/// The wanted type in words.
fn wanted(go: &str, field: Option<&Field>) -> &'static str {
    match go {
        "string" => "text",
        "bool" => "`true` or `false`",
        "int" => "a whole number",
        "[]string" => "a list of texts",
        "map[string]string" => "a mapping of texts",
        _ if go.starts_with("[]") => "a list of mappings",
        _ if field.is_some_and(|f| matches!(f.ty, Ty::Str)) => "text",
        _ => "a mapping",
    }
}

/// The type found: in Go's words, and in ours.
const fn kind_word(value: &Value<'_>) -> (&'static str, &'static str) {
    match value {
        Value::Null => ("null", "null"),
        Value::Bool(_) => ("bool", "a boolean"),
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => ("number", "a number"),
        Value::Str(_) => ("string", "text"),
        Value::Seq(_) => ("array", "a list"),
        Value::Map(_) => ("object", "a mapping"),
    }
}

fn with_fix(d: Diagnostic, place: Place, node: Node<'_>, value: &Value<'_>, field: &Field) -> Diagnostic {
    let source = node.source();
    match (field.ty, value) {
        (Ty::Strs, Value::Str(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Bool(_)) => d
            .fix(
                "write it as a list",
                Safety::Unsafe,
                vec![FixStep::WrapInList(place)],
            ),
        (Ty::Objs(table), Value::Str(_)) if table.fields.first().is_some_and(|f| f.name == "path") => d.fix(
            format!("write it as `[{{path: {source}}}]`"),
            Safety::Unsafe,
            vec![FixStep::Replace(place, format!("[{{path: {source}}}]"))],
        ),
        (Ty::Bool | Ty::Int, Value::Str(text)) => {
            let fits = match field.ty {
                Ty::Bool => text == "true" || text == "false",
                _ => text.parse::<i64>().is_ok(),
            };
            if fits && node.style() != Style::Plain {
                d.fix(
                    format!("write `{text}` without quotes"),
                    Safety::Unsafe,
                    vec![FixStep::Replace(place, text.to_string())],
                )
            } else {
                d
            }
        }
        _ => d,
    }
}
