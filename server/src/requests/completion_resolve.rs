//! `completionItem/resolve`: the documentation of a proposal.

use applyorder_analysis::ide::proposal_hover;
use applyorder_analysis::markdown;
use serde_json::{Value, json};

use crate::call::Call;
use crate::handler::RequestHandler;
use crate::snapshot::Snapshot;

pub(crate) struct ResolveCompletion;

impl RequestHandler for ResolveCompletion {
    const METHOD: &'static str = "completionItem/resolve";
    type Params = Value;
    type Answer = Value;

    fn document(item: &Value) -> Option<&str> {
        item.pointer("/data/uri").and_then(Value::as_str)
    }

    fn answer(snapshot: &Snapshot, mut item: Value, _: &Call) -> Result<Value, String> {
        let uri = item.pointer("/data/uri").and_then(Value::as_str);
        let file = uri.and_then(|uri| snapshot.file(uri));
        let subjects = item.pointer("/data/meant").and_then(Value::as_array);
        let subjects: Vec<&str> = subjects.into_iter().flatten().filter_map(Value::as_str).collect();
        let told = file.and_then(|file| proposal_hover::documentation(&snapshot.analysis, file, &subjects));
        if let Some(told) = told
            && let Some(item) = item.as_object_mut()
        {
            let documentation = if snapshot.supports.markdown_documentation {
                json!({ "kind": "markdown", "value": told })
            } else {
                json!({ "kind": "plaintext", "value": markdown::plain(&told) })
            };
            item.insert("documentation".to_owned(), documentation);
        }
        Ok(item)
    }
}
