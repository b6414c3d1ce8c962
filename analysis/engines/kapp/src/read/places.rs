//! The table of places of a document, and the budget for reading it.

use applyorder_core::layer::Budget;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::{Node, ScalarMap};

/// The steps that reading a document may take besides one for each byte of it: aliases can multiply its
/// content.
const STEPS: u64 = 100_000;

/// A budget for reading a text.
pub(super) const fn budget(text: &str) -> Budget {
    Budget::new(STEPS + text.len() as u64)
}

/// Collects spans; each gets a number.
pub(super) struct Places<'a> {
    spans: &'a mut Vec<Span>,
    budget: &'a mut Budget,
    /// The scalar that contains the spans, if it is not the document itself.
    inside: Option<ScalarMap>,
}

impl<'a> Places<'a> {
    pub(super) fn new(spans: &'a mut Vec<Span>, budget: &'a mut Budget) -> Self {
        Self {
            spans,
            budget,
            inside: None,
        }
    }

    /// The same table for a text that is the value of a scalar.
    pub(super) fn inside(&mut self, scalar: Node<'_>) -> Places<'_> {
        Places {
            spans: self.spans,
            budget: self.budget,
            inside: Some(scalar.source_map()),
        }
    }

    /// Spends some steps of the budget; returns whether there were enough.
    pub(super) const fn spend(&mut self, steps: u64) -> bool {
        self.budget.spend(steps)
    }

    /// Whether there were not enough steps.
    pub(super) const fn is_spent(&self) -> bool {
        self.budget.is_spent()
    }

    pub(super) fn add(&mut self, span: Span) -> u32 {
        let span = match &self.inside {
            Some(scalar) => scalar.span_of(span.range()),
            None => span,
        };
        let number = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
        self.spans.push(span);
        number
    }
}
