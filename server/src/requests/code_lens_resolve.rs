//! `codeLens/resolve`: what a part of the line on a unit says. Only what is in view is asked for.

use applyorder_analysis::ide::unit_lens::{self, UnitPart};
use serde_json::{Value, json};

use crate::call::Call;
use crate::commands;
use crate::handler::RequestHandler;
use crate::snapshot::Snapshot;

pub(crate) struct ResolveLens;

impl RequestHandler for ResolveLens {
    const METHOD: &'static str = "codeLens/resolve";
    const OF_EVERYTHING: bool = true;
    type Params = Value;
    type Answer = Value;

    fn document(params: &Value) -> Option<&str> {
        params.pointer("/data/uri")?.as_str()
    }

    fn answer(snapshot: &Snapshot, mut params: Value, _: &Call) -> Result<Value, String> {
        let text = |field: &str| params.pointer(&format!("/data/{field}")).and_then(Value::as_str);
        let (Some(uri), Some(name)) = (text("uri"), text("unit")) else {
            return Ok(params);
        };
        let Some(file) = snapshot.file(uri) else {
            return Ok(params);
        };
        let said = |part| unit_lens::title(&snapshot.analysis, file, name, part);
        let parts: Vec<UnitPart> = match part(text("of")) {
            Some(part) => vec![part],
            None => unit_lens::parts(&snapshot.analysis, file),
        };
        let title: Vec<String> = parts.into_iter().filter_map(said).collect();
        let command = if text("of").is_some() { commands::LIST } else { "" };
        let arguments = match text("of") {
            Some(of) => json!([{ "uri": uri, "unit": name, "of": of }]),
            None => json!([]),
        };
        let command = json!({ "title": title.join(" · "), "command": command, "arguments": arguments });
        if let Some(lens) = params.as_object_mut() {
            lens.insert("command".to_owned(), command);
        }
        Ok(params)
    }
}

/// The part of a line that a word means.
pub(crate) fn part(word: Option<&str>) -> Option<UnitPart> {
    UnitPart::ALL.into_iter().find(|part| Some(part.word()) == word)
}
