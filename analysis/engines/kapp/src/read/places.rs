//! The table of places of a document.

use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::Node;

/// Collects spans; each gets a number.
pub(super) struct Places<'a> {
    spans: &'a mut Vec<Span>,
    /// The scalar whose text the spans are of, where it is not the document itself.
    inside: Option<Node<'a>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(spans: &'a mut Vec<Span>) -> Self {
        Self { spans, inside: None }
    }

    /// The same table for a text that is the value of a scalar.
    pub(super) fn inside<'b>(&'b mut self, scalar: Node<'b>) -> Places<'b> {
        Places {
            spans: self.spans,
            inside: Some(scalar),
        }
    }

    pub(super) fn add(&mut self, span: Span) -> u32 {
        let span = match self.inside {
            Some(scalar) => scalar.source_span_of(span.range()),
            None => span,
        };
        let number = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
        self.spans.push(span);
        number
    }
}
