//! The open documents, as far as requests see them.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use camino::Utf8PathBuf;
use rustc_hash::FxHashMap;

/// What is known of an open document without its text.
#[derive(Clone)]
pub(crate) struct Open {
    /// The URI as the client writes it.
    pub(crate) uri: Arc<str>,
    /// The version the client gave the text.
    pub(crate) version: Option<i32>,
    /// Counts the edits; changes while requests on older texts are still under way.
    pub(crate) revision: Arc<AtomicU64>,
}

/// The open documents.
pub(crate) type OpenDocuments = FxHashMap<Utf8PathBuf, Open>;
