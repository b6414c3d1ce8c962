//! `textDocument/references`

use applyorder_analysis::ide::references;
use tower_lsp_server::ls_types::Location;

use super::place;
use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::ReferencesParams;
use crate::snapshot::Snapshot;

pub(crate) struct References;

impl RequestHandler for References {
    const METHOD: &'static str = "textDocument/references";
    type Params = ReferencesParams;
    type Answer = Option<Vec<Location>>;

    fn document(params: &ReferencesParams) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(
        snapshot: &Snapshot,
        params: ReferencesParams,
        _: &Call,
    ) -> Result<Option<Vec<Location>>, String> {
        let Some((file, offset)) = place(snapshot, &params.text_document, params.position) else {
            return Ok(None);
        };
        let convert = snapshot.convert();
        let with_declaration = params.context.include_declaration;
        let found = references::references(&snapshot.analysis, file, offset, with_declaration);
        Ok(Some(
            found
                .iter()
                .filter_map(|r| convert.location_of(r.at.file, r.at.span))
                .collect(),
        ))
    }
}
