//! From the directory of a command up to the root: what Terramate reads while it looks for the root.
//!
//! Source: Terramate 0.17.2, "Project root". Whether a directory is part of the project does not matter here.

use camino::{Utf8Path, Utf8PathBuf};

use super::tree::{Dir, Tree};
use super::validate::{self, Found};
use crate::discover::{BY_CONFIG, BY_GIT};
use applyorder_core::engine::{Cx, ProjectSeed, RunOptions};

/// The directory of the command as a project path, links followed. `None`: it lies outside of the project.
pub(super) fn start(cx: &Cx<'_>, tree: &Tree, cwd: &Utf8Path) -> Option<String> {
    let known = tree.project_path(cwd).filter(|path| tree.at(path).is_some());
    known.or_else(|| tree.project_path(&cx.canonical(cwd).unwrap_or_else(|| cwd.to_owned())))
}

/// What Terramate complains of in the first directory on the way in which it complains. Nothing where git or our
/// configuration says what the root is.
pub(super) fn refused(
    cx: &Cx<'_>,
    tree: &Tree,
    seed: &ProjectSeed,
    options: &RunOptions,
    load: &[Found],
) -> Vec<Found> {
    if [BY_GIT, BY_CONFIG].contains(&&*seed.why) {
        return Vec::new();
    }
    let start = options.cwd.as_deref().and_then(|cwd| start(cx, tree, cwd));
    let start = Utf8PathBuf::from(start.unwrap_or_else(|| "/".to_owned()));
    let mut refused = start.ancestors().map(|path| of_dir(cx, tree, path, load));
    refused.find(|found| !found.is_empty()).unwrap_or_default()
}

/// The same in the root alone.
pub(super) fn refused_in_root(load: &[Found]) -> Vec<Found> {
    early(load.iter().filter(|f| &*f.dir == "/"))
}

fn of_dir(cx: &Cx<'_>, tree: &Tree, path: &Utf8Path, load: &[Found]) -> Vec<Found> {
    if tree
        .at(path.as_str())
        .is_some_and(|(_, dir)| !dir.skipped || dir.parent.is_none())
    {
        return early(load.iter().filter(|f| *f.dir == *path.as_str()));
    }
    let below = path.as_str().trim_start_matches('/');
    let dir = Dir::alone(cx, tree.root.join(below), path.as_str().into());
    early(validate::load_dir(cx, tree, &dir).iter())
}

fn early<'a>(found: impl Iterator<Item = &'a Found>) -> Vec<Found> {
    found
        .filter(|f| f.early && f.fatal && !f.unseen)
        .cloned()
        .collect()
}
