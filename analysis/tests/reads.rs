//! What is read from the disk when a workspace is first looked at.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use applyorder_analysis::engine::{Offer, RunOptions};
use applyorder_analysis::files::{DirEntry, FileKind, Files, MemoryFiles, ReadError};
use applyorder_analysis::workspace::Workspace;
use camino::{Utf8Path, Utf8PathBuf};

/// Files that count how often each is read.
struct Counting {
    files: MemoryFiles,
    reads: Mutex<BTreeMap<Utf8PathBuf, usize>>,
}

impl Files for Counting {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        *self.reads.lock().unwrap().entry(path.to_owned()).or_default() += 1;
        self.files.read(path)
    }
    fn list(&self, dir: &Utf8Path) -> Result<Arc<[DirEntry]>, ReadError> {
        self.files.list(dir)
    }
    fn kind(&self, path: &Utf8Path, follow_links: bool) -> Option<FileKind> {
        self.files.kind(path, follow_links)
    }
    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.files.canonical(path)
    }
    fn vcs_root(&self, dir: &Utf8Path) -> Option<Utf8PathBuf> {
        self.files.vcs_root(dir)
    }
}

#[test]
fn each_file_is_read_once() {
    let mut files = MemoryFiles::default();
    files.insert(
        "/w/tazuna.yaml",
        "kind: Tazuna\nspec:\n  manifests:\n    - includes: [{path: part.yaml}]\n",
    );
    files.insert(
        "/w/part.yaml",
        "kind: Tazuna\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n",
    );
    files.insert("/w/kustomization.yaml", "resources: []\n");
    let paths: Vec<Utf8PathBuf> = files.paths().map(Utf8Path::to_owned).collect();
    let disk = Arc::new(Counting {
        files,
        reads: Mutex::default(),
    });
    let mut workspace = Workspace::new(applyorder_engines::all(), disk.clone(), RunOptions::default());
    workspace.offer(&paths, Offer::Found);
    workspace.refresh();
    assert_eq!(workspace.analysis().projects().count(), 1);
    let reads = disk.reads.lock().unwrap();
    assert!(reads.values().all(|count| *count == 1), "{reads:?}");
    assert_eq!(reads.len(), paths.len());
}
