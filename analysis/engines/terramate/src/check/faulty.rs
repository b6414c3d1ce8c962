//! Entries at which Terramate stops or of which it warns, in the order in which it comes to them.
//!
//! Source: Terramate 0.17.2, "Resolving entries of after/before/wants/wanted_by".

use super::Scope;
use crate::judge::{GRAPH, LIST_ORDER, ORDER, RUN, WANTS};
use crate::model::refs::Meaning;
use crate::model::stacks::{Node, StackIx};
use crate::relate::entries::Entry;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::unknown_dependency;

impl Scope<'_> {
    /// An entry that is not a filter, with what is to be said of it.
    pub(super) fn bad_filter(
        &self,
        stack: StackIx,
        node: &Node,
        entry: Entry<'_>,
        d: Diagnostic,
        found: &mut Vec<Finding>,
    ) {
        let is_order = entry.attribute.orders();
        if self.related.turn(stack, is_order).is_none() {
            // The run does not come to it.
            found.push(Finding::new(d));
            return;
        }
        let (stage, commands) = commands(is_order);
        // A bad filter ends its own list.
        let is_ended = self
            .entries
            .of(stack)
            .take_while(|e| e.number < entry.number)
            .any(|e| e.attribute == entry.attribute && matches!(e.meaning, Meaning::BadFilter(_)));
        if is_ended {
            let d = commands
                .iter()
                .fold(d, |d, command| d.enforced(command, stage, false));
            found.push(Finding::new(d));
            return;
        }
        let finding = Finding::new(d)
            .about(node.path.clone())
            .at(entry.number.saturating_sub(self.entries.first(stack)));
        let finding = detailed(finding, entry, "invalid-tag-filter");
        found.push(
            commands
                .iter()
                .fold(finding, |f, command| f.rejected(command, stage)),
        );
    }

    /// Whether Terramate stops at an entry of `after` and `before`, or of the other lists.
    pub(super) fn rejects_entries(&self, is_order: bool) -> bool {
        self.related
            .visits(is_order)
            .iter()
            .any(|s| self.is_rejected(*s, is_order))
    }

    fn is_rejected(&self, stack: StackIx, is_order: bool) -> bool {
        let mut entries = self
            .entries
            .of(stack)
            .filter(|e| e.attribute.orders() == is_order);
        entries.any(|e| matches!(e.meaning, Meaning::BadFilter(_)))
    }

    /// What Terramate warns of, until it stops.
    pub(super) fn faulty(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        for is_order in [false, true] {
            let (stage, commands) = commands(is_order);
            for stack in self.related.visits(is_order) {
                let entries = self
                    .entries
                    .of(*stack)
                    .filter(|e| e.attribute.orders() == is_order);
                let mut ended = None;
                for entry in entries.filter(|e| e.is_faulty()) {
                    if matches!(entry.meaning, Meaning::BadFilter(_)) {
                        ended = Some(entry.attribute);
                    }
                    if ended == Some(entry.attribute) {
                        continue;
                    }
                    if let Some(finding) = self.warning(*stack, entry) {
                        let at = u32::try_from(found.len()).unwrap_or(u32::MAX);
                        let warned = commands.iter().fold(finding, |f, c| f.warned(c, stage));
                        found.push(warned.at(at).silent());
                    }
                }
                if self.is_rejected(*stack, is_order) {
                    break;
                }
            }
        }
        found
    }

    fn warning(&self, stack: StackIx, entry: Entry<'_>) -> Option<Finding> {
        let node = self.stacks.get(stack)?;
        let (path, text, attribute) = (&node.path, &entry.text, entry.attribute.name());
        let (words, reason) = match &entry.meaning {
            Meaning::Missing => (
                format!("Stack {path} references an invalid path ({text}) in the '{attribute}' attribute"),
                "missing",
            ),
            Meaning::NotDirectory => (
                format!(
                    "Stack {path} references a path ({text}) that is not a directory in the '{attribute}' attribute"
                ),
                "not-a-directory",
            ),
            _ => return None,
        };
        let d = Diagnostic::new(&unknown_dependency::RULE, self.place(node, entry), "");
        let finding = Finding::new(d.engine_message(words)).about(path.clone());
        Some(detailed(finding, entry, reason))
    }
}

/// Where entries are resolved, of `after` and `before` or of the other lists, and by which commands.
fn commands(is_order: bool) -> (&'static str, &'static [&'static str]) {
    if is_order {
        (ORDER, &[RUN, LIST_ORDER, GRAPH])
    } else {
        (WANTS, &[RUN])
    }
}

fn detailed(finding: Finding, entry: Entry<'_>, reason: &'static str) -> Finding {
    finding
        .detail("attribute", entry.attribute.name())
        .detail("value", &*entry.text)
        .detail("reason", reason)
}
