//! What makes Terramate refuse to load a directory.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks" and "The `stack` block".

use std::sync::Arc;

use super::directory::{experiments, of_directory};
use super::files::of_files;
use super::{Scope, environments};
use crate::engines::terramate::found::Found;
use crate::engines::terramate::load::imports::Imports;
use crate::engines::terramate::load::tree::{Dir, files};
use crate::rules::unreadable_file;

/// The problems because of which Terramate stops loading, per directory in the order of loading, and what
/// else is to be said of the files.
pub(super) fn load(scope: Scope<'_>) -> Vec<Found> {
    let experiments = experiments(scope);
    let mut found = Vec::new();
    for (index, dir) in (0u32..).zip(&scope.tree.dirs) {
        let imports = scope.model.loaded.imports(index);
        one(scope, dir, imports, experiments.as_deref(), &mut found);
    }
    environments::check(scope, &mut found);
    found
}

/// The same of one directory.
pub(super) fn of_dir(scope: Scope<'_>, dir: &Dir, imports: &Imports) -> Vec<Found> {
    let mut found = Vec::new();
    one(scope, dir, imports, experiments(scope).as_deref(), &mut found);
    found
}

fn one(
    scope: Scope<'_>,
    dir: &Dir,
    imports: &Imports,
    experiments: Option<&[Arc<str>]>,
    found: &mut Vec<Found>,
) {
    let before = found.len();
    of_files(scope, dir, experiments, found);
    if files(dir).next().is_some() {
        of_directory(scope, dir, imports, experiments, found);
    }
    let Some(own) = found.get_mut(before..) else {
        return;
    };
    own.iter_mut().for_each(|f| f.dir = dir.path.clone());
    // Terramate reads the files one by one before it looks into any.
    let read = own
        .iter()
        .position(|f| f.fatal && f.diagnostic.rule == &unreadable_file::RULE);
    if let Some(read) = read {
        let others = own.iter_mut().enumerate().filter(|(i, _)| *i != read);
        others.for_each(|(_, f)| f.unseen = true);
    }
}
