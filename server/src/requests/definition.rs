//! `textDocument/definition`

use applyorder_analysis::ide::definition;
use tower_lsp_server::ls_types::Location;

use super::place;
use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::AtPosition;
use crate::snapshot::Snapshot;

pub(crate) struct Definitions;

impl RequestHandler for Definitions {
    const METHOD: &'static str = "textDocument/definition";
    type Params = AtPosition;
    type Answer = Option<Vec<Location>>;

    fn document(params: &AtPosition) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: AtPosition, _: &Call) -> Result<Option<Vec<Location>>, String> {
        let Some((file, offset)) = place(snapshot, &params.text_document, params.position) else {
            return Ok(None);
        };
        let found = definition::definition(&snapshot.analysis, file, offset);
        Ok(found
            .map(|found| {
                let destinations = found.destinations.into_iter();
                destinations.filter_map(|to| snapshot.location(to)).collect()
            })
            .filter(|locations: &Vec<Location>| !locations.is_empty()))
    }
}
