//! Shared by the Spacelift tests: the module of a directory.
#![allow(dead_code, clippy::expect_used, clippy::indexing_slicing)]

use std::path::Path;
use std::sync::Arc;

use applyorder_analysis::engine::{Offer, RunOptions};
use applyorder_analysis::files::DiskFiles;
use applyorder_analysis::workspace::{Project, Workspace};
use camino::Utf8PathBuf;

/// All files below a directory, sorted.
fn files(dir: &Path) -> Vec<Utf8PathBuf> {
    let mut open = vec![dir.to_path_buf()];
    let mut found = Vec::new();
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.extend(Utf8PathBuf::from_path_buf(path));
            }
        }
    }
    found.sort();
    found
}

/// The project with a directory as its root.
pub(crate) fn project(dir: &Path, options: RunOptions) -> Option<Arc<Project>> {
    let engines = applyorder_engines::all();
    let files_below = files(dir);
    // Reads are limited to the directory, wherever it is itself.
    let top = Utf8PathBuf::from_path_buf(dir.to_path_buf()).expect("cases have UTF-8 paths");
    let root = top.clone();
    let disk = DiskFiles::new(move |_| Some(top.clone()));
    let mut workspace = Workspace::new(engines, Arc::new(disk), options);
    workspace.offer(&files_below, Offer::Found);
    workspace.refresh();
    let analysis = workspace.analysis();
    let mut all = analysis.projects().map(|(_, p)| p.clone());
    all.find(|p| p.seed.root == root && p.engine().meta().id == "spacelift")
}
