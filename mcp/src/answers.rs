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
    /// The file, relative to the server's first directory where it lies below or near it.
    path: String,
    /// The first line, from 1.
    line: u32,
    /// The column there in UTF-16 code units, from 1.
    column: u32,
    /// The last line.
    end_line: u32,
    /// The column behind the last character.
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

/// What the engine itself would say to one of its commands.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Verdict {
    /// The command.
    command: String,
    /// The environment; `null` where none is given.
    environment: Option<String>,
    /// Whether the engine accepts; `null` where it cannot be known.
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
    /// The rule that reports the same.
    rule: String,
    /// The unit, file or flag it is about.
    subject: String,
    /// The engine's text, as far as it can be predicted.
    message: String,
}

/// Something that could not be known.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Unresolved {
    /// What it is.
    message: String,
    /// Where it stands.
    place: Option<Place>,
}

/// A finding.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Finding {
    /// The rule's ID: the tool `explain` says more.
    rule: String,
    /// error, warning, info or hint.
    pub(crate) severity: String,
    /// certain or heuristic.
    certainty: String,
    /// One sentence.
    message: String,
    /// The place at fault.
    place: Place,
    /// What that place shows, where the message does not say it.
    label: Option<String>,
    /// Other places, in the order they are to be read.
    related: Vec<Related>,
    /// Further sentences.
    notes: Vec<String>,
    /// The engine's commands that reject it; empty: the engine does not report it.
    enforced: Vec<Enforced>,
    /// The engine's own text.
    engine_message: Option<String>,
    /// The units it is about.
    units: Vec<String>,
    /// The environments it holds in, where it does not hold in all; `null` is "none given".
    environments: Vec<Option<String>>,
    /// The keys of the projects in which it is found.
    projects: Vec<String>,
    /// What stays of it when lines move.
    fingerprint: String,
    /// Fixes, best first.
    fixes: Vec<Fix>,
}

/// Another place that a finding speaks of.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Related {
    /// What is to be seen there.
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
    /// Whether it belongs to the first thing the command would report.
    first: bool,
}

/// A fix.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Fix {
    /// What it does.
    title: String,
    /// safe: order and verdict of every run stay as they are; else unsafe.
    safety: String,
    /// The edits that make it up, none of which overlap.
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

/// The answer of `lint`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Lint {
    /// Whether every input could be read; else `notes` says which could not.
    pub(crate) complete: bool,
    /// The projects.
    pub(crate) projects: Vec<LintedProject>,
    /// The findings, worst first.
    pub(crate) findings: Vec<Finding>,
    /// How many findings there are.
    pub(crate) total: usize,
    /// How many of them are not in `findings`, because of `limit`.
    pub(crate) left_out: usize,
    /// Errors, warnings and the summary of the run.
    pub(crate) notes: Vec<String>,
}

/// A project, and what its engine would say.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct LintedProject {
    /// The engine's ID.
    engine: String,
    /// What to write before a unit (`key#unit`) whose name is ambiguous.
    key: String,
    /// The file or directory that is its root.
    root: String,
    /// Whether its extent was inferred and not declared.
    inferred: bool,
    /// The version of the engine that the verdicts are for.
    engine_version: String,
    /// What the engine itself would say, per command and environment.
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

/// The answer of `order` and `simulate`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Order {
    /// Whether every input could be read; else `notes` says which could not.
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
    /// Whether its extent was inferred and not declared.
    pub(crate) inferred: bool,
    /// What runs make of it: one entry, or several where environments differ.
    pub(crate) runs: Vec<Run>,
    /// What could not be known.
    pub(crate) unresolved: Vec<Unresolved>,
}

/// The order of the runs in some environments.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Run {
    /// The environments; `null` is a run for which none is given.
    pub(crate) environments: Vec<Option<String>>,
    /// The engine's words for how it would run, e.g. `"mode": "dag"`.
    pub(crate) properties: BTreeMap<String, String>,
    /// The layers, first to last: units that may start together. `null` on a cycle or where they cannot be known.
    pub(crate) layers: Option<Vec<Vec<String>>>,
    /// The engine's own sequence, where it has one and it is not layer by layer.
    pub(crate) sequence: Option<Vec<String>>,
    /// Whether the engine keeps to this order.
    pub(crate) guaranteed: bool,
    /// Why there is no order, or why it is not guaranteed.
    pub(crate) because: Option<String>,
    /// The units, in the engine's order of declaration.
    pub(crate) units: Vec<Unit>,
    /// How many units are not in `units`, because of `limit`.
    pub(crate) left_out: usize,
}

/// One thing that is ordered.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Unit {
    /// Its name.
    name: String,
    /// Whether the run includes it.
    selected: bool,
    /// What happens to it in this run, where that is not the same for all.
    action: Option<String>,
    /// The tags it carries.
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
    /// The unit that is awaited.
    to: String,
    /// explicit: somebody wrote it; implicit: nesting, a default rule, a sequence.
    kind: String,
    /// Why, where it is implied; the list or attribute it is written in, where it is written.
    reason: Option<String>,
    /// What `to` must have come to.
    condition: Option<String>,
    /// False where the engine leaves the edge out rather than fail on a cycle.
    required: bool,
    /// Where it is written.
    place: Option<Place>,
}

/// The answer of `why`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Why {
    /// Whether every input could be read; else `notes` says which could not.
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
    /// The unit that waits; `null` where nothing orders the two.
    from: Option<String>,
    /// The unit that is awaited.
    to: Option<String>,
    /// The steps from `from` to `to`; `null` where nothing orders the two.
    path: Option<Vec<Edge>>,
}

/// The answer of `deps`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Deps {
    /// Whether every input could be read; else `notes` says which could not.
    pub(crate) complete: bool,
    /// The units.
    #[serde(flatten)]
    pub(crate) report: DepsReport,
    /// How many units there are.
    pub(crate) total: usize,
    /// How many of them are not in `units`, because of `limit`.
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
    /// How many steps away, at the least.
    depth: u32,
    /// Where it is declared; `null` for what is outside the project.
    place: Option<Place>,
}

/// The answer of `diff`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Diff {
    /// Whether every input could be read; else `notes` says which could not.
    pub(crate) complete: bool,
    /// What moved.
    #[schemars(with = "applyorder_lint::formats::json::diff::Diff")]
    pub(crate) diff: Value,
    /// Errors, warnings and the summary of the run.
    pub(crate) notes: Vec<String>,
}

/// The answer of `graph`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Graph {
    /// Whether every input could be read; else `notes` says which could not.
    pub(crate) complete: bool,
    /// A flowchart in Mermaid's language. Large graphs are folded, and it says so.
    pub(crate) mermaid: String,
    /// Errors and warnings of the run.
    pub(crate) notes: Vec<String>,
}

/// The answer of `explain`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Explain {
    /// The rule's ID.
    pub(crate) rule: &'static str,
    /// The usual severity.
    pub(crate) severity: &'static str,
    /// One line.
    pub(crate) summary: &'static str,
    /// The engines that report it; empty: it speaks of our own configuration and limits.
    pub(crate) engines: Vec<&'static str>,
    /// The rule's page, in Markdown: what it does, why it matters, an example, and what to write instead.
    pub(crate) page: String,
}
