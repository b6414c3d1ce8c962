//! A finding and its places.

use applyorder_analysis::diagnostic::{Certainty, Safety, Severity};
use schemars::JsonSchema;
use serde::Serialize;

use super::Text;

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
