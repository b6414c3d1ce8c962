//! `textDocument/completion`

use applyorder_analysis::engine::CompletionKind;
use applyorder_analysis::ide::{completion, proposal_hover};
use serde_json::json;
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionItemTag, CompletionList,
    CompletionTextEdit, TextEdit,
};

use super::place;
use crate::call::Call;
use crate::diagnostics::plain;
use crate::handler::RequestHandler;
use crate::params::AtPosition;
use crate::snapshot::Snapshot;

/// How many units that a proposal stands for are listed.
const MOST_MEANT: usize = 16;

pub(crate) struct Completions;

impl RequestHandler for Completions {
    const METHOD: &'static str = "textDocument/completion";
    type Params = AtPosition;
    type Answer = Option<CompletionList>;

    fn document(params: &AtPosition) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: AtPosition, _: &Call) -> Result<Option<CompletionList>, String> {
        let Some((file, offset)) = place(snapshot, &params.text_document, params.position) else {
            return Ok(None);
        };
        let convert = snapshot.convert();
        let supports = &snapshot.supports;
        let proposals = completion::completions(&snapshot.analysis, file, offset);
        let is_incomplete = proposals.is_cut;
        let items: Vec<CompletionItem> = proposals
            .list
            .into_iter()
            .enumerate()
            .map(|(rank, proposal)| {
                let beside = proposal.short().map(plain);
                (rank, proposal.closes_cycle, beside, proposal.completion)
            })
            .map(|(rank, closes_cycle, beside, c)| CompletionItem {
                label_details: beside.filter(|_| supports.completion_labels).map(|beside| {
                    CompletionItemLabelDetails {
                        description: Some(beside),
                        detail: None,
                    }
                }),
                tags: (closes_cycle && supports.completion_tags).then(|| vec![CompletionItemTag::DEPRECATED]),
                deprecated: (closes_cycle && !supports.completion_tags && supports.completion_deprecated)
                    .then_some(true),
                kind: Some(match c.kind {
                    CompletionKind::Unit => CompletionItemKind::REFERENCE,
                    CompletionKind::Path => CompletionItemKind::FILE,
                    CompletionKind::Directory => CompletionItemKind::FOLDER,
                    CompletionKind::Field => CompletionItemKind::FIELD,
                    CompletionKind::Word => CompletionItemKind::ENUM_MEMBER,
                    CompletionKind::Symbol => CompletionItemKind::CONSTANT,
                }),
                data: matches!(c.kind, CompletionKind::Unit | CompletionKind::Symbol).then(|| {
                    let subjects = proposal_hover::subjects(&c);
                    let subjects: Vec<&str> = subjects.iter().take(MOST_MEANT).map(|name| &**name).collect();
                    json!({ "uri": params.text_document.uri, "meant": subjects })
                }),
                detail: c.detail.as_deref().map(plain),
                sort_text: Some(format!("{rank:06}")),
                text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(
                    convert.range(file, c.span),
                    c.insert.unwrap_or_else(|| c.label.clone()),
                ))),
                label: c.label,
                ..CompletionItem::default()
            })
            .collect();
        // Another server may know more of the place.
        Ok((!items.is_empty() || is_incomplete).then_some(CompletionList { is_incomplete, items }))
    }
}
