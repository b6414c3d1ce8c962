//! `unsupported-version` in `terramate.required_version`.
//!
//! Source: Terramate 0.17.2, "Project root".

use crate::judge::{VERSION, rejected};
use crate::model::required_version::{self, Fault};
use crate::scope::{Scope, Whole};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::unsupported_version::RULE;

pub(super) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let wrong = required(&whole.scope);
    found.extend(wrong.map(|d| rejected(VERSION, d, &"/".into())));
}

/// The problem with the root's `required_version`, if it is malformed or not met.
fn required(scope: &Scope<'_>) -> Option<Diagnostic> {
    let wrong = required_version::wrong(scope.model)?;
    let required = &wrong.required.value;
    let place = scope.at(wrong.file, wrong.required.at);
    let new = |message: String, words: String| {
        let words = format!("version check error: version check failed: {words}");
        Diagnostic::new(&RULE, place, message).engine_message(words)
    };
    let loaded = &scope.model.loaded;
    Some(match wrong.fault {
        Fault::NotMet => {
            let diagnostic = new(
                format!("requires Terramate `{required}`, but {}", in_use(scope)),
                format!(
                    "version constraint \"{required}\" not satisfied by terramate version \"{}\"",
                    loaded.version
                ),
            );
            if loaded.is_version_assumed {
                diagnostic.heuristic()
            } else {
                diagnostic.severity(Severity::Error)
            }
        }
        Fault::Malformed(why) => new(
            format!("invalid version constraint `{required}`: {why}"),
            format!("invalid constraint: {why}"),
        )
        .severity(Severity::Error),
    })
}

/// The version in use, and which file specifies it.
fn in_use(scope: &Scope<'_>) -> String {
    let loaded = &scope.model.loaded;
    match &loaded.version_named_by {
        Some(file) => format!("`{file}` names {}", loaded.version),
        None if loaded.is_version_assumed => {
            format!("{} is assumed: no version is configured", loaded.version)
        }
        None => format!("{} is configured", loaded.version),
    }
}
