//! What is around one file of a project: how Terramate reads it does not depend on the rest.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::tree::{Dir, Tree};
use super::{Loaded, of_tree};
use crate::read::{Attribute, FileFacts};
use applyorder_core::engine::Cx;
use applyorder_core::files::join_clean;
use applyorder_core::layer::Pass;

/// Loads the directory of a file, those above it, and those that its stacks name. `None`: Terramate does not
/// load the file.
pub(crate) fn around(pass: &Pass<'_>, file: &Utf8Path) -> Option<Loaded> {
    let (cx, root) = (pass.cx, &pass.seed.root);
    let own = file.parent().filter(|dir| dir.starts_with(root))?;
    let mut wanted = FxHashSet::default();
    want(&mut wanted, root, own);
    let way = Tree::walk(cx, root, |dir| wanted.contains(dir));
    let dir = way.dirs.iter().find(|dir| dir.host == own)?;
    if !dir.files.iter().any(|loaded| &*loaded.path == file) {
        return None;
    }
    for named in named(cx, root, dir) {
        want(&mut wanted, root, &named);
    }
    let part = Tree::walk(cx, root, |dir| wanted.contains(dir));
    Some(of_tree(pass, part, true))
}

/// Adds a directory with its parent directories.
fn want(wanted: &mut FxHashSet<Utf8PathBuf>, root: &Utf8Path, dir: &Utf8Path) {
    let above = dir.ancestors().take_while(|dir| dir.starts_with(root));
    wanted.extend(above.map(Utf8Path::to_owned));
}

/// The directories that the stacks of a directory name.
fn named(cx: &Cx<'_>, root: &Utf8Path, dir: &Dir) -> Vec<Utf8PathBuf> {
    let mut named = Vec::new();
    for loaded in &dir.files {
        let Ok(read) = cx.facts::<FileFacts>(&loaded.path) else {
            continue;
        };
        let lists = |stack| Attribute::ALL.into_iter().map(move |list| list.of(stack));
        let entries = read
            .facts
            .shape
            .stacks
            .iter()
            .flat_map(lists)
            .flat_map(|l| &l.entries);
        named.extend(entries.map(|entry| {
            let base = if entry.value.starts_with('/') {
                root
            } else {
                &dir.host
            };
            join_clean(base, &entry.value)
        }));
    }
    named
}
