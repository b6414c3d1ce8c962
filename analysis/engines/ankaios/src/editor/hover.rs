//! The hovers of workloads and dependencies.

use applyorder_core::diagnostic::{FixStep, Place};
use applyorder_core::engine::{DependencyIx, ProjectView, Resolution, UnitIx, Variant, View};
use applyorder_core::markdown;

use crate::State;
use crate::model::{Block, Rendered};
use crate::read::{Condition, Restart};

fn state(resolution: &Resolution) -> Option<&State> {
    resolution.state.as_ref()?.downcast_ref()
}

/// Agent, runtime, restart policy; what it waits for and what blocks its removal.
pub(crate) fn of_unit(resolution: &Resolution, unit: UnitIx) -> Vec<String> {
    let Some(state) = state(resolution) else {
        return Vec::new();
    };
    let Some((_, workload)) = state.model.workload(unit) else {
        return Vec::new();
    };
    let related = &state.related;
    let name = |unit: UnitIx| markdown::code(state.model.name(unit).map_or("", |name| name));
    let agent = match &state.model.agents(unit).given {
        Rendered::Text(agent) if agent.is_empty() => "not scheduled".to_owned(),
        Rendered::Text(agent) => format!("agent {}", markdown::code(agent)),
        Rendered::Unknown | Rendered::Failed => "agent not known".to_owned(),
    };
    let runtime = workload.runtime.as_ref().map_or("", |r| &*r.value);
    let restart = match workload.restart {
        Restart::Never => "never restarted",
        Restart::OnFailure => "restarted on failure",
        Restart::Always => "always restarted",
    };
    let mut out = vec![format!("{agent}, runtime {}, {restart}", markdown::code(runtime))];
    let waits: Vec<String> = related
        .waits_of(unit)
        .map(|(number, wait)| {
            let word = wait.condition.map_or("in no known condition", Condition::word);
            format!("{} {word}", markdown::code(related.text(number)))
        })
        .collect();
    if !waits.is_empty() {
        out.push(format!(
            "Starts once all hold at the same moment: {}.",
            waits.join(", ")
        ));
    }
    match related.blocked.get(unit.0 as usize).copied().flatten() {
        Some(Block::Unscheduled) => out.push("It has no agent and never starts.".to_owned()),
        Some(Block::Dangling(at) | Block::Behind(at)) => {
            out.push(format!(
                "It cannot start: {} is not there or cannot start.",
                markdown::code(related.text(at))
            ));
        }
        None => {}
    }
    let gates: Vec<String> = related.gates(unit).map(|(by, _)| name(by)).collect();
    if !gates.is_empty() {
        out.push(format!(
            "An update or removal waits until these stopped: {}.",
            gates.join(", ")
        ));
    }
    out
}

/// When a condition holds.
pub(crate) fn of_dependency(resolution: &Resolution, dependency: DependencyIx) -> Option<String> {
    let state = state(resolution)?;
    let name = markdown::code(&state.related.need(dependency.0)?.text);
    Some(match state.related.condition(dependency.0)? {
        Condition::Running => format!(
            "Waits until {name} is running. {name} is not updated or removed while this workload is pending or running."
        ),
        Condition::Succeeded => format!("Waits until {name} ended with exit code 0."),
        Condition::Failed => format!("Waits until {name} ended with another exit code than 0."),
    })
}

/// The step that removes a dependency. An empty `dependencies:` would be rejected.
pub(crate) fn removal(
    _: &dyn View,
    project: ProjectView<'_>,
    variant: &Variant,
    dependency: DependencyIx,
) -> Option<FixStep> {
    let written = variant.dependencies.get(dependency.0 as usize)?;
    let (_, workload) = state(project.resolution)?.model.workload(written.unit)?;
    Some(match (workload.dependencies.len(), workload.dependencies_key) {
        (1, Some(key)) => FixStep::RemoveKey(Place::anchor(written.place.file, project.seed.engine, key)),
        _ => FixStep::RemoveKey(written.place),
    })
}
