//! What is wrong in one file, and the file's table of places: what reading it collects.

use std::sync::Arc;

use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::engine::FactsInput;
use applyorder_syntax::text::Span;

/// An entry of the file's table of places.
pub(crate) type At = u32;

/// A problem in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub(crate) diagnostic: Diagnostic,
    /// Terramate rejects the directory because of it.
    pub(crate) fatal: bool,
    /// The attribute and the value it is about, for the verdict.
    pub(crate) attribute: Option<Arc<str>>,
    pub(crate) value: Option<Arc<str>>,
    /// Terramate meets it already while it looks for the root of the project.
    pub(crate) early: bool,
    /// The experiment without which Terramate does not look at what it is about.
    pub(crate) experiment: Option<&'static str>,
    /// What else Terramate complains of for the same cause.
    pub(crate) also: Option<&'static str>,
    /// The reference that does not exist, where it is about one.
    pub(crate) reference: Option<Arc<str>>,
}

/// The problems and places of one file in the making.
pub(crate) struct Problems<'a> {
    pub(crate) input: &'a FactsInput<'a>,
    pub(crate) found: Vec<Problem>,
    places: Vec<Span>,
}

impl<'a> Problems<'a> {
    /// None yet.
    pub(crate) const fn new(input: &'a FactsInput<'a>) -> Self {
        Self {
            input,
            found: Vec::new(),
            places: Vec::new(),
        }
    }

    /// The problems, and the table of places.
    pub(crate) fn into_parts(self) -> (Vec<Problem>, Vec<Span>) {
        (self.found, self.places)
    }

    /// Notes a place.
    pub(crate) fn at(&mut self, span: Span) -> At {
        let index = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        self.places.push(span);
        index
    }

    /// The bytes of a noted place.
    pub(crate) fn span_of(&self, at: At) -> Span {
        self.places.get(at as usize).copied().unwrap_or_default()
    }

    /// Notes a place for a diagnostic.
    pub(crate) fn place(&mut self, span: Span) -> Place {
        let at = self.at(span);
        self.place_of(at)
    }

    /// The place of a noted one.
    pub(crate) fn place_of(&self, at: At) -> Place {
        Place::anchor(self.input.file, self.input.engine, at)
    }

    /// A problem because of which Terramate rejects the directory.
    pub(crate) fn fatal(&mut self, diagnostic: Diagnostic) -> &mut Problem {
        self.push(diagnostic, true)
    }

    /// A problem that is not an error to Terramate.
    pub(crate) fn non_fatal(&mut self, diagnostic: Diagnostic) -> &mut Problem {
        self.push(diagnostic, false)
    }

    fn push(&mut self, diagnostic: Diagnostic, fatal: bool) -> &mut Problem {
        let at = self.found.len();
        self.found.push(Problem {
            diagnostic,
            fatal,
            attribute: None,
            value: None,
            early: false,
            experiment: None,
            also: None,
            reference: None,
        });
        &mut self.found[at]
    }
}
