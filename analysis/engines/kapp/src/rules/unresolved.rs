//! `unresolved`: resources and scopes that cannot be known.

use rustc_hash::FxHashSet;

use super::scope::Project;
use crate::matcher::is_custom;
use crate::scope::Known;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::unresolved;

/// Sources whose rendered result is missing.
pub(super) fn unrendered(project: &Project<'_>, found: &mut Vec<Finding>) {
    for (file, kind) in &project.model.app.inputs.unrendered {
        let text = format!("resources unknown until rendered: this is {}", kind.title());
        let d = Diagnostic::new(&unresolved::RULE, Place::file(*file), text)
            .severity(Severity::Info)
            .note("set `render` of a `[[kapp.app]]` in applyorder.toml, or pass the rendered text on standard input");
        found.push(Finding::new(d));
    }
}

/// One finding per kind whose scope is unknown.
pub(super) fn unknown_scopes(project: &Project<'_>, found: &mut Vec<Finding>) {
    let mut seen = FxHashSet::default();
    for (item, bound, r) in project.model.app.resources() {
        if bound.known != Known::AsWritten {
            continue;
        }
        let (version, kind) = (&*r.api_version.value, &*r.kind.value);
        if !seen.insert((version, kind)) {
            continue;
        }
        let Some(place) = r.kind.place else { continue };
        let taken = if bound.namespace.is_empty() {
            "cluster-scoped"
        } else {
            "namespaced"
        };
        let mut d = Diagnostic::new(
            &unresolved::RULE,
            project.at(item, place),
            format!("unknown scope of {kind} ({version}), assuming {taken}"),
        )
        .severity(Severity::Info)
        .note(format!(
            "`scopes = {{ \"{version}/{kind}\" = \"namespaced\" }}` under `[kapp]` in applyorder.toml sets it"
        ));
        if !is_custom(r.group()) {
            d = d.note("the API group is built in, but this version of the kind is unknown");
        }
        found.push(Finding::new(d));
    }
}
