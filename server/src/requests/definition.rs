//! `textDocument/definition`

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::ide::definition::{self, Destination};
use applyorder_analysis::ide::symbols::Extents;
use applyorder_analysis::syntax::text::Span;
use tower_lsp_server::ls_types::{GotoDefinitionResponse, LocationLink};

use super::place;
use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::AtPosition;
use crate::snapshot::Snapshot;

pub(crate) struct Definitions;

impl RequestHandler for Definitions {
    const METHOD: &'static str = "textDocument/definition";
    type Params = AtPosition;
    type Answer = Option<GotoDefinitionResponse>;

    fn document(params: &AtPosition) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: AtPosition, _: &Call) -> Result<Self::Answer, String> {
        let Some((file, offset)) = place(snapshot, &params.text_document, params.position) else {
            return Ok(None);
        };
        let found = definition::definition(&snapshot.analysis, file, offset);
        Ok(found.and_then(|found| answered(snapshot, (file, found.span), found.destinations)))
    }
}

/// The targets of a text, in the form that the client accepts.
pub(crate) fn answered(
    snapshot: &Snapshot,
    (file, from): (FileId, Span),
    destinations: Vec<Destination>,
) -> Option<GotoDefinitionResponse> {
    if destinations.is_empty() {
        return None;
    }
    let destinations = destinations.into_iter();
    if !snapshot.supports.definition_links {
        let locations = destinations.filter_map(|to| snapshot.location(to));
        return Some(GotoDefinitionResponse::Array(locations.collect()));
    }
    let convert = snapshot.convert();
    let origin = convert.range(file, from);
    let mut extents = Extents::new(&snapshot.analysis);
    let link = |to: Destination| {
        let whole = match &to {
            Destination::Place(at) => Some(convert.range(at.file, extents.of(*at))),
            Destination::File(_) => None,
        };
        let to = snapshot.location(to)?;
        Some(LocationLink {
            origin_selection_range: Some(origin),
            target_uri: to.uri,
            target_range: whole.unwrap_or(to.range),
            target_selection_range: to.range,
        })
    };
    Some(GotoDefinitionResponse::Link(
        destinations.filter_map(link).collect(),
    ))
}
