//! The layer of each unit, shown behind its name.

use super::layers::LayerTable;
use super::{FileSpan, place_of};
use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::UnitIx;
use applyorder_syntax::text::Span;

/// A word behind a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlayHint {
    /// The offset it stands at.
    pub offset: u32,
    /// The word: `layer 2 of 3`. Where projects or environments differ, that of the nearest root.
    pub label: String,
}

/// The hints in a range of a file, in order.
#[must_use]
pub fn inlay_hints(analysis: &Analysis, file: FileId, range: Span) -> Vec<InlayHint> {
    let mut found: Vec<(Span, String)> = Vec::new();
    for (_, project) in analysis.projects_of(file) {
        for variant in &project.resolution.variants {
            let layers = LayerTable::new(variant);
            for (ix, unit) in (0u32..).map(UnitIx).zip(&variant.units) {
                let place = place_of(unit);
                if place.file != file {
                    continue;
                }
                let FileSpan { span, .. } = FileSpan::of(analysis, place);
                if span.touches(range.start) || range.touches(span.end) {
                    found.extend(layers.of(ix).map(|label| (span, label)));
                }
            }
        }
    }
    // Stable: of several at one place the first stays, behind the longest of the names there.
    found.sort_by_key(|(span, _)| span.start);
    found.dedup_by(|next, kept| {
        let same = next.0.start == kept.0.start;
        if same {
            kept.0.end = kept.0.end.max(next.0.end);
        }
        same
    });
    let hint = |(span, label): (Span, String)| InlayHint {
        offset: span.end,
        label,
    };
    found.into_iter().map(hint).collect()
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
        assert_eq!(inlay_hints(&fixture.analysis, fixture.file, Span::at(0)), []);
    }
}
