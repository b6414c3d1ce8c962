//! What Terramate checks of the stacks once all is loaded.
//!
//! Source: Terramate 0.17.2, "Whole-project validation".

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::Scope;
use crate::found::{Found, push};
use crate::model::stacks::{Node, StackIx, is_id};
use crate::model::tags::check as check_tag;
use crate::read::{Stack, Value};
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::files::{FileKind, clean, join_clean};
use applyorder_core::rules::{duplicate_name, invalid_name, invalid_value, missing_file};

/// What Terramate checks of a stack. It comes to stacks in the byte order of paths, and stops at the first with an
/// error.
pub(super) fn of_stack(scope: &Scope<'_>, stack: StackIx, node: &Node) -> Vec<Found> {
    let mut found = Vec::new();
    let Some(block) = node.stack() else {
        return found;
    };
    watch(scope, node, &mut found);
    if let (Value::Known(id), Some(written)) = (&block.id, node.written_id()) {
        let place = scope.at(node.file, id.at);
        if !is_id(written) {
            let text = format!("\"stack.id\" \"{written}\" doesn't match \"^[a-zA-Z0-9_-]{{1,64}}$\"");
            let message = format!("invalid stack id `{written}`: use 1 to 64 letters, digits, `_` and `-`");
            let d = Diagnostic::new(&invalid_name::RULE, place, message).engine_message(text);
            push(&mut found, with_new_id(d, place, &node.path), true);
        } else if let Some((other, earlier)) = first_with_id(scope, stack, node) {
            let text = format!(
                "duplicated ID found on stacks: stack \"{}\" and \"{other}\" have same ID \"{written}\"",
                node.path
            );
            let message = format!("duplicate id `{written}`: also the id of stack `{other}`");
            let d = Diagnostic::new(&duplicate_name::RULE, place, message)
                .related(earlier, format!("the id of `{other}`"))
                .note("ids are compared case-insensitively")
                .engine_message(text);
            push(&mut found, with_new_id(d, place, &node.path), true)
                .details
                .push(("other", other.to_string()));
        }
    }
    tags(scope, node, block, &mut found);
    for found in &mut found {
        found.diagnostic.units.push(node.path.clone());
    }
    found
}

/// The stack that had the id of another before, and where it is written.
pub(super) fn first_with_id(scope: &Scope<'_>, stack: StackIx, node: &Node) -> Option<(Arc<str>, Place)> {
    let first = scope.model.ids.units(node.id?).first()?;
    let other = scope.stacks.get(*first).filter(|_| *first != stack)?;
    let id = other.stack()?.id.known()?;
    Some((other.path.clone(), scope.at(other.file, id.at)))
}

fn tags(scope: &Scope<'_>, node: &Node, stack: &Stack, found: &mut Vec<Found>) {
    for tag in &stack.tags.entries {
        let place = scope.at(node.file, tag.at);
        if tag.value.is_empty() {
            push(found, rules::tag_empty::found(place), false);
        } else if let Err(words) = check_tag(&tag.value) {
            let message = format!(
                "invalid tag `{}`: use lowercase letters and digits, in between also `.`, `_`, `/` and `-`",
                tag.value
            );
            let mut d = Diagnostic::new(&invalid_name::RULE, place, message).engine_message(words);
            if let Some(better) = better_tag(&tag.value) {
                d = d.fix(
                    format!("replace with `{better}`"),
                    Safety::Unsafe,
                    vec![FixStep::SetValue(place, better)],
                );
            }
            push(found, d, true)
                .details
                .push(("value", tag.value.to_string()));
        }
    }
}

fn with_new_id(d: Diagnostic, place: Place, path: &str) -> Diagnostic {
    let step = FixStep::SetValue(place, new_id(path));
    d.fix("replace with a new id", Safety::Unsafe, vec![step])
}

/// An id for the stack at a path: a UUID of the free form (version 8), made from the path, so that the same
/// project always gets the same.
pub(crate) fn new_id(path: &str) -> String {
    let half = |salt: u64| {
        let mut hasher = FxHasher::default();
        salt.hash(&mut hasher);
        path.hash(&mut hasher);
        hasher.finish()
    };
    let (high, low) = (half(1), half(2));
    format!(
        "{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff
    )
}

pub(crate) fn better_tag(tag: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_digit() || c.is_ascii_lowercase() || "._/-".contains(c);
    let replaced: String = tag
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| if allowed(c) { c } else { '-' })
        .collect();
    let better = replaced.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    (!better.is_empty()).then(|| better.to_owned())
}

fn watch(scope: &Scope<'_>, node: &Node, found: &mut Vec<Found>) {
    let tree = scope.tree;
    let Some((stack, dir)) = node.stack().zip(tree.dirs.get(node.dir as usize)) else {
        return;
    };
    for (entry, kind) in stack.watch.entries.iter().zip(&node.watched) {
        let place = scope.at(node.file, entry.at);
        let written = &*entry.value;
        let host = if written.starts_with('/') {
            join_clean(&tree.root, written)
        } else {
            join_clean(&dir.host, written)
        };
        let mut problem = |message: String, words: String| {
            let d = Diagnostic::new(&invalid_value::RULE, place, message)
                .engine_message(words)
                .fix(
                    "remove the entry",
                    Safety::Unsafe,
                    vec![FixStep::RemoveEntry(place)],
                );
            push(found, d, true).details.push(("value", written.to_owned()));
        };
        // A test of text, as Terramate makes it: `/root-other` counts as in `/root`.
        if !host.as_str().starts_with(tree.root.as_str()) {
            problem(
                format!("`{written}` is outside the project root"),
                format!("path {written} is outside project root"),
            );
            continue;
        }
        let shown = tree
            .project_path(&host)
            .unwrap_or_else(|| clean(written).into_string());
        match kind {
            Some(FileKind::File) => {}
            Some(FileKind::Directory) => problem(
                format!("`{written}` is a directory: expected a regular file"),
                format!("stack.watch must be a list of regular files but directory \"{shown}\" was provided"),
            ),
            Some(_) => problem(
                format!("`{written}` is not a regular file"),
                format!("stack.watch must be a list of regular files but file \"{shown}\" has another mode"),
            ),
            None => {
                let d = Diagnostic::new(&missing_file::RULE, place, format!("missing file `{written}`"))
                    .severity(Severity::Info)
                    .note("a missing file never changes")
                    .fix(
                        "remove the entry",
                        Safety::Unsafe,
                        vec![FixStep::RemoveEntry(place)],
                    );
                push(found, d, false);
            }
        }
    }
}
