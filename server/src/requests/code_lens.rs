//! `textDocument/codeLens`

use applyorder_analysis::ide::lens;
use serde_json::{Value, json};
use tower_lsp_server::ls_types::Range;

use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::OfDocument;
use crate::snapshot::Snapshot;

pub(crate) struct CodeLenses;

impl RequestHandler for CodeLenses {
    const METHOD: &'static str = "textDocument/codeLens";
    /// The layers of a file hang on others.
    const OF_EVERYTHING: bool = true;
    type Params = OfDocument;
    type Answer = Option<Vec<Value>>;

    fn document(params: &OfDocument) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: OfDocument, _: &Call) -> Result<Option<Vec<Value>>, String> {
        let file = snapshot
            .file(&params.text_document.uri)
            .filter(|_| snapshot.shows.code_lens);
        let title = file.and_then(|file| lens::lens(&snapshot.analysis, file));
        // Without a command a client shows the title and nothing to click.
        Ok(title.map(|title| {
            vec![json!({ "range": Range::default(), "command": { "title": title, "command": "" } })]
        }))
    }
}
