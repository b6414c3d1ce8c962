//! `textDocument/rename`

use applyorder_analysis::ide::rename;
use tower_lsp_server::ls_types::WorkspaceEdit;

use super::place;
use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::RenameParams;
use crate::snapshot::Snapshot;

pub(crate) struct Rename;

impl RequestHandler for Rename {
    const METHOD: &'static str = "textDocument/rename";
    const OF_EVERYTHING: bool = true;
    type Params = RenameParams;
    type Answer = Option<WorkspaceEdit>;

    fn document(params: &RenameParams) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: RenameParams, _: &Call) -> Result<Option<WorkspaceEdit>, String> {
        let Some((file, offset)) = place(snapshot, &params.text_document, params.position) else {
            return Ok(None);
        };
        let edits = rename::rename(&snapshot.analysis, file, offset, &params.new_name)?;
        let versioned = snapshot.supports.document_changes;
        Ok(Some(snapshot.convert().workspace_edit(&edits, versioned)))
    }
}
