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
pub(super) fn check(scope: &Scope<'_>, is_refused: impl FnOnce() -> bool) -> Option<Found> {
    let mut seen: Vec<(Arc<str>, Place)> = Vec::new();
    for (loaded, facts) in scope.root_files() {
        let place = |at| scope.at(loaded.file, at);
        for environment in &facts.shape.environments {
            match id_of(environment, &seen, place) {
                Ok(Some(id)) => seen.push((id, place(environment.header))),
                // What it is called hangs on something, and so does what comes behind it.
                Ok(None) => return None,
                Err(diagnostic) => {
                    let mut found = Vec::new();
                    push(&mut found, *diagnostic, true).unseen = is_refused();
                    return found.pop();
                }
            }
        }
    }
    None
}

/// The id of an environment, or what is wrong with it. `None`: it is not known.
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
            let message = format!("`environment` needs `{name}`");
            let words = format!("environment block is missing required attribute '{name}'");
            let d = Diagnostic::new(&missing_field::RULE, place(field.at), message);
            Err(Box::new(d.engine_message(words)))
        }
        Value::Invalid => {
            let d = Diagnostic::new(
                &wrong_type::RULE,
                place(field.at),
                format!("`{name}` must be text"),
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
        let message = format!("there is an environment `{id}` already");
        let d = Diagnostic::new(&duplicate_name::RULE, place(environment.id.at), message)
            .related(*earlier, "the one above")
            .engine_message(format!("environment '{id}' already defined"));
        return Err(Box::new(d));
    }
    let unknown = from.filter(|from| !from.is_empty() && !seen.iter().any(|(known, _)| known == from));
    if let Some(from) = unknown {
        let message = format!("there is no environment `{from}` above this one");
        let d = Diagnostic::new(&invalid_value::RULE, place(environment.promote_from.at), message)
            .engine_message(format!("environment.promote_from '{from}' does not exist"));
        return Err(Box::new(d));
    }
    Ok(Some(id))
}
