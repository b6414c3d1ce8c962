//! Blueprints and templates with several stacks: whether a text is one, and which of them.
//!
//! Source: spec section 9, and the schemas in Spacelift's documentation at 6e9746f.

use applyorder_syntax::hcl::Expr;
use applyorder_syntax::hcl::eval::{self, Budget};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::{Node, SyntaxErrorKind, Tree};

use super::span_map::SpanMap;
use super::{Places, Problem, ProblemKind};

/// How a value begins that is computed when stacks are made.
pub(crate) const COMPUTED: &str = "${{";

/// What of Spacelift's has several stacks in YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavor {
    Blueprint,
    Template,
    /// Nothing in it decides.
    Either,
}

/// The stacks of a text, if it is a blueprint or a template with several.
pub(crate) fn stacks(tree: &Tree) -> Option<Vec<Node<'_>>> {
    let root = tree.first_document()?.root()?;
    let list = root.get("stacks").filter(|l| l.is_sequence())?;
    let stacks: Vec<Node<'_>> = list.items().filter_map(|stack| stack.resolve()).collect();
    let is_stack = |stack: &Node<'_>| {
        let has = |key: &str| stack.get(key).is_some();
        has("key") && (has("vcs") || has("vendor"))
    };
    // One that lacks a field is wrong, and not something else.
    (stacks.iter().any(is_stack) && stacks.iter().all(|stack| stack.is_mapping())).then_some(stacks)
}

/// Which of them some stacks are of: they say in other words what is checked out.
pub(super) fn flavor(stacks: &[Node<'_>]) -> Flavor {
    let says = |word: &str| {
        let mut checkouts = stacks.iter().filter_map(|stack| stack.get("vcs")?.resolve());
        checkouts.any(|vcs| vcs.get(word).is_some())
    };
    match (says("reference"), says("branch")) {
        (true, false) => Flavor::Template,
        (false, true) => Flavor::Blueprint,
        _ => Flavor::Either,
    }
}

/// Where a text is not YAML. Not where something is computed: whether that is done before the text is parsed is unknown.
pub(super) fn problems(tree: &Tree, places: &mut Places) -> Vec<Problem> {
    let text = tree.text();
    let errors = tree
        .errors()
        .iter()
        .filter(|error| !is_computed(text, error.span));
    let problems = errors.map(|error| Problem {
        at: places.in_source(error.span),
        kind: match error.kind {
            SyntaxErrorKind::Limit => ProblemKind::Limit(error.message.clone()),
            _ => ProblemKind::Syntax {
                message: error.message.clone(),
                first: None,
            },
        },
    });
    problems.collect()
}

/// Whether something is computed in the line in which a span starts.
pub(crate) fn is_computed(text: &str, span: Span) -> bool {
    let (before, behind) = text.split_at_checked(span.start as usize).unwrap_or((text, ""));
    let start = before.rsplit('\n').next().unwrap_or_default();
    let rest = behind.split('\n').next().unwrap_or_default();
    start.contains(COMPUTED) || rest.contains(COMPUTED)
}

/// A text inside an expression of HCL, quoted or a heredoc, or in a string of JSON.
pub(crate) struct Inside {
    pub(crate) text: String,
    map: SpanMap,
}

impl Inside {
    /// Reads an expression that is written at a span of `source`; `None` unless it is a constant string that is written
    /// there.
    pub(crate) fn read(expr: Expr<'_>, span: Span, source: &str) -> Option<Self> {
        let scope = eval::NoVariables { prefix: "\u{0}" };
        let outcome = eval::evaluate(expr, 0, &scope, &Budget::default());
        let text = outcome
            .value
            .as_str()
            .filter(|_| outcome.errors.is_empty())?
            .to_owned();
        let raw = span.slice(source);
        let mut map = SpanMap::default();
        let is_read = match raw.strip_prefix('"') {
            Some(inside) => {
                let inside = inside.strip_suffix('"')?;
                align(inside, span.start + 1, &text, 0, true, &mut map)
            }
            None => heredoc(raw, span.start, &text, &mut map),
        };
        is_read.then_some(Self { text, map })
    }

    /// Where a span of the text is written.
    pub(crate) fn written_at(&self, span: Span) -> Span {
        self.map.map(span)
    }
}

/// Lines of a heredoc correspond to lines of its text; those of a flush one without their indentation.
fn heredoc(raw: &str, at: u32, text: &str, map: &mut SpanMap) -> bool {
    let mut raw_lines = raw.split_inclusive('\n');
    let Some(header) = raw_lines.next().filter(|line| line.starts_with("<<")) else {
        return false;
    };
    let (mut from, mut to) = (header.len(), 0);
    for line in text.split_inclusive('\n') {
        let Some(raw_line) = raw_lines.next() else {
            return false;
        };
        let spaces = raw_line.len() - raw_line.trim_start_matches([' ', '\t']).len();
        let kept = line.len() - line.trim_start_matches([' ', '\t']).len();
        let Some(stripped) = spaces.checked_sub(kept) else {
            return false;
        };
        let rest = raw_line.get(stripped..).unwrap_or_default();
        if !align(rest, at + offset(from + stripped), line, offset(to), false, map) {
            return false;
        }
        from += raw_line.len();
        to += line.len();
    }
    true
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Notes where the characters of a text are written; whether they are written there.
fn align(raw: &str, at: u32, text: &str, to: u32, has_escapes: bool, map: &mut SpanMap) -> bool {
    let mut rest = raw;
    let mut behind = text;
    map.run(to, at);
    while let Some(next) = rest.chars().next() {
        let escape = if has_escapes { escape(rest) } else { None };
        let doubled = ["$${", "%%{"].into_iter().find(|word| rest.starts_with(word));
        let (read, length) = match (escape, doubled) {
            (Some((read, length)), _) => (read, length),
            // Its second half is the text.
            (None, Some(_)) => (next, 2),
            (None, None) => (next, next.len_utf8()),
        };
        let Some(left) = behind.strip_prefix(read) else {
            return false;
        };
        behind = left;
        rest = rest.get(length..).unwrap_or_default();
        if length != read.len_utf8() {
            map.run(
                to + offset(text.len() - behind.len()),
                at + offset(raw.len() - rest.len()),
            );
        }
    }
    behind.is_empty()
}

/// The character for an escape at the start of a quoted text, and its length.
fn escape(rest: &str) -> Option<(char, usize)> {
    let kind = rest.strip_prefix('\\')?.chars().next()?;
    let of_code = |digits: usize| {
        let code = u32::from_str_radix(rest.get(2..2 + digits)?, 16).ok()?;
        Some((char::from_u32(code)?, 2 + digits))
    };
    match kind {
        'n' => Some(('\n', 2)),
        'r' => Some(('\r', 2)),
        't' => Some(('\t', 2)),
        'b' => Some(('\u{8}', 2)),
        'f' => Some(('\u{c}', 2)),
        '"' | '\\' | '/' => Some((kind, 2)),
        'u' => of_code(4),
        'U' => of_code(8),
        _ => None,
    }
}
