//! What makes Terramate refuse to load a directory, and what it checks of all stacks once loaded.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks", "The `stack` block" and "Whole-project
//! validation".

mod directory;
mod environments;
mod files;
mod merge;
mod stacks;

use std::sync::Arc;

use self::directory::{experiments, of_directory};
use self::files::of_files;
pub(crate) use self::stacks::is_id;
pub(super) use self::stacks::{Ids, better_tag, new_id, stack, stacks};
use super::tree::{Dir, Loaded, Tree};
use crate::facts::FileFacts;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::engine::Cx;
use applyorder_core::rules::unreadable_file;

/// A problem of a directory or a stack.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) diagnostic: Diagnostic,
    /// Terramate refuses because of it.
    pub(crate) fatal: bool,
    /// The project path of the directory.
    pub(crate) dir: Arc<str>,
    /// Further keys of the verdict's error.
    pub(crate) details: Vec<(&'static str, String)>,
    /// Terramate itself does not say it: it does not get to see it, or has other words for it.
    pub(crate) unseen: bool,
    /// People are not told: another finding says the cause.
    pub(crate) silent: bool,
    /// Terramate meets it already while it looks for the root of the project.
    pub(crate) early: bool,
}

/// The readable files of a directory.
pub(super) fn files(dir: &Dir) -> impl Iterator<Item = (&Loaded, &Arc<FileFacts>)> {
    dir.files.iter().filter_map(|l| Some((l, l.facts.as_ref().ok()?)))
}

/// The problems because of which Terramate stops loading, per directory in the order of loading, and what
/// else is to be said of the files.
pub(super) fn load(cx: &Cx<'_>, tree: &Tree) -> Vec<Found> {
    let experiments = experiments(cx, tree);
    let mut found = Vec::new();
    for dir in &tree.dirs {
        load_one(cx, tree, dir, experiments.as_deref(), &mut found);
    }
    environments::check(cx, tree, &mut found);
    found
}

/// The same of one directory.
pub(super) fn load_dir(cx: &Cx<'_>, tree: &Tree, dir: &Dir) -> Vec<Found> {
    let mut found = Vec::new();
    load_one(cx, tree, dir, experiments(cx, tree).as_deref(), &mut found);
    found
}

fn load_one(cx: &Cx<'_>, tree: &Tree, dir: &Dir, experiments: Option<&[Arc<str>]>, found: &mut Vec<Found>) {
    let before = found.len();
    of_files(cx, tree, dir, experiments, found);
    if files(dir).next().is_some() {
        of_directory(cx, tree, dir, experiments, found);
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

fn push(found: &mut Vec<Found>, diagnostic: Diagnostic, fatal: bool) -> &mut Found {
    let diagnostic = if fatal && diagnostic.enforced.is_empty() {
        diagnostic
            .enforced("run", "load", false)
            .enforced("list", "load", false)
    } else {
        diagnostic
    };
    let at = found.len();
    found.push(Found {
        diagnostic,
        fatal,
        dir: Arc::default(),
        details: Vec::new(),
        unseen: false,
        silent: false,
        early: false,
    });
    &mut found[at]
}

/// Pushes a finding about a block, for the modules beside this one.
pub(super) fn refuse(found: &mut Vec<Found>, diagnostic: Diagnostic) -> &mut Found {
    push(found, diagnostic, true)
}
