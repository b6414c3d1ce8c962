//! What kapp itself would say.

use crate::model::error::KappError;
use crate::relate::Operation;
use crate::rules::scope::Project;
use crate::rules::subject;
use applyorder_core::diagnostic::{Diagnostic, FileId, Place};
use applyorder_core::layer::{Block, Command, Finding, Reports, Stage, Unknown};

/// `kapp deploy`.
pub(crate) const DEPLOY: &str = "deploy";
/// `kapp delete`, after the deploy.
pub(crate) const DELETE: &str = "delete";
/// A deploy from which everything was removed, with the Configs in force.
pub(crate) const REMOVAL: &str = "deploy-removal";

const fn stage(name: &'static str, reports: Reports) -> Stage {
    Stage { name, reports }
}

const fn command(name: &'static str) -> Command {
    Command {
        name,
        stages: &STAGES,
        marks: true,
        warns_when_rejecting: false,
    }
}

/// kapp stops at its first error, and may crash anywhere. Before it comes what it reads and we do not.
static STAGES: [Stage; 8] = [
    stage("input", Reports::First),
    stage("crash", Reports::All),
    stage("load", Reports::SameSubject),
    stage("config", Reports::SameSubject),
    stage("prepare", Reports::SameSubject),
    stage("label", Reports::SameSubject),
    stage("diff", Reports::SameSubject),
    stage("graph", Reports::SameSubject),
];

/// The commands whose outcome is predicted.
pub(crate) static COMMANDS: [Command; 3] = [command(DEPLOY), command(DELETE), command(REMOVAL)];

/// The operations with their commands; that from which everything was removed is there where Configs make it another
/// than `kapp delete`.
fn operations<'a>(project: &Project<'a>) -> Vec<(&'static str, &'a Operation)> {
    let related = project.related;
    let mut out = vec![(DEPLOY, &related.deploy), (DELETE, &related.delete)];
    out.extend(related.removal.as_ref().map(|removal| (REMOVAL, removal)));
    out
}

/// The error at which kapp stops in a command.
fn stops_at<'a>(project: &Project<'a>, command: &str, operation: &'a Operation) -> Option<&'a KappError> {
    let before = project.related.failed.as_ref();
    match before {
        Some(_) if command != DEPLOY => None,
        Some(error) => Some(error),
        None => operation.kapp_error.as_ref(),
    }
}

/// What kapp reports, command by command: the one error that it stops at. People are told by the findings of rules.
pub(crate) fn reports(project: &Project<'_>) -> Block {
    let mut found = Vec::new();
    for (command, operation) in operations(project) {
        let Some(error) = stops_at(project, command, operation).filter(|error| !error.ours) else {
            continue;
        };
        let item = error
            .item
            .and_then(|item| project.model.app.inputs.resource(item));
        let name = error.change.and_then(|change| project.related.name(change));
        let about = name.map(ToString::to_string).or_else(|| item.map(subject));
        let place = match project.model.app.inputs.inputs.first() {
            Some(input) => Place::file(input.file),
            None => Place::file(FileId(0)),
        };
        let d = Diagnostic::new(error.rule, place, "");
        let finding = if error.unforeseen {
            Finding::new(d.engine_message(error.message.clone())).detail("text", "beginning")
        } else {
            Finding::new(d)
        };
        let finding = finding.silent().about(about.unwrap_or_default());
        let finding = finding.rejected(command, error.stage);
        found.push(if error.unforeseen {
            finding
        } else {
            finding.message_of(command, error.message.as_str())
        });
    }
    Block::new(found)
}

/// Why it cannot be known what kapp reads.
fn unread(project: &Project<'_>) -> Option<String> {
    let (inputs, related) = (&project.model.app.inputs, project.related);
    if let Some((file, kind)) = inputs.unrendered.first() {
        let path = project.cx.path(*file);
        let name = path.file_name().unwrap_or("");
        return Some(format!(
            "{name} is {}: what it yields is known once it is rendered",
            kind.title()
        ));
    }
    if let Some(elsewhere) = inputs.elsewhere.first() {
        return Some(elsewhere.to_string());
    }
    let unknown = related.unknown.first().map(|u| u.fault.message.clone());
    related.no_snapshot().map(str::to_owned).or(unknown)
}

/// What of the verdicts cannot be known.
pub(crate) fn unknown(project: &Project<'_>) -> Vec<Unknown> {
    let unread = unread(project);
    let mut out = Vec::new();
    for (command, operation) in operations(project) {
        let error = stops_at(project, command, operation);
        let because = if project.related.failed.is_some() && command != DEPLOY {
            Some("nothing is deployed that could be deleted".to_owned())
        } else if error.is_some_and(|error| error.ours) {
            Some("a limit was reached".to_owned())
        } else {
            // What is missing may come before an error, or may cure it.
            unread.clone()
        };
        out.extend(because.map(|because| Unknown {
            command: Some(command),
            stage: "input",
            because,
        }));
    }
    out
}

/// What could not be known, in sentences.
pub(crate) fn unresolved(project: &Project<'_>) -> Vec<(Option<Place>, String)> {
    let (inputs, related) = (&project.model.app.inputs, project.related);
    let unrendered = inputs.unrendered.iter().map(|(file, kind)| {
        let text = format!(
            "this is {}: what it yields is unknown until it is rendered",
            kind.title()
        );
        (Some(Place::file(*file)), text)
    });
    let mut out: Vec<(Option<Place>, String)> = unrendered.collect();
    out.extend(inputs.elsewhere.iter().map(|e| (None, e.to_string())));
    for unknown in &related.unknown {
        let rule = unknown.fault.rule.and_then(|(config, place)| {
            let in_force = project.model.bindings.configs.get(config as usize)?;
            Some(project.at(in_force.item, place))
        });
        out.push((rule, unknown.fault.message.clone()));
    }
    if related.deploy.built.unresolved || related.delete.built.unresolved {
        let text = "optional edges were not resolved: there are too many that could close cycles";
        out.push((None, text.to_owned()));
    }
    out
}
