//! The shape of the JSON report, version 1. `docs/json.md` explains it field by field.
//!
//! Within a version fields are only added. Texts that come from linted files have control characters
//! escaped as JSON does it, and nothing else: they are data.

use std::borrow::Cow;
use std::collections::BTreeMap;

use applyorder_analysis::diagnostic::{Certainty, Safety, Severity};
use applyorder_analysis::engine::EngineError;
use schemars::JsonSchema;
use serde::Serialize;

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

/// A finding.
#[derive(Serialize, JsonSchema)]
pub struct Diagnostic<'a> {
    /// The rule's id.
    pub rule: &'a str,
    /// How bad it is.
    pub severity: Severity,
    /// Whether it rests on what is written, or on what is only likely.
    pub certainty: Certainty,
    /// One sentence.
    pub message: Text<'a>,
    /// The place at fault.
    pub place: Place,
    /// What that place shows, where the message does not say it.
    pub label: Option<Text<'a>>,
    /// Other places, in the order they are to be read.
    pub related: Vec<Related<'a>>,
    /// Further sentences.
    pub notes: Vec<Text<'a>>,
    /// The engine's commands that reject it; empty: the engine is silent.
    pub enforced: Vec<Enforced<'a>>,
    /// The engine's own text.
    pub engine_message: Option<Text<'a>>,
    /// The units it is about.
    pub units: Vec<Text<'a>>,
    /// The environments it holds in, where it does not hold in all; `null` is "none given".
    pub environments: Vec<Option<Text<'a>>>,
    /// The keys of all projects in which it is found alike.
    pub projects: Vec<String>,
    /// What stays of it when lines move: 32 hexadecimal digits.
    pub fingerprint: &'a str,
    /// Cures, best first.
    pub fixes: Vec<Fix<'a>>,
}

/// A line of `--format json-lines`.
#[derive(Serialize, JsonSchema)]
pub struct Line<'a> {
    /// The version of the shape: 1.
    pub version: u32,
    /// The finding.
    #[serde(flatten)]
    pub diagnostic: Diagnostic<'a>,
}

/// Another place that a finding speaks of.
#[derive(Serialize, JsonSchema)]
pub struct Related<'a> {
    /// What is to be seen there.
    pub message: Text<'a>,
    /// The place.
    pub place: Place,
}

/// A command of the engine that rejects what a finding names.
#[derive(Serialize, JsonSchema)]
pub struct Enforced<'a> {
    /// The command.
    pub command: &'a str,
    /// The stage that rejects.
    pub stage: &'a str,
    /// Whether it belongs to the first thing the command would report.
    pub first: bool,
}

/// A cure.
#[derive(Serialize, JsonSchema)]
pub struct Fix<'a> {
    /// What it does.
    pub title: Text<'a>,
    /// Whether order and verdict stay as they are for everything else.
    pub safety: Safety,
    /// The edits that make it up, none of which overlap.
    pub edits: Vec<Edit>,
}

/// A replacement of a range of a file.
#[derive(Serialize, JsonSchema)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub place: Place,
    /// What stands there afterwards.
    pub text: String,
}

/// A range in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// The file's path, relative to the current directory where it lies below or near it.
    pub path: String,
    /// The first character.
    pub start: Point,
    /// Behind the last character.
    pub end: Point,
}

/// A point in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Point {
    /// Bytes before it, from 0.
    pub byte: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes of UTF-8, from 1.
    pub column_utf8: u32,
    /// The column in UTF-16 code units, from 1.
    pub column_utf16: u32,
}

/// The answer of `why`.
#[derive(Serialize, JsonSchema)]
pub struct Why<'a> {
    /// The version of the shape: 1.
    pub version: u32,
    /// The project, as it is written before a unit.
    pub project: String,
    /// The environments the answer is for; `null` is "none given".
    pub environments: Vec<Option<Text<'a>>>,
    /// The unit that waits; `null` where nothing orders the two.
    pub from: Option<Text<'a>>,
    /// The unit that is awaited.
    pub to: Option<Text<'a>>,
    /// The steps from `from` to `to`; `null` where nothing orders the two.
    pub path: Option<Vec<Edge<'a>>>,
}

/// The answer of `why --selected`.
#[derive(Serialize, JsonSchema)]
pub struct WhySelected<'a> {
    /// The version of the shape: 1.
    pub version: u32,
    /// The project, as it is written before a unit.
    pub project: String,
    /// The unit.
    pub unit: Option<Text<'a>>,
    /// Whether it is part of the run; `null` where that cannot be known.
    pub selected: Option<bool>,
    /// What decided, one after the other.
    pub reasons: Vec<SelectionReason<'a>>,
}

/// A reason for which a unit is part of a run, or is not.
#[derive(Serialize, JsonSchema)]
pub struct SelectionReason<'a> {
    /// A sentence without its full stop.
    pub message: Text<'a>,
    /// The place that it speaks of.
    pub place: Option<Place>,
}

/// The answer of `deps`.
#[derive(Serialize, JsonSchema)]
pub struct Deps<'a> {
    /// The version of the shape: 1.
    pub version: u32,
    /// The project, as it is written before a unit.
    pub project: String,
    /// The environments the answer is for; `null` is "none given".
    pub environments: Vec<Option<Text<'a>>>,
    /// The unit asked about.
    pub unit: Text<'a>,
    /// Whether `units` are those that wait for it, instead of those it waits for.
    pub reverse: bool,
    /// The units, nearest first.
    pub units: Vec<Reached<'a>>,
}

/// A unit at some distance.
#[derive(Serialize, JsonSchema)]
pub struct Reached<'a> {
    /// Its name.
    pub name: Text<'a>,
    /// How many steps away, at the least.
    pub depth: u32,
    /// Where it is declared; `null` for what is outside of the project.
    pub place: Option<Place>,
}

/// The answer of `check`.
#[derive(Serialize, JsonSchema)]
pub struct Check<'a> {
    /// The version of the shape: 1.
    pub version: u32,
    /// Whether every expectation is met.
    pub met: bool,
    /// The expectations, each in each project that it is for.
    pub expectations: Vec<Expectation<'a>>,
}

/// An expectation in a project.
#[derive(Serialize, JsonSchema)]
pub struct Expectation<'a> {
    /// The project, as it is written before a unit; `null` where no project has what it speaks of.
    pub project: Option<String>,
    /// What is expected, in words.
    pub expectation: String,
    /// The configuration file that says so.
    pub file: Option<String>,
    /// Whether it is met; `null` where that cannot be known.
    pub met: Option<bool>,
    /// Why it is not met, or cannot be known.
    pub because: Option<Text<'a>>,
    /// The line of the configuration file.
    pub line: Option<u32>,
    /// What would meet it, where that is one line.
    pub suggestion: Option<Suggestion<'a>>,
}

/// A line that would meet an expectation.
#[derive(Serialize, JsonSchema)]
pub struct Suggestion<'a> {
    /// What a unit would have, in its engine's words.
    pub text: Text<'a>,
    /// Where the unit has its own dependencies now, or is declared.
    pub place: Place,
}

/// The answer of `rules`.
#[derive(Serialize, JsonSchema)]
pub struct Rules<'a> {
    /// The version of the shape: 1.
    pub version: u32,
    /// The rules, by id.
    pub rules: Vec<Rule<'a>>,
}

/// A rule.
#[derive(Serialize, JsonSchema)]
pub struct Rule<'a> {
    /// The id.
    pub id: &'a str,
    /// The usual severity.
    pub severity: Severity,
    /// One line.
    pub summary: &'a str,
    /// The first version that has it.
    pub since: &'a str,
    /// Whether it can be relied on.
    pub status: applyorder_analysis::rules::Status,
    /// The engines that report it; empty: it speaks of our own configuration and limits.
    pub engines: Vec<&'a str>,
    /// The rules that keep silent where this one speaks.
    pub replaces: &'a [&'a str],
}

/// The answer of `explain`.
#[derive(Serialize, JsonSchema)]
pub struct Explanation<'a> {
    /// The version of the shape: 1.
    pub version: u32,
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule<'a>,
    /// Its page on the web.
    pub url: String,
    /// Its page, in Markdown.
    pub page: &'a str,
}

/// The answer of `lint --statistics`.
#[derive(Serialize, JsonSchema)]
pub struct Statistics<'a> {
    /// The version of the shape: 1.
    pub version: u32,
    /// The rules that report something, the worst first, then those that report most.
    pub statistics: Vec<Count<'a>>,
}

/// How often a rule reports at a severity.
#[derive(Serialize, JsonSchema)]
pub struct Count<'a> {
    /// The rule's id.
    pub rule: &'a str,
    /// The severity.
    pub severity: Severity,
    /// What the rule finds, in one line.
    pub summary: &'a str,
    /// How many findings there are.
    pub findings: usize,
    /// How many of them have a safe fix: `--fix`.
    pub safe_fixes: usize,
    /// How many of them have an unsafe one: `--fix --unsafe-fixes`.
    pub unsafe_fixes: usize,
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
