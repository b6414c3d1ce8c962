//! Entries of the lists of a stack that lead nowhere, elsewhere than they seem to, or to the stack itself.

use std::sync::Arc;

use camino::Utf8Path;

use super::Scope;
use crate::check::stacks::better_tag;
use crate::load::relative::relative_path;
use crate::model::refs::{Attribute, Meaning};
use crate::model::stacks::{Node, StackIx};
use crate::model::tags::Filter;
use crate::relate::entries::Entry;
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Reaction, Safety, Severity};
use applyorder_core::engine::UnitIx;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{cycle, invalid_value, nearest, self_dependency, unknown_dependency};

/// More stacks than this are not named one by one.
pub(super) const MOST_RELATED: usize = 5;

/// With more stacks than this a path is not compared to all of theirs: it would be felt while typing.
const MOST_COMPARED: usize = 500;

impl Scope<'_> {
    /// What there is to say of one entry.
    pub(super) fn entry(&self, stack: StackIx, node: &Node, entry: Entry<'_>, found: &mut Vec<Finding>) {
        let place = self.place(node, entry);
        let remove = vec![FixStep::RemoveEntry(place)];
        let new = |rule, message: String| Diagnostic::new(rule, place, message).unit(node.path.clone());
        let dangling = |message: String| {
            new(&unknown_dependency::RULE, message)
                .severity(Severity::Warning)
                .unit(entry.text.clone())
                .fix("remove the entry", Safety::Unsafe, remove.clone())
        };
        match &entry.meaning {
            Meaning::BadFilter(words) => {
                let mut d = new(
                    &invalid_value::RULE,
                    format!("invalid tag filter `{}`: {words}", entry.text),
                )
                .engine_message(format!("invalid order entry \"{}\": {words}", entry.text));
                if entry.text.contains('~') {
                    d = d.note("tag filters cannot exclude tags");
                } else {
                    d.fixes
                        .extend(better_filter(&entry.text).map(|better| replace(place, &better)));
                }
                d = d.fix("remove the entry", Safety::Unsafe, remove);
                self.bad_filter(stack, node, entry, d, found);
            }
            Meaning::Missing => found.push(Finding::new(self.missing(node, entry, &dangling))),
            Meaning::NotDirectory => {
                let mut d = dangling(format!("`{}` is a file: expected a directory", entry.text))
                    .note("Terramate ignores the entry")
                    .reaction(Reaction::Warns);
                if let Some((dir, _)) = entry.text.rsplit_once('/').filter(|(dir, _)| !dir.is_empty()) {
                    d.fixes.insert(0, replace(place, dir));
                }
                found.push(Finding::new(d));
            }
            Meaning::NotLoaded { path, why, .. } => {
                let mut d = dangling(format!("`{path}` is not loaded: {why}"))
                    .note("Terramate ignores the entry, with a line in its log at most");
                if let Some(skip) = self.skip_above(path) {
                    d = d.related(skip, "skips the directory");
                }
                found.push(Finding::new(d));
            }
            Meaning::Directory { path, climbs, .. } => {
                if *climbs {
                    let targets = entry.targets.iter().take(MOST_RELATED);
                    let headers = targets.filter_map(|target| self.header(target.0));
                    let d = rules::ref_above_root::found(place, &entry.text, path, headers);
                    found.push(Finding::new(d.unit(node.path.clone())));
                }
                if entry.targets.is_empty() {
                    if self.model.unknowns.may_hold_more {
                        return;
                    }
                    let d = dangling(format!("no stacks in `{path}`"));
                    found.push(Finding::new(d));
                } else if entry.targets.binary_search(&UnitIx(stack)).is_ok() && entry.attribute.orders() {
                    found.push(self.self_entry(stack, node, entry, path, remove));
                }
            }
            Meaning::Tags(filter, _) => {
                if entry.targets.is_empty() {
                    if self.model.unknowns.may_hold_more {
                        return;
                    }
                    let mut d = dangling(format!("no stack matches `{}`", entry.text));
                    if let Some(near) = self.nearest_filter(&entry.text) {
                        d.label = Some(format!("did you mean `{near}`?"));
                        d.fixes.insert(0, replace(place, &near));
                    }
                    found.push(Finding::new(d));
                } else if entry.targets.binary_search(&UnitIx(stack)).is_ok() && entry.attribute.orders() {
                    found.push(self.self_tag(stack, node, (entry, filter), remove));
                } else {
                    let extra = entry.besides;
                    if !extra.is_empty() {
                        let first = || extra.iter().take(MOST_RELATED);
                        let paths: Vec<Arc<str>> = first().map(|s| self.stacks.path(s.0)).collect();
                        let headers = first().filter_map(|stack| self.header(stack.0));
                        let d = rules::ref_broad::found(place, &entry.text, (extra.len(), &paths), headers);
                        let d = d.unit(node.path.clone());
                        found.push(Finding::new(d));
                    }
                }
            }
        }
    }

    /// The `.tmskip` at or above a directory.
    fn skip_above(&self, path: &str) -> Option<Place> {
        let tree = self.tree;
        let dirs = Utf8Path::new(path).ancestors();
        let mut skips = dirs.filter_map(|d| tree.at(d.as_str())?.1.skip);
        skips.next().map(Place::file)
    }

    fn missing(&self, node: &Node, entry: Entry<'_>, dangling: &impl Fn(String) -> Diagnostic) -> Diagnostic {
        let place = self.place(node, entry);
        let text = &*entry.text;
        let mut d = dangling(format!("unknown directory `{text}`"))
            .note("Terramate ignores the entry")
            .reaction(Reaction::Warns)
            .engine_message(format!(
                "Stack {} references an invalid path ({text}) in the '{}' attribute",
                node.path,
                entry.attribute.name()
            ));
        let bare = text.trim().trim_start_matches(':');
        let tag = bare
            .get(..4)
            .filter(|p| p.eq_ignore_ascii_case("tag:"))
            .and_then(|_| bare.get(4..));
        let known = |tag: &str| {
            self.stacks
                .iter()
                .any(|(_, s)| s.tags.iter().any(|t| **t == *tag))
        };
        if let Some(tag) = tag.or_else(|| known(text).then_some(text)) {
            rules::ref_tag_prefix::explain(&mut d, text);
            d.fixes.insert(0, replace(place, &format!("tag:{tag}")));
        } else if text.contains(['*', '?', '[']) {
            rules::ref_glob::explain(&mut d, text);
            if let Some((dir, _)) = text.split_once(['*', '?', '[']) {
                let dir = dir.rsplit_once('/').map_or("", |(dir, _)| dir);
                if !dir.is_empty() {
                    d.fixes.insert(0, replace(place, dir));
                }
            }
        } else {
            let wanted = if text.starts_with('/') {
                text.to_owned()
            } else {
                format!("{}/{text}", node.path)
            };
            let wanted = applyorder_core::files::clean(&wanted);
            if let Some(near) = self.near(node, wanted.as_str()) {
                let written = if text.starts_with('/') {
                    near.to_owned()
                } else {
                    relative_path(&node.path, near)
                };
                d.label = Some(format!("did you mean `{written}`?"));
                d.fixes.insert(0, replace(place, &written));
            }
        }
        d
    }

    /// The directory that was probably meant by a path that leads nowhere: name by name, and in projects small
    /// enough the nearest stack in all.
    fn near(&self, node: &Node, path: &str) -> Option<&str> {
        let (tree, stacks) = (self.tree, self.stacks);
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

    /// An entry of `after` or `before` whose directory is the own one or one above it.
    fn self_entry(
        &self,
        stack: StackIx,
        node: &Node,
        entry: Entry<'_>,
        path: &str,
        remove: Vec<FixStep>,
    ) -> Finding {
        let place = self.place(node, entry);
        let d = if path == &*node.path {
            Diagnostic::new(
                &self_dependency::RULE,
                place,
                format!("stack `{}` runs {} itself", node.path, word(entry)),
            )
        } else {
            let mut d = Diagnostic::new(
                &cycle::RULE,
                place,
                format!(
                    "`{}` includes `{}` itself, which would run {} itself",
                    entry.text,
                    node.path,
                    word(entry)
                ),
            );
            if let Some(above) = self.stacks.at(path) {
                if entry.attribute == Attribute::After {
                    d = d.note("a stack already runs after its parents");
                }
                if let Some(header) = self.header(above) {
                    d = d.related(header, "parent stack");
                }
            }
            d
        };
        let mut d = d
            .unit(node.path.clone())
            .fix("remove the entry", Safety::Unsafe, remove);
        d.fixes.extend(self.siblings(node, entry, path));
        self.rejected(stack, entry, d)
    }

    fn self_tag(
        &self,
        stack: StackIx,
        node: &Node,
        (entry, filter): (Entry<'_>, &Filter),
        remove: Vec<FixStep>,
    ) -> Finding {
        let mut d = Diagnostic::new(
            &self_dependency::RULE,
            self.place(node, entry),
            format!(
                "`{}` matches stack `{}` itself or a parent of it",
                entry.text, node.path
            ),
        )
        .unit(node.path.clone())
        .fix("remove the entry", Safety::Unsafe, remove);
        let place = self.place(node, entry);
        d.fixes.extend(
            self.narrower(node, entry, filter)
                .map(|narrow| replace(place, &narrow)),
        );
        d.fixes.extend(self.named(stack, node, entry));
        if let Some(stack) = node.stack().filter(|s| s.tags.name.is_some()) {
            d = d.related(self.at(node.file, stack.tags.at), "its tags");
        }
        self.rejected(stack, entry, d)
    }
}

fn word(entry: Entry<'_>) -> &'static str {
    entry.attribute.name()
}

pub(super) fn replace(place: Place, value: &str) -> applyorder_core::diagnostic::Fix {
    applyorder_core::diagnostic::Fix {
        title: format!("replace with `{value}`"),
        safety: Safety::Unsafe,
        steps: vec![FixStep::SetValue(place, value.to_owned())],
    }
}

/// A filter with every tag made one that is allowed.
fn better_filter(entry: &str) -> Option<String> {
    let filter = entry.strip_prefix("tag:")?;
    let any: Option<Vec<String>> = filter
        .split(',')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let all: Option<Vec<String>> = part.split(':').map(|tag| better_tag(tag.trim())).collect();
            Some(all?.join(":"))
        })
        .collect();
    let better = any?.join(",");
    (!better.is_empty()).then(|| format!("tag:{better}"))
}
