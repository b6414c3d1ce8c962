//! `textDocument/diagnostic`: the client asks for a document's diagnostics.

use serde_json::{Value, json};

use crate::call::Call;
use crate::convert::path_of;
use crate::diagnostics::Diagnostics;
use crate::handler::{Note, RequestHandler};
use crate::params::DocumentDiagnosticParams;
use crate::snapshot::Snapshot;

pub(crate) struct DocumentDiagnostics;

impl RequestHandler for DocumentDiagnostics {
    const METHOD: &'static str = "textDocument/diagnostic";
    type Params = DocumentDiagnosticParams;
    type Answer = Value;
    const AT_SIGHT: bool = true;

    fn document(params: &DocumentDiagnosticParams) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn note(params: &DocumentDiagnosticParams) -> Option<Note> {
        let path = path_of(&params.text_document.uri)?;
        Some(Box::new(move |state| state.pulled(&state.open.named(path))))
    }

    fn answer(snapshot: &Snapshot, params: DocumentDiagnosticParams, _: &Call) -> Result<Value, String> {
        let Some(file) = snapshot.file(&params.text_document.uri) else {
            return Ok(json!({ "kind": "full", "items": [] }));
        };
        let found = Diagnostics::new(&snapshot.convert(), &snapshot.supports, file);
        Ok(report(&found, params.previous_result_id.as_deref()))
    }
}

/// A full report, or the word that nothing has changed since the result the client has.
pub(super) fn report(found: &Diagnostics, previous: Option<&str>) -> Value {
    let id = found.result_id();
    if previous == Some(id.as_str()) {
        json!({ "kind": "unchanged", "resultId": id })
    } else {
        json!({ "kind": "full", "resultId": id, "items": found.items() })
    }
}
