//! `textDocument/documentHighlight`

use applyorder_analysis::ide::highlight;
use tower_lsp_server::ls_types::{DocumentHighlight, DocumentHighlightKind};

use super::place;
use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::AtPosition;
use crate::snapshot::Snapshot;

pub(crate) struct Highlights;

impl RequestHandler for Highlights {
    const METHOD: &'static str = "textDocument/documentHighlight";
    type Params = AtPosition;
    type Answer = Option<Vec<DocumentHighlight>>;

    fn document(params: &AtPosition) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(
        snapshot: &Snapshot,
        params: AtPosition,
        _: &Call,
    ) -> Result<Option<Vec<DocumentHighlight>>, String> {
        let Some((file, offset)) = place(snapshot, &params.text_document, params.position) else {
            return Ok(None);
        };
        let convert = snapshot.convert();
        let found = highlight::highlights(&snapshot.analysis, file, offset);
        Ok(Some(
            found
                .iter()
                .map(|r| DocumentHighlight {
                    range: convert.range(file, r.at.span),
                    kind: Some(if r.declaration {
                        DocumentHighlightKind::WRITE
                    } else {
                        DocumentHighlightKind::READ
                    }),
                })
                .collect(),
        ))
    }
}
