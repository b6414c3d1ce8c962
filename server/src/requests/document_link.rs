//! `textDocument/documentLink`

use applyorder_analysis::ide::links;
use tower_lsp_server::ls_types::DocumentLink;

use crate::call::Call;
use crate::convert;
use crate::handler::RequestHandler;
use crate::params::OfDocument;
use crate::snapshot::Snapshot;

pub(crate) struct Links;

impl RequestHandler for Links {
    const METHOD: &'static str = "textDocument/documentLink";
    type Params = OfDocument;
    type Answer = Option<Vec<DocumentLink>>;

    fn document(params: &OfDocument) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(
        snapshot: &Snapshot,
        params: OfDocument,
        _: &Call,
    ) -> Result<Option<Vec<DocumentLink>>, String> {
        let Some(file) = snapshot.file(&params.text_document.uri) else {
            return Ok(None);
        };
        let range = |span| snapshot.convert().range(file, span);
        Ok(Some(
            links::links(&snapshot.analysis, file)
                .into_iter()
                .map(|link| DocumentLink {
                    range: range(link.span),
                    target: convert::uri(&convert::uri_of(&link.target)),
                    tooltip: None,
                    data: None,
                })
                .collect(),
        ))
    }
}
