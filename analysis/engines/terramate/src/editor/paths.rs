//! The paths written in a file: entries of the lists of stacks, and sources of imports.

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Facts, ProjectView, StartsFrom, View, WrittenPath};
use applyorder_core::files::join_clean;

use super::path_rewrites;
use crate::read::FileFacts;

/// What represents a directory: the file in which its stack is usually declared.
const SHOWN: &[&str] = &["stack.tm.hcl", "stack.tm", "terramate.tm.hcl", "terramate.tm"];

/// The paths of a file, in the order of the text.
pub(crate) fn paths(analysis: &dyn View, project: ProjectView<'_>, file: FileId) -> Vec<WrittenPath> {
    let path = analysis.path(file);
    let Some(facts) = analysis.facts_as::<FileFacts>(file, project.seed.engine) else {
        return Vec::new();
    };
    let written = path_rewrites::paths(facts).filter(|text| !text.value.contains(['*', '?', '[']));
    let mut found: Vec<WrittenPath> = written
        .filter_map(|text| {
            let from = if text.value.starts_with('/') {
                StartsFrom::Dir(project.seed.root.clone())
            } else {
                StartsFrom::Beside(path.to_owned())
            };
            Some(WrittenPath {
                span: facts.span(text.at)?,
                text: text.value.to_string(),
                target: join_clean(from.dir(), &text.value),
                from,
                shows: SHOWN,
                is_part: false,
            })
        })
        .collect();
    found.sort();
    found
}
