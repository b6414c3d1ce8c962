//! What is wrong with a directory or a stack, as it is put together before it becomes a finding.

use std::sync::Arc;

use super::judge::{GRAPH, LIST, LIST_ORDER, LOAD, RUN};
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;

/// A problem of a directory or a stack.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) diagnostic: Diagnostic,
    /// Terramate rejects because of it.
    pub(crate) fatal: bool,
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
    let at = found.len();
    found.push(Found {
        diagnostic,
        fatal,
        details: Vec::new(),
        unseen: false,
        silent: false,
        early: false,
    });
    &mut found[at]
}

/// Pushes a problem because of which Terramate does not load the directory.
pub(crate) fn reject(found: &mut Vec<Found>, diagnostic: Diagnostic) -> &mut Found {
    push(found, diagnostic, true)
}

impl Found {
    /// Whether Terramate says it while it looks for the root of the project.
    pub(crate) const fn ends_search(&self) -> bool {
        self.early && self.fatal && !self.unseen
    }

    /// The finding, rejected by all commands at a stage, as the `at`th of a subject.
    pub(crate) fn told(self, stage: &'static str, subject: &Arc<str>, at: u32, into: &mut Vec<Finding>) {
        let Self {
            diagnostic: d,
            fatal,
            details,
            unseen,
            silent,
            ..
        } = self;
        if !fatal || unseen {
            if !silent {
                let d = if fatal { foreseen(d, stage) } else { d };
                into.push(Finding::new(d).at(at));
            }
            return;
        }
        // Terramate's words, or ours where they are unknown.
        let words = d.engine_message.clone().unwrap_or_else(|| d.message.clone());
        let mut finding = Finding::new(d).about(subject.clone()).at(at);
        for command in COMMANDS {
            finding = finding.rejected(command, stage).message_of(command, &*words);
        }
        for (key, value) in &details {
            finding = finding.detail(key, value.clone());
        }
        into.push(if silent { finding.silent() } else { finding });
    }
}

/// The commands that look at the whole project.
const COMMANDS: [&str; 4] = [RUN, LIST_ORDER, LIST, GRAPH];

/// Says on a finding that all commands reject it, where another one is what they report.
pub(crate) fn foreseen(d: Diagnostic, stage: &'static str) -> Diagnostic {
    COMMANDS
        .iter()
        .fold(d, |d, command| d.enforced(command, stage, false))
}

/// The findings of a directory that Terramate does not load.
pub(crate) fn of_load(found: Vec<Found>, dir: &Arc<str>, is_ancestor: bool, into: &mut Vec<Finding>) {
    for (at, mut one) in (0u32..).zip(found) {
        if !is_ancestor {
            one.told(LOAD, dir, at, into);
            continue;
        }
        // What ends the search for the root is said at the way up; the rest is not come to.
        let ends_search = one.ends_search();
        one.unseen |= !ends_search;
        let before = into.len();
        one.told(LOAD, dir, at, into);
        for finding in into.iter_mut().skip(before).filter(|_| ends_search) {
            finding.repeats = true;
        }
    }
}
