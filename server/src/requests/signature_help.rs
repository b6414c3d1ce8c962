//! `textDocument/signatureHelp`

use applyorder_analysis::ide::signature;
use serde_json::{Value, json};

use super::place;
use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::AtPosition;
use crate::snapshot::Snapshot;

pub(crate) struct Signatures;

impl RequestHandler for Signatures {
    const METHOD: &'static str = "textDocument/signatureHelp";
    type Params = AtPosition;
    type Answer = Option<Value>;

    fn document(params: &AtPosition) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: AtPosition, _: &Call) -> Result<Option<Value>, String> {
        let Some((file, offset)) = place(snapshot, &params.text_document, params.position) else {
            return Ok(None);
        };
        let found = signature::signature(&snapshot.analysis, file, offset);
        Ok(found.map(|found| {
            let parameters: Vec<Value> = found
                .parts
                .iter()
                .map(|part| json!({ "label": part.label, "documentation": part.meaning }))
                .collect();
            let label: Vec<&str> = found.parts.iter().map(|part| part.label.as_str()).collect();
            json!({
                "signatures": [{
                    "label": label.join(" "),
                    "documentation": found.meaning,
                    "parameters": parameters,
                    "activeParameter": found.active,
                }],
                "activeSignature": 0,
                "activeParameter": found.active,
            })
        }))
    }
}
