//! `workspace/executeCommand`: lists of units, why one runs before another, what runs are limited to.

use applyorder_analysis::engine::Engines;
use applyorder_analysis::ide::{FileSpan, listing, unit_lens, why};
use serde_json::{Value, json};

use super::code_lens_resolve::part;
use super::command_arguments::check;
use super::graph::Graphs;
use crate::call::Call;
use crate::commands;
use crate::diagnostics::plain;
use crate::handler::{Note, RequestHandler};
use crate::params::ExecuteCommand;
use crate::snapshot::Snapshot;

pub(crate) struct ExecuteCommands;

impl RequestHandler for ExecuteCommands {
    const METHOD: &'static str = "workspace/executeCommand";
    type Params = ExecuteCommand;
    type Answer = Value;

    fn document(params: &ExecuteCommand) -> Option<&str> {
        params.text("uri")
    }

    fn note(params: &ExecuteCommand) -> Option<Note> {
        if params.command != commands::SELECT {
            return None;
        }
        let asked = params.clone();
        Some(Box::new(move |state| {
            let chosen = asked.arguments.first();
            if let Some(chosen) = chosen.filter(|_| check(state.engines(), &asked).is_ok()) {
                state.select(chosen);
            }
        }))
    }

    fn check(engines: Engines, params: &ExecuteCommand) -> Result<(), String> {
        check(engines, params)
    }

    fn answer(snapshot: &Snapshot, params: ExecuteCommand, call: &Call) -> Result<Value, String> {
        match params.command.as_str() {
            commands::SELECT => Ok(Value::Null),
            commands::GRAPH => {
                let argument = params.arguments.into_iter().next().unwrap_or_default();
                let uri = argument.get("uri").cloned().unwrap_or_default();
                let mut asked = argument;
                if let Some(asked) = asked.as_object_mut() {
                    asked.insert("textDocument".to_owned(), json!({ "uri": uri }));
                }
                let asked = serde_json::from_value(asked)
                    .map_err(|_| format!("invalid arguments of {}", commands::GRAPH))?;
                Graphs::answer(snapshot, asked, call)
            }
            commands::LIST => list(snapshot, &params),
            commands::WHY => why(snapshot, &params),
            other => Err(format!("unknown command `{other}`")),
        }
    }
}

fn location(snapshot: &Snapshot, at: FileSpan) -> Option<Value> {
    let location = snapshot.convert().location_of(at.file, at.span)?;
    serde_json::to_value(location).ok()
}

fn list(snapshot: &Snapshot, params: &ExecuteCommand) -> Result<Value, String> {
    let file = params.text("uri").and_then(|uri| snapshot.file(uri));
    let file = file.ok_or("the document belongs to no project")?;
    let here = params.argument("here") == Some(&Value::Bool(true));
    let found = match (params.text("unit"), part(params.text("of"))) {
        (Some(unit), Some(part)) => unit_lens::listing(&snapshot.analysis, file, unit, part),
        _ => listing::listing(&snapshot.analysis, file, here),
    };
    let shown = found.into_iter().map(|listed| {
        json!({
            "name": listed.name,
            "layer": listed.layer,
            "mayBeLater": listed.may_be_later,
            "location": location(snapshot, listed.at),
        })
    });
    Ok(json!({ "items": shown.collect::<Vec<Value>>() }))
}

fn why(snapshot: &Snapshot, params: &ExecuteCommand) -> Result<Value, String> {
    let file = params.text("uri").and_then(|uri| snapshot.file(uri));
    let file = file.ok_or("the document belongs to no project")?;
    let [a, b] = ["a", "b"].map(|name| params.text(name).unwrap_or_default());
    let steps = why::why(&snapshot.analysis, file, a, b);
    let steps = steps.ok_or_else(|| format!("no project of the document has both {a} and {b}"))?;
    let count = match steps.len() {
        1 => "1 step".to_owned(),
        n => format!("{n} steps"),
    };
    let message = match (steps.first(), steps.last()) {
        (Some(first), Some(last)) => format!("{} runs after {}, {count}", first.from, last.to),
        _ => format!("nothing orders {a} and {b}"),
    };
    let shown = steps.into_iter().map(|step| {
        json!({
            "name": format!("{} waits for {}", step.from, step.to),
            "detail": plain(&step.because),
            "location": step.at.and_then(|at| location(snapshot, at)),
        })
    });
    Ok(json!({ "message": message, "steps": shown.collect::<Vec<Value>>() }))
}
