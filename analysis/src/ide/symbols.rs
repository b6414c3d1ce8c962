//! The outline of a file, and the units of the workspace by name.

use std::sync::Arc;

use super::{FileSpan, word};
use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::OutlineItem;
use applyorder_syntax::text::Span;
use rustc_hash::FxHashMap;

/// The outline of a file, as each engine that read it sees it.
#[must_use]
pub fn outline(analysis: &Analysis, file: FileId) -> Vec<OutlineItem> {
    analysis
        .engines()
        .iter()
        .filter_map(|(index, engine)| Some(engine.outline(analysis.facts(file, index)?.as_ref())))
        .flatten()
        .collect()
}

/// The extents of outline items, looked up for many places.
pub struct Extents<'a> {
    analysis: &'a Analysis,
    /// By file: the items, outer ones first, each with the number of the one that contains it.
    known: FxHashMap<FileId, Vec<(Span, Option<usize>)>>,
}

impl<'a> Extents<'a> {
    /// The extents in the files of an analysis.
    #[must_use]
    pub fn new(analysis: &'a Analysis) -> Self {
        Self {
            analysis,
            known: FxHashMap::default(),
        }
    }

    /// The innermost item that contains a place; the place itself if none does.
    pub fn of(&mut self, at: FileSpan) -> Span {
        let analysis = self.analysis;
        let items = self
            .known
            .entry(at.file)
            .or_insert_with(|| nested(outline(analysis, at.file)));
        let mut around = items
            .partition_point(|(span, _)| span.start <= at.span.start)
            .checked_sub(1);
        while let Some((span, outer)) = around.and_then(|number| items.get(number)) {
            if span.contains(at.span) {
                return *span;
            }
            around = *outer;
        }
        at.span
    }
}

fn nested(outline: Vec<OutlineItem>) -> Vec<(Span, Option<usize>)> {
    let mut spans = Vec::new();
    let mut open = outline;
    while let Some(item) = open.pop() {
        spans.push(item.span);
        open.extend(item.children);
    }
    spans.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut around: Vec<(usize, Span)> = Vec::new();
    let numbered = spans.into_iter().enumerate().map(|(number, span)| {
        while around.pop_if(|(_, outer)| !outer.contains(span)).is_some() {}
        let outer = around.last().map(|(outer, _)| *outer);
        around.push((number, span));
        (span, outer)
    });
    numbered.collect()
}

/// A unit of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceSymbol {
    /// Its name.
    pub name: Arc<str>,
    /// The engine's term for it.
    pub kind: &'static str,
    /// Where it is declared.
    pub at: FileSpan,
    /// The root of the first project that has it.
    pub project: String,
}

/// The units whose name contains the letters of `query` in their order, case-insensitively; at most `most`, by
/// name and place.
#[must_use]
pub fn workspace_symbols(analysis: &Analysis, query: &str, most: usize) -> Vec<WorkspaceSymbol> {
    let wanted: Vec<char> = query.chars().flat_map(char::to_lowercase).collect();
    let mut found = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for (_, project) in analysis.projects() {
        for unit in project.units().iter() {
            if !holds_in_order(&unit.name, &wanted) {
                continue;
            }
            let at = FileSpan::of(analysis, unit.place);
            if seen.insert((at, unit.name.clone())) {
                found.push(WorkspaceSymbol {
                    name: unit.name.clone(),
                    kind: word(project, false),
                    at,
                    project: project.seed.root.to_string(),
                });
            }
        }
    }
    found.sort_by(|a, b| {
        (&a.name, analysis.path(a.at.file), a.at.span).cmp(&(&b.name, analysis.path(b.at.file), b.at.span))
    });
    found.truncate(most);
    found
}

fn holds_in_order(name: &str, wanted: &[char]) -> bool {
    let mut rest = wanted.iter();
    let mut next = rest.next();
    for c in name.chars().flat_map(char::to_lowercase) {
        match next {
            Some(w) if *w == c => next = rest.next(),
            Some(_) => {}
            None => return true,
        }
    }
    next.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    const TREE: &str = "\
//- /w/b.yaml
spec:
  manifests:
    - {name: Bee, type: kustomize, path: ./x}
//- /w/tazuna.yaml
spec:
  manifests:
    - {name: cert-manager, type: kustomize, path: ./x}
    - {includes: [{path: b.yaml}]}
";

    #[test]
    fn the_innermost_item_around_a_place_is_found() {
        let item = |start, end, children| OutlineItem {
            name: String::new(),
            detail: None,
            span: Span::new(start, end),
            selection: Span::new(start, start),
            unit: true,
            children,
        };
        let outer = vec![item(2, 4, vec![]), item(4, 12, vec![item(5, 6, vec![])])];
        let items = nested(vec![item(20, 30, vec![]), item(0, 20, outer)]);
        let file = FileId(0);
        let fixture = Fixture::new(applyorder_engines::all(), TREE);
        let mut extents = Extents {
            analysis: &fixture.analysis,
            known: FxHashMap::from_iter([(file, items)]),
        };
        let mut of = |start, end| {
            let span = Span::new(start, end);
            let found = extents.of(FileSpan { file, span });
            (found.start, found.end)
        };
        assert_eq!(of(5, 6), (5, 6));
        assert_eq!(of(8, 9), (4, 12));
        assert_eq!(of(3, 5), (0, 20));
        assert_eq!(of(14, 15), (0, 20));
        assert_eq!(of(25, 26), (20, 30));
        assert_eq!(of(31, 32), (31, 32));
    }

    #[test]
    fn units_are_found_by_letters_in_order() {
        let fixture = Fixture::new(applyorder_engines::all(), TREE);
        let found = |query: &str| -> Vec<String> {
            workspace_symbols(&fixture.analysis, query, 10)
                .iter()
                .map(|s| fixture.show(s.at))
                .collect()
        };
        assert_eq!(found("CMGR"), ["tazuna.yaml:3 cert-manager"]);
        assert_eq!(found("be"), ["b.yaml:3 Bee"]);
        assert_eq!(found("").len(), 2);
        assert!(found("zz").is_empty());
        assert_eq!(workspace_symbols(&fixture.analysis, "", 1).len(), 1);
    }

    #[test]
    fn the_outline_names_the_units() {
        let fixture = Fixture::new(applyorder_engines::all(), TREE);
        let mut open = outline(&fixture.analysis, fixture.path("/w/tazuna.yaml"));
        let mut names = Vec::new();
        while let Some(item) = open.pop() {
            assert!(item.span.contains(item.selection), "{item:?}");
            if item.unit {
                names.push(item.name);
            }
            open.extend(item.children);
        }
        assert!(names.contains(&"cert-manager".to_owned()), "{names:?}");
    }
}
