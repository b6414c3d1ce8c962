//! Groups that other apps of the workspace declare: if the files that form an app were not declared, a rule may
//! be meant for resources assigned to another app, or for those in a hidden directory, where apps are not
//! searched for.

use rustc_hash::FxHashSet;

use super::Operation;
use super::groups::Groups;
use crate::load;
use crate::model::Model;
use crate::read::KappFacts;
use applyorder_core::declared::NamesOfFiles;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, Facts};
use applyorder_core::files::FileKind;
use applyorder_core::layer::Pass;
use camino::{Utf8Path, Utf8PathBuf};

/// The maximum number of files in hidden directories that are read for one app...
const MOST_FILES: usize = 1_000;

/// ... and of entries that are examined to find them.
const MOST_ENTRIES: usize = 10_000;

/// The hidden directories next to a directory and next to its parents, within the same version-controlled tree.
fn hidden(cx: &Cx<'_>, root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Some(top) = cx.vcs_root(root) else {
        return Vec::new();
    };
    let above = root.ancestors().skip(1).take_while(|dir| dir.starts_with(&top));
    let dirs = above.flat_map(|dir| cx.hidden_dirs(dir));
    dirs.filter(|dir| dir.file_name() != Some(".git")).collect()
}

/// The files in some directories that kapp would read; `None` if there are too many.
fn files_in(cx: &Cx<'_>, mut dirs: Vec<Utf8PathBuf>) -> Option<Vec<Utf8PathBuf>> {
    let mut files = Vec::new();
    let mut looked_at = 0;
    while let Some(dir) = dirs.pop() {
        let entries = cx.list(&dir).unwrap_or_default();
        looked_at += entries.len();
        if looked_at > MOST_ENTRIES {
            return None;
        }
        for entry in &*entries {
            let path = dir.join(&entry.name);
            if entry.kind != FileKind::Directory && load::is_read(&path) {
                files.push(path);
            } else if entry.kind == FileKind::Directory && entry.name != ".git" {
                dirs.push(path);
            }
        }
        if files.len() > MOST_FILES {
            return None;
        }
    }
    Some(files)
}

/// The declarations in hidden directories; `None` if they cannot be known.
fn declared_hidden(cx: &Cx<'_>, root: &Utf8Path) -> Option<NamesOfFiles> {
    let files = files_in(cx, hidden(cx, root))?;
    cx.prefetch(&files);
    let read = files.iter().filter_map(|file| cx.facts::<KappFacts>(file).ok());
    Some(read.map(|read| (read.file, read.facts.declared())).collect())
}

/// Marks the groups without members here that another app declares.
pub(super) fn look(pass: &Pass<'_>, model: &Model, deploy: &Operation, groups: &mut Groups) {
    if !pass.seed.inferred {
        return;
    }
    let nowhere = groups.nowhere();
    if nowhere.is_empty() {
        return;
    }
    let own: FxHashSet<FileId> = model.app.inputs.inputs.iter().map(|input| input.file).collect();
    let is_own = |file: FileId| own.contains(&file);
    let name = |at: &usize| deploy.uses.names.get(*at).map_or("", |name| &**name);
    let names: Vec<&str> = nowhere.iter().map(name).collect();
    let mut declared = pass.cx.declared_elsewhere(&names, is_own);
    if declared.contains(&false) {
        declared = match declared_hidden(pass.cx, &pass.seed.root) {
            Some(hidden) => {
                let hidden = hidden.names().elsewhere(&names, is_own);
                declared
                    .iter()
                    .zip(hidden)
                    .map(|(found, hidden)| *found || hidden)
                    .collect()
            }
            None => vec![true; names.len()],
        };
    }
    for (at, declared) in nowhere.into_iter().zip(declared) {
        if declared {
            groups.declare(at);
        }
    }
}
