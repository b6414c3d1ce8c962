//! What makes Terramate reject a directory.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks" and "The `stack` block".

use std::sync::Arc;

use super::Scope;
use super::directory::of_directory;
use super::files::of_files;
use crate::found::Found;
use crate::load::tree::Dir;
use crate::model::imports::Imports;
use crate::model::sources::Sources;
use applyorder_core::rules::unreadable_file;

/// The problems because of which Terramate does not load a directory, and what else is to be said of its files.
pub(super) fn of_dir(
    scope: &Scope<'_>,
    sources: &Sources,
    dir: &Dir,
    imports: &Imports,
    experiments: Option<&[Arc<str>]>,
) -> Vec<Found> {
    let mut found = Vec::new();
    of_files(scope, sources, dir, experiments, &mut found);
    if sources.files(dir).next().is_some() {
        of_directory(scope, sources, dir, imports, experiments, &mut found);
    }
    // Terramate reads the files one by one before it looks into any.
    let read = found
        .iter()
        .position(|f| f.fatal && f.diagnostic.rule == &unreadable_file::RULE);
    if let Some(read) = read {
        let others = found.iter_mut().enumerate().filter(|(i, _)| *i != read);
        others.for_each(|(_, f)| f.unseen = true);
    }
    found
}
