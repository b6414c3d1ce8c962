//! Shared by the Ankaios tests: the projects of manifests that are named together.
#![allow(dead_code, clippy::expect_used, clippy::indexing_slicing)]

use std::sync::Arc;

use applyorder_analysis::engine::{Offer, RunOptions};
use applyorder_analysis::files::Files;
use applyorder_analysis::workspace::{Analysis, Project, Workspace};
use camino::Utf8PathBuf;

/// The analysis of some manifests that are passed with the engine.
pub(crate) fn analysed(files: Arc<dyn Files>, given: &[Utf8PathBuf], options: RunOptions) -> Arc<Analysis> {
    let engines = applyorder_engines::all();
    let engine = engines.index_of("ankaios").expect("the engine is there");
    let mut workspace = Workspace::new(engines, files, options);
    workspace.only_engine(engine);
    workspace.offer(given, Offer::Explicit);
    workspace.refresh();
    workspace.analysis()
}

/// The project of a file, and the project of all files together.
pub(crate) fn project(analysis: &Analysis, wanted: impl Fn(&Project) -> bool) -> Arc<Project> {
    let mut all = analysis.projects().map(|(_, p)| p);
    all.find(|p| wanted(p)).expect("there is such a project").clone()
}
