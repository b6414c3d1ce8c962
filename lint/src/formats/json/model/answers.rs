//! The answers of commands that report no findings: `why`, `deps`, `check`, `rules`, `explain`, `lint --statistics`.

use applyorder_analysis::diagnostic::Severity;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Edge, Place, Text};

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
