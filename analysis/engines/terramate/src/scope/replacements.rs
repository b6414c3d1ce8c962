//! Possible replacements of an entry.

use std::sync::Arc;

use super::Scope;
use crate::load::relative::relative_path;
use crate::model::stacks::Node;
use crate::relate::entries::Entry;
use applyorder_core::diagnostic::{Fix, FixStep, Place, Safety};
use applyorder_syntax::hcl::edit::quote;

/// The maximum number of entries that replace one.
pub(crate) const MOST_INSTEAD: usize = 8;

/// Another value that replaces one.
pub(crate) fn replace(place: Place, value: &str) -> Fix {
    Fix {
        title: format!("replace with `{value}`"),
        safety: Safety::Unsafe,
        steps: vec![FixStep::SetValue(place, value.to_owned())],
    }
}

/// Whether a stack is at or below another: `parent` itself, or in its directory.
pub(crate) fn is_in(path: &str, parent: &str) -> bool {
    let parent = parent.trim_end_matches('/');
    path.strip_prefix(parent)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Scope<'_> {
    /// The directories next to the path from a directory down to the own stack, to replace that directory.
    pub(crate) fn siblings(&self, node: &Node, entry: Entry<'_>, path: &str) -> Option<Fix> {
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

    /// Paths that replace an entry.
    pub(crate) fn instead(
        &self,
        node: &Node,
        entry: Entry<'_>,
        title: &str,
        paths: Vec<Arc<str>>,
    ) -> Option<Fix> {
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
