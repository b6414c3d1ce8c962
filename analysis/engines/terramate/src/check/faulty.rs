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
    /// An entry that is no filter, with what is to be said of it.
    pub(super) fn bad_filter(
        &self,
        stack: StackIx,
        node: &Node,
        entry: Entry<'_>,
        d: Diagnostic,
        found: &mut Vec<Finding>,
    ) {
        let is_order = entry.attribute.orders();
        let stage = if is_order { ORDER } else { WANTS };
        if self.related.turn(stack, is_order).is_none() {
            found.push(Finding::new(d.enforced(RUN, stage, false)));
            return;
        }
        let finding = |d: Diagnostic| {
            let finding = Finding::new(d)
                .about(node.path.clone())
                .at(entry.number.saturating_sub(self.entries.first(stack)));
            detailed(finding, entry, "invalid-tag-filter")
        };
        // A bad filter ends its own list.
        let ended = self
            .entries
            .of(stack)
            .take_while(|e| e.number < entry.number)
            .any(|e| e.attribute == entry.attribute && matches!(e.meaning, Meaning::BadFilter(_)));
        let told = finding(d.clone()).rejected(RUN, stage);
        found.push(if ended { told.repeats() } else { told });
        if is_order && !ended {
            let besides = finding(d).rejected(LIST_ORDER, stage).rejected(GRAPH, stage);
            found.push(besides.silent());
        }
    }

    /// Whether Terramate stops at an entry of `after` and `before`, or of the other lists.
    pub(super) fn refuses_entries(&self, is_order: bool) -> bool {
        self.related
            .visits(is_order)
            .iter()
            .any(|s| self.is_refused(*s, is_order))
    }

    fn is_refused(&self, stack: StackIx, is_order: bool) -> bool {
        let mut entries = self
            .entries
            .of(stack)
            .filter(|e| e.attribute.orders() == is_order);
        entries.any(|e| matches!(e.meaning, Meaning::BadFilter(_)))
    }

    /// What Terramate warns of, until it stops.
    pub(super) fn faulty(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        for (is_order, commands) in [(false, &[RUN][..]), (true, &[RUN, LIST_ORDER, GRAPH])] {
            let stage = if is_order { ORDER } else { WANTS };
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
                if self.is_refused(*stack, is_order) {
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

fn detailed(finding: Finding, entry: Entry<'_>, reason: &'static str) -> Finding {
    finding
        .detail("attribute", entry.attribute.name())
        .detail("value", &*entry.text)
        .detail("reason", reason)
}
