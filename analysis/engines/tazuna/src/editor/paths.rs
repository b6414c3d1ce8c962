//! The paths that are written in a file: of manifests and of includes. All start from the root's directory.

use applyorder_core::engine::{Facts, StartsFrom, WrittenPath};
use applyorder_core::files::join_clean;
use applyorder_syntax::text::Span;
use camino::Utf8Path;
use rustc_hash::FxHashSet;

use crate::read::{TazunaFacts, Text, View};

/// What is shown of the directory of a manifest.
const SHOWN: &[&str] = &[
    "kustomization.yaml",
    "kustomization.yml",
    "Kustomization",
    "helmfile.yaml",
    "helmfile.yaml.gotmpl",
    "Chart.yaml",
];

/// The paths of a file in a project with this root, in the order of the text.
pub(crate) fn paths(facts: &dyn Facts, root: &Utf8Path) -> Vec<WrittenPath> {
    let Some(facts) = facts.as_any().downcast_ref::<TazunaFacts>() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut seen: FxHashSet<Span> = FxHashSet::default();
    for view in facts.all_views() {
        of_view(&view, root, &mut seen, &mut found);
    }
    found.sort();
    found
}

fn of_view(view: &View, root: &Utf8Path, seen: &mut FxHashSet<Span>, found: &mut Vec<WrittenPath>) {
    let dir = root.parent().unwrap_or(root);
    for (index, item) in view.items() {
        let Some(extent) = view.extent(index) else {
            continue;
        };
        let is_plain = |text: &&Text| text.via.is_none() && !text.null && !text.text.is_empty();
        let written = item.manifest.includes.iter().chain(&item.manifest.path);
        for text in written.filter(is_plain) {
            let span = view.span_of(index, text.place);
            // An anchor's text is elsewhere, and may be another thing there too.
            let Some(span) = span.filter(|span| extent.contains(*span)) else {
                continue;
            };
            if seen.insert(span) {
                found.push(WrittenPath {
                    span,
                    text: text.text.to_string(),
                    from: StartsFrom::Beside(root.to_owned()),
                    target: join_clean(dir, &text.text),
                    shows: SHOWN,
                    is_part: false,
                });
            }
        }
    }
}
