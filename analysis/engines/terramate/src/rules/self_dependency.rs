//! `self-dependency` in lists of Terramate's stacks: entries that mean the own stack.

use std::sync::Arc;

use super::without;
use crate::model::refs::Meaning;
use crate::model::stacks::{Node, StackIx};
use crate::model::tags::Filter;
use crate::relate::entries::Entry;
use crate::scope::{Directory, MOST_INSTEAD, Scope, is_in, replace};
use applyorder_core::diagnostic::{Diagnostic, Fix};
use applyorder_core::layer::Finding;
use applyorder_core::rules::self_dependency::RULE;

/// With more stacks than this, no tag to narrow a filter is searched: it would slow down typing.
const MOST_COMPARED: usize = 500;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    let scope = &dir.scope;
    for (stack, node, entry) in dir.own_entries() {
        let place = scope.place(node, entry);
        let d = match &entry.meaning {
            Meaning::Directory { path, .. } if *path == node.path => {
                let attribute = entry.attribute.name();
                let message = format!("stack `{path}` runs {attribute} itself");
                let mut d = without(Diagnostic::new(&RULE, place, message), node);
                d.fixes.extend(scope.siblings(node, entry, path));
                d
            }
            Meaning::Tags(filter, _) => of_filter(scope, stack, node, (entry, filter)),
            _ => continue,
        };
        found.push(scope.of_own_cycle(stack, entry, d));
    }
}

fn of_filter(
    scope: &Scope<'_>,
    stack: StackIx,
    node: &Node,
    (entry, filter): (Entry<'_>, &Filter),
) -> Diagnostic {
    let place = scope.place(node, entry);
    let message = format!(
        "`{}` matches stack `{}` itself or a parent of it",
        entry.text, node.path
    );
    let mut d = without(Diagnostic::new(&RULE, place, message), node);
    let narrower = narrower(scope, node, entry, filter);
    d.fixes.extend(narrower.map(|narrower| replace(place, &narrower)));
    d.fixes.extend(named(scope, stack, node, entry));
    match node.stack().filter(|s| s.tags.name.is_some()) {
        Some(stack) => d.related(scope.at(node.file, stack.tags.at), "its tags"),
        None => d,
    }
}

/// A filter for some of the stacks that it means, without the own one: without the alternatives that match it,
/// or with one more tag that as many of the others as possible have.
fn narrower(scope: &Scope<'_>, node: &Node, entry: Entry<'_>, filter: &Filter) -> Option<String> {
    let stacks = scope.stacks;
    if stacks.len() > MOST_COMPARED {
        return None;
    }
    // How many stacks a filter matches; `None` if one is the own stack, or is above it.
    let worth = |filter: &Filter| {
        let mut count = 0usize;
        for (_, other) in stacks.iter().filter(|(_, s)| filter.matches(&s.tags)) {
            if is_in(&node.path, &other.path) {
                return 0;
            }
            count += 1;
        }
        count
    };
    let written = entry.text.strip_prefix("tag:")?;
    let rest: Vec<&str> = written
        .split(',')
        .filter(|part| Filter::parse(part).is_ok_and(|f| worth(&f) > 0))
        .collect();
    if !rest.is_empty() {
        return Some(format!("tag:{}", rest.join(",")));
    }
    let mut tags: Vec<&Arc<str>> = stacks
        .iter()
        .filter(|(_, s)| filter.matches(&s.tags))
        .flat_map(|(_, s)| s.tags.iter())
        .filter(|tag| !node.tags.contains(tag))
        .collect();
    tags.sort_unstable();
    tags.dedup();
    let parts = || written.split(',').filter(|part| !part.is_empty());
    let narrowed = tags.iter().filter_map(|tag| {
        let text = parts()
            .map(|part| format!("{part}:{tag}"))
            .collect::<Vec<_>>()
            .join(",");
        let worth = worth(&Filter::parse(&text).ok()?);
        (worth > 0).then_some((worth, text))
    });
    // Of equal ones the first.
    let best = narrowed.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, text)| format!("tag:{text}"))
}

/// The stacks that an entry means, named one by one, without those at, above and below the own one.
fn named(scope: &Scope<'_>, stack: StackIx, node: &Node, entry: Entry<'_>) -> Option<Fix> {
    let others = entry.targets.iter().filter(|t| t.0 != stack);
    let paths = others.map(|t| scope.stacks.path(t.0));
    let apart = paths.filter(|p| !is_in(&node.path, p) && !is_in(p, &node.path));
    let mut kept: Vec<Arc<str>> = Vec::new();
    for path in apart {
        // A directory represents what is nested in it.
        if !kept.iter().any(|k| is_in(&path, k)) {
            kept.push(path);
        }
        if kept.len() > MOST_INSTEAD {
            return None;
        }
    }
    scope.instead(node, entry, "list the other stacks", kept)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    const BESIDE: &str = "//- /w/s/b/s.tm\nstack {\n  tags = [\"x\", \"far\"]\n}\n//- /w/s/c/d/s.tm\nstack {\n}\n//- /w/s/e/x.tm\n";

    fn narrowed(filter: &str, others: &str) -> Vec<String> {
        let own = format!(
            "//- /w/s/a/s.tm\nstack {{\n  tags = [\"x\", \"near\"]\n  after = [\"tag:{filter}\"]\n}}\n"
        );
        let checked = check(&RULE, &format!("{own}{others}"));
        let after = |text: String| {
            let line = text
                .lines()
                .find(|l| l.contains("after"))
                .unwrap_or_default()
                .trim();
            line.to_owned()
        };
        (1..checked.fixes()).map(|i| after(checked.fixed(i))).collect()
    }

    #[test]
    fn a_filter_is_narrowed_to_the_others() {
        assert_eq!(
            narrowed("x", BESIDE),
            ["after = [\"tag:x:far\"]", "after = [\"/s/b\"]"]
        );
        assert_eq!(
            narrowed("near,far", BESIDE),
            ["after = [\"tag:far\"]", "after = [\"/s/b\"]"],
            "an alternative can go"
        );
        let alike = "//- /w/s/b/s.tm\nstack {\n  tags = [\"x\"]\n}\n";
        assert_eq!(
            narrowed("x", alike),
            ["after = [\"/s/b\"]"],
            "no tag tells them apart"
        );
        assert_eq!(narrowed("x", ""), [""; 0], "there is no other");
    }

    #[test]
    fn a_stack_above_is_not_named() {
        let above = "//- /w/s/s.tm\nstack {\n  tags = [\"x\"]\n}\n";
        assert_eq!(narrowed("x", above), [""; 0]);
    }
}
