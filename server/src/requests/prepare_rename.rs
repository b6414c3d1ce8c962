//! `textDocument/prepareRename`

use applyorder_analysis::ide::rename;
use tower_lsp_server::ls_types::PrepareRenameResponse;

use super::place;
use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::AtPosition;
use crate::snapshot::Snapshot;

pub(crate) struct PrepareRename;

impl RequestHandler for PrepareRename {
    const METHOD: &'static str = "textDocument/prepareRename";
    type Params = AtPosition;
    type Answer = Option<PrepareRenameResponse>;

    fn document(params: &AtPosition) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(
        snapshot: &Snapshot,
        params: AtPosition,
        _: &Call,
    ) -> Result<Option<PrepareRenameResponse>, String> {
        let Some((file, offset)) = place(snapshot, &params.text_document, params.position) else {
            return Ok(None);
        };
        let found = rename::prepare(&snapshot.analysis, file, offset)?;
        Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
            range: snapshot.convert().range(file, found.span),
            placeholder: found.name,
        }))
    }
}
