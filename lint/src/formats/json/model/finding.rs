//! A finding and its places.

use applyorder_analysis::diagnostic::{Certainty, Safety, Severity};
use schemars::JsonSchema;
use serde::Serialize;

use super::Text;

/// A finding.
#[derive(Serialize, JsonSchema)]
pub struct Diagnostic<'a> {
    /// The rule's ID.
    pub rule: &'a str,
    /// The severity.
    pub severity: Severity,
    /// Whether it is certain or depends on a value that is only likely.
    pub certainty: Certainty,
    /// One sentence.
    pub message: Text<'a>,
    /// The place at fault.
    pub place: Place,
    /// What that place shows, if the message does not say it.
    pub label: Option<Text<'a>>,
    /// Other places, in reading order.
    pub related: Vec<Related<'a>>,
    /// Further sentences.
    pub notes: Vec<Text<'a>>,
    /// The engine's commands that reject it; empty if the engine does not report it.
    pub enforced: Vec<Enforced<'a>>,
    /// The engine's own text.
    pub engine_message: Option<Text<'a>>,
    /// The units it is about.
    pub units: Vec<Text<'a>>,
    /// The environments in which it applies, if it does not apply in all; `null` is "none given".
    pub environments: Vec<Option<Text<'a>>>,
    /// The keys of all projects that have it.
    pub projects: Vec<String>,
    /// A hash that stays the same when lines move: 32 hexadecimal digits.
    pub fingerprint: &'a str,
    /// Fixes, best first.
    pub fixes: Vec<Fix<'a>>,
}

/// A line of `--format json-lines`.
#[derive(Serialize, JsonSchema)]
pub struct Line<'a> {
    /// The version of this format: 1.
    pub version: u32,
    /// The finding.
    #[serde(flatten)]
    pub diagnostic: Diagnostic<'a>,
}

/// Another place that a finding refers to.
#[derive(Serialize, JsonSchema)]
pub struct Related<'a> {
    /// What that place shows.
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
    /// Whether it is part of the first error that the command would report.
    pub first: bool,
}

/// A fix.
#[derive(Serialize, JsonSchema)]
pub struct Fix<'a> {
    /// What it does.
    pub title: Text<'a>,
    /// Whether the order and verdict of everything else stay the same.
    pub safety: Safety,
    /// Its edits, which do not overlap.
    pub edits: Vec<Edit>,
}

/// A replacement of a range of a file.
#[derive(Serialize, JsonSchema)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub place: Place,
    /// The new text.
    pub text: String,
}

/// A range in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// The file's path, relative to the current directory if it is below or near it, else absolute.
    pub path: String,
    /// The start.
    pub start: Point,
    /// The end, after the last character.
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
