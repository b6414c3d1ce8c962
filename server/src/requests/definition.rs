//! `textDocument/definition`

use applyorder_analysis::ide::definition::{self, Destination};
use tower_lsp_server::ls_types::{Location, Range};

use super::place;
use crate::call::Call;
use crate::convert;
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
        let convert = snapshot.convert();
        let location = |destination: Destination| match destination {
            Destination::Place(at) => convert.location_of(at.file, at.span),
            Destination::File(path) => {
                let uri = match snapshot.document(&path) {
                    Some(open) => convert::uri(&open.uri),
                    None => convert::uri(&convert::uri_of(&path)),
                };
                Some(Location::new(uri?, Range::default()))
            }
        };
        let found = definition::definition(&snapshot.analysis, file, offset);
        Ok(found
            .map(|found| found.destinations.into_iter().filter_map(location).collect())
            .filter(|locations: &Vec<Location>| !locations.is_empty()))
    }
}
