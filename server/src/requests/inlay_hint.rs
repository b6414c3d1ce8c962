//! `textDocument/inlayHint`

use applyorder_analysis::ide::inlay_hints;
use tower_lsp_server::ls_types::{InlayHint, InlayHintLabel};

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
        let file = snapshot.file(&params.text_document.uri);
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
                    tooltip: None,
                    padding_left: Some(true),
                    padding_right: None,
                    data: None,
                })
                .collect(),
        ))
    }
}
