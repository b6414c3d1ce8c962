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
    /// The version of the shape: 1.
    pub version: u32,
    /// The projects that were asked about, by engine and root.
    pub projects: Vec<Project<'a>>,
    /// The findings of no project, such as mistakes in a configuration file.
    pub diagnostics: Vec<Diagnostic<'a>>,
}

/// One project: what one run of an engine orders together.
#[derive(Serialize, JsonSchema)]
pub struct Project<'a> {
    /// The engine's id, as `--engine` takes it.
    pub engine: &'a str,
    /// How the project is written before a unit (`key#unit`) where the unit's name alone is ambiguous.
    pub key: String,
    /// The project's name, where the configuration gives one.
    pub name: Option<Text<'a>>,
    /// The file or directory that is its root.
    pub root: String,
    /// Why it is a project.
    pub why: Text<'a>,
    /// Whether its extent was inferred and not declared.
    pub inferred: bool,
    /// The files that belong to it, the root's first.
    pub files: Vec<File<'a>>,
    /// The options of the run that were given and that the engine knows, by the flag's name without dashes.
    pub options: BTreeMap<&'static str, serde_json::Value>,
    /// The version of the engine that the verdicts are for.
    pub engine_version: Text<'a>,
    /// What the engine itself would say, per command and environment.
    pub verdicts: Vec<Verdict<'a>>,
    /// What runs of the first kind make of the project: the only kind where the engine has no environments.
    #[serde(flatten)]
    pub run: Run<'a>,
    /// What runs in other environments make of it, where that is something else.
    pub variants: Vec<Run<'a>>,
    /// What could not be known.
    pub unresolved: Vec<Unresolved<'a>>,
    /// The findings. One that several projects share stands in the first of them and names all.
    pub diagnostics: Vec<Diagnostic<'a>>,
}

/// What runs in some environments make of a project.
#[derive(Serialize, JsonSchema)]
pub struct Run<'a> {
    /// The environments it stands for; `null` is a run for which none is given.
    pub environments: Vec<Option<Text<'a>>>,
    /// The engine's words for how it would run, e.g. `"mode": "dag"`.
    pub properties: BTreeMap<&'static str, Text<'a>>,
    /// The units, in the engine's order of declaration.
    pub units: Vec<Unit<'a>>,
    /// What waits for what when applying, unit by unit. Relations of groups to groups are in `groups`, unless
    /// all edges are asked for.
    pub edges: Edges<'a>,
    /// Relations of many units to many, each as one entry with its counts; none where all edges are asked for.
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
    /// The place that brings it in.
    pub via: Option<Place>,
}

/// What the engine itself would say to one of its commands.
#[derive(Serialize, JsonSchema)]
pub struct Verdict<'a> {
    /// The command: `check`, `apply`, `run`, `deploy`, ...
    pub command: &'a str,
    /// The environment; `null` where none is given.
    pub environment: Option<Text<'a>>,
    /// Whether the engine accepts; `null` where it cannot be known, or is random in the engine itself.
    pub ok: Option<bool>,
    /// The stage that rejects.
    pub stage: Option<&'a str>,
    /// The engine's errors: all of the first stage that fails.
    pub messages: Vec<Message<'a>>,
    /// The engine's warnings.
    pub warnings: Vec<Message<'a>>,
    /// How many errors there are besides those of `messages`; left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_messages: Option<usize>,
    /// How many warnings there are besides those of `warnings`; left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_warnings: Option<usize>,
    /// Why it cannot be known.
    pub because: Option<Text<'a>>,
}

/// An error or warning of the engine itself.
#[derive(Serialize, JsonSchema)]
pub struct Message<'a> {
    /// The rule that reports the same.
    pub rule: &'a str,
    /// The unit, file or flag it is about.
    pub subject: Text<'a>,
    /// The engine's text, as far as it can be predicted.
    pub message: Text<'a>,
    /// Further facts, by the engine.
    pub details: BTreeMap<&'a str, &'a serde_json::Value>,
}

impl<'a> Message<'a> {
    /// That there is an error, and nothing of the texts that it is about.
    pub fn untold(error: &'a EngineError) -> Self {
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

/// One thing that is ordered.
#[derive(Serialize, JsonSchema)]
pub struct Unit<'a> {
    /// Its name, as every command accepts it.
    pub name: Text<'a>,
    /// Whether the run includes it.
    pub selected: bool,
    /// What happens to it in this run, in the engine's words, where that is not the same to all.
    pub action: Option<&'a str>,
    /// The tags it carries.
    pub tags: Vec<Text<'a>>,
    /// Where it is declared.
    pub place: Place,
    /// Where its name stands.
    pub name_place: Option<Place>,
}

/// Written, or implied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Somebody wrote it.
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
    /// The unit that is awaited, or the outside thing by its number.
    pub to: Text<'a>,
    /// Written or implied.
    pub kind: Kind,
    /// Why, where it is implied; the list or attribute it is written in, where it is written.
    pub reason: Option<Text<'a>>,
    /// What `to` must have come to.
    pub condition: Option<Text<'a>>,
    /// False where the engine leaves the edge out rather than fail on a cycle.
    pub required: bool,
    /// Where it is written.
    pub place: Option<Place>,
}

/// Every unit of `from` waits for every unit of `to`.
#[derive(Serialize, JsonSchema)]
pub struct Group<'a> {
    /// The units that wait. Another group that waits stands here as `group N`.
    pub from: Vec<Text<'a>>,
    /// The units that are awaited.
    pub to: Vec<Text<'a>>,
    /// How many units wait.
    pub from_count: usize,
    /// How many units are awaited.
    pub to_count: usize,
    /// Written or implied.
    pub kind: Kind,
    /// Why, where it is implied; the attribute it is written in, where it is written.
    pub reason: Option<Text<'a>>,
    /// What they are members of, where the relation is to a group that has a name.
    pub through: Option<Text<'a>>,
    /// False where the engine leaves it out rather than fail on a cycle.
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
    /// The layers, first to last, of the selected units; `null` on a cycle or where they cannot be known.
    pub layers: Option<Vec<Vec<Text<'a>>>>,
    /// The engine's own sequence; `null` where it has none.
    pub sequence: Option<Vec<Text<'a>>>,
    /// Whether the engine keeps to this order.
    pub guaranteed: bool,
    /// Why there are no layers, or why the order is not guaranteed.
    pub because: Option<Text<'a>>,
}

/// Something that could not be known.
#[derive(Serialize, JsonSchema)]
pub struct Unresolved<'a> {
    /// What it is, in a sentence.
    pub message: Text<'a>,
    /// Where it stands.
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
