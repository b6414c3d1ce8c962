//! `textDocument/inlayHint`

use applyorder_analysis::ide::inlay_hints;
use applyorder_analysis::markdown;
use tower_lsp_server::ls_types::{InlayHint, InlayHintLabel, InlayHintTooltip, MarkupContent, MarkupKind};

use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::InRange;
use crate::snapshot::Snapshot;

pub(crate) struct InlayHints;

impl RequestHandler for InlayHints {
    const METHOD: &'static str = "textDocument/inlayHint";
    type Params = InRange;
    type Answer = Option<Vec<InlayHint>>;

    fn document(params: &InRange) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: InRange, _: &Call) -> Result<Option<Vec<InlayHint>>, String> {
        let convert = snapshot.convert();
        let file = snapshot
            .file(&params.text_document.uri)
            .filter(|_| snapshot.shows.inlay_hints);
        let Some((file, span)) = file.and_then(|f| Some((f, convert.span(f, params.range)?))) else {
            return Ok(None);
        };
        Ok(Some(
            inlay_hints::inlay_hints(&snapshot.analysis, file, span)
                .into_iter()
                .map(|hint| InlayHint {
                    position: convert.position(file, hint.offset),
                    label: InlayHintLabel::String(hint.label),
                    kind: None,
                    text_edits: None,
                    tooltip: (!hint.tooltip.is_empty()).then(|| tooltip(snapshot, hint.tooltip)),
                    padding_left: Some(true),
                    padding_right: None,
                    data: None,
                })
                .collect(),
        ))
    }
}

/// In Markdown, where the client shows hovers in it: it says nothing of tooltips.
fn tooltip(snapshot: &Snapshot, text: String) -> InlayHintTooltip {
    if snapshot.supports.markdown_hover {
        InlayHintTooltip::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value: text,
        })
    } else {
        InlayHintTooltip::String(markdown::plain(&text))
    }
}
