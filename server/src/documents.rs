//! The open documents, as far as requests see them.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use applyorder_analysis::files::{DiskFiles, Files};
use camino::{Utf8Path, Utf8PathBuf};
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

/// The open documents, by the paths that the workspace has for them.
#[derive(Clone, Default)]
pub(crate) struct OpenDocuments {
    documents: FxHashMap<Utf8PathBuf, Open>,
    /// The paths that the client has for documents, where a link makes them others.
    linked: FxHashMap<Utf8PathBuf, Utf8PathBuf>,
}

impl OpenDocuments {
    /// The path that the workspace has for what the client names by `path`.
    pub(crate) fn named(&self, path: Utf8PathBuf) -> Utf8PathBuf {
        self.linked.get(&path).cloned().unwrap_or(path)
    }

    /// Takes in a document that the client names by `named`. Gives whether it was open.
    pub(crate) fn open(&mut self, named: Utf8PathBuf, path: Utf8PathBuf, open: Open) -> bool {
        if named != path {
            self.linked.insert(named, path.clone());
        }
        self.documents.insert(path, open).is_some()
    }

    /// A document, to be changed.
    pub(crate) fn get_mut(&mut self, path: &Utf8Path) -> Option<&mut Open> {
        self.documents.get_mut(path)
    }

    /// Takes out a document that is closed, and what the client calls it.
    pub(crate) fn close(&mut self, path: &Utf8Path) -> Option<Open> {
        self.linked.retain(|_, walked| walked != path);
        self.documents.remove(path)
    }
}

/// The path by which a walk through the folders, which follows no links to directories, comes to a file. A link to
/// the file itself is a file of its own: engines read its neighbors from where it is.
pub(crate) fn walked_path(path: &Utf8Path, folders: &[Utf8PathBuf]) -> Option<Utf8PathBuf> {
    let disk = DiskFiles::default();
    let dir = disk.canonical(path.parent()?)?;
    let (folder, rest) = folders
        .iter()
        .filter_map(|folder| {
            let rest = dir.strip_prefix(disk.canonical(folder)?).ok()?;
            Some((folder, rest))
        })
        .max_by_key(|(folder, _)| (path.starts_with(folder), folder.as_str().len()))?;
    let dir = if rest.as_str().is_empty() {
        folder.clone()
    } else {
        folder.join(rest)
    };
    Some(dir.join(path.file_name()?))
}

impl Deref for OpenDocuments {
    type Target = FxHashMap<Utf8PathBuf, Open>;

    fn deref(&self) -> &Self::Target {
        &self.documents
    }
}
