//! `textDocument/codeLens`

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::ide::lens;
use applyorder_analysis::ide::unit_lens;
use serde_json::{Value, json};
use tower_lsp_server::ls_types::Range;

use crate::call::Call;
use crate::commands;
use crate::handler::RequestHandler;
use crate::object::set;
use crate::params::OfDocument;
use crate::settings::Lenses;
use crate::snapshot::Snapshot;

pub(crate) struct CodeLenses;

impl RequestHandler for CodeLenses {
    const METHOD: &'static str = "textDocument/codeLens";
    /// The layers of a file depend on others.
    const OF_EVERYTHING: bool = true;
    type Params = OfDocument;
    type Answer = Option<Vec<Value>>;

    fn document(params: &OfDocument) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: OfDocument, _: &Call) -> Result<Option<Vec<Value>>, String> {
        let file = snapshot.file(&params.text_document.uri);
        match (snapshot.shows.code_lens, file) {
            (Lenses::File, _) => {}
            (Lenses::Unit, Some(file)) => {
                return Ok(Some(of_units(snapshot, file, &params.text_document.uri)));
            }
            _ => return Ok(None),
        }
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

/// One for each part of the line on each unit, or one for the whole line where there is nothing to click. What they say
/// is asked for when they come into view.
fn of_units(snapshot: &Snapshot, file: FileId, uri: &str) -> Vec<Value> {
    let convert = snapshot.convert();
    let units = unit_lens::units_in(&snapshot.analysis, file);
    let shown = unit_lens::parts(&snapshot.analysis, file);
    let lenses = units.into_iter().flat_map(|(name, at)| {
        let range = convert.range(file, at.span);
        let parts: Vec<Option<&str>> = if snapshot.supports.commands {
            shown.iter().map(|part| Some(part.word())).collect()
        } else {
            vec![None]
        };
        let lens = move |of: Option<&str>| {
            let mut data = json!({ "uri": uri, "unit": name });
            if let Some(of) = of {
                set(&mut data, "of", of);
            }
            json!({ "range": range, "data": data })
        };
        parts.into_iter().map(lens)
    });
    lenses.collect()
}
