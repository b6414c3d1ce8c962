//! What only Spacelift knows of a stack and of a dependency.

use applyorder_core::diagnostic::FixStep;
use applyorder_core::engine::{DependencyIx, ProjectView, Resolution, Symbol, UnitIx, Variant, View};
use applyorder_core::markdown::escape;

use rustc_hash::FxHashSet;

use crate::Found;
use crate::model::{Dependency, NodeKind, OUTPUT, Of, Project};
use crate::read::is_json;

fn found(resolution: &Resolution) -> Option<&Found> {
    resolution.state.as_ref()?.downcast_ref()
}

/// The outputs that a dependency passes; `None` if it has no references, or one of them always triggers.
fn carried(project: &Project, number: u32) -> Option<Vec<String>> {
    let own = project
        .references
        .iter()
        .filter(|r| r.of == Of::Dependency(number));
    if own.clone().next().is_none() || own.clone().any(|r| r.trigger_always == Some(true)) {
        return None;
    }
    let outputs = own.filter_map(|r| {
        let (output, input) = (r.output.as_ref()?, r.input.as_ref()?);
        Some(format!("`{}` as `{}`", output.value, input.value))
    });
    Some(outputs.collect())
}

/// When a stack runs because of one it depends on.
fn trigger(project: &Project, number: u32, dependency: &Dependency) -> String {
    let upstream = dependency
        .upstream
        .stack()
        .and_then(|s| project.stacks.get(s as usize));
    let name = upstream.map_or("what it depends on", |s| &*s.address);
    match carried(project, number) {
        None => format!("whenever a tracked run of `{name}` has finished"),
        Some(outputs) if outputs.is_empty() => format!("when a run of `{name}` changed what it takes of it"),
        Some(outputs) => format!("when a run of `{name}` changed {}", outputs.join(" or ")),
    }
}

/// Paragraphs on a stack.
pub(crate) fn of_stack(resolution: &Resolution, unit: UnitIx) -> Vec<String> {
    let Some(found) = found(resolution) else {
        return Vec::new();
    };
    let project = &found.project;
    let Some(stack) = project.stacks.get(unit.0 as usize) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    match stack.kind {
        NodeKind::Managed => {}
        NodeKind::Symbolic => lines.push("Which instances its resource has is unknown.".to_owned()),
        NodeKind::External => lines.push("It is declared elsewhere.".to_owned()),
    }
    if let Some(settings) = &stack.settings {
        let slug = settings.slug.as_ref().map(|slug| {
            if slug.is_written {
                format!("id `{}`", slug.text)
            } else {
                format!("id probably `{}`", slug.text)
            }
        });
        let confirmed = match settings.autodeploy {
            Some(false) => Some("changes wait to be confirmed".to_owned()),
            _ => None,
        };
        let parts: Vec<String> = std::iter::once(format!("Run by {}", settings.vendor.word()))
            .chain(slug)
            .chain(confirmed)
            .collect();
        lines.push(format!("{}.", parts.join(", ")));
    }
    let own = (0u32..)
        .zip(&project.dependencies)
        .filter(|(_, d)| d.edge().is_some_and(|(from, to)| from == unit.0 && from != to));
    let mut triggers: Vec<String> = own.map(|(number, d)| trigger(project, number, d)).collect();
    // What two resources declare is shown once.
    let mut said: FxHashSet<String> = FxHashSet::default();
    triggers.retain(|trigger| said.insert(trigger.clone()));
    if !triggers.is_empty() {
        lines.push(format!("Runs when it is pushed, {}.", triggers.join(", ")));
    }
    lines
}

/// What a dependency says.
pub(crate) fn of_dependency(resolution: &Resolution, dependency: DependencyIx) -> Option<String> {
    let found = found(resolution)?;
    let number = *found.related.written.get(dependency.0 as usize)?;
    let own = found.project.dependencies.get(number as usize)?;
    let stack = found.project.stacks.get(own.stack.stack()? as usize)?;
    Some(format!(
        "`{}` runs {}.",
        stack.address,
        trigger(&found.project, number, own)
    ))
}

/// What an output or a variable says of itself that a reference names.
pub(crate) fn of_symbol(resolution: &Resolution, symbol: &Symbol) -> Option<String> {
    let project = &found(resolution)?.project;
    let all = if symbol.kind == OUTPUT {
        &project.outputs
    } else {
        &project.inputs
    };
    let place = symbol.definitions.first()?;
    let declared = all.values().flatten().find(|d| d.name.place == *place)?;
    let marks = [
        declared.sensitive.unwrap_or(false).then_some("sensitive"),
        declared.sensitive.is_none().then_some("perhaps sensitive"),
        (symbol.kind != OUTPUT).then_some(if declared.has_default {
            "has a default"
        } else {
            "required"
        }),
    ];
    let marks: Vec<&str> = marks.into_iter().flatten().collect();
    let marks = (!marks.is_empty()).then(|| format!("_{}_", marks.join(", ")));
    let description = declared.description.as_deref().map(str::trim);
    let description = description.filter(|text| !text.is_empty());
    let description = description.map_or_else(|| "_no description_".to_owned(), escape);
    let parts = std::iter::once(description).chain(marks);
    Some(parts.collect::<Vec<_>>().join("\n\n"))
}

/// The step that takes a dependency away, where its block makes no others.
pub(crate) fn removal(
    analysis: &dyn View,
    project: ProjectView<'_>,
    _: &Variant,
    dependency: DependencyIx,
) -> Option<FixStep> {
    let found = found(project.resolution)?;
    let number = *found.related.written.get(dependency.0 as usize)?;
    let own = found.project.dependencies.get(number as usize)?;
    let is_single = own.address == own.resource && !is_json(analysis.path(own.whole.file).as_str());
    is_single.then_some(FixStep::RemoveBlock(own.whole))
}
