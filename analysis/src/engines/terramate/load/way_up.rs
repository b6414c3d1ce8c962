//! From the directory of a command up to the root: what Terramate reads while it looks for the root.
//!
//! Source: Terramate 0.17.2, "Project root". Whether a directory is part of the project does not matter here.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::tree::{Dir, Tree};
use super::{Alone, imports};
use crate::engines::terramate::discover::{BY_CONFIG, BY_GIT, NO_ROOT};
use crate::engines::{Cx, ProjectSeed, RunOptions};

/// A directory on the way up.
pub(crate) enum OnTheWay {
    /// One of the project, by its number.
    Known(u32),
    /// One that is left out of the project.
    Apart(Alone),
}

/// The directory of the command as a project path, links followed. `None`: it lies outside of the project.
pub(crate) fn start(cx: &Cx<'_>, tree: &Tree, cwd: &Utf8Path) -> Option<String> {
    let known = tree.project_path(cwd).filter(|path| tree.at(path).is_some());
    known.or_else(|| tree.project_path(&cx.canonical(cwd).unwrap_or_else(|| cwd.to_owned())))
}

/// The directories on the way. None where git or our configuration says what the root is.
pub(super) fn way_up(cx: &Cx<'_>, tree: &Tree, seed: &ProjectSeed, options: &RunOptions) -> Vec<OnTheWay> {
    if [BY_GIT, BY_CONFIG, NO_ROOT].contains(&&*seed.why) {
        return Vec::new();
    }
    let start = options.cwd.as_deref().and_then(|cwd| start(cx, tree, cwd));
    let start = Utf8PathBuf::from(start.unwrap_or_else(|| "/".to_owned()));
    start.ancestors().map(|path| on_the_way(cx, tree, path)).collect()
}

fn on_the_way(cx: &Cx<'_>, tree: &Tree, path: &Utf8Path) -> OnTheWay {
    let known = tree.at(path.as_str());
    if let Some((index, _)) = known.filter(|(_, dir)| dir.skip.is_none() || dir.parent.is_none()) {
        return OnTheWay::Known(index);
    }
    let below = path.as_str().trim_start_matches('/');
    let dir = Dir::alone(cx, tree.root.join(below), path.as_str().into());
    OnTheWay::Apart(Alone {
        imports: imports::follow(cx, tree, &dir),
        dir: Arc::new(dir),
    })
}
