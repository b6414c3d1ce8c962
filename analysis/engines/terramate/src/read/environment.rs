//! The `environment` blocks, whose values Terramate evaluates once for the project.
//!
//! Source: Terramate 0.17.2, its evaluation of them.

use std::sync::Arc;

use super::written::{Project, Written, first_error};
use super::{Environment, Field, Reader, Value};
use crate::problems::NULL_STRING;
use applyorder_syntax::hcl::eval::{Data, Scope, Type};
use applyorder_syntax::hcl::{Block, Expr, Tree};

/// The text of an expression that Terramate evaluates for the project, and its message if that is invalid.
/// `sees_files`: the scope reads files.
pub(crate) fn project_text(
    name: &str,
    expr: Expr<'_>,
    scope: &dyn Scope,
    sees_files: bool,
) -> (Value<Arc<str>>, String) {
    let written = Written::of(expr);
    if written.is_broken() {
        return (Value::Unknown, String::new());
    }
    let outcome = written.evaluate_in(scope);
    if let Some(error) = first_error(&outcome) {
        let words = format!("eval expression: evaluating {name}: {}", error.message);
        return (Value::Invalid, words);
    }
    match &outcome.value.data {
        _ if written.may_fail_in(&outcome, sees_files) => (Value::Unknown, String::new()),
        Data::String(text) => (Value::Known(text.clone()), String::new()),
        Data::Unknown(_) => (Value::Unknown, String::new()),
        Data::Null(Type::String) => (Value::Invalid, NULL_STRING.to_owned()),
        _ => {
            let found = outcome.value.type_name();
            let words = format!("config has an invalid schema: {name} must be string, got {found}");
            (Value::Invalid, words)
        }
    }
}

pub(super) fn environment(reader: &mut Reader<'_>, tree: &Tree, block: Block<'_>) {
    let header = reader.at(block.header_span());
    let whole = block.is_closed() && !tree.has_gap(block.span());
    let mut field = |name| match block.body().attribute(name) {
        None => Field {
            value: if whole { Value::Absent } else { Value::Unknown },
            at: header,
            words: Arc::default(),
            later: Arc::default(),
        },
        Some(attribute) => {
            let expr = attribute.value();
            let (value, words) = project_text(name, expr, &Project, false);
            let is_later = matches!(value, Value::Unknown) && !Written::of(expr).is_broken();
            let later = is_later.then(|| expr.span().slice(reader.input.text));
            Field {
                later: later.unwrap_or_default().into(),
                value,
                at: reader.at(expr.span()),
                words: words.into(),
            }
        }
    };
    let (id, name) = (field("id"), field("name"));
    let (description, promote_from) = (field("description"), field("promote_from"));
    reader.shape.environments.push(Environment {
        header,
        id,
        name,
        description,
        promote_from,
    });
}
