//! The details of a project for Spacelift, beyond what all engines have in common.

use applyorder_core::engine::Resolution;
use serde_json::Value;

use crate::Found;
use crate::model::{NodeKind, Of};
use crate::relate::Simulation;

/// See the module.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The edges, each pair once, those of duplicates and of one stack with itself included.
    pub edges: Vec<Edge>,
    /// The references whose dependency is known.
    pub references: Vec<Referred>,
    /// Stacks from outside that occur in edges.
    pub external: Vec<String>,
    /// What is unknown: address and argument.
    pub unresolved: Vec<String>,
    /// The findings in the words of the cases.
    pub reports: Vec<Report>,
    /// The stacks in the order in which destructors remove them; nothing where no order is safe.
    pub destroy: Option<Vec<Vec<String>>>,
    /// Whether Terraform keeps to it.
    pub destroy_is_guaranteed: bool,
    /// What a run does under the documentation's words on failures, and under the support article's; nothing where
    /// it would depend on itself.
    pub simulated: Option<(Option<Simulation>, Option<Simulation>)>,
    /// How many ids there are, and how many of them are known.
    pub ids: (usize, usize),
}

/// A stack that waits for another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The stack that waits.
    pub from: String,
    /// The one it waits for.
    pub to: String,
    /// It depends on what is only likely.
    pub heuristic: bool,
}

/// An output that becomes an input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Referred {
    /// The stack that takes it.
    pub downstream: String,
    /// The stack that gives it.
    pub upstream: String,
    /// Its name there.
    pub output: String,
    /// The environment variable that it becomes.
    pub input: String,
    /// Whether it triggers although it did not change.
    pub trigger_always: bool,
}

/// A finding in the words of the cases.
#[derive(Clone, Debug)]
pub struct Report {
    /// `cycle`, `unknown-stack`, ...
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// Where it is: an address, perhaps with an argument; with and without keys.
    pub at: Vec<String>,
    /// All that is part of a cycle.
    pub members: Vec<String>,
    /// The one that came first.
    pub first: Option<String>,
    /// Whether it is an error.
    pub is_error: bool,
    /// Whether it is a warning.
    pub is_warning: bool,
}

fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(all)) => all.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}

/// What Spacelift makes of a project.
#[must_use]
pub fn plan(resolution: &Resolution) -> Option<Plan> {
    use applyorder_core::diagnostic::Severity;
    let found = resolution.state.as_ref()?.downcast_ref::<Found>()?;
    let (project, related) = (&found.project, &found.related);
    let name = |stack: u32| {
        project
            .stacks
            .get(stack as usize)
            .map_or("", |s| &*s.address)
            .to_owned()
    };
    let mut edges: Vec<Edge> = Vec::new();
    let mut external = Vec::new();
    for dependency in &project.dependencies {
        let Some((from, to)) = dependency.edge() else {
            continue;
        };
        edges.push(Edge {
            from: name(from),
            to: name(to),
            heuristic: dependency.is_heuristic(),
        });
        for stack in [from, to] {
            let own = project.stacks.get(stack as usize);
            external.extend(
                own.filter(|s| s.kind == NodeKind::External)
                    .map(|s| s.address.to_string()),
            );
        }
    }
    edges.sort();
    edges.dedup_by(|a, b| a.from == b.from && a.to == b.to);
    external.sort();
    external.dedup();
    let mut references: Vec<Referred> = Vec::new();
    for reference in &project.references {
        let Of::Dependency(number) = reference.of else {
            continue;
        };
        let edge = project.dependencies.get(number as usize).and_then(|d| d.edge());
        if let (Some((from, to)), Some(output), Some(input)) = (edge, &reference.output, &reference.input) {
            references.push(Referred {
                downstream: name(from),
                upstream: name(to),
                output: output.value.to_string(),
                input: input.value.to_string(),
                trigger_always: reference.trigger_always == Some(true),
            });
        }
    }
    references.sort();
    let reports = found
        .blocks
        .iter()
        .flat_map(|b| b.findings())
        .filter_map(|finding| {
            let Some(Value::String(kind)) = finding.details.get("kind") else {
                return None;
            };
            Some(Report {
                kind: kind.clone(),
                subject: finding.subject.to_string(),
                at: texts(finding.details.get("at")),
                members: texts(finding.details.get("members")),
                first: texts(finding.details.get("first")).into_iter().next(),
                is_error: finding.diagnostic.severity == Severity::Error,
                is_warning: finding.diagnostic.severity == Severity::Warning,
            })
        });
    let delete = &related.variant.delete;
    let layers = delete.layers.as_ref().map(|layers| {
        let named = layers.iter().map(|layer| {
            let mut names: Vec<String> = layer.iter().map(|u| name(u.0)).collect();
            names.sort();
            names
        });
        named.collect()
    });
    Some(Plan {
        edges,
        references,
        external,
        unresolved: project.unresolved.iter().map(|u| u.at.clone()).collect(),
        reports: reports.collect(),
        destroy: layers,
        destroy_is_guaranteed: delete.guaranteed,
        simulated: related.simulated.clone(),
        ids: project.ids,
    })
}
