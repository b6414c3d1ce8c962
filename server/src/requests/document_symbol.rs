//! `textDocument/documentSymbol`

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::engine::OutlineItem;
use applyorder_analysis::ide::symbols;
use serde_json::{Value, json};
use tower_lsp_server::ls_types::SymbolKind;

use crate::call::Call;
use crate::convert::Convert;
use crate::handler::RequestHandler;
use crate::object::set;
use crate::params::OfDocument;
use crate::snapshot::Snapshot;

pub(crate) struct DocumentSymbols;

impl RequestHandler for DocumentSymbols {
    const METHOD: &'static str = "textDocument/documentSymbol";
    type Params = OfDocument;
    type Answer = Option<Vec<Value>>;

    fn document(params: &OfDocument) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: OfDocument, _: &Call) -> Result<Option<Vec<Value>>, String> {
        let Some(file) = snapshot.file(&params.text_document.uri) else {
            return Ok(None);
        };
        let items = symbols::outline(&snapshot.analysis, file);
        let convert = snapshot.convert();
        Ok(Some(if snapshot.supports.nested_symbols {
            items.iter().map(|item| nested(&convert, file, item, 0)).collect()
        } else {
            flat(&convert, file, &items)
        }))
    }
}

/// Deeper levels are omitted.
const MAX_DEPTH: usize = 32;

fn kind(item: &OutlineItem) -> SymbolKind {
    if item.unit {
        SymbolKind::OBJECT
    } else {
        SymbolKind::NAMESPACE
    }
}

/// A name for clients; they reject an empty one.
fn name(item: &OutlineItem) -> &str {
    if item.name.is_empty() {
        "(no name)"
    } else {
        &item.name
    }
}

fn nested(convert: &Convert<'_>, file: FileId, item: &OutlineItem, depth: usize) -> Value {
    let mut out = json!({
        "name": name(item),
        "kind": kind(item),
        "range": convert.range(file, item.span.cover(item.selection)),
        "selectionRange": convert.range(file, item.selection),
    });
    if let Some(detail) = &item.detail {
        set(&mut out, "detail", detail.as_str());
    }
    if !item.children.is_empty() && depth < MAX_DEPTH {
        let children = item.children.iter();
        let children = children.map(|child| nested(convert, file, child, depth + 1));
        set(&mut out, "children", children.collect::<Vec<_>>());
    }
    out
}

fn flat(convert: &Convert<'_>, file: FileId, items: &[OutlineItem]) -> Vec<Value> {
    let mut out = Vec::new();
    let mut open: Vec<(&OutlineItem, Option<&str>)> = items.iter().rev().map(|i| (i, None)).collect();
    while let Some((item, container)) = open.pop() {
        let mut symbol = json!({
            "name": name(item),
            "kind": kind(item),
            "location": convert.location_of(file, item.span),
        });
        if let Some(container) = container {
            set(&mut symbol, "containerName", container);
        }
        out.push(symbol);
        open.extend(item.children.iter().rev().map(|child| (child, Some(name(item)))));
    }
    out
}
