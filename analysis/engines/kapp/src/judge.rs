//! kapp's own verdicts.

use std::sync::Arc;

use crate::model::error::{KappError, What};
use crate::model::inputs::Inputs;
use crate::model::{Model, Set};
use crate::relate::{Operation, Related};
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::Cx;
use applyorder_core::layer::{Command, Reports, Stage, Unknown};

/// `kapp deploy`.
pub(crate) const DEPLOY: &str = "deploy";
/// `kapp delete`, after the deploy.
pub(crate) const DELETE: &str = "delete";
/// A deploy with all resources removed, with the Configs in force.
pub(crate) const REMOVAL: &str = "deploy-removal";

const fn stage(name: &'static str, reports: Reports) -> Stage {
    Stage { name, reports }
}

const fn command(name: &'static str) -> Command {
    Command {
        name,
        stages: &STAGES,
        warns_when_rejecting: false,
    }
}

/// kapp stops at its first error, and may crash anywhere. Before that come the inputs that it reads and we do
/// not.
static STAGES: [Stage; 8] = [
    stage("input", Reports::First),
    stage("crash", Reports::SameSubject),
    stage("load", Reports::SameSubject),
    stage("config", Reports::SameSubject),
    stage("prepare", Reports::SameSubject),
    stage("label", Reports::SameSubject),
    stage("diff", Reports::SameSubject),
    stage("graph", Reports::SameSubject),
];

/// The commands whose outcome is predicted.
pub(crate) static COMMANDS: [Command; 3] = [command(DEPLOY), command(DELETE), command(REMOVAL)];

/// The operations with their commands; the one with all resources removed is included if Configs make it differ
/// from `kapp delete`.
pub(crate) fn operations(related: &Related) -> Vec<(&'static str, &Operation)> {
    let mut out = vec![(DEPLOY, &related.deploy), (DELETE, &related.delete)];
    out.extend(related.removal.as_ref().map(|removal| (REMOVAL, removal)));
    out
}

/// The error at which a command of kapp stops.
pub(crate) fn stops_at<'a>(
    related: &'a Related,
    command: &str,
    operation: &'a Operation,
) -> Option<&'a KappError> {
    match &related.failed {
        Some(_) if command != DEPLOY => None,
        Some(error) => Some(error),
        None => operation.kapp_error.as_ref(),
    }
}

/// The subject of an error, as outputs name it.
pub(crate) fn about(model: &Model, related: &Related, error: &KappError) -> Arc<str> {
    let name = error.change.and_then(|change| related.name(change));
    let item = error.item.and_then(|item| model.app.inputs.resource(item));
    match (name, item) {
        (Some(name), _) => name.clone(),
        (None, Some(r)) => r.title().into(),
        (None, None) => Arc::default(),
    }
}

/// Why an error may not occur: the files that form the app were not declared.
pub(crate) fn doubt(
    cx: &Cx<'_>,
    model: &Model,
    related: &Related,
    error: Option<&KappError>,
) -> Option<String> {
    let inputs = &model.app.inputs;
    if !inputs.is_inferred {
        return None;
    }
    if let Some((count, _)) = model.app.scattered {
        return Some(format!(
            "these files are probably not one app: {count} duplicate resources"
        ));
    }
    let error = error?;
    if error.what == What::Empty {
        return Some("these files contain no resources".to_owned());
    }
    let item = error.item.or_else(|| {
        let change = related.deploy.changes.get(error.change? as usize)?;
        (change.set == Set::New).then_some(change.item)
    });
    let file = error.place.map(|place| place.file);
    let file = file.or_else(|| Some(inputs.input(item?)?.file))?;
    inputs.is_doubtful(file).then(|| {
        let path = cx.path(file);
        let name = path.file_name().unwrap_or("");
        format!("{name} belongs to the app only by its location, and nothing in it is kapp's")
    })
}

/// Why the inputs of kapp are unknown.
fn unread(cx: &Cx<'_>, model: &Model, related: &Related) -> Option<String> {
    let state = model
        .state
        .as_ref()
        .and_then(|state| unread_inputs(cx, &state.inputs));
    let state = state.map(|why| format!("the snapshot of what is applied: {why}"));
    let unknown = related.unknown.first().map(|u| u.fault.message.clone());
    unread_inputs(cx, &model.app.inputs)
        .or_else(|| related.no_snapshot().map(str::to_owned))
        .or(state)
        .or(unknown)
}

/// Which inputs among some files cannot be read from the files alone.
fn unread_inputs(cx: &Cx<'_>, inputs: &Inputs) -> Option<String> {
    if let Some((file, kind)) = inputs.unrendered.first() {
        let path = cx.path(*file);
        let name = path.file_name().unwrap_or("");
        return Some(format!(
            "{name} is {}: its resources are unknown until it is rendered",
            kind.title()
        ));
    }
    inputs.elsewhere.first().map(ToString::to_string)
}

/// What cannot be known of the verdicts.
pub(crate) fn unknown(cx: &Cx<'_>, model: &Model, related: &Related) -> Vec<Unknown> {
    let unread = unread(cx, model, related);
    let mut out = Vec::new();
    for (command, operation) in operations(related) {
        let error = stops_at(related, command, operation);
        let because = if related.failed.is_some() && command != DEPLOY {
            Some("nothing is deployed that could be deleted".to_owned())
        } else if error.is_some_and(KappError::is_ours) {
            Some("a limit was reached".to_owned())
        } else {
            // A missing input may come before an error, or may fix it.
            unread.clone().or_else(|| doubt(cx, model, related, error))
        };
        out.extend(because.map(|because| Unknown {
            command: Some(command),
            stage: "input",
            at: None,
            because,
            leaves_later: false,
        }));
    }
    out
}

/// What could not be known, in sentences.
pub(crate) fn unresolved(model: &Model, related: &Related) -> Vec<(Option<Place>, String)> {
    let inputs = &model.app.inputs;
    let unrendered = inputs.unrendered.iter().map(|(file, kind)| {
        let text = format!(
            "this is {}: its resources are unknown until it is rendered",
            kind.title()
        );
        (Some(Place::file(*file)), text)
    });
    let mut out: Vec<(Option<Place>, String)> = unrendered.collect();
    out.extend(inputs.elsewhere.iter().map(|e| (None, e.to_string())));
    for unknown in &related.unknown {
        let rule = unknown.fault.rule.and_then(|(config, place)| {
            let in_force = model.bindings.configs.get(config as usize)?;
            model.place(Set::New, in_force.item, place)
        });
        out.push((rule, unknown.fault.message.clone()));
    }
    if related.deploy.built.unresolved || related.delete.built.unresolved {
        let text = "limit reached: too many optional edges could close cycles";
        out.push((None, text.to_owned()));
    }
    out
}
