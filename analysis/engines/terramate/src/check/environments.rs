//! The `environment` blocks of the root, which Terramate evaluates once all is loaded.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks"; its evaluation of them.

use std::sync::Arc;

use super::Scope;
use crate::found::{Found, push};
use crate::read::{At, Environment, Field, Value};
use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::rules::{duplicate_name, invalid_value, missing_field, wrong_type};

/// The first problem; Terramate stops there, and at whatever it could not load before.
pub(super) fn check(scope: &Scope<'_>, is_rejected: bool) -> Option<Found> {
    let mut seen: Vec<(Arc<str>, Place)> = Vec::new();
    for (loaded, facts) in scope.root_files() {
        let place = |at| scope.at(loaded.file, at);
        for environment in &facts.shape.environments {
            match id_of(environment, &seen, place) {
                Ok(Some(id)) => seen.push((id, place(environment.header))),
                // What it is called depends on something, and so does what comes after it.
                Ok(None) => return None,
                Err(diagnostic) => {
                    let mut found = Vec::new();
                    push(&mut found, *diagnostic, true).unseen = is_rejected;
                    return found.pop();
                }
            }
        }
    }
    None
}

/// The id of an environment, or what is wrong with it. `None`: it is unknown.
fn id_of(
    environment: &Environment,
    seen: &[(Arc<str>, Place)],
    place: impl Fn(At) -> Place,
) -> Result<Option<Arc<str>>, Box<Diagnostic>> {
    let text = |field: &Field, name: &str, required: bool| match &field.value {
        Value::Known(text) => Ok(Some(text.clone())),
        Value::Unknown => Ok(None),
        Value::Absent if !required => Ok(Some("".into())),
        Value::Absent => {
            let message = format!("missing field `{name}` in `environment`");
            let words = format!("environment block is missing required attribute '{name}'");
            let d = Diagnostic::new(&missing_field::RULE, place(field.at), message);
            Err(Box::new(d.engine_message(words)))
        }
        Value::Invalid => {
            let d = Diagnostic::new(
                &wrong_type::RULE,
                place(field.at),
                format!("expected a string as `{name}`"),
            );
            Err(Box::new(d.engine_message(format!(
                "config has an invalid schema: {name} must be string"
            ))))
        }
    };
    let id = text(&environment.id, "id", true)?;
    text(&environment.name, "name", true)?;
    text(&environment.description, "description", false)?;
    let from = text(&environment.promote_from, "promote_from", false)?;
    let Some(id) = id else { return Ok(None) };
    if let Some((_, earlier)) = seen.iter().find(|(known, _)| *known == id) {
        let message = format!("duplicate environment `{id}`");
        let d = Diagnostic::new(&duplicate_name::RULE, place(environment.id.at), message)
            .related(*earlier, "first defined here")
            .engine_message(format!("environment '{id}' already defined"));
        return Err(Box::new(d));
    }
    let unknown = from.filter(|from| !from.is_empty() && !seen.iter().any(|(known, _)| known == from));
    if let Some(from) = unknown {
        let message = format!("unknown environment `{from}`: none above has this id");
        let d = Diagnostic::new(&invalid_value::RULE, place(environment.promote_from.at), message)
            .engine_message(format!("environment.promote_from '{from}' does not exist"));
        return Err(Box::new(d));
    }
    Ok(Some(id))
}
