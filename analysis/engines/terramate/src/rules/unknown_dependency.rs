//! `unknown-dependency` in lists of Terramate's stacks: directories and tags that do not exist.

use std::sync::Arc;

use camino::Utf8Path;

use crate::load::relative::relative_path;
use crate::model::refs::Meaning;
use crate::model::stacks::{Node, StackIx};
use crate::relate::entries::Entry;
use crate::scope::{Directory, Missing, Scope, Whole, commands, detailed, replace};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Reaction, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::nearest;
use applyorder_core::rules::unknown_dependency::RULE;

/// With more stacks than this, a path is not compared with all of theirs: it would slow down typing.
const MOST_COMPARED: usize = 500;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    check_entries(dir, found);
    for (node, entry, _) in dir.missing().filter(|(.., missing)| *missing == Missing::Path) {
        found.push(Finding::new(unknown_path(&dir.scope, node, entry)));
    }
}

/// The same if not all of the project is known: without a suggestion.
pub(super) fn check_certain(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    check_entries(dir, found);
    // A string of another form may be a tag of some stack, and then the entry is read differently.
    let is_path = |text: &str| text.starts_with(['/', '.']);
    let all = dir.missing().filter(|(.., missing)| *missing == Missing::Path);
    let paths = all.filter(|(_, entry, _)| is_path(&entry.text));
    found.extend(paths.map(|(node, entry, _)| Finding::new(missing(&dir.scope, node, entry))));
}

fn check_entries(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    let scope = dir.scope;
    for (_, node, entry) in dir.entries() {
        let dangling = |message: String| dangling(&scope, node, entry, message);
        let place = scope.place(node, entry);
        let is_known_empty = entry.targets.is_empty() && !scope.model.unknowns.may_hold_more;
        let d = match &entry.meaning {
            Meaning::NotDirectory => {
                let mut d = dangling(format!("`{}` is a file: expected a directory", entry.text))
                    .note("Terramate ignores the entry")
                    .reaction(Reaction::Warns);
                if let Some((dir, _)) = entry.text.rsplit_once('/').filter(|(dir, _)| !dir.is_empty()) {
                    d.fixes.insert(0, replace(place, dir));
                }
                d
            }
            Meaning::NotLoaded { path, why, .. } => {
                let d = dangling(format!("`{path}` is not loaded: {why}"))
                    .note("Terramate ignores the entry, with a line in its log at most");
                match skip_above(&scope, path) {
                    Some(skip) => d.related(skip, "skips the directory"),
                    None => d,
                }
            }
            Meaning::Directory { path, .. } if is_known_empty => dangling(format!("no stacks in `{path}`")),
            Meaning::Tags(..) if is_known_empty => {
                let mut d = dangling(format!("no stack matches `{}`", entry.text));
                if let Some(near) = nearest_filter(&scope, &entry.text) {
                    d.label = Some(format!("did you mean `{near}`?"));
                    d.fixes.insert(0, replace(place, &near));
                }
                d
            }
            _ => continue,
        };
        found.push(Finding::new(d));
    }
}

/// An entry whose target does not exist.
fn dangling(scope: &Scope<'_>, node: &Node, entry: Entry<'_>, message: String) -> Diagnostic {
    let place = scope.place(node, entry);
    Diagnostic::new(&RULE, place, message)
        .unit(node.path.clone())
        .severity(Severity::Warning)
        .unit(entry.text.clone())
        .fix(
            "remove the entry",
            Safety::Unsafe,
            vec![FixStep::RemoveEntry(place)],
        )
}

/// A path without anything there.
pub(super) fn missing(scope: &Scope<'_>, node: &Node, entry: Entry<'_>) -> Diagnostic {
    let message = format!("unknown directory `{}`", entry.text);
    dangling(scope, node, entry, message)
        .note("Terramate ignores the entry")
        .reaction(Reaction::Warns)
        .engine_message(format!(
            "Stack {} references an invalid path ({}) in the '{}' attribute",
            node.path,
            entry.text,
            entry.attribute.name()
        ))
}

fn unknown_path(scope: &Scope<'_>, node: &Node, entry: Entry<'_>) -> Diagnostic {
    let mut d = missing(scope, node, entry);
    let text = &*entry.text;
    let wanted = if text.starts_with('/') {
        text.to_owned()
    } else {
        format!("{}/{text}", node.path)
    };
    let wanted = applyorder_core::files::clean(&wanted);
    if let Some(near) = near(scope, node, wanted.as_str()) {
        let written = if text.starts_with('/') {
            near.to_owned()
        } else {
            relative_path(&node.path, near)
        };
        d.label = Some(format!("did you mean `{written}`?"));
        d.fixes.insert(0, replace(scope.place(node, entry), &written));
    }
    d
}

/// The `.tmskip` at or above a directory.
fn skip_above(scope: &Scope<'_>, path: &str) -> Option<Place> {
    let dirs = Utf8Path::new(path).ancestors();
    let mut skips = dirs.filter_map(|d| scope.tree.at(d.as_str())?.1.skip);
    skips.next().map(Place::file)
}

/// The directory that was probably meant by a path that does not exist: name by name, and in small projects the
/// nearest of all stacks.
fn near<'a>(scope: &Scope<'a>, node: &Node, path: &str) -> Option<&'a str> {
    let (tree, stacks) = (scope.tree, scope.stacks);
    let paths = || stacks.iter().map(|(_, s)| &*s.path);
    let is_small = stacks.len() <= MOST_COMPARED;
    let has_others = |path: &&str| {
        let dir = tree.at(path);
        **path != *node.path && dir.is_some_and(|(start, dir)| !stacks.below(start, dir.end).is_empty())
    };
    tree.nearest(path)
        .filter(has_others)
        .or_else(|| nearest(path, paths().filter(|_| is_small)))
}

/// A filter with every unknown tag replaced by the nearest tag of some stack; `None` if no tag is near.
fn nearest_filter(scope: &Scope<'_>, entry: &str) -> Option<String> {
    let tags: Vec<&Arc<str>> = scope.stacks.iter().flat_map(|(_, s)| s.tags.iter()).collect();
    let mut text = String::from("tag:");
    let mut changed = false;
    for part in entry.strip_prefix("tag:")?.split_inclusive([',', ':']) {
        let tag = part.trim_end_matches([',', ':']);
        let is_known = tag.is_empty() || tags.iter().any(|t| ***t == *tag);
        let near = (!is_known)
            .then(|| nearest(tag, tags.iter().map(|t| &***t)))
            .flatten();
        changed |= near.is_some();
        text.push_str(near.unwrap_or(tag));
        text.push_str(part.strip_prefix(tag).unwrap_or_default());
    }
    changed.then_some(text)
}

/// Terramate's warnings, up to where it stops.
pub(super) fn check_warnings(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let scope = &whole.scope;
    let mut number = 0u32;
    for is_order in [false, true] {
        let (stage, commands) = commands(is_order);
        for stack in scope.related.visits(is_order) {
            let entries = scope.entries.of(*stack);
            let entries = entries.filter(|e| e.attribute.orders() == is_order);
            let mut ended = None;
            for entry in entries.filter(|e| e.is_faulty()) {
                if matches!(entry.meaning, Meaning::BadFilter(_)) {
                    ended = Some(entry.attribute);
                }
                if ended == Some(entry.attribute) {
                    continue;
                }
                if let Some(finding) = warning(scope, *stack, entry) {
                    let warned = commands.iter().fold(finding, |f, c| f.warned(c, stage));
                    found.push(warned.at(number).silent());
                    number += 1;
                }
            }
            if scope.rejects_entries_of(*stack, is_order) {
                break;
            }
        }
    }
}

fn warning(scope: &Scope<'_>, stack: StackIx, entry: Entry<'_>) -> Option<Finding> {
    let node = scope.stacks.get(stack)?;
    let (path, text, attribute) = (&node.path, &entry.text, entry.attribute.name());
    let (words, reason) = match &entry.meaning {
        Meaning::Missing => (
            format!("Stack {path} references an invalid path ({text}) in the '{attribute}' attribute"),
            "missing",
        ),
        Meaning::NotDirectory => (
            format!(
                "Stack {path} references a path ({text}) that is not a directory in the '{attribute}' attribute"
            ),
            "not-a-directory",
        ),
        _ => return None,
    };
    let d = Diagnostic::new(&RULE, scope.place(node, entry), "");
    let finding = Finding::new(d.engine_message(words)).about(path.clone());
    Some(detailed(finding, entry, reason))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn each_unknown_tag_of_a_filter_becomes_the_nearest() {
        let files = "//- /w/a/s.tm\nstack {\n  tags = [\"prod\", \"net\"]\n}\n//- /w/b/s.tm\nstack {\n  after = [\"tag:prod:nett\"]\n}\n";
        let checked = check(&RULE, files);
        assert_eq!(
            checked.fixed(0),
            "//- /w/b/s.tm\nstack {\n  after = [\"tag:prod:net\"]\n}\n"
        );
        let checked = check(&RULE, &files.replace("prod:nett", "prdo:nett,x"));
        assert_eq!(
            checked.fixed(0),
            "//- /w/b/s.tm\nstack {\n  after = [\"tag:prod:net,x\"]\n}\n"
        );
    }
}
