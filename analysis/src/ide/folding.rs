//! The parts of a file that can be folded: the items of its outline.

use super::symbols;
use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_syntax::text::Span;

/// The spans, outer ones first.
#[must_use]
pub fn foldings(analysis: &Analysis, file: FileId) -> Vec<Span> {
    let mut found = Vec::new();
    let mut items = symbols::outline(analysis, file);
    while let Some(item) = items.pop() {
        found.push(item.span);
        items.extend(item.children);
    }
    found.sort_by_key(|s| (s.start, std::cmp::Reverse(s.end)));
    found.dedup();
    found
}
