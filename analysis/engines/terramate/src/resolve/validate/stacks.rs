//! What Terramate checks of the stacks once all is loaded.
//!
//! Source: Terramate 0.17.2, "Whole-project validation".

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::{Found, push};
use crate::facts::Value;
use crate::resolve::stacks::{Node, Stacks};
use crate::resolve::tags;
use crate::resolve::tree::Tree;
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::engine::Cx;
use applyorder_core::files::{FileKind, clean, join_clean};
use applyorder_core::rules::{duplicate_name, invalid_name, invalid_value, missing_file};

/// What Terramate checks of every stack of the project, in the byte order of paths. It stops at the first
/// stack with an error.
pub(in crate::resolve) fn stacks(cx: &Cx<'_>, tree: &Tree, stacks: &Stacks) -> Vec<Found> {
    let mut found = Vec::new();
    let mut ids: Ids = Ids::default();
    for (index, node) in stacks.iter() {
        stack(cx, tree, stacks, (index, node), &mut ids, &mut found);
    }
    found
}

/// The ids of stacks in lower case, with the first stack of each.
pub(in crate::resolve) type Ids = FxHashMap<String, (u32, Place)>;

/// What is checked of one stack; `ids` are those of the stacks before it.
pub(in crate::resolve) fn stack(
    cx: &Cx<'_>,
    tree: &Tree,
    stacks: &Stacks,
    (index, node): (u32, &Node),
    ids: &mut Ids,
    found: &mut Vec<Found>,
) {
    let Some(stack) = node.stack() else { return };
    let before = found.len();
    watch(cx, tree, node, found);
    if let Value::Known(id) = &stack.id
        && !id.value.is_empty()
    {
        let place = cx.place(node.file, id.at);
        if !is_id(&id.value) {
            let text = format!(
                "\"stack.id\" \"{}\" doesn't match \"^[a-zA-Z0-9_-]{{1,64}}$\"",
                id.value
            );
            let message = format!(
                "`{}` is no stack id: 1 to 64 letters, digits, `_` and `-`",
                id.value
            );
            let d = Diagnostic::new(&invalid_name::RULE, place, message).engine_message(text);
            refuse_stack(found, with_new_id(d, place, &node.path));
        } else if let Some((other, earlier)) = ids.get(&id.value.to_ascii_lowercase()) {
            let other = stacks.path(*other);
            let text = format!(
                "duplicated ID found on stacks: stack \"{}\" and \"{other}\" have same ID \"{}\"",
                node.path, id.value
            );
            let message = format!("stack `{other}` has the id `{}` already", id.value);
            let d = Diagnostic::new(&duplicate_name::RULE, place, message)
                .related(*earlier, format!("the id of `{other}`"))
                .note("ids are compared without regard to upper and lower case")
                .engine_message(text);
            refuse_stack(found, with_new_id(d, place, &node.path))
                .details
                .push(("other", other.to_string()));
        } else {
            ids.insert(id.value.to_ascii_lowercase(), (index, place));
        }
    }
    for tag in &stack.tags.entries {
        let place = cx.place(node.file, tag.at);
        if tag.value.is_empty() {
            let d = Diagnostic::new(
                &rules::tag_empty::RULE,
                place,
                "no filter can ever name an empty tag",
            )
            .fix(
                "remove the entry",
                Safety::Safe,
                vec![FixStep::RemoveEntry(place)],
            );
            push(found, d, false);
        } else if let Err(words) = tags::check(&tag.value) {
            let message = format!(
                "`{}` is no tag: lower-case letters and digits, inside also `.`, `_`, `/` and `-`",
                tag.value
            );
            let mut d = Diagnostic::new(&invalid_name::RULE, place, message).engine_message(words);
            if let Some(better) = better_tag(&tag.value) {
                d = d.fix(
                    format!("replace by `{better}`"),
                    Safety::Unsafe,
                    vec![FixStep::SetValue(place, better)],
                );
            }
            refuse_stack(found, d)
                .details
                .push(("value", tag.value.to_string()));
        }
    }
    if let Some(own) = found.get_mut(before..) {
        for found in own {
            found.dir = node.path.clone();
            found.diagnostic.units.push(node.path.clone());
        }
    }
}

fn refuse_stack(found: &mut Vec<Found>, diagnostic: Diagnostic) -> &mut Found {
    push(
        found,
        diagnostic
            .enforced("run", "stacks", false)
            .enforced("list", "stacks", false),
        true,
    )
}

fn with_new_id(d: Diagnostic, place: Place, path: &str) -> Diagnostic {
    let step = FixStep::SetValue(place, new_id(path));
    d.fix("give it a new id", Safety::Unsafe, vec![step])
}

/// An id for the stack at a path: a UUID of the free form (version 8), made from the path, so that the same
/// project always gets the same.
pub(in crate::resolve) fn new_id(path: &str) -> String {
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

/// Whether a text can be the id of a stack.
pub(crate) fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

pub(in crate::resolve) fn better_tag(tag: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_digit() || c.is_ascii_lowercase() || "._/-".contains(c);
    let replaced: String = tag
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| if allowed(c) { c } else { '-' })
        .collect();
    let better = replaced.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    (!better.is_empty()).then(|| better.to_owned())
}

fn watch(cx: &Cx<'_>, tree: &Tree, node: &Node, found: &mut Vec<Found>) {
    let Some((stack, dir)) = node.stack().zip(tree.dirs.get(node.dir as usize)) else {
        return;
    };
    for entry in &stack.watch.entries {
        let place = cx.place(node.file, entry.at);
        let written = &*entry.value;
        let host = if written.starts_with('/') {
            join_clean(&tree.root, written)
        } else {
            join_clean(&dir.host, written)
        };
        let mut problem = |message: String, words: String| {
            refuse_stack(
                found,
                Diagnostic::new(&invalid_value::RULE, place, message)
                    .engine_message(words)
                    .fix(
                        "remove the entry",
                        Safety::Unsafe,
                        vec![FixStep::RemoveEntry(place)],
                    ),
            )
            .details
            .push(("value", written.to_owned()));
        };
        // A test of text, as Terramate makes it: `/root-other` counts as inside of `/root`.
        if !host.as_str().starts_with(tree.root.as_str()) {
            problem(
                format!("`{written}` lies outside of the project"),
                format!("path {written} is outside project root"),
            );
            continue;
        }
        let shown = tree
            .project_path(&host)
            .unwrap_or_else(|| clean(written).into_string());
        match cx.kind(&host, true) {
            Some(FileKind::File) => {}
            Some(FileKind::Directory) => problem(
                format!("`{written}` is a directory; only files can be watched"),
                format!("stack.watch must be a list of regular files but directory \"{shown}\" was provided"),
            ),
            Some(_) => problem(
                format!("`{written}` is no regular file"),
                format!("stack.watch must be a list of regular files but file \"{shown}\" has another mode"),
            ),
            None => {
                let d = Diagnostic::new(&missing_file::RULE, place, format!("`{written}` does not exist"))
                    .severity(Severity::Info)
                    .note("Terramate says nothing: a file that does not exist never changes")
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
