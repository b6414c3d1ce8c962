//! The layer of each unit, shown after its name, and the error of a reference, shown after it.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::layers::LayerTable;
use super::{FileSpan, neighbours, unit};
use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{UnitIx, Variant};
use applyorder_core::graph::Direction;
use applyorder_core::markdown::{MOST_NAMES, names, sentence};
use applyorder_syntax::text::Span;

/// A hint after a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlayHint {
    /// The offset where it is shown.
    pub offset: u32,
    /// The word: `layer 2 of 3`. Where projects or environments differ, that of the nearest root.
    pub label: String,
    /// What the unit runs after, in parallel with and before, or the error of the reference; in Markdown.
    pub tooltip: String,
    /// The unit whose layer it is; `None` for a reference.
    pub unit: Option<Arc<str>>,
}

/// The hint after a reference, by the rule it violates.
const TROUBLES: [(&str, &[&str]); 3] = [
    ("↻ cycle", &["cycle", "self-dependency"]),
    ("? unknown", &["unknown-dependency", "unresolved"]),
    (
        "no effect",
        &["redundant-dependency", "duplicate-dependency", "inert-dependency"],
    ),
];

/// The errors of the references in a range of a file, in order, one word each.
#[must_use]
pub fn troubles(analysis: &Analysis, file: FileId, range: Span) -> Vec<InlayHint> {
    let mut written: FxHashSet<Span> = FxHashSet::default();
    for (_, project) in analysis.projects_of(file) {
        let variants = project.resolution.variants.iter();
        let all = variants.flat_map(|variant| &variant.dependencies);
        let here = all.filter(|dependency| dependency.place.file == file);
        written.extend(here.map(|dependency| analysis.span(dependency.place)));
    }
    let mut found: Vec<(u32, usize, String)> = Vec::new();
    for finding in analysis.findings_of(file) {
        let span = analysis.span(finding.diagnostic.place);
        let is_met = span.touches(range.start) || range.touches(span.end);
        let rule = finding.diagnostic.rule.id;
        let worst = TROUBLES.iter().position(|(_, rules)| rules.contains(&rule));
        if let Some(worst) = worst.filter(|_| is_met && written.contains(&span)) {
            found.push((span.end, worst, sentence(&finding.diagnostic.message)));
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|(offset, ..)| *offset);
    let hint = |(offset, worst, tooltip): (u32, usize, String)| {
        Some(InlayHint {
            offset,
            label: TROUBLES.get(worst)?.0.to_owned(),
            tooltip,
            unit: None,
        })
    };
    found.into_iter().filter_map(hint).collect()
}

/// The hints in a range of a file, in order: one for all units that a name represents.
#[must_use]
pub fn inlay_hints(analysis: &Analysis, file: FileId, range: Span) -> Vec<InlayHint> {
    let mut found: Vec<(Span, InlayHint)> = Vec::new();
    for (_, project) in analysis.projects_of(file) {
        for variant in &project.resolution.variants {
            let layers = LayerTable::new(variant);
            let mut here: Vec<(Span, UnitIx)> = Vec::new();
            for (ix, unit) in (0u32..).map(UnitIx).zip(&variant.units) {
                let place = unit.place();
                if place.file != file {
                    continue;
                }
                let FileSpan { span, .. } = FileSpan::of(analysis, place);
                if span.touches(range.start) || range.touches(span.end) {
                    here.push((span, ix));
                }
            }
            // Stable: of several units at one place the first is named.
            here.sort_by_key(|(span, _)| span.start);
            for units in here.chunk_by(|one, next| one.0.start == next.0.start) {
                found.extend(of_name(variant, &layers, units));
            }
        }
    }
    // Stable: of several projects and environments the first is kept, after the longest of the names.
    found.sort_by_key(|(span, _)| span.start);
    found.dedup_by(|next, kept| {
        let same = next.0.start == kept.0.start;
        if same {
            kept.0.end = kept.0.end.max(next.0.end);
        }
        same
    });
    let hint = |(span, hint): (Span, InlayHint)| InlayHint {
        offset: span.end,
        ..hint
    };
    found.into_iter().map(hint).collect()
}

/// The hint of one name, which may represent several units; `None` if none of them has a layer.
fn of_name(
    variant: &Variant,
    layers: &LayerTable<'_>,
    units: &[(Span, UnitIx)],
) -> Option<(Span, InlayHint)> {
    let (_, first) = *units.first()?;
    let span = units.iter().map(|(span, _)| *span).max_by_key(|span| span.end)?;
    let tooltip = match units {
        [_] => around(layers, variant, first),
        several => {
            let shown = several
                .iter()
                .filter_map(|(_, ix)| Some(&*unit(variant, *ix)?.name));
            names(shown, MOST_NAMES)
        }
    };
    let hint = InlayHint {
        offset: span.end,
        label: layers.of_all(units.iter().map(|(_, ix)| *ix))?,
        tooltip,
        unit: Some(unit(variant, first)?.name.clone()),
    };
    Some((span, hint))
}

/// `after a · beside b · before c, d`, without the empty parts.
fn around(layers: &LayerTable<'_>, variant: &Variant, ix: UnitIx) -> String {
    let named = |word: &str, units: &[UnitIx]| {
        let shown = units.iter().filter_map(|u| Some(&*unit(variant, *u)?.name));
        (!units.is_empty()).then(|| format!("{word} {}", names(shown, MOST_NAMES)))
    };
    let over_one_edge = |direction| -> Vec<UnitIx> {
        let found = neighbours::of(&variant.apply, ix, direction);
        found.into_iter().map(|n| n.unit).collect()
    };
    let beside: Vec<UnitIx> = layers.beside(ix).collect();
    let open = layers
        .may_be_later(ix)
        .then(|| "what it waits for can't all be known".to_owned());
    let parts = [
        named("after", &over_one_edge(Direction::Dependencies)),
        named("beside", &beside),
        named("before", &over_one_edge(Direction::Dependents)),
        open,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn every_name_in_the_range_has_its_layer() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: ./x}\n    - {name: b, \
             type: kustomize, path: ./x, dependsOn: [a]}\n",
        );
        let text = fixture.text(fixture.file);
        let all = inlay_hints(&fixture.analysis, fixture.file, Span::from_usize(0, text.len()));
        let shown: Vec<_> = all
            .iter()
            .map(|h| {
                (
                    text[..h.offset as usize].lines().last().unwrap().trim(),
                    h.label.as_str(),
                )
            })
            .collect();
        assert_eq!(
            shown,
            [("- {name: a", "layer 1 of 2"), ("- {name: b", "layer 2 of 2")]
        );
        let tooltips: Vec<&str> = all.iter().map(|h| h.tooltip.as_str()).collect();
        assert_eq!(tooltips, ["before `b`", "after `a`"]);
        assert_eq!(inlay_hints(&fixture.analysis, fixture.file, Span::at(0)), []);
    }

    #[test]
    fn a_name_of_several_units_has_all_their_layers() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/main.tf\nmodule \"a\" {\n  source = \"./s\"\n}\nmodule \"b\" {\n  source = \"./s\"\n  on     = \
             { a = module.a.id }\n}\n//- /w/s/main.tf\nvariable \"on\" {\n  default = {}\n}\nresource \"spacelift_stack\" \
             \"x\" {\n  name       = \"x\"\n  repository = \"r\"\n  branch     = \"b\"\n}\nresource \
             \"spacelift_stack_dependency\" \"on\" {\n  for_each            = var.on\n  stack_id            = \
             spacelift_stack.x.id\n  depends_on_stack_id = each.value\n}\noutput \"id\" {\n  value = spacelift_stack.x.id\n}\n",
        );
        let file = fixture.path("/w/s/main.tf");
        let all = inlay_hints(
            &fixture.analysis,
            file,
            Span::from_usize(0, fixture.text(file).len()),
        );
        let shown: Vec<(&str, &str)> = all
            .iter()
            .map(|h| (h.label.as_str(), h.tooltip.as_str()))
            .collect();
        let tooltip = "`module.a.spacelift_stack.x`, `module.b.spacelift_stack.x`";
        assert_eq!(shown, [("layers 1–2 of 2", tooltip)]);
    }

    #[test]
    fn a_reference_says_what_is_wrong_with_it() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: ./x, dependsOn: [b]}\n    - \
             {name: b, type: kustomize, path: ./x, dependsOn: [a]}\n    - {name: c, type: kustomize, path: ./x, dependsOn: \
             [gone, b, b]}\n",
        );
        let text = fixture.text(fixture.file);
        let all = troubles(&fixture.analysis, fixture.file, Span::from_usize(0, text.len()));
        let shown: Vec<(&str, &str)> = all
            .iter()
            .map(|h| {
                let before = &text[..h.offset as usize];
                (before.rsplit(['[', ' ']).next().unwrap(), h.label.as_str())
            })
            .collect();
        assert!(
            all[0].tooltip.contains("`a` waits for itself, through `b`"),
            "{all:?}"
        );
        assert!(all.iter().all(|hint| !hint.tooltip.is_empty()), "{all:?}");
        let expected = [
            ("b", "↻ cycle"),
            ("a", "↻ cycle"),
            ("gone", "? unknown"),
            ("b", "no effect"),
        ];
        assert_eq!(shown, expected);
    }
}
