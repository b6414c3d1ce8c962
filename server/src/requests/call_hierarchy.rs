//! `textDocument/prepareCallHierarchy`, `callHierarchy/outgoingCalls`, `callHierarchy/incomingCalls`: the order. Outgoing
//! is what a unit runs after, incoming what it runs before.

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::ide::calls::{self, Item, Neighbour};
use applyorder_analysis::ide::symbols::Extents;
use serde_json::{Value, json};
use tower_lsp_server::ls_types::{Range, SymbolKind};

use super::place;
use crate::call::Call;
use crate::convert::Convert;
use crate::handler::RequestHandler;
use crate::params::{AtPosition, HierarchyCalls};
use crate::snapshot::Snapshot;

pub(crate) struct PrepareHierarchy;

impl RequestHandler for PrepareHierarchy {
    const METHOD: &'static str = "textDocument/prepareCallHierarchy";
    type Params = AtPosition;
    type Answer = Option<Vec<Value>>;

    fn document(params: &AtPosition) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: AtPosition, _: &Call) -> Result<Option<Vec<Value>>, String> {
        let Some((file, offset)) = place(snapshot, &params.text_document, params.position) else {
            return Ok(None);
        };
        let convert = snapshot.convert();
        let items = calls::items(&snapshot.analysis, file, offset);
        let mut extents = Extents::new(&snapshot.analysis);
        let items = items.iter().filter_map(|i| item(&convert, &mut extents, i));
        let items: Vec<Value> = items.collect();
        Ok((!items.is_empty()).then_some(items))
    }
}

pub(crate) struct OutgoingCalls;

impl RequestHandler for OutgoingCalls {
    const METHOD: &'static str = "callHierarchy/outgoingCalls";
    type Params = HierarchyCalls;
    type Answer = Option<Vec<Value>>;

    fn document(params: &HierarchyCalls) -> Option<&str> {
        Some(&params.item.uri)
    }

    fn answer(snapshot: &Snapshot, params: HierarchyCalls, _: &Call) -> Result<Option<Vec<Value>>, String> {
        Ok(asked(snapshot, &params).map(|(file, offset)| {
            let convert = snapshot.convert();
            let found = calls::after(&snapshot.analysis, file, offset, params.item.data.unit.as_deref());
            let mut extents = Extents::new(&snapshot.analysis);
            let call = |n: &Neighbour| {
                let to = item(&convert, &mut extents, &n.item)?;
                Some(json!({ "to": to, "fromRanges": ranges(&convert, n, file) }))
            };
            found.iter().filter_map(call).collect()
        }))
    }
}

pub(crate) struct IncomingCalls;

impl RequestHandler for IncomingCalls {
    const METHOD: &'static str = "callHierarchy/incomingCalls";
    type Params = HierarchyCalls;
    type Answer = Option<Vec<Value>>;

    fn document(params: &HierarchyCalls) -> Option<&str> {
        Some(&params.item.uri)
    }

    fn answer(snapshot: &Snapshot, params: HierarchyCalls, _: &Call) -> Result<Option<Vec<Value>>, String> {
        Ok(asked(snapshot, &params).map(|(file, offset)| {
            let convert = snapshot.convert();
            let found = calls::before(&snapshot.analysis, file, offset, params.item.data.unit.as_deref());
            let mut extents = Extents::new(&snapshot.analysis);
            let call = |n: &Neighbour| {
                let from = item(&convert, &mut extents, &n.item)?;
                Some(json!({ "from": from, "fromRanges": ranges(&convert, n, n.item.at.file) }))
            };
            found.iter().filter_map(call).collect()
        }))
    }
}

/// Where the item is declared that a client goes on from.
fn asked(snapshot: &Snapshot, params: &HierarchyCalls) -> Option<(FileId, u32)> {
    let file = snapshot.file(&params.item.uri)?;
    let offset = snapshot
        .convert()
        .offset(file, params.item.selection_range.start)?;
    Some((file, offset))
}

fn item(convert: &Convert<'_>, extents: &mut Extents<'_>, item: &Item) -> Option<Value> {
    let whole = convert.range(item.at.file, extents.of(item.at));
    let location = convert.location_of(item.at.file, item.at.span)?;
    Some(json!({
        "name": if item.name.is_empty() { "(no name)" } else { &item.name },
        "kind": SymbolKind::OBJECT,
        "detail": item.detail,
        "uri": location.uri,
        "range": whole,
        "selectionRange": location.range,
        "data": { "unit": item.name },
    }))
}

/// The ranges in one file in which it is written: the protocol knows them in the file of the one that waits only.
fn ranges(convert: &Convert<'_>, neighbour: &Neighbour, file: FileId) -> Vec<Range> {
    let written = neighbour.written.iter().filter(|at| at.file == file);
    written.map(|at| convert.range(at.file, at.span)).collect()
}
