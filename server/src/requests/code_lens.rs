//! `textDocument/codeLens`

use applyorder_analysis::ide::lens;
use serde_json::{Value, json};
use tower_lsp_server::ls_types::Range;

use crate::call::Call;
use crate::commands;
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
        let Some(parts) = file.and_then(|file| lens::lens(&snapshot.analysis, file)) else {
            return Ok(None);
        };
        let lens = |title: &str, command: &str, arguments: Value| {
            json!({
                "range": Range::default(),
                "command": { "title": title, "command": command, "arguments": arguments },
            })
        };
        let [here, layers] = &parts;
        if !snapshot.supports.commands {
            // Without a command a client shows the title and nothing to click.
            return Ok(Some(vec![lens(&format!("{here} · {layers}"), "", json!([]))]));
        }
        let uri = &params.text_document.uri;
        Ok(Some(vec![
            lens(here, commands::LIST, json!([{ "uri": uri, "here": true }])),
            lens(layers, commands::LIST, json!([{ "uri": uri }])),
            lens("Show graph", commands::GRAPH, json!([{ "uri": uri }])),
        ]))
    }
}
