//! The values that flags take.

use std::ffi::OsStr;
use std::marker::PhantomData;
use std::str::FromStr;

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::Operation;
use camino::Utf8PathBuf;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, ValueEnum};

/// What a run does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OperationArg {
    /// Create and update.
    #[default]
    Apply,
    /// Remove.
    Delete,
}

impl From<OperationArg> for Operation {
    fn from(operation: OperationArg) -> Self {
        match operation {
            OperationArg::Apply => Self::Apply,
            OperationArg::Delete => Self::Delete,
        }
    }
}

/// Which edges are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EdgesArg {
    /// Relations of many units to many as one entry each.
    #[default]
    Groups,
    /// Every edge between two units.
    All,
}

/// How `lint` reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// Source snippets with all related places.
    Human,
    /// One line per finding.
    Concise,
    /// By file, one line per finding.
    Grouped,
    /// The whole analysis.
    Json,
    /// One finding per line.
    JsonLines,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// GitHub Actions annotations.
    Github,
    /// GitLab code quality; only to a file.
    Gitlab,
    /// JUnit XML.
    Junit,
    /// Checkstyle XML.
    Checkstyle,
    /// The Reviewdog Diagnostic Format.
    Rdjson,
}

impl LintFormat {
    /// Whether the output is for humans, who want to see the end of it.
    #[must_use]
    pub const fn is_for_people(self) -> bool {
        matches!(self, Self::Human | Self::Concise | Self::Grouped)
    }
}

/// How `order` shows its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OrderFormat {
    /// Columns if they fit, else a table with what each unit waits for; on a cycle, the part that is certain.
    Human,
    /// One box per layer, the longest chain as the first row.
    Columns,
    /// Layers as a table, the layer on every row.
    Table,
    /// One unit per line.
    Plain,
    /// The whole analysis.
    Json,
}

impl OrderFormat {
    /// Whether it reports on its own that there is no order.
    #[must_use]
    pub const fn is_for_people(self) -> bool {
        matches!(self, Self::Human | Self::Columns | Self::Table)
    }
}

/// How `graph` draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// Graphviz DOT.
    Dot,
    /// Mermaid flowchart.
    Mermaid,
    /// SVG image.
    Svg,
    /// JSON.
    Json,
    /// Standalone HTML page.
    Html,
}

/// How a command with one answer shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// Human-readable text.
    #[value(alias = "table")]
    Human,
    /// JSON.
    Json,
}

/// How `deps` shows its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DepsFormat {
    /// Indented tree.
    #[value(alias = "human")]
    Tree,
    /// One row per unit, nearest first.
    Table,
    /// One unit per line, nearest first.
    Plain,
    /// JSON.
    Json,
}

/// How `diff` shows its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// Human-readable text.
    #[value(alias = "table")]
    Human,
    /// JSON.
    Json,
    /// A comment for a pull request or merge request.
    Markdown,
}

/// A format, and the file it goes to; standard output without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct To<F> {
    /// The format.
    pub format: F,
    /// The file.
    pub file: Option<Utf8PathBuf>,
}

impl<F: ValueEnum + Send + Sync + 'static> FromStr for To<F> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, file) = match text.split_once('=') {
            Some((word, file)) => (word, Some(Utf8PathBuf::from(file))),
            None => (text, None),
        };
        if file.as_ref().is_some_and(|f| f.as_str().is_empty()) {
            return Err("missing file after `=`".to_owned());
        }
        let format = F::from_str(word, true).map_err(|_| {
            let known: Vec<String> = F::value_variants()
                .iter()
                .filter_map(ValueEnum::to_possible_value)
                .map(|v| v.get_name().to_owned())
                .collect();
            format!("known formats: {}", known.join(", "))
        })?;
        Ok(Self { format, file })
    }
}

impl<F: ValueEnum + Send + Sync + 'static> To<F> {
    pub(super) fn parser() -> ToParser<F> {
        ToParser(PhantomData)
    }
}

/// Parses a [`To`]; knows the formats.
pub(super) struct ToParser<F>(PhantomData<F>);

impl<F> Clone for ToParser<F> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

impl<F: ValueEnum + Send + Sync + 'static> TypedValueParser for ToParser<F> {
    type Value = To<F>;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<To<F>, clap::Error> {
        let parse = |text: &str| text.parse::<To<F>>();
        parse.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = F::value_variants().iter();
        Some(Box::new(values.filter_map(ValueEnum::to_possible_value)))
    }
}

pub(super) fn severity() -> impl TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(["hint", "info", "warning", "error"].map(PossibleValue::new))
        .try_map(|word| Severity::from_word(&word).ok_or("is not a severity"))
}
