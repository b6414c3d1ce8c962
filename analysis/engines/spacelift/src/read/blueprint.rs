//! Blueprints and templates with several stacks: whether a text is one, and which of them.
//!
//! Source: spec section 9, and the schemas in Spacelift's documentation at 6e9746f.

use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::{Node, SyntaxErrorKind, Tree};

use super::{Places, Problem, ProblemKind};

/// How a value begins that is computed when stacks are made.
pub(crate) const COMPUTED: &str = "${{";

/// What of Spacelift's has several stacks in YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavor {
    Blueprint,
    Template,
    /// Nothing in it tells.
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
