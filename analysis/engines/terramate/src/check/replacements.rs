//! What could replace an entry that means its own stack, or nothing.

use std::sync::Arc;

use super::Scope;
use crate::load::relative::relative_path;
use crate::model::stacks::{Node, StackIx};
use crate::model::tags::Filter;
use crate::relate::entries::Entry;
use applyorder_core::diagnostic::{Fix, FixStep, Safety};
use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::edit::quote;

/// More entries than this are not put in the place of one.
const MOST_INSTEAD: usize = 8;

/// With more stacks than this no tag is looked for that would narrow a filter: it would be felt while typing.
const MOST_COMPARED: usize = 500;

/// Whether a stack is at or below another: `parent` itself, or in its directory.
fn is_in(path: &str, parent: &str) -> bool {
    let parent = parent.trim_end_matches('/');
    path.strip_prefix(parent)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Scope<'_> {
    /// A filter with every tag that no stack has made the nearest one that some stack has; `None` where there is
    /// none to change.
    pub(super) fn nearest_filter(&self, entry: &str) -> Option<String> {
        let tags: Vec<&Arc<str>> = self.stacks.iter().flat_map(|(_, s)| s.tags.iter()).collect();
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

    /// A filter that means other stacks of those that it means, and no longer the own one: without the
    /// alternatives that match it, else with one tag more that as many of the others as possible carry.
    pub(super) fn narrower(&self, node: &Node, entry: Entry<'_>, filter: &Filter) -> Option<String> {
        let stacks = self.stacks;
        if stacks.len() > MOST_COMPARED {
            return None;
        }
        // How many stacks a filter matches; none where one is the own stack, or is above it.
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
    pub(super) fn named(&self, stack: StackIx, node: &Node, entry: Entry<'_>) -> Option<Fix> {
        let others = entry.targets.iter().filter(|t| t.0 != stack);
        let paths = others.map(|t| self.stacks.path(t.0));
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
        self.instead(node, entry, "list the other stacks", kept)
    }

    /// The directories beside the way from a directory down to the own stack, instead of that directory.
    pub(super) fn siblings(&self, node: &Node, entry: Entry<'_>, path: &str) -> Option<Fix> {
        let tree = self.tree;
        let (mut at, _) = tree.at(path)?;
        let mut kept = Vec::new();
        while at != node.dir {
            let mut next = None;
            for child in tree.children(at) {
                let dir = tree.dirs.get(child as usize)?;
                if is_in(&node.path, &dir.path) {
                    next = Some(child);
                } else if !self.stacks.below(child, dir.end).is_empty() {
                    kept.push(dir.path.clone());
                }
            }
            at = next?;
        }
        kept.sort_unstable();
        self.instead(node, entry, "list its siblings", kept)
    }

    fn instead(&self, node: &Node, entry: Entry<'_>, title: &str, paths: Vec<Arc<str>>) -> Option<Fix> {
        let list = entry.attribute.of(node.stack()?);
        if paths.is_empty() || paths.len() > MOST_INSTEAD || !list.is_plain {
            return None;
        }
        let is_relative = !entry.text.starts_with('/') && !entry.text.starts_with("tag:");
        let written = paths.iter().map(|path| {
            if is_relative {
                relative_path(&node.path, path)
            } else {
                path.to_string()
            }
        });
        let stands = |text: &String| list.entries.iter().any(|e| *e.value == **text);
        let new: Vec<String> = written.filter(|text| !stands(text)).collect();
        if new.is_empty() {
            return None;
        }
        let quoted: Vec<String> = new.iter().map(|text| quote(text)).collect();
        let shown: Vec<String> = new.iter().map(|text| format!("`{text}`")).collect();
        Some(Fix {
            title: format!("{title}: {}", shown.join(", ")),
            safety: Safety::Unsafe,
            steps: vec![FixStep::Replace(self.place(node, entry), quoted.join(", "))],
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::check;
    use applyorder_core::rules::{cycle, self_dependency, unknown_dependency};

    const BESIDE: &str = "//- /w/s/b/s.tm\nstack {\n  tags = [\"x\", \"far\"]\n}\n//- /w/s/c/d/s.tm\nstack {\n}\n//- /w/s/e/x.tm\n";

    #[test]
    fn what_lies_beside_is_named_instead_of_a_directory_above() {
        let own = "//- /w/s/a/s.tm\nstack {\n  after = [\"/s\", \"/q\"]\n}\n//- /w/q/s.tm\nstack {\n}\n";
        let checked = check(&cycle::RULE, &format!("{own}{BESIDE}"));
        assert_eq!(
            checked.fixed(1),
            "//- /w/s/a/s.tm\nstack {\n  after = [\"/s/b\", \"/s/c\", \"/q\"]\n}\n"
        );
        let relative = own.replace("\"/s\"", "\"..\"");
        let checked = check(&cycle::RULE, &format!("{relative}{BESIDE}"));
        assert_eq!(
            checked.fixed(1),
            "//- /w/s/a/s.tm\nstack {\n  after = [\"../b\", \"../c\", \"/q\"]\n}\n"
        );
    }

    fn narrowed(filter: &str, others: &str) -> Vec<String> {
        let own = format!(
            "//- /w/s/a/s.tm\nstack {{\n  tags = [\"x\", \"near\"]\n  after = [\"tag:{filter}\"]\n}}\n"
        );
        let checked = check(&self_dependency::RULE, &format!("{own}{others}"));
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

    #[test]
    fn each_tag_of_a_filter_that_is_none_becomes_the_nearest() {
        let files = "//- /w/a/s.tm\nstack {\n  tags = [\"prod\", \"net\"]\n}\n//- /w/b/s.tm\nstack {\n  after = [\"tag:prod:nett\"]\n}\n";
        let checked = check(&unknown_dependency::RULE, files);
        assert_eq!(
            checked.fixed(0),
            "//- /w/b/s.tm\nstack {\n  after = [\"tag:prod:net\"]\n}\n"
        );
        let checked = check(
            &unknown_dependency::RULE,
            &files.replace("prod:nett", "prdo:nett,x"),
        );
        assert_eq!(
            checked.fixed(0),
            "//- /w/b/s.tm\nstack {\n  after = [\"tag:prod:net,x\"]\n}\n"
        );
    }
}
