//! What kapp says when it stops.

use super::inputs::Item;
use applyorder_core::diagnostic::Rule;

/// An error of kapp's, as it is predicted. kapp stops at its first one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KappError {
    /// kapp's stage.
    pub(crate) stage: &'static str,
    /// Our rule that reports the same.
    pub(crate) rule: &'static Rule,
    /// kapp's text.
    pub(crate) message: String,
    /// The resource it is about.
    pub(crate) item: Option<Item>,
    /// The change it is about.
    pub(crate) change: Option<u32>,
    /// Whether only the beginning of the text is predicted.
    pub(crate) unforeseen: bool,
    /// Whether it is a limit of ours and no error of kapp's.
    pub(crate) ours: bool,
}

impl KappError {
    pub(crate) fn new(stage: &'static str, rule: &'static Rule, message: impl Into<String>) -> Self {
        Self {
            stage,
            rule,
            message: message.into(),
            item: None,
            change: None,
            unforeseen: false,
            ours: false,
        }
    }

    pub(crate) fn about(mut self, item: Item) -> Self {
        self.item = Some(item);
        self
    }

    pub(crate) fn of_change(mut self, change: u32) -> Self {
        self.change = Some(change);
        self
    }

    pub(crate) fn unforeseen(mut self) -> Self {
        self.unforeseen = true;
        self
    }

    pub(crate) fn of_ours(mut self) -> Self {
        self.ours = true;
        self
    }
}
