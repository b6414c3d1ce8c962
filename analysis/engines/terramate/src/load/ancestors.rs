//! From the directory of a command up to the root: where Terramate searches for the root.
//!
//! Source: Terramate 0.17.2, "Project root". Whether a directory is part of the project does not matter here.

use camino::{Utf8Path, Utf8PathBuf};

use super::tree::{Dir, Tree};
use crate::discover::{self, BY_CONFIG, BY_GIT, NO_ROOT};
use crate::read::FileFacts;
use applyorder_core::engine::Cx;
use applyorder_core::layer::Pass;

/// A directory on the path upwards.
pub(crate) enum Ancestor {
    /// A directory of the project, by its number.
    Known(u32),
    /// A directory that is not part of the project.
    Apart(Box<Dir>),
}

/// The directory of the command as a project path, links followed. `None`: it is outside the project.
pub(crate) fn start(cx: &Cx<'_>, tree: &Tree, cwd: &Utf8Path) -> Option<String> {
    let known = tree.project_path(cwd).filter(|path| tree.at(path).is_some());
    known.or_else(|| tree.project_path(&cx.canonical(cwd).unwrap_or_else(|| cwd.to_owned())))
}

/// Why Terramate does not run the project from the directory of the command: it is outside, or has a root of its own.
pub(super) fn elsewhere(pass: &Pass<'_>, tree: &Tree) -> Option<String> {
    let (cx, why) = (pass.cx, &*pass.seed.why);
    let cwd = pass.options.cwd.as_deref().filter(|_| why != NO_ROOT)?;
    let Some(path) = start(cx, tree, cwd) else {
        return Some(format!(
            "`{cwd}` is outside the project, where Terramate searches for another root"
        ));
    };
    // Our own configuration can make anything a root.
    if why == BY_CONFIG {
        return None;
    }
    let host = tree.root.join(path.trim_start_matches('/'));
    let root = discover::of_command(cx, &host)?.root;
    let is_nested = root.starts_with(&tree.root) && root != tree.root;
    is_nested.then(|| format!("Terramate finds the root `{root}` from `{cwd}`"))
}

/// The directories on the path. Empty if git or our configuration defines the root. Without a root, the path ends
/// at the top of the file system.
pub(super) fn ancestors(pass: &Pass<'_>, tree: &Tree) -> Vec<Ancestor> {
    if [BY_GIT, BY_CONFIG].contains(&&*pass.seed.why) {
        return Vec::new();
    }
    let cwd = pass.options.cwd.as_deref();
    let start = cwd.and_then(|cwd| start(pass.cx, tree, cwd));
    let start = Utf8PathBuf::from(start.unwrap_or_else(|| "/".to_owned()));
    let mut ancestors: Vec<Ancestor> = start
        .ancestors()
        .map(|path| on_the_way(pass.cx, tree, path))
        .collect();
    if pass.seed.why == NO_ROOT {
        let above = tree.root.ancestors().skip(1);
        ancestors.extend(above.map(|dir| apart(pass.cx, dir.to_owned(), dir.as_str())));
    }
    ancestors
}

fn on_the_way(cx: &Cx<'_>, tree: &Tree, path: &Utf8Path) -> Ancestor {
    let known = tree.at(path.as_str());
    if let Some((index, _)) = known.filter(|(_, dir)| dir.skip.is_none() || dir.parent.is_none()) {
        return Ancestor::Known(index);
    }
    let below = path.as_str().trim_start_matches('/');
    apart(cx, tree.root.join(below), path.as_str())
}

fn apart(cx: &Cx<'_>, host: Utf8PathBuf, path: &str) -> Ancestor {
    let dir = Dir::alone(cx, host, path.into());
    for file in &dir.files {
        // A failure is reported to a caller that reads the file itself.
        drop(cx.facts::<FileFacts>(&file.path));
    }
    Ancestor::Apart(Box::new(dir))
}
