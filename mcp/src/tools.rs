//! The tools.

use applyorder_analysis::engine::Engines;
use applyorder_lint::commands::rules::reported_by;
use rmcp::model::JsonObject;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answers;
use crate::call::{self, CommandOutput, Cx, ToolError};
use crate::params::{self, Operation, command_line};

/// Executes a tool with its arguments.
pub(crate) type Work = fn(&Cx, JsonObject) -> Result<Value, ToolError>;

/// A tool.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) input: fn(Engines) -> JsonObject,
    pub(crate) output: fn() -> JsonObject,
    pub(crate) work: Work,
}

/// Every tool.
pub(crate) static TOOLS: [Tool; 8] = [
    Tool {
        name: "lint",
        title: "Check for problems",
        description: "Check the files that decide in which order infrastructure is applied: cycles, unknown \
                      dependencies, lost order, and what the engine would reject, each with its place and fixes. \
                      Call it after editing such files.",
        input: params::schema_of_run::<params::Lint>,
        output: answers::schema::<answers::Lint>,
        work: lint,
    },
    Tool {
        name: "order",
        title: "Show the order",
        description: "In which layers and sequence the units of each project are applied or deleted, and whether the \
                      engine guarantees it.",
        input: params::schema_of_run::<params::Order>,
        output: answers::schema::<answers::Order>,
        work: order,
    },
    Tool {
        name: "why",
        title: "Explain why one unit waits for another",
        description: "The shortest path that orders two units, each step with the place it is written at, or that \
                      nothing orders them.",
        input: params::schema_of_run::<params::Why>,
        output: answers::schema::<answers::Why>,
        work: why,
    },
    Tool {
        name: "deps",
        title: "Show dependencies or dependents",
        description: "What a unit waits for, or with `reverse` what waits for it. Call it before removing or renaming \
                      a unit.",
        input: params::schema_of_run::<params::Deps>,
        output: answers::schema::<answers::Deps>,
        work: deps,
    },
    Tool {
        name: "simulate",
        title: "Predict a partial run",
        description: "What a run would include, and in which order, when only some units changed (`changed`), after \
                      some failed (`failed`), or over what is already applied (`options.state`).",
        input: params::schema_of_run::<params::Simulate>,
        output: answers::schema::<answers::Order>,
        work: simulate,
    },
    Tool {
        name: "diff",
        title: "Compare the order with a git revision",
        description: "What changed in the order since a git revision: units that run earlier or later, and \
                      dependencies that were lost or gained. Call it before a commit that should not change the order.",
        input: params::schema_of_run::<params::Diff>,
        output: answers::schema::<answers::Diff>,
        work: diff,
    },
    Tool {
        name: "graph",
        title: "Draw the order",
        description: "The order as a Mermaid flowchart, of whole projects or around one unit (`focus`).",
        input: params::schema_of_run::<params::Graph>,
        output: answers::schema::<answers::Graph>,
        work: graph,
    },
    Tool {
        name: "explain",
        title: "Explain a rule",
        description: "The page of a rule: what it finds, why it matters, an example, and what to write instead.",
        input: |_| params::schema::<params::Explain>(),
        output: answers::schema::<answers::Explain>,
        work: explain,
    },
];

fn value(answer: &impl Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(answer).map_err(|e| format!("internal error: {e}").into())
}

fn report<R: DeserializeOwned>(output: &CommandOutput) -> Result<R, ToolError> {
    serde_json::from_slice(&output.report).map_err(|e| format!("internal error: {e}").into())
}

fn lint(cx: &Cx, arguments: JsonObject) -> Result<Value, ToolError> {
    let params: params::Lint = params::read(arguments)?;
    let output = call::run(cx, &command_line(cx, "lint", &params.flags(), &[], &params)?)?;
    let report: answers::LintReport = report(&output)?;
    let mut findings = report.diagnostics;
    let mut projects = Vec::new();
    for project in report.projects {
        findings.extend(project.diagnostics);
        projects.push(project.project);
    }
    let rank = |severity: &str| {
        ["error", "warning", "info", "hint"]
            .iter()
            .position(|s| *s == severity)
    };
    findings.sort_by_key(|finding| rank(&finding.severity));
    let total = findings.len();
    findings.truncate(params.limit);
    value(&answers::Lint {
        complete: output.complete,
        projects,
        left_out: total - findings.len(),
        total,
        findings,
        notes: output.notes,
    })
}

fn order(cx: &Cx, arguments: JsonObject) -> Result<Value, ToolError> {
    let params: params::Order = params::read(arguments)?;
    let output = call::run(cx, &command_line(cx, "order", &params.flags(), &[], &params)?)?;
    orders(output, params.operation, params.limit)
}

fn simulate(cx: &Cx, arguments: JsonObject) -> Result<Value, ToolError> {
    let params: params::Simulate = params::read(arguments)?;
    let is_given = |name: &str| params.options.contains_key(name);
    if params.changed.is_empty() && params.failed.is_empty() && !is_given("changed") && !is_given("state") {
        return Err("specify at least one of `changed`, `failed`, `options.state`"
            .to_owned()
            .into());
    }
    let output = call::run(cx, &command_line(cx, "simulate", &params.flags(), &[], &params)?)?;
    orders(output, params.operation, params.limit)
}

fn orders(output: CommandOutput, operation: Operation, limit: usize) -> Result<Value, ToolError> {
    let report: answers::OrderReport = report(&output)?;
    let deletes = operation == Operation::Delete;
    let project = |project: answers::ReportedOrders| answers::OrderedProject {
        engine: project.engine,
        key: project.key,
        root: project.root,
        inferred: project.inferred,
        runs: std::iter::once(project.run)
            .chain(project.variants)
            .map(|run| run.answer(deletes, limit))
            .collect(),
        unresolved: project.unresolved,
    };
    value(&answers::Order {
        complete: output.complete,
        projects: report.projects.into_iter().map(project).collect(),
        notes: output.notes,
    })
}

fn why(cx: &Cx, arguments: JsonObject) -> Result<Value, ToolError> {
    let params: params::Why = params::read(arguments)?;
    let units = [params.from.as_str(), params.to.as_str()];
    let output = call::run(cx, &command_line(cx, "why", &params.flags(), &units, &params)?)?;
    value(&answers::Why {
        complete: output.complete,
        path: report(&output)?,
        notes: output.notes,
    })
}

fn deps(cx: &Cx, arguments: JsonObject) -> Result<Value, ToolError> {
    let params: params::Deps = params::read(arguments)?;
    let output = call::run(
        cx,
        &command_line(cx, "deps", &params.flags(), &[&params.unit], &params)?,
    )?;
    let mut report: answers::DepsReport = report(&output)?;
    let total = report.units.len();
    report.units.truncate(params.limit);
    value(&answers::Deps {
        complete: output.complete,
        left_out: total - report.units.len(),
        total,
        report,
        notes: output.notes,
    })
}

fn diff(cx: &Cx, arguments: JsonObject) -> Result<Value, ToolError> {
    let params: params::Diff = params::read(arguments)?;
    let output = call::run(
        cx,
        &command_line(cx, "diff", &params.flags(), &[&params.revision], &params)?,
    )?;
    value(&answers::Diff {
        complete: output.complete,
        diff: report(&output)?,
        notes: output.notes,
    })
}

fn graph(cx: &Cx, arguments: JsonObject) -> Result<Value, ToolError> {
    let params: params::Graph = params::read(arguments)?;
    let output = call::run(cx, &command_line(cx, "graph", &params.flags(), &[], &params)?)?;
    value(&answers::Graph {
        complete: output.complete,
        mermaid: String::from_utf8_lossy(&output.report).into_owned(),
        notes: output.notes,
    })
}

fn explain(cx: &Cx, arguments: JsonObject) -> Result<Value, ToolError> {
    let params: params::Explain = params::read(arguments)?;
    let line = ["explain", "--", &params.rule].map(str::to_owned);
    // For an unknown rule, the command suggests the nearest one.
    call::run(cx, &line)?;
    let rules = cx.engines.rules();
    let Some(rule) = rules.iter().find(|rule| rule.id == params.rule.trim()) else {
        return Err(format!("unknown rule `{}`", params.rule).into());
    };
    value(&answers::Explain {
        rule: rule.id,
        severity: rule.severity.as_str(),
        summary: rule.summary,
        engines: reported_by(cx.engines, rule),
        page: applyorder_lint::commands::explain::page(cx.engines, rule),
    })
}
