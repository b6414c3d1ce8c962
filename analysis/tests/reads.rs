//! What is read from the disk when a workspace is first looked at.
#![allow(missing_docs, clippy::indexing_slicing, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use applyorder_analysis::engine::{Offer, RunOptions};
use applyorder_analysis::files::MemoryFiles;
use applyorder_analysis::fixture::{Look, NotedFiles};
use applyorder_analysis::workspace::Workspace;
use camino::{Utf8Path, Utf8PathBuf};

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
    let reads: Arc<Mutex<BTreeMap<Utf8PathBuf, usize>>> = Arc::default();
    let counted = reads.clone();
    let note = move |look: Look, path: &Utf8Path| {
        if look == Look::Read {
            *counted.lock().unwrap().entry(path.to_owned()).or_default() += 1;
        }
    };
    let disk = Arc::new(NotedFiles { files, note });
    let mut workspace = Workspace::new(applyorder_engines::all(), disk, RunOptions::default());
    workspace.offer(&paths, Offer::Found);
    workspace.refresh();
    assert_eq!(workspace.analysis().projects().count(), 1);
    let reads = reads.lock().unwrap();
    assert!(reads.values().all(|count| *count == 1), "{reads:?}");
    assert_eq!(reads.len(), paths.len());
}
