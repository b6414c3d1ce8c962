//! Entries at which Terramate stops or about which it warns.
//!
//! Source: Terramate 0.17.2, "Resolving entries of after/before/wants/wanted_by".

use super::Scope;
use crate::judge::{GRAPH, LIST_ORDER, ORDER, RUN, WANTS};
use crate::model::refs::Meaning;
use crate::model::stacks::StackIx;
use crate::relate::entries::Entry;
use applyorder_core::layer::Finding;

/// What an entry at whose path nothing exists was probably meant to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing<'e> {
    /// A filter for this tag.
    Tag(&'e str),
    /// A pattern of paths.
    Glob,
    Path,
}

impl Scope<'_> {
    /// What an entry at whose path nothing exists was probably meant to be.
    pub(super) fn missing<'e>(&self, text: &'e str) -> Missing<'e> {
        let bare = text.trim().trim_start_matches(':');
        let tag = bare
            .get(..4)
            .filter(|p| p.eq_ignore_ascii_case("tag:"))
            .and_then(|_| bare.get(4..));
        let is_tag = || {
            let mut stacks = self.stacks.iter();
            stacks.any(|(_, s)| s.tags.iter().any(|tag| **tag == *text))
        };
        match tag.or_else(|| is_tag().then_some(text)) {
            Some(tag) => Missing::Tag(tag),
            None if text.contains(['*', '?', '[']) => Missing::Glob,
            None => Missing::Path,
        }
    }

    /// Whether Terramate stops at an entry of `after` and `before`, or of the other lists.
    pub(crate) fn rejects_entries(&self, is_order: bool) -> bool {
        let visits = self.related.visits(is_order);
        visits.iter().any(|s| self.rejects_entries_of(*s, is_order))
    }

    /// The same of one stack.
    pub(crate) fn rejects_entries_of(&self, stack: StackIx, is_order: bool) -> bool {
        let entries = self.entries.of(stack);
        let mut entries = entries.filter(|e| e.attribute.orders() == is_order);
        entries.any(|e| matches!(e.meaning, Meaning::BadFilter(_)))
    }
}

/// Where entries are resolved, of `after` and `before` or of the other lists, and by which commands.
pub(crate) const fn commands(is_order: bool) -> (&'static str, &'static [&'static str]) {
    if is_order {
        (ORDER, &[RUN, LIST_ORDER, GRAPH])
    } else {
        (WANTS, &[RUN])
    }
}

/// With Terramate's message about an entry, as keys.
pub(crate) fn detailed(finding: Finding, entry: Entry<'_>, reason: &'static str) -> Finding {
    finding
        .detail("attribute", entry.attribute.name())
        .detail("value", &*entry.text)
        .detail("reason", reason)
}
