//! The answers of commands that report no findings: `why`, `deps`, `check`, `rules`, `explain`, `lint --statistics`.

use applyorder_analysis::diagnostic::Severity;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Edge, Place, Text};

/// Output of `why`.
#[derive(Serialize, JsonSchema)]
pub struct Why<'a> {
    /// The version of this format: 1.
    pub version: u32,
    /// The key of the project, as written before a unit.
    pub project: String,
    /// The environments the answer is for; `null` is "none given".
    pub environments: Vec<Option<Text<'a>>>,
    /// The unit that waits; `null` if nothing orders the two.
    pub from: Option<Text<'a>>,
    /// The unit that it waits for.
    pub to: Option<Text<'a>>,
    /// The steps from `from` to `to`; `null` if nothing orders the two.
    pub path: Option<Vec<Edge<'a>>>,
}

/// Output of `why --selected`.
#[derive(Serialize, JsonSchema)]
pub struct WhySelected<'a> {
    /// The version of this format: 1.
    pub version: u32,
    /// The key of the project, as written before a unit.
    pub project: String,
    /// The unit.
    pub unit: Option<Text<'a>>,
    /// Whether the run includes it; `null` if it cannot be known.
    pub selected: Option<bool>,
    /// The reasons, in order.
    pub reasons: Vec<SelectionReason<'a>>,
}

/// A reason why a run includes or excludes a unit.
#[derive(Serialize, JsonSchema)]
pub struct SelectionReason<'a> {
    /// A sentence without a final period.
    pub message: Text<'a>,
    /// The place that it refers to.
    pub place: Option<Place>,
}

/// Output of `deps`.
#[derive(Serialize, JsonSchema)]
pub struct Deps<'a> {
    /// The version of this format: 1.
    pub version: u32,
    /// The key of the project, as written before a unit.
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
    /// The minimum number of steps.
    pub depth: u32,
    /// Where it is declared; `null` if it is outside the project.
    pub place: Option<Place>,
}

/// Output of `check`.
#[derive(Serialize, JsonSchema)]
pub struct Check<'a> {
    /// The version of this format: 1.
    pub version: u32,
    /// Whether every expectation is met.
    pub met: bool,
    /// The expectations, each once per project that it applies to.
    pub expectations: Vec<Expectation<'a>>,
}

/// An expectation in a project.
#[derive(Serialize, JsonSchema)]
pub struct Expectation<'a> {
    /// The key of the project, as written before a unit; `null` if no project has the named units.
    pub project: Option<String>,
    /// What is expected, as text.
    pub expectation: String,
    /// The configuration file that contains it.
    pub file: Option<String>,
    /// Whether it is met; `null` if it cannot be known.
    pub met: Option<bool>,
    /// Why it is not met or cannot be known.
    pub because: Option<Text<'a>>,
    /// The line of the configuration file.
    pub line: Option<u32>,
    /// What would meet it, if that is one line.
    pub suggestion: Option<Suggestion<'a>>,
}

/// A line that would meet an expectation.
#[derive(Serialize, JsonSchema)]
pub struct Suggestion<'a> {
    /// The line, in the engine's syntax.
    pub text: Text<'a>,
    /// Where the unit's dependencies are, else its declaration.
    pub place: Place,
}

/// Output of `rules`.
#[derive(Serialize, JsonSchema)]
pub struct Rules<'a> {
    /// The version of this format: 1.
    pub version: u32,
    /// The rules, by ID.
    pub rules: Vec<Rule<'a>>,
}

/// A rule.
#[derive(Serialize, JsonSchema)]
pub struct Rule<'a> {
    /// The ID.
    pub id: &'a str,
    /// The usual severity.
    pub severity: Severity,
    /// A summary in one line.
    pub summary: &'a str,
    /// The first version that has it.
    pub since: &'a str,
    /// Its status.
    pub status: applyorder_analysis::rules::Status,
    /// The engines that report it; empty if it is about the configuration or limits of applyorder.
    pub engines: Vec<&'a str>,
    /// The rules that this one suppresses at the same place.
    pub replaces: &'a [&'a str],
}

/// Output of `explain`.
#[derive(Serialize, JsonSchema)]
pub struct Explanation<'a> {
    /// The version of this format: 1.
    pub version: u32,
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule<'a>,
    /// The URL of its page.
    pub url: String,
    /// Its page, in Markdown.
    pub page: &'a str,
}

/// Output of `lint --statistics`.
#[derive(Serialize, JsonSchema)]
pub struct Statistics<'a> {
    /// The version of this format: 1.
    pub version: u32,
    /// The rules with findings, by severity and number, highest first.
    pub statistics: Vec<Count<'a>>,
}

/// The number of findings of a rule at one severity.
#[derive(Serialize, JsonSchema)]
pub struct Count<'a> {
    /// The rule's ID.
    pub rule: &'a str,
    /// The severity.
    pub severity: Severity,
    /// The rule's summary in one line.
    pub summary: &'a str,
    /// The number of findings.
    pub findings: usize,
    /// The number of findings with a safe fix (`--fix`).
    pub safe_fixes: usize,
    /// The number of findings with an unsafe fix (`--fix --unsafe-fixes`).
    pub unsafe_fixes: usize,
}
