//! Which stacks a set of changed files changes.
//!
//! Source: Terramate 0.17.2, "Selection" (`--changed`). Changes of Terragrunt files that a stack uses are not followed.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::flags::FlagError;
use super::modules::Modules;
use super::stacks::{StackIx, Stacks};
use crate::load::tree::Tree;
use crate::read::At;
use applyorder_core::engine::Cx;
use applyorder_core::files::join_clean;
use applyorder_syntax::hcl::{self, Body, ExprKind};

/// Where Terramate stores what `terramate trigger` requested.
const TRIGGERS: &str = "/.tmtriggers";

/// Why a stack counts as changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The user named it.
    Named,
    /// A file in its directory, or below it and in no other stack.
    File(Arc<str>),
    /// A file that it watches; the entry.
    Watched(Arc<str>, At),
    /// A file of `terramate trigger`.
    Trigger(Arc<str>),
    /// A file of a module that it uses; the module's source.
    Module(Arc<str>),
}

/// The contents of a file of `terramate trigger`.
enum Trigger {
    Changed,
    Ignore,
}

/// Why each stack counts as changed; `None` where it does not.
///
/// # Errors
/// A trigger or a module that Terramate cannot read.
pub(super) fn of_files(
    cx: &Cx<'_>,
    tree: &Tree,
    stacks: &Stacks,
    files: &[Utf8PathBuf],
) -> Result<Vec<Option<Change>>, FlagError> {
    let mut changed: Vec<Option<Change>> = vec![None; stacks.len()];
    let mut ignored: Vec<StackIx> = Vec::new();
    let mut note = |stack: StackIx, change: Change| {
        if let Some(slot) = changed.get_mut(stack as usize) {
            slot.get_or_insert(change);
        }
    };
    let watched = watched(tree, stacks);
    for file in files {
        let Some(path) = tree.project_path(file) else {
            continue;
        };
        let shown: Arc<str> = path.as_str().into();
        if let Some(below) = path.strip_prefix(TRIGGERS).filter(|p| p.starts_with('/')) {
            let of = Utf8Path::new(below).parent().map_or("/", Utf8Path::as_str);
            match (stacks.at(of), trigger(cx, file)?) {
                (Some(stack), Some(Trigger::Changed)) => note(stack, Change::Trigger(shown)),
                (Some(stack), Some(Trigger::Ignore)) => ignored.push(stack),
                _ => {}
            }
            continue;
        }
        // git does not read a repository in the work tree, but Terramate does: all files in it are new.
        let is_repository = file.as_str().ends_with('/');
        if is_repository {
            let inside = stacks
                .iter()
                .filter(|(_, node)| Utf8Path::new(&*node.path).starts_with(&path));
            for (stack, _) in inside {
                note(stack, Change::File(shown.clone()));
            }
        }
        let nearest = Utf8Path::new(&path)
            .ancestors()
            .skip(usize::from(!is_repository))
            .find_map(|dir| stacks.at(dir.as_str()));
        if let Some(stack) = nearest {
            note(stack, Change::File(shown.clone()));
        }
        for (stack, at) in watched.get(file).into_iter().flatten() {
            note(*stack, Change::Watched(shown.clone(), *at));
        }
    }
    // Without a change nothing is read.
    let mut modules = (!files.is_empty()).then(|| Modules::new(cx, tree, files));
    for (index, node) in stacks.iter() {
        let Some(slot) = changed.get_mut(index as usize).filter(|slot| slot.is_none()) else {
            continue;
        };
        let (Some(modules), Some(dir)) = (&mut modules, tree.dirs.get(node.dir as usize)) else {
            continue;
        };
        *slot = modules.changed_through(&dir.host)?.map(Change::Module);
    }
    for stack in ignored {
        if let Some(slot) = changed.get_mut(stack as usize) {
            *slot = None;
        }
    }
    Ok(changed)
}

/// The stacks that watch a file, with the entry.
fn watched(tree: &Tree, stacks: &Stacks) -> FxHashMap<Utf8PathBuf, Vec<(StackIx, At)>> {
    let mut watched: FxHashMap<Utf8PathBuf, Vec<(StackIx, At)>> = FxHashMap::default();
    for (index, node) in stacks.iter() {
        let Some((stack, dir)) = node.stack().zip(tree.dirs.get(node.dir as usize)) else {
            continue;
        };
        for entry in &stack.watch.entries {
            let absolute = entry.value.starts_with('/');
            let path = join_clean(if absolute { &tree.root } else { &dir.host }, &entry.value);
            watched.entry(path).or_default().push((index, entry.at));
        }
    }
    watched
}

/// What a trigger says; `None` if it does not exist.
fn trigger(cx: &Cx<'_>, path: &Utf8Path) -> Result<Option<Trigger>, FlagError> {
    let Ok((_, source)) = cx.source(path) else {
        return Ok(None);
    };
    let rejected = |why: &str| Err(("--since", format!("parsing trigger file {path}: {why}")));
    let tree = hcl::parse(&source.text);
    if let Some(error) = tree.errors().first() {
        return rejected(&error.message);
    }
    let Some(block) = tree.body().blocks().find(|b| b.kind() == "trigger") else {
        return rejected("it has no `trigger` block");
    };
    if word(block.body(), "context") != Some("stack") {
        return rejected("`context` must be `stack`");
    }
    match word(block.body(), "type") {
        Some("changed") => Ok(Some(Trigger::Changed)),
        Some("ignore-change") => Ok(Some(Trigger::Ignore)),
        _ => rejected("`type` must be `changed` or `ignore-change`"),
    }
}

/// The value of an attribute that is a bare word.
fn word<'t>(body: Body<'t>, name: &str) -> Option<&'t str> {
    match body.attribute(name)?.value().kind() {
        ExprKind::Variable(word) => Some(word),
        _ => None,
    }
}
