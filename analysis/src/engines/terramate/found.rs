//! What is wrong with a directory or a stack, as it is put together before it is told and judged.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;

/// A problem of a directory or a stack.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) diagnostic: Diagnostic,
    /// Terramate refuses because of it.
    pub(crate) fatal: bool,
    /// The project path of the directory.
    pub(crate) dir: Arc<str>,
    /// Further keys of the verdict's error.
    pub(crate) details: Vec<(&'static str, String)>,
    /// Terramate itself does not say it: it does not get to see it, or has other words for it.
    pub(crate) unseen: bool,
    /// People are not told: another finding says the cause.
    pub(crate) silent: bool,
    /// Terramate meets it already while it looks for the root of the project.
    pub(crate) early: bool,
}

/// Pushes a problem.
pub(crate) fn push(found: &mut Vec<Found>, diagnostic: Diagnostic, fatal: bool) -> &mut Found {
    let diagnostic = if fatal && diagnostic.enforced.is_empty() {
        diagnostic
            .enforced("run", "load", false)
            .enforced("list", "load", false)
    } else {
        diagnostic
    };
    let at = found.len();
    found.push(Found {
        diagnostic,
        fatal,
        dir: Arc::default(),
        details: Vec::new(),
        unseen: false,
        silent: false,
        early: false,
    });
    &mut found[at]
}

/// Pushes a problem because of which Terramate does not load the directory.
pub(crate) fn refuse(found: &mut Vec<Found>, diagnostic: Diagnostic) -> &mut Found {
    push(found, diagnostic, true)
}
