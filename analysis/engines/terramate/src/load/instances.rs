//! Instances of bundles in YAML. Terramate searches for them in every directory below the root, also in those
//! from which it loads nothing else.
//!
//! Source: Terramate 0.17.2, "What is read".

use camino::{Utf8Path, Utf8PathBuf};

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Cx;
use applyorder_core::files::{DirEntry, FileKind};

/// A file that Terramate decodes as an instance of a bundle.
pub(crate) struct Instance {
    pub(crate) file: FileId,
    pub(crate) path: Utf8PathBuf,
    /// Its project path.
    pub(crate) shown: String,
    /// Whether its directory is part of the project: otherwise Terramate only decodes it.
    pub(crate) is_loaded: bool,
}

/// Whether a file of this name is decoded.
pub(super) fn is_instance(name: &str) -> bool {
    name.ends_with(".tm.yml") || name.ends_with(".tm.yaml")
}

impl Instance {
    /// The instance for an entry of a directory.
    pub(super) fn of(cx: &Cx<'_>, root: &Utf8Path, dir: &Utf8Path, entry: &DirEntry) -> Option<Self> {
        if !is_instance(&entry.name) || entry.kind == FileKind::Directory {
            return None;
        }
        let path = dir.join(&entry.name);
        let below = path.strip_prefix(root).unwrap_or(&path);
        Some(Self {
            file: cx.file(&path),
            shown: format!("/{below}"),
            path,
            is_loaded: false,
        })
    }
}
