//! Go `text/template` with its built-in functions only, as far as its result can be computed exactly.
//!
//! [`parse`] and [`render`] never fail. They give the rendered text with a map back to the source, the error Go
//! would report, or say that they cannot tell; they never guess. Code that reads a text through a template
//! should render first and read the rendered text; if there is none, [`Rendered::text`] is the source with its
//! actions blanked out, and [`Rendered::holes`] are the places whose content is unknown.
//!
//! Not modeled, hence [`Outcome::CannotAnalyse`] if evaluated: complex numbers, floating point numbers in
//! hexadecimal, strings that are not valid UTF-8, unusual verbs and flags of `printf`, and templates that may
//! have the file's own path as their name.

mod ast;
mod exec;
mod format;
mod funcs;
mod lex;
mod literal;
mod map;
mod parse;
mod value;

pub use format::quote;
pub use map::{Origin, SourceMap};
pub use value::Data;

use crate::text::Span;
use std::borrow::Cow;

/// Which step of Go's package rejects a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The text is not a template.
    Parse,
    /// The template fails on its data.
    Render,
}

/// An error of Go's template package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// The token or operand at fault.
    pub span: Span,
    /// The action that contains it, delimiters included; only its first line if it never ends.
    pub action: Span,
    /// The step that fails.
    pub stage: Stage,
    /// Go's message, without the position in front of it.
    pub message: String,
}

/// The result of rendering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The text is what Go renders.
    Rendered,
    /// Go reports this error and renders nothing.
    Error(TemplateError),
    /// Go may render or fail.
    CannotAnalyse {
        /// The part that cannot be analyzed.
        span: Span,
        /// Why, as the end of a sentence.
        reason: &'static str,
    },
}

#[derive(Clone, Debug)]
enum Stop {
    Error(TemplateError),
    CannotAnalyse { span: Span, reason: &'static str },
}

impl From<Stop> for Outcome {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Error(error) => Self::Error(error),
            Stop::CannotAnalyse { span, reason } => Self::CannotAnalyse { span, reason },
        }
    }
}

/// A parsed template.
#[derive(Debug)]
pub struct Template<'a> {
    text: &'a str,
    body: Body<'a>,
}

#[derive(Debug)]
enum Body<'a> {
    Plain,
    Program(ast::Program<'a>),
    Stopped(Stop),
}

impl Template<'_> {
    /// Whether the text renders to itself whatever the data: it contains no `{{`.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        matches!(self.body, Body::Plain)
    }
}

/// A rendered text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered<'a> {
    /// Go's output; for any other outcome, the source with its actions overwritten by spaces.
    pub text: Cow<'a, str>,
    /// From `text` to the source and back.
    pub map: SourceMap,
    /// Whether the text is Go's output.
    pub outcome: Outcome,
    /// The blanked actions, in source order; empty if the outcome is [`Outcome::Rendered`].
    pub holes: Vec<Span>,
}

/// Parses a template. Errors are reported when it is rendered.
#[must_use]
pub fn parse(text: &str) -> Template<'_> {
    let body = if memchr::memmem::find(text.as_bytes(), lex::LEFT.as_bytes()).is_none() {
        Body::Plain
    } else {
        parse::parse(text).map_or_else(Body::Stopped, Body::Program)
    };
    Template { text, body }
}

/// Renders a template with the option `missingkey=error`.
#[must_use]
pub fn render<'a>(template: &Template<'a>, data: &Data<'_>) -> Rendered<'a> {
    let stop = match &template.body {
        Body::Plain => {
            return Rendered {
                text: Cow::Borrowed(template.text),
                map: SourceMap::identity(),
                outcome: Outcome::Rendered,
                holes: Vec::new(),
            };
        }
        Body::Program(program) => match exec::run(template.text, program, data) {
            Ok(written) => {
                let (text, map) = written.finish();
                return Rendered {
                    text: Cow::Owned(text),
                    map,
                    outcome: Outcome::Rendered,
                    holes: Vec::new(),
                };
            }
            Err(stop) => stop,
        },
        Body::Stopped(stop) => stop.clone(),
    };
    let holes = lex::actions(template.text);
    Rendered {
        text: Cow::Owned(blank(template.text, &holes)),
        map: SourceMap::identity(),
        outcome: stop.into(),
        holes,
    }
}

/// The text with its actions overwritten by spaces, for callers that inspect it without rendering.
#[must_use]
pub fn blanked(text: &str) -> String {
    blank(text, &lex::actions(text))
}

/// The text with spaces in place of `spans`, line ends kept and offsets unchanged.
fn blank(text: &str, spans: &[Span]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        out.push_str(text.get(at..span.range().start).unwrap_or(""));
        for b in span.slice(text).bytes() {
            out.push(if matches!(b, b'\n' | b'\r') {
                char::from(b)
            } else {
                ' '
            });
        }
        at = span.range().end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

#[cfg(test)]
mod tests;
