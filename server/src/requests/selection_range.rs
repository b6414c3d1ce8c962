//! `textDocument/selectionRange`

use applyorder_analysis::ide::selection;
use serde_json::{Value, json};
use tower_lsp_server::ls_types::Range;

use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::AtPositions;
use crate::snapshot::Snapshot;

pub(crate) struct SelectionRanges;

impl RequestHandler for SelectionRanges {
    const METHOD: &'static str = "textDocument/selectionRange";
    type Params = AtPositions;
    type Answer = Option<Vec<Value>>;

    fn document(params: &AtPositions) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: AtPositions, _: &Call) -> Result<Option<Vec<Value>>, String> {
        let file = snapshot
            .file(&params.text_document.uri)
            .filter(|_| snapshot.shows.selection_ranges);
        let Some(file) = file else { return Ok(None) };
        let convert = snapshot.convert();
        // Each position has its answer, at the same place of the list.
        let one = |position| -> Value {
            let offset = convert.offset(file, position).unwrap_or_default();
            let spans = selection::selections(&snapshot.analysis, file, offset);
            let outer_first = spans
                .iter()
                .rev()
                .take(MOST)
                .map(|span| convert.range(file, *span));
            outer_first.fold(Value::Null, |parent, range| match parent {
                Value::Null => json!({ "range": range }),
                parent => json!({ "range": range, "parent": parent }),
            })
        };
        let or_itself = |position| match one(position) {
            Value::Null => json!({ "range": Range::new(position, position) }),
            found => found,
        };
        Ok(Some(params.positions.into_iter().map(or_itself).collect()))
    }
}

/// An answer is as deep as the text; clients read it with a stack.
const MOST: usize = 64;
