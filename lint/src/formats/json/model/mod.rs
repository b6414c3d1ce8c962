//! The schema of the JSON report, version 1. `docs/json.md` explains it field by field.
//!
//! Within a version, fields are only added. Texts from linted files have control characters escaped as in JSON, and
//! nothing else: they are data.

mod answers;
mod finding;

use std::borrow::Cow;
use std::collections::BTreeMap;

use applyorder_analysis::engine::EngineError;
use schemars::JsonSchema;
use serde::Serialize;

pub use answers::{
    Check, Count, Deps, Expectation, Explanation, Reached, Rule, Rules, SelectionReason, Statistics,
    Suggestion, Why, WhySelected,
};
pub use finding::{Diagnostic, Edit, Enforced, Fix, Line, Place, Point, Related};

/// The version of the shape.
pub const VERSION: u32 = 1;

/// A text of the report; borrowed where it can be.
pub type Text<'a> = Cow<'a, str>;

/// The whole report.
#[derive(Serialize, JsonSchema)]
pub struct Report<'a> {
    /// The version of this format: 1.
    pub version: u32,
    /// The requested projects, by engine and root.
    pub projects: Vec<Project<'a>>,
    /// The findings that belong to no project, such as errors in a configuration file.
    pub diagnostics: Vec<Diagnostic<'a>>,
}

/// One project: the units that one run of an engine orders.
#[derive(Serialize, JsonSchema)]
pub struct Project<'a> {
    /// The engine's ID, as for `--engine`.
    pub engine: &'a str,
    /// How the project is written before a unit (`key#unit`) where the unit's name alone is ambiguous.
    pub key: String,
    /// The project's name, if the configuration gives one.
    pub name: Option<Text<'a>>,
    /// The file or directory that is its root.
    pub root: String,
    /// Why it is a project.
    pub why: Text<'a>,
    /// Whether its extent was inferred instead of declared.
    pub inferred: bool,
    /// Its files, the root's first.
    pub files: Vec<File<'a>>,
    /// The options of the run that were given and that the engine knows, by the flag's name without dashes.
    pub options: BTreeMap<&'static str, serde_json::Value>,
    /// The version of the engine that the verdicts are for.
    pub engine_version: Text<'a>,
    /// The predicted verdicts of the engine, by command and environment.
    pub verdicts: Vec<Verdict<'a>>,
    /// The run in the first environments; the only run if the engine has no environments.
    #[serde(flatten)]
    pub run: Run<'a>,
    /// Further runs, for environments with other units or another order.
    pub variants: Vec<Run<'a>>,
    /// What could not be known.
    pub unresolved: Vec<Unresolved<'a>>,
    /// The findings. A finding of several projects is listed in the first of them and names all.
    pub diagnostics: Vec<Diagnostic<'a>>,
}

/// The units and order of a project in some environments.
#[derive(Serialize, JsonSchema)]
pub struct Run<'a> {
    /// The environments it applies to; `null` is a run without an environment.
    pub environments: Vec<Option<Text<'a>>>,
    /// How the engine would run it, in the engine's terms, e.g. `"mode": "dag"`.
    pub properties: BTreeMap<&'static str, Text<'a>>,
    /// The units, in the engine's order of declaration.
    pub units: Vec<Unit<'a>>,
    /// The edges when applying, unit by unit. Relations between groups are in `groups`, unless all edges are
    /// requested.
    pub edges: Edges<'a>,
    /// Many-to-many relations, each as one entry with its counts; empty if all edges are requested.
    pub groups: Vec<Group<'a>>,
    /// The orders.
    pub order: Orders<'a>,
}

/// A file of a project.
#[derive(Serialize, JsonSchema)]
pub struct File<'a> {
    /// Its path.
    pub path: String,
    /// Why it belongs to the project.
    pub why: Text<'a>,
    /// The place that includes it.
    pub via: Option<Place>,
}

/// The predicted verdict of one command of the engine.
#[derive(Serialize, JsonSchema)]
pub struct Verdict<'a> {
    /// The command: `check`, `apply`, `run`, `deploy`, ...
    pub command: &'a str,
    /// The environment; `null` if none is given.
    pub environment: Option<Text<'a>>,
    /// Whether the engine accepts it; `null` if it cannot be known or is random in the engine itself.
    pub ok: Option<bool>,
    /// The stage that rejects.
    pub stage: Option<&'a str>,
    /// The engine's errors: all of the first stage that fails.
    pub messages: Vec<Message<'a>>,
    /// The engine's warnings.
    pub warnings: Vec<Message<'a>>,
    /// The number of further errors, not in `messages`; absent if zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_messages: Option<usize>,
    /// The number of further warnings, not in `warnings`; absent if zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_warnings: Option<usize>,
    /// Why it cannot be known.
    pub because: Option<Text<'a>>,
}

/// An error or warning of the engine itself.
#[derive(Serialize, JsonSchema)]
pub struct Message<'a> {
    /// The rule of applyorder that reports the same.
    pub rule: &'a str,
    /// The unit, file or flag it is about.
    pub subject: Text<'a>,
    /// The engine's message, as far as it can be predicted.
    pub message: Text<'a>,
    /// Further facts, by the engine.
    pub details: BTreeMap<&'a str, &'a serde_json::Value>,
}

impl<'a> Message<'a> {
    /// That there is an error, and nothing of the texts that it is about.
    pub fn redacted(error: &'a EngineError) -> Self {
        Self {
            rule: error.rule,
            subject: Cow::Borrowed(""),
            message: Cow::Borrowed(""),
            details: BTreeMap::new(),
        }
    }
}

impl<'a> From<&'a EngineError> for Message<'a> {
    fn from(error: &'a EngineError) -> Self {
        Self {
            rule: error.rule,
            subject: Cow::Borrowed(&error.subject),
            message: Cow::Borrowed(&error.message),
            details: error.details.iter().collect(),
        }
    }
}

/// A unit: one thing that the engine orders.
#[derive(Serialize, JsonSchema)]
pub struct Unit<'a> {
    /// Its name, as every command accepts it.
    pub name: Text<'a>,
    /// Whether the run includes it.
    pub selected: bool,
    /// What happens to it in this run, in the engine's terms, if that is not the same for all.
    pub action: Option<&'a str>,
    /// Its tags.
    pub tags: Vec<Text<'a>>,
    /// Where it is declared.
    pub place: Place,
    /// Where its name is written.
    pub name_place: Option<Place>,
}

/// Explicit or implicit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Written in a file.
    Explicit,
    /// Nesting, a default rule, a sequence.
    Implicit,
}

/// A list of [`Edge`], made while it is written: relations of many to many can have more edges than there is
/// memory.
pub struct Edges<'a>(pub Box<dyn Fn() -> Box<dyn Iterator<Item = Edge<'a>> + 'a> + 'a>);

impl Serialize for Edges<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

impl<'a> JsonSchema for Edges<'a> {
    fn schema_name() -> Cow<'static, str> {
        Vec::<Edge<'a>>::schema_name()
    }

    fn inline_schema() -> bool {
        Vec::<Edge<'a>>::inline_schema()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Vec::<Edge<'a>>::json_schema(generator)
    }
}

/// `from` waits for `to`.
#[derive(Serialize, JsonSchema)]
pub struct Edge<'a> {
    /// The unit that waits.
    pub from: Text<'a>,
    /// The unit that it waits for; if no unit has that name, the name as written.
    pub to: Text<'a>,
    /// Explicit or implicit.
    pub kind: Kind,
    /// The cause of an implicit edge; the list or attribute that contains an explicit edge.
    pub reason: Option<Text<'a>>,
    /// The state that `to` must reach, in the engine's terms.
    pub condition: Option<Text<'a>>,
    /// False if the engine drops the edge rather than fail on a cycle.
    pub required: bool,
    /// Where it is written.
    pub place: Option<Place>,
}

/// Every unit of `from` waits for every unit of `to`.
#[derive(Serialize, JsonSchema)]
pub struct Group<'a> {
    /// The units that wait. A group that waits is listed as `group N`.
    pub from: Vec<Text<'a>>,
    /// The units that they wait for.
    pub to: Vec<Text<'a>>,
    /// The number of units that wait.
    pub from_count: usize,
    /// The number of units that they wait for.
    pub to_count: usize,
    /// Explicit or implicit.
    pub kind: Kind,
    /// The cause of an implicit relation; the attribute that contains an explicit relation.
    pub reason: Option<Text<'a>>,
    /// The named group in between, if any.
    pub through: Option<Text<'a>>,
    /// False if the engine drops the relation rather than fail on a cycle.
    pub required: bool,
}

/// The orders for the two operations.
#[derive(Serialize, JsonSchema)]
pub struct Orders<'a> {
    /// For applying.
    pub apply: Order<'a>,
    /// For deleting.
    pub delete: Order<'a>,
}

/// An order.
#[derive(Serialize, JsonSchema)]
pub struct Order<'a> {
    /// The layers of the selected units, first to last; `null` on a cycle or if they cannot be known.
    pub layers: Option<Vec<Vec<Text<'a>>>>,
    /// The engine's own sequence; `null` if it has none.
    pub sequence: Option<Vec<Text<'a>>>,
    /// Whether the engine keeps to this order.
    pub guaranteed: bool,
    /// Why the layers are missing, or why the order is not guaranteed.
    pub because: Option<Text<'a>>,
}

/// Something that could not be known.
#[derive(Serialize, JsonSchema)]
pub struct Unresolved<'a> {
    /// What could not be known, as a sentence.
    pub message: Text<'a>,
    /// Where it is.
    pub place: Option<Place>,
}

/// Every document that `--format json` gives: the report of `lint` and `order`, or the answer of `why`,
/// `deps` or `rules`; and a line of `--format json-lines`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "applyorder")]
pub enum Document<'a> {
    /// `lint` and `order`.
    Report(Report<'a>),
    /// `why`.
    Why(Why<'a>),
    /// `why --selected`.
    WhySelected(WhySelected<'a>),
    /// `deps`.
    Deps(Deps<'a>),
    /// `rules`.
    Rules(Rules<'a>),
    /// `check`.
    Check(Check<'a>),
    /// `explain`.
    Explanation(Explanation<'a>),
    /// `lint --statistics`.
    Statistics(Statistics<'a>),
    /// `diff`.
    Diff(super::diff::Diff),
    /// A line of `lint --format json-lines`.
    Line(Box<Line<'a>>),
}

/// The JSON Schema of [`Document`], as it is shipped.
#[must_use]
pub fn schema() -> String {
    let schema = schemars::schema_for!(Document<'_>);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
