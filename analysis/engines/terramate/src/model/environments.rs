//! The `environment` blocks of the root, which Terramate evaluates after it has loaded everything.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks"; its evaluation of them.

use std::sync::Arc;

use super::Model;
use crate::read::{At, Environment, Field, Value};
use applyorder_core::diagnostic::FileId;

/// What is wrong with an environment.
pub(crate) struct EnvironmentFault {
    pub(crate) file: FileId,
    pub(crate) at: At,
    pub(crate) kind: EnvironmentFaultKind,
}

/// See [`EnvironmentFault`].
pub(crate) enum EnvironmentFaultKind {
    /// It lacks this attribute.
    Missing(&'static str),
    /// The attribute is not a string, or cannot be evaluated: Terramate's message.
    NoText(&'static str, Arc<str>),
    /// The environment with this header has the same id.
    Duplicate(Arc<str>, (FileId, At)),
    /// The environment that it promotes from is not one above it.
    Unknown(Arc<str>),
}

/// An environment that is known: its id, and its header.
type Known = (Arc<str>, (FileId, At));

impl Model {
    /// The first problem in them: Terramate stops there. If it is unknown whether there is one, why.
    pub(crate) fn environment_fault(&self) -> Result<Option<EnvironmentFault>, String> {
        let mut seen: Vec<Known> = Vec::new();
        for (loaded, facts) in self.root_files() {
            for environment in &facts.shape.environments {
                match id_of(environment, &seen) {
                    Ok(Some(id)) => seen.push((id, (loaded.file, environment.header))),
                    // Its id depends on unknown values, and so does what comes after it.
                    Ok(None) => {
                        let name = loaded.path.file_name().unwrap_or_default();
                        return Err(format!(
                            "an environment in `/{name}` is known only when Terramate runs"
                        ));
                    }
                    Err((at, kind)) => {
                        let file = loaded.file;
                        return Ok(Some(EnvironmentFault { file, at, kind }));
                    }
                }
            }
        }
        Ok(None)
    }
}

/// The id of an environment, or what is wrong with it. `None`: it is unknown.
fn id_of(environment: &Environment, seen: &[Known]) -> Result<Option<Arc<str>>, (At, EnvironmentFaultKind)> {
    let text = |field: &Field, name: &'static str, required: bool| match &field.value {
        Value::Known(text) => Ok(Some(text.clone())),
        Value::Unknown => Ok(None),
        Value::Absent if !required => Ok(Some("".into())),
        Value::Absent => Err((field.at, EnvironmentFaultKind::Missing(name))),
        Value::Invalid => Err((field.at, EnvironmentFaultKind::NoText(name, field.words.clone()))),
    };
    let id = text(&environment.id, "id", true)?;
    let name = text(&environment.name, "name", true)?;
    let description = text(&environment.description, "description", false)?;
    let from = text(&environment.promote_from, "promote_from", false)?;
    let (Some(id), Some(_), Some(_), Some(from)) = (id, name, description, from) else {
        return Ok(None);
    };
    if let Some((_, earlier)) = seen.iter().find(|(known, _)| *known == id) {
        let kind = EnvironmentFaultKind::Duplicate(id, *earlier);
        return Err((environment.id.at, kind));
    }
    if !from.is_empty() && !seen.iter().any(|(known, _)| *known == from) {
        return Err((environment.promote_from.at, EnvironmentFaultKind::Unknown(from)));
    }
    Ok(Some(id))
}
