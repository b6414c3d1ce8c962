//! The errors with which kapp stops.

use super::inputs::Item;
use super::uses::{Source, UseError};
use applyorder_core::diagnostic::Place;

/// The kind of an error with which kapp stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum What {
    /// No file is given, or one does not exist.
    MissingFile,
    /// A file cannot be read.
    Unreadable,
    /// A text is not a document for kapp.
    Syntax,
    /// A limit of ours.
    Limit,
    /// A Config is invalid.
    Config,
    /// Fields are missing: one report names all of them.
    MissingFields,
    /// An API version has more than one slash.
    ApiVersion,
    /// Resources are duplicated: one report names all of them.
    Duplicates,
    /// A definition of a custom resource has a value of a wrong type.
    Definition,
    /// A namespace is not mapped, or an entry of the map is invalid.
    Namespaces,
    /// A nonce is not left to kapp.
    Nonce,
    /// The input is empty.
    Empty,
    /// Labels cannot be written.
    Labels,
    /// A name or namespace that the cluster cannot be asked for.
    Path,
    /// A duration cannot be read.
    Renewal,
    /// The versions of a resource cannot be named.
    Versions,
    /// A rule for comparing does not fit.
    Rebase,
    /// A matcher has no known field.
    Matcher,
    /// A group or rule of a change.
    Use,
    /// A cycle.
    Cycle,
}

impl What {
    /// Whether one report names everything of the kind.
    pub(crate) const fn names_all(self) -> bool {
        matches!(self, Self::MissingFields | Self::Duplicates)
    }
}

/// A predicted error of kapp. kapp stops at its first one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KappError {
    /// kapp's stage.
    pub(crate) stage: &'static str,
    pub(crate) what: What,
    /// kapp's text.
    pub(crate) message: String,
    /// The resource it is about.
    pub(crate) item: Option<Item>,
    /// The place it is about, if there may be others of its kind.
    pub(crate) place: Option<Place>,
    /// The change it is about.
    pub(crate) change: Option<u32>,
    /// The group or rule of that change, and whether it is a rule.
    pub(crate) source: Option<(Source, bool)>,
    /// Whether only the beginning of the text is predicted.
    pub(crate) is_partial: bool,
}

impl KappError {
    pub(crate) fn new(stage: &'static str, what: What, message: impl Into<String>) -> Self {
        Self {
            stage,
            what,
            message: message.into(),
            item: None,
            place: None,
            change: None,
            source: None,
            is_partial: false,
        }
    }

    pub(crate) fn about(mut self, item: Item) -> Self {
        self.item = Some(item);
        self
    }

    pub(crate) fn at(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }

    pub(crate) fn of_change(mut self, change: u32) -> Self {
        self.change = Some(change);
        self
    }

    /// About a group or rule of a change.
    pub(crate) fn of_use(mut self, change: u32, error: &UseError) -> Self {
        self.source = Some((error.source, error.of_rule));
        self.of_change(change)
    }

    pub(crate) fn partial(mut self) -> Self {
        self.is_partial = true;
        self
    }

    /// Whether it is a limit of ours and not an error of kapp.
    pub(crate) fn is_ours(&self) -> bool {
        self.what == What::Limit
    }

    /// Whether this is kapp's report of a kind of error: at a place, of a resource.
    pub(crate) fn tells(&self, what: What, item: Option<Item>, place: Place) -> bool {
        self.what == what
            && (what.names_all()
                || match (self.place, self.item) {
                    (Some(own), _) => own == place,
                    (None, Some(own)) => item == Some(own),
                    (None, None) => true,
                })
    }
}
