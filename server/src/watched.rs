//! What an update of what is watched did.

use camino::Utf8PathBuf;
use rustc_hash::FxHashSet;

/// What is watched from now on that was not before: what happened there gave no event.
pub(crate) enum Added {
    /// Everything.
    All,
    /// What is in these directories.
    Some(FxHashSet<Utf8PathBuf>),
}

/// What an update of the server's own watcher did.
pub(crate) struct Watched {
    pub(crate) added: Option<Added>,
    /// Whether nothing can be watched.
    pub(crate) failed: bool,
}
