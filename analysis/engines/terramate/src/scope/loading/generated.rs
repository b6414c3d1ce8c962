//! Files of the experiment `tmgen`: HCL, of which Terramate reads the syntax while it loads their directory.
//!
//! Source: Terramate 0.17.2, "What is read".

use std::sync::Arc;

use super::{LoadFault, LoadProblem};
use crate::load::tree::Dir;
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::Cx;
use applyorder_syntax::hcl::{self, SyntaxErrorKind};

/// The experiment that enables them.
pub(crate) const EXPERIMENT: &str = "tmgen";

/// The text of one, where it can be read.
pub(crate) fn text(cx: &Cx<'_>, dir: &Dir, name: &str) -> Option<Arc<str>> {
    let (_, source) = cx.source(&dir.host.join(name)).ok()?;
    Some(source.text.clone())
}

/// What Terramate rejects in them, if it reaches them.
pub(super) fn problems(cx: &Cx<'_>, dir: &Dir, found: &mut Vec<LoadProblem<'_>>) {
    let mut is_reached = !found.iter().any(LoadProblem::is_said);
    for name in &dir.generated {
        let Some(text) = text(cx, dir, name) else { continue };
        let file = cx.file(&dir.host.join(name));
        let tree = hcl::parse(&text);
        let before = found.len();
        found.extend(tree.errors().iter().map(|error| {
            let fatal = error.kind != SyntaxErrorKind::Limit;
            LoadProblem {
                fatal,
                unseen: fatal && !is_reached,
                ..LoadProblem::new(Place::span(file, error.span), LoadFault::Generated(error.clone()))
            }
        }));
        is_reached &= found.len() == before;
    }
}
