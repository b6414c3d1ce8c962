//! The paths that a configuration names, for links and for what a move has to rewrite.

use applyorder_analysis::config;
use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::engine::{Move, StartsFrom, View, WrittenPath};
use applyorder_analysis::files::join_clean;
use applyorder_analysis::syntax::text::TextEdit;
use camino::Utf8Path;

use super::ConfigFile;
use super::outline::{Step, What};
use crate::snapshot::Snapshot;

/// The paths of a configuration, each where it is written, without its quotes.
pub(super) fn paths(config: &ConfigFile<'_>, file: &Utf8Path) -> Vec<WrittenPath> {
    let values = config.outline.words.iter().filter(|w| w.what == What::Value);
    let is_path = |path: &[&Step]| config.schema.at(path.iter().copied()).is_path();
    values
        .filter(|word| {
            let path = config.outline.path(word.node);
            is_path(&path) || matches!(path.split_last(), Some((Step::Element, list)) if is_path(list))
        })
        .map(|word| {
            let from = StartsFrom::Beside(file.to_owned());
            let target = if word.text.starts_with('/') {
                join_clean(Utf8Path::new("/"), &word.text)
            } else {
                join_clean(from.dir(), &word.text)
            };
            WrittenPath {
                span: word.inner(config.text),
                text: word.text.clone(),
                from,
                target,
                shows: &[],
                is_part: false,
            }
        })
        .collect()
}

/// What a move changes in the configurations of a workspace. What is written with escapes stays.
pub(crate) fn moved(snapshot: &Snapshot, change: Move<'_>) -> Vec<(FileId, Vec<TextEdit>)> {
    let analysis: &dyn View = &*snapshot.analysis;
    let is_config = |path: &Utf8Path| path.file_name().is_some_and(|n| config::FILE_NAMES.contains(&n));
    let configs = analysis.read_files().filter(|(_, path)| is_config(path));
    let mut found = Vec::new();
    for (file, path) in configs {
        let Some(config) = ConfigFile::with(snapshot, file) else {
            continue;
        };
        let edits: Vec<TextEdit> = paths(&config, path)
            .into_iter()
            .filter(|written| written.span.slice(config.text) == written.text)
            .filter_map(|written| {
                let text = change.rewritten(&written)?;
                let is_plain = !text.contains(['"', '\'', '\\']) && !text.contains(char::is_control);
                is_plain.then_some(TextEdit {
                    span: written.span,
                    text,
                })
            })
            .collect();
        if !edits.is_empty() {
            found.push((file, edits));
        }
    }
    found
}
