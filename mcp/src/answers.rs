//! The answers of tools: the parts of the JSON report (`docs/json.md`) that an agent needs, with places in short form.

use std::collections::BTreeMap;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The JSON schema of an answer.
pub(crate) fn schema<A: JsonSchema>() -> JsonObject {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    match settings.into_generator().into_root_schema_for::<A>().to_value() {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

/// A range in a file.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(from = "ReportedPlace")]
pub(crate) struct Place {
    /// The file's path, relative to the server's first directory if it is below or near it, else absolute.
    path: String,
    /// The first line, from 1.
    line: u32,
    /// The first column in UTF-16 code units, from 1.
    column: u32,
    /// The last line.
    end_line: u32,
    /// The column after the last character.
    end_column: u32,
}

#[derive(Deserialize, JsonSchema)]
struct ReportedPlace {
    path: String,
    start: Point,
    end: Point,
}

#[derive(Deserialize, JsonSchema)]
struct Point {
    line: u32,
    column_utf16: u32,
}

impl From<ReportedPlace> for Place {
    fn from(place: ReportedPlace) -> Self {
        Self {
            path: place.path,
            line: place.start.line,
            column: place.start.column_utf16,
            end_line: place.end.line,
            end_column: place.end.column_utf16,
        }
    }
}

/// The predicted verdict of one command of the engine.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Verdict {
    /// The command.
    command: String,
    /// The environment; `null` if none is given.
    environment: Option<String>,
    /// Whether the engine accepts it; `null` if it cannot be known.
    ok: Option<bool>,
    /// The stage that rejects.
    stage: Option<String>,
    /// The engine's errors: all of the first stage that fails.
    messages: Vec<Message>,
    /// Why it cannot be known.
    because: Option<String>,
}

/// An error of the engine itself.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Message {
    /// The rule of applyorder that reports the same.
    rule: String,
    /// The unit, file or flag it is about.
    subject: String,
    /// The engine's message, as far as it can be predicted.
    message: String,
}

/// Something that could not be known.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Unresolved {
    /// What could not be known, as a sentence.
    message: String,
    /// Where it is.
    place: Option<Place>,
}

/// A finding.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Finding {
    /// The rule's ID, as for the tool `explain`.
    rule: String,
    /// error, warning, info or hint.
    pub(crate) severity: String,
    /// certain or heuristic.
    certainty: String,
    /// One sentence.
    message: String,
    /// The place at fault.
    place: Place,
    /// What that place shows, if the message does not say it.
    label: Option<String>,
    /// Other places, in reading order.
    related: Vec<Related>,
    /// Further sentences.
    notes: Vec<String>,
    /// The engine's commands that reject it; empty if the engine does not report it.
    enforced: Vec<Enforced>,
    /// The engine's own text.
    engine_message: Option<String>,
    /// The units it is about.
    units: Vec<String>,
    /// The environments in which it applies, if it does not apply in all; `null` is "none given".
    environments: Vec<Option<String>>,
    /// The keys of all projects that have it.
    projects: Vec<String>,
    /// A hash that stays the same when lines move.
    fingerprint: String,
    /// Fixes, best first.
    fixes: Vec<Fix>,
}

/// Another place that a finding refers to.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Related {
    /// What that place shows.
    message: String,
    /// The place.
    place: Place,
}

/// A command of the engine that rejects what a finding names.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Enforced {
    /// The command.
    command: String,
    /// The stage that rejects.
    stage: String,
    /// Whether it is part of the first error that the command would report.
    first: bool,
}

/// A fix.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Fix {
    /// What it does.
    title: String,
    /// safe: the order and verdict of every run stay the same; else unsafe.
    safety: String,
    /// Its edits, which do not overlap.
    edits: Vec<Edit>,
}

/// A replacement of a range of a file.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Edit {
    /// What is replaced; empty for an insertion.
    place: Place,
    /// The new text.
    text: String,
}

/// Output of `lint`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Lint {
    /// Whether every input could be read; if not, `notes` says which could not.
    pub(crate) complete: bool,
    /// The projects.
    pub(crate) projects: Vec<LintedProject>,
    /// The findings, worst first.
    pub(crate) findings: Vec<Finding>,
    /// The number of findings.
    pub(crate) total: usize,
    /// The number of findings not in `findings` because of `limit`.
    pub(crate) left_out: usize,
    /// Errors, warnings and the summary of the run.
    pub(crate) notes: Vec<String>,
}

/// A project and the predicted verdicts of its engine.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct LintedProject {
    /// The engine's ID.
    engine: String,
    /// What to write before a unit (`key#unit`) whose name is ambiguous.
    key: String,
    /// The file or directory that is its root.
    root: String,
    /// Whether its extent was inferred instead of declared.
    inferred: bool,
    /// The version of the engine that the verdicts are for.
    engine_version: String,
    /// The predicted verdicts of the engine, by command and environment.
    verdicts: Vec<Verdict>,
    /// What could not be known.
    unresolved: Vec<Unresolved>,
}

/// The report of `lint`.
#[derive(Deserialize)]
pub(crate) struct LintReport {
    pub(crate) projects: Vec<ReportedProject>,
    pub(crate) diagnostics: Vec<Finding>,
}

#[derive(Deserialize)]
pub(crate) struct ReportedProject {
    #[serde(flatten)]
    pub(crate) project: LintedProject,
    pub(crate) diagnostics: Vec<Finding>,
}

/// Output of `order` and `simulate`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Order {
    /// Whether every input could be read; if not, `notes` says which could not.
    pub(crate) complete: bool,
    /// The projects.
    pub(crate) projects: Vec<OrderedProject>,
    /// Errors and warnings of the run.
    pub(crate) notes: Vec<String>,
}

/// A project and its order.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OrderedProject {
    /// The engine's ID.
    pub(crate) engine: String,
    /// What to write before a unit (`key#unit`) whose name is ambiguous.
    pub(crate) key: String,
    /// The file or directory that is its root.
    pub(crate) root: String,
    /// Whether its extent was inferred instead of declared.
    pub(crate) inferred: bool,
    /// Its runs: one entry, or several if environments differ.
    pub(crate) runs: Vec<Run>,
    /// What could not be known.
    pub(crate) unresolved: Vec<Unresolved>,
}

/// The order of the runs in some environments.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Run {
    /// The environments; `null` is a run without an environment.
    pub(crate) environments: Vec<Option<String>>,
    /// How the engine would run it, in the engine's terms, e.g. `"mode": "dag"`.
    pub(crate) properties: BTreeMap<String, String>,
    /// The layers, first to last: units that may start together. `null` on a cycle or if they cannot be known.
    pub(crate) layers: Option<Vec<Vec<String>>>,
    /// The engine's own sequence, if it has one and it is not layer by layer.
    pub(crate) sequence: Option<Vec<String>>,
    /// Whether the engine keeps to this order.
    pub(crate) guaranteed: bool,
    /// Why the order is missing or not guaranteed.
    pub(crate) because: Option<String>,
    /// The units, in the engine's order of declaration.
    pub(crate) units: Vec<Unit>,
    /// The number of units not in `units` because of `limit`.
    pub(crate) left_out: usize,
}

/// A unit: one thing that the engine orders.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Unit {
    /// Its name.
    name: String,
    /// Whether the run includes it.
    selected: bool,
    /// What happens to it in this run, in the engine's terms, if that is not the same for all.
    action: Option<String>,
    /// Its tags.
    tags: Vec<String>,
    /// Where it is declared.
    place: Place,
}

/// The report of `order`.
#[derive(Deserialize)]
pub(crate) struct OrderReport {
    pub(crate) projects: Vec<ReportedOrders>,
}

#[derive(Deserialize)]
pub(crate) struct ReportedOrders {
    pub(crate) engine: String,
    pub(crate) key: String,
    pub(crate) root: String,
    pub(crate) inferred: bool,
    #[serde(flatten)]
    pub(crate) run: ReportedRun,
    pub(crate) variants: Vec<ReportedRun>,
    pub(crate) unresolved: Vec<Unresolved>,
}

#[derive(Deserialize)]
pub(crate) struct ReportedRun {
    pub(crate) environments: Vec<Option<String>>,
    pub(crate) properties: BTreeMap<String, String>,
    pub(crate) units: Vec<Unit>,
    pub(crate) order: ReportedOrder,
}

#[derive(Deserialize)]
pub(crate) struct ReportedOrder {
    pub(crate) apply: OneOrder,
    pub(crate) delete: OneOrder,
}

#[derive(Deserialize)]
pub(crate) struct OneOrder {
    pub(crate) layers: Option<Vec<Vec<String>>>,
    pub(crate) sequence: Option<Vec<String>>,
    pub(crate) guaranteed: bool,
    pub(crate) because: Option<String>,
}

impl ReportedRun {
    pub(crate) fn answer(mut self, deletes: bool, limit: usize) -> Run {
        let order = if deletes {
            self.order.delete
        } else {
            self.order.apply
        };
        let flat = order.layers.as_ref().map(|layers| layers.concat());
        let left_out = self.units.len().saturating_sub(limit);
        self.units.truncate(limit);
        Run {
            environments: self.environments,
            properties: self.properties,
            sequence: order.sequence.filter(|sequence| flat.as_ref() != Some(sequence)),
            layers: order.layers,
            guaranteed: order.guaranteed,
            because: order.because,
            units: self.units,
            left_out,
        }
    }
}

/// `from` waits for `to`.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Edge {
    /// The unit that waits.
    from: String,
    /// The unit that it waits for.
    to: String,
    /// explicit: written in a file; implicit: nesting, a default rule, a sequence.
    kind: String,
    /// The cause of an implicit edge; the list or attribute that contains an explicit edge.
    reason: Option<String>,
    /// The state that `to` must reach, in the engine's terms.
    condition: Option<String>,
    /// False if the engine drops the edge rather than fail on a cycle.
    required: bool,
    /// Where it is written.
    place: Option<Place>,
}

/// Output of `why`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Why {
    /// Whether every input could be read; if not, `notes` says which could not.
    pub(crate) complete: bool,
    /// The path.
    #[serde(flatten)]
    pub(crate) path: WhyReport,
    /// Errors and warnings of the run.
    pub(crate) notes: Vec<String>,
}

/// The report of `why`.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct WhyReport {
    /// The project.
    project: String,
    /// The environments the answer is for; `null` is "none given".
    environments: Vec<Option<String>>,
    /// The unit that waits; `null` if nothing orders the two.
    from: Option<String>,
    /// The unit that it waits for.
    to: Option<String>,
    /// The steps from `from` to `to`; `null` if nothing orders the two.
    path: Option<Vec<Edge>>,
}

/// Output of `deps`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Deps {
    /// Whether every input could be read; if not, `notes` says which could not.
    pub(crate) complete: bool,
    /// The units.
    #[serde(flatten)]
    pub(crate) report: DepsReport,
    /// The number of units.
    pub(crate) total: usize,
    /// The number of units not in `units` because of `limit`.
    pub(crate) left_out: usize,
    /// Errors and warnings of the run.
    pub(crate) notes: Vec<String>,
}

/// The report of `deps`.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct DepsReport {
    /// The project.
    project: String,
    /// The environments the answer is for; `null` is "none given".
    environments: Vec<Option<String>>,
    /// The unit asked about.
    unit: String,
    /// Whether `units` are those that wait for it, instead of those it waits for.
    reverse: bool,
    /// The units, nearest first.
    pub(crate) units: Vec<Reached>,
}

/// A unit at some distance.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Reached {
    /// Its name.
    name: String,
    /// The minimum number of steps.
    depth: u32,
    /// Where it is declared; `null` if it is outside the project.
    place: Option<Place>,
}

/// Output of `diff`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Diff {
    /// Whether every input could be read; if not, `notes` says which could not.
    pub(crate) complete: bool,
    /// What moved.
    #[schemars(with = "applyorder_lint::formats::json::diff::Diff")]
    pub(crate) diff: Value,
    /// Errors, warnings and the summary of the run.
    pub(crate) notes: Vec<String>,
}

/// Output of `graph`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Graph {
    /// Whether every input could be read; if not, `notes` says which could not.
    pub(crate) complete: bool,
    /// A Mermaid flowchart. Large graphs are folded, which the flowchart says.
    pub(crate) mermaid: String,
    /// Errors and warnings of the run.
    pub(crate) notes: Vec<String>,
}

/// Output of `explain`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Explain {
    /// The rule's ID.
    pub(crate) rule: &'static str,
    /// The usual severity.
    pub(crate) severity: &'static str,
    /// A summary in one line.
    pub(crate) summary: &'static str,
    /// The engines that report it; empty if it is about the configuration or limits of applyorder.
    pub(crate) engines: Vec<&'static str>,
    /// The rule's page in Markdown: what it does, why it matters, an example, and what to write instead.
    pub(crate) page: String,
}
