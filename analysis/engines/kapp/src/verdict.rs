//! What kapp itself would say.

use std::collections::BTreeMap;

use super::resolve::{Failure, Operation, View};
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{EngineError, Verdict};

/// `kapp deploy`.
pub(crate) const DEPLOY: &str = "deploy";
/// `kapp delete`, after the deploy.
pub(crate) const DELETE: &str = "delete";
/// A deploy from which everything was removed, with the Configs in force.
pub(crate) const REMOVAL: &str = "deploy-removal";

/// The verdicts on all commands.
pub(crate) fn verdicts(view: &View<'_>) -> Vec<Verdict> {
    let before = view.failed;
    let mut out = vec![match before {
        Some(failure) => failed(view, DEPLOY, failure),
        None => of_operation(view, DEPLOY, view.deploy),
    }];
    let later = [(DELETE, Some(view.delete)), (REMOVAL, view.removal)];
    for (command, operation) in later {
        let Some(operation) = operation else { continue };
        out.push(match before {
            Some(_) => Verdict {
                because: Some("nothing is deployed that could be deleted".to_owned()),
                ..undecided(command)
            },
            None => of_operation(view, command, operation),
        });
    }
    out
}

fn undecided(command: &'static str) -> Verdict {
    Verdict {
        command,
        environment: None,
        ok: None,
        stage: None,
        errors: Vec::new(),
        warnings: Vec::new(),
        because: None,
    }
}

fn of_operation(view: &View<'_>, command: &'static str, operation: &Operation) -> Verdict {
    if let Some(failure) = &operation.built.failure {
        return failed(view, command, failure);
    }
    if let Some(because) = unknown(view) {
        return Verdict {
            because: Some(because),
            ..undecided(command)
        };
    }
    Verdict {
        ok: Some(true),
        ..undecided(command)
    }
}

/// Why it cannot be known what kapp reads.
fn unknown(view: &View<'_>) -> Option<String> {
    let Some((file, kind)) = view.loaded.unrendered.first() else {
        if let Some(elsewhere) = view.loaded.elsewhere.first() {
            return Some(elsewhere.to_string());
        }
        let unknown = view.unknown.first().map(|u| u.fault.message.clone());
        return view.no_snapshot.map(str::to_owned).or(unknown);
    };
    let path = view.cx.path(*file);
    let name = path.file_name().unwrap_or("");
    Some(format!(
        "{name} is {}: what it yields is known once it is rendered",
        kind.title()
    ))
}

fn failed(view: &View<'_>, command: &'static str, failure: &Failure) -> Verdict {
    if failure.ours {
        return Verdict {
            because: Some("a limit was reached".to_owned()),
            ..undecided(command)
        };
    }
    // What is missing may come before this error, or may cure it.
    if let Some(because) = unknown(view) {
        return Verdict {
            because: Some(because),
            ..undecided(command)
        };
    }
    let subject = failure
        .change
        .and_then(|c| view.variant.units.get(c as usize))
        .map(|u| u.name.to_string())
        .or_else(|| {
            let r = view.loaded.resource(failure.item?)?;
            Some(format!("{}/{}", r.kind.value, r.name.value))
        })
        .unwrap_or_default();
    let mut details = BTreeMap::new();
    if failure.unforeseen {
        details.insert("text", serde_json::Value::from("beginning"));
    }
    Verdict {
        ok: Some(false),
        stage: Some(failure.stage),
        errors: vec![EngineError {
            rule: failure.rule.id,
            subject,
            message: failure.message.clone(),
            details,
        }],
        ..undecided(command)
    }
}

/// What could not be known, in sentences.
pub(crate) fn unresolved(view: &View<'_>) -> Vec<(Option<Place>, String)> {
    let mut out: Vec<(Option<Place>, String)> = view
        .loaded
        .unrendered
        .iter()
        .map(|(file, kind)| {
            (
                Some(Place::file(*file)),
                format!(
                    "this is {}: what it yields is unknown until it is rendered",
                    kind.title()
                ),
            )
        })
        .collect();
    let elsewhere = view.loaded.elsewhere.iter();
    out.extend(elsewhere.map(|e| (None, e.to_string())));
    for unknown in view.unknown {
        let rule = unknown.fault.rule.and_then(|(config, place)| {
            let (item, _) = view.preparation.configs.get(config as usize)?;
            Some(view.at(*item, place))
        });
        out.push((rule, unknown.fault.message.clone()));
    }
    if view.deploy.built.unresolved || view.delete.built.unresolved {
        out.push((
            None,
            "optional edges were not resolved: there are too many that could close cycles".to_owned(),
        ));
    }
    out
}
