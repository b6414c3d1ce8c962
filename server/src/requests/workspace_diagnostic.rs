//! `workspace/diagnostic`: the client asks for the diagnostics of all files.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::diagnostic::report;
use crate::call::Call;
use crate::convert;
use crate::diagnostics::Diagnostics;
use crate::handler::RequestHandler;
use crate::object::set;
use crate::params::WorkspaceDiagnosticParams;
use crate::snapshot::Snapshot;

pub(crate) struct WorkspaceDiagnostics;

impl RequestHandler for WorkspaceDiagnostics {
    const METHOD: &'static str = "workspace/diagnostic";
    type Params = WorkspaceDiagnosticParams;
    type Answer = Value;

    fn document(_: &WorkspaceDiagnosticParams) -> Option<&str> {
        None
    }

    /// The files that have findings, and those the client thinks have some.
    fn answer(snapshot: &Snapshot, params: WorkspaceDiagnosticParams, call: &Call) -> Result<Value, String> {
        let analysis = &snapshot.analysis;
        let mut paths: BTreeSet<_> = analysis
            .files_with_findings()
            .into_iter()
            .map(|file| analysis.path(file).to_owned())
            .collect();
        let mut previous = FxHashMap::default();
        for result in params.previous_result_ids {
            if let Some(path) = snapshot.path(&result.uri) {
                paths.insert(path.clone());
                previous.insert(path, result);
            }
        }
        let mut items = Vec::new();
        for path in paths {
            if call.is_cancelled() {
                break;
            }
            let known = previous.get(&path);
            let open = snapshot.document(&path);
            let mut item = match analysis.file(&path) {
                Some(file) => report(
                    &Diagnostics::new(&snapshot.convert(), &snapshot.supports, file),
                    known.map(|p| p.value.as_str()),
                ),
                None => json!({ "kind": "full", "items": [] }),
            };
            let uri: Value = match (open, known) {
                (Some(open), _) => Value::from(&*open.uri),
                (None, Some(known)) => Value::from(known.uri.as_str()),
                (None, None) => convert::uri_of(&path).into(),
            };
            set(&mut item, "uri", uri);
            set(&mut item, "version", json!(open.and_then(|o| o.version)));
            items.push(item);
        }
        Ok(json!({ "items": items }))
    }
}
