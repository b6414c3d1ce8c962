//! Shared by the Terramate tests: the project in a directory, as if it were in no git work tree.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

use std::sync::Arc;

use applyorder_analysis::engine::{Offer, RunOptions};
use applyorder_analysis::files::DiskFiles;
use applyorder_analysis::workspace::{Project, Workspace};
use camino::{Utf8Path, Utf8PathBuf};

/// The project with a directory as its root; `None` if there is none.
pub(crate) fn project_at(root: &Utf8Path, options: RunOptions) -> Option<Arc<Project>> {
    let mut workspace = Workspace::new(
        applyorder_engines::all(),
        Arc::new(DiskFiles::new(|_| None)),
        options,
    );
    let mut found = Vec::new();
    walk(root, &mut found);
    workspace.offer(&found, Offer::Found);
    workspace.refresh();
    let analysis = workspace.analysis();
    let mut projects = analysis.projects().map(|(_, p)| p);
    projects.find(|p| p.seed.root == root).cloned()
}

fn walk(dir: &Utf8Path, out: &mut Vec<Utf8PathBuf>) {
    for entry in dir.read_dir_utf8().expect("a directory").flatten() {
        match entry.file_type() {
            Ok(t) if t.is_dir() => walk(entry.path(), out),
            _ => out.push(entry.path().to_owned()),
        }
    }
}
