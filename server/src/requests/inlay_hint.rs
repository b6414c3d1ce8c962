//! `textDocument/inlayHint`

use applyorder_analysis::ide::inlay_hints;
use applyorder_analysis::ide::unit_lens::UnitPart;
use applyorder_analysis::markdown;
use serde_json::json;
use tower_lsp_server::ls_types::{
    Command, InlayHint, InlayHintLabel, InlayHintLabelPart, InlayHintTooltip, MarkupContent, MarkupKind,
};

use crate::call::Call;
use crate::commands;
use crate::handler::RequestHandler;
use crate::params::InRange;
use crate::settings::Lenses;
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
        let mut hints = inlay_hints::troubles(&snapshot.analysis, file, span);
        // A line above the unit says its layer then.
        if snapshot.shows.code_lens != Lenses::Unit {
            hints.extend(inlay_hints::inlay_hints(&snapshot.analysis, file, span));
            hints.sort_by_key(|hint| hint.offset);
        }
        let uri = &params.text_document.uri;
        let shown = hints.into_iter().map(|hint| InlayHint {
            position: convert.position(file, hint.offset),
            label: label(snapshot, uri, &hint),
            kind: None,
            text_edits: None,
            tooltip: (!hint.tooltip.is_empty()).then(|| tooltip(snapshot, hint.tooltip)),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        });
        Ok(Some(shown.collect()))
    }
}

/// A layer opens the list of its units, where the client shows that.
fn label(snapshot: &Snapshot, uri: &str, hint: &inlay_hints::InlayHint) -> InlayHintLabel {
    let Some(unit) = hint.unit.as_ref().filter(|_| snapshot.supports.commands) else {
        return InlayHintLabel::String(hint.label.clone());
    };
    let of = UnitPart::Layer.word();
    InlayHintLabel::LabelParts(vec![InlayHintLabelPart {
        value: hint.label.clone(),
        command: Some(Command {
            title: hint.label.clone(),
            command: commands::LIST.to_owned(),
            arguments: Some(vec![json!({ "uri": uri, "unit": **unit, "of": of })]),
        }),
        ..InlayHintLabelPart::default()
    }])
}

/// In Markdown if the client supports it in hovers: it has no capability for tooltips.
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
