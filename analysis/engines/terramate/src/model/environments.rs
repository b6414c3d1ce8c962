//! The `environment` blocks of the root, which Terramate evaluates after it has loaded everything.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks"; its evaluation of them.

use std::sync::Arc;

use super::Model;
use crate::read::environment::project_text;
use crate::read::{At, Environment, Field, Value};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Cx;
use applyorder_syntax::hcl;
use applyorder_syntax::hcl::eval::Scope;

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
    /// The first problem in them: Terramate stops there. If it is unknown whether there is one, why. `names`: what
    /// can be named in them.
    pub(crate) fn environment_fault<S: Scope>(
        &self,
        cx: &Cx<'_>,
        names: impl Fn() -> S,
    ) -> Result<Option<EnvironmentFault>, String> {
        let mut seen: Vec<Known> = Vec::new();
        // What is imported comes first.
        let imported = self.root().into_iter().flat_map(|(_, imports)| &imports.merged);
        let imported = imported.map(|merged| (merged.file, &merged.facts));
        let own = self.root_files().map(|(loaded, facts)| (loaded.file, facts));
        let mut known: Option<S> = None;
        for (file, facts) in imported.chain(own) {
            for environment in &facts.shape.environments {
                let names = known.get_or_insert_with(&names);
                match id_of(environment, &seen, names) {
                    Ok(Some(id)) => seen.push((id, (file, environment.header))),
                    // Its id depends on unknown values, and so does what comes after it.
                    Ok(None) => {
                        let path = cx.path(file);
                        let name = self.loaded.tree.project_path(&path).unwrap_or_default();
                        return Err(format!(
                            "an environment in `{name}` is known only when Terramate runs"
                        ));
                    }
                    Err((at, kind)) => return Ok(Some(EnvironmentFault { file, at, kind })),
                }
            }
        }
        Ok(None)
    }
}

/// The text of a field, if that is known.
fn text_of(
    field: &Field,
    name: &'static str,
    is_required: bool,
    names: &dyn Scope,
) -> Result<Option<Arc<str>>, (At, EnvironmentFaultKind)> {
    let is_no_text = |words: Arc<str>| Err((field.at, EnvironmentFaultKind::NoText(name, words)));
    match &field.value {
        Value::Known(text) => Ok(Some(text.clone())),
        Value::Absent if !is_required => Ok(Some("".into())),
        Value::Absent => Err((field.at, EnvironmentFaultKind::Missing(name))),
        Value::Invalid => is_no_text(field.words.clone()),
        Value::Unknown => {
            let tree = hcl::parse(&format!("later = {}\n", field.later));
            let Some(later) = tree.body().attribute("later") else {
                return Ok(None);
            };
            match project_text(name, later.value(), names, true) {
                (Value::Known(text), _) => Ok(Some(text)),
                (Value::Invalid, words) => is_no_text(words.into()),
                _ => Ok(None),
            }
        }
    }
}

/// The id of an environment, or what is wrong with it. `None`: it is unknown.
fn id_of(
    environment: &Environment,
    seen: &[Known],
    names: &dyn Scope,
) -> Result<Option<Arc<str>>, (At, EnvironmentFaultKind)> {
    let id = text_of(&environment.id, "id", true, names)?;
    let name = text_of(&environment.name, "name", true, names)?;
    let description = text_of(&environment.description, "description", false, names)?;
    let from = text_of(&environment.promote_from, "promote_from", false, names)?;
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
