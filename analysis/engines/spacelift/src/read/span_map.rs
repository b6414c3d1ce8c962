//! From spans of a text that was written out of another to spans of that other text.

use applyorder_syntax::text::Span;
use rustc_hash::FxHashMap;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct SpanMap {
    /// What corresponds to a whole text of the other.
    exact: FxHashMap<Span, Span>,
    /// From each of these offsets on, both texts continue in the same way, until the next.
    runs: Vec<(u32, u32)>,
}

impl SpanMap {
    /// `written` corresponds to `source`.
    pub(super) fn exact(&mut self, written: Span, source: Span) {
        self.exact.insert(written, source);
    }

    /// From here on both texts continue in the same way. Called in ascending order of `written`.
    pub(super) fn run(&mut self, written: u32, source: u32) {
        self.runs.push((written, source));
    }

    fn point(&self, offset: u32) -> u32 {
        let next = self.runs.partition_point(|(written, _)| *written <= offset);
        let Some((written, source)) = next.checked_sub(1).and_then(|i| self.runs.get(i)) else {
            return 0;
        };
        let ahead = offset - written;
        // What is written between two texts of the source corresponds to the start of the next.
        let end = self.runs.get(next).map_or(u32::MAX, |(_, source)| *source);
        source.saturating_add(ahead).min(end.max(*source))
    }

    /// The text that a span corresponds to.
    pub(crate) fn map(&self, span: Span) -> Span {
        if let Some(exact) = self.exact.get(&span) {
            return *exact;
        }
        let (start, end) = (self.point(span.start), self.point(span.end));
        Span::new(start, end.max(start))
    }
}
