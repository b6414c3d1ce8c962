//! Paths as keys.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use camino::Utf8Path;

/// A clean path as a key: compared by its text, where `Utf8Path` would take it apart each time.
#[derive(Clone, Debug)]
pub(crate) struct ByText(pub(crate) Arc<Utf8Path>);

impl Borrow<str> for ByText {
    fn borrow(&self) -> &str {
        self.0.as_str()
    }
}

impl Hash for ByText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_str().hash(state);
    }
}

impl PartialEq for ByText {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for ByText {}
