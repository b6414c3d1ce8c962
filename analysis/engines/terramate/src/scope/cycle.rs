//! The cycle that Terramate reports, and those that it does not.

use std::sync::Arc;

use serde_json::Value as Json;

use super::Scope;
use crate::judge::{LIST_ORDER, ORDER, RUN};
use crate::model::stacks::{StackIx, Stacks};
use crate::relate::entries::Entry;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;

/// The commands that read the order.
const ORDERING: [&str; 2] = [RUN, LIST_ORDER];

impl Scope<'_> {
    /// A finding of a cycle, which the commands that read the order reject if the run contains one; with the
    /// mark of their report if it is Terramate's cycle.
    pub(crate) fn of_cycle(&self, is_reported: bool, d: Diagnostic) -> Finding {
        let enforced = |d: Diagnostic| ORDERING.iter().fold(d, |d, c| d.enforced(c, ORDER, false));
        let Some(path) = &self.related.cycle else {
            return Finding::new(d);
        };
        if !is_reported {
            return Finding::new(enforced(d));
        }
        let d = d.engine_message(cycle_text(self.stacks, path));
        if self.rejects_entries(true) {
            return Finding::new(enforced(d));
        }
        self.rejected_cycle(path, d).repeats()
    }

    /// The same of an entry that means its own stack.
    pub(crate) fn of_own_cycle(&self, stack: StackIx, entry: Entry<'_>, d: Diagnostic) -> Finding {
        let is_reported = self.related.cause.is_some_and(|cause| cause.is(stack, &entry));
        self.of_cycle(is_reported, d)
    }

    /// The finding of a cycle, rejected by the commands that read the order. `list` includes its current action
    /// in the middle of the text.
    pub(crate) fn rejected_cycle(&self, path: &[StackIx], d: Diagnostic) -> Finding {
        let finding = self.cycle_finding(path, d);
        let finding = ORDERING.iter().fold(finding, |f, c| f.rejected(c, ORDER));
        let listed = format!(
            "cycle detected: Invalid stack configuration: {}",
            cycle_chain(self.stacks, path)
        );
        finding.message_of(LIST_ORDER, listed)
    }

    /// A finding with Terramate's message about a cycle.
    pub(crate) fn cycle_finding(&self, path: &[StackIx], d: Diagnostic) -> Finding {
        let names: Vec<Json> = path.iter().map(|s| Json::from(&*self.stacks.path(*s))).collect();
        let text = cycle_text(self.stacks, path);
        let start = path.first().map(|s| self.stacks.path(*s)).unwrap_or_default();
        // After all entries.
        let finding = Finding::new(d.engine_message(text)).at(u32::MAX);
        finding.about(start).detail("path", names)
    }
}

/// The text that Terramate prints for a cycle.
pub(crate) fn cycle_text(stacks: &Stacks, path: &[StackIx]) -> String {
    format!("cycle detected: {}", cycle_chain(stacks, path))
}

/// The stacks of a cycle, as that text has them.
fn cycle_chain(stacks: &Stacks, path: &[StackIx]) -> String {
    let names: Vec<Arc<str>> = path.iter().map(|s| stacks.path(*s)).collect();
    let start = names.first().cloned().unwrap_or_default();
    format!("{}: checking node id \"{start}\"", names.join(" -> "))
}
