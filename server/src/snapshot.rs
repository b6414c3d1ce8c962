//! What a request sees: the workspace as it was at the request's place in the queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::ide::definition::Destination;
use applyorder_analysis::workspace::Analysis;
use camino::{Utf8Path, Utf8PathBuf};
use tower_lsp_server::ls_types::{Location, Range};

use crate::capabilities::Supports;
use crate::convert::{self, Convert};
use crate::documents::{Open, OpenDocuments};
use crate::settings::Shows;

/// An immutable picture of the server's state.
pub(crate) struct Snapshot {
    pub(crate) analysis: Arc<Analysis>,
    pub(crate) open: Arc<OpenDocuments>,
    pub(crate) supports: Arc<Supports>,
    pub(crate) shows: Shows,
    /// Counts the edits of all documents.
    pub(crate) revision: Arc<AtomicU64>,
}

impl Snapshot {
    /// The file that a URI names, if the analysis knows it.
    pub(crate) fn file(&self, uri: &str) -> Option<FileId> {
        self.analysis.file(&self.path(uri)?)
    }

    /// The path that the workspace has for what a URI names.
    pub(crate) fn path(&self, uri: &str) -> Option<Utf8PathBuf> {
        Some(self.open.named(convert::path_of(uri)?))
    }

    /// Converts positions.
    pub(crate) fn convert(&self) -> Convert<'_> {
        Convert {
            analysis: &self.analysis,
            encoding: self.supports.encoding,
            open: &self.open,
        }
    }

    /// Where a definition is, as the client names it: a file that it has open by the name that it gave.
    pub(crate) fn location(&self, destination: Destination) -> Option<Location> {
        match destination {
            Destination::Place(at) => self.convert().location_of(at.file, at.span),
            Destination::File(path) => {
                let uri = match self.document(&path) {
                    Some(open) => convert::uri(&open.uri),
                    None => convert::uri(&convert::uri_of(&path)),
                };
                Some(Location::new(uri?, Range::default()))
            }
        }
    }

    /// The open document at a path.
    pub(crate) fn document(&self, path: &Utf8Path) -> Option<&Open> {
        self.open.get(path)
    }
}

/// What an answer depends on: when it changes before the answer is there, the answer is stale.
pub(crate) enum DependsOn {
    /// The text of one document.
    Document(Utf8PathBuf),
    /// The texts of all.
    Everything,
    /// Nothing whose change would make the answer useless.
    Nothing,
}

impl DependsOn {
    /// A number that changes with it.
    pub(crate) fn revision(&self, snapshot: &Snapshot) -> u64 {
        match self {
            Self::Document(path) => snapshot
                .document(path)
                .map_or(0, |d| d.revision.load(Ordering::Relaxed)),
            Self::Everything => snapshot.revision.load(Ordering::Relaxed),
            Self::Nothing => 0,
        }
    }
}
