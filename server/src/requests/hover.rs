//! `textDocument/hover`

use applyorder_analysis::ide::hover::{self, Links};
use applyorder_analysis::ide::{FileSpan, Target};
use applyorder_analysis::markdown;
use serde_json::json;
use tower_lsp_server::ls_types::{Hover, HoverContents, MarkupContent, MarkupKind};

use super::place;
use crate::call::Call;
use crate::commands;
use crate::convert::percent_encoded;
use crate::handler::RequestHandler;
use crate::params::AtPosition;
use crate::snapshot::Snapshot;

pub(crate) struct Hovers;

impl RequestHandler for Hovers {
    const METHOD: &'static str = "textDocument/hover";
    type Params = AtPosition;
    type Answer = Option<Hover>;

    fn document(params: &AtPosition) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: AtPosition, _: &Call) -> Result<Option<Hover>, String> {
        let Some((file, offset)) = place(snapshot, &params.text_document, params.position) else {
            return Ok(None);
        };
        let markup = |text: String| {
            if snapshot.supports.markdown_hover {
                (MarkupKind::Markdown, text)
            } else {
                (MarkupKind::PlainText, markdown::plain(&text))
            }
        };
        let convert = snapshot.convert();
        let target = |at: FileSpan| convert.link_to(at);
        let target: Option<Target<'_>> = snapshot.supports.links.then_some(&target);
        // Only clients that show what commands answer follow links to commands.
        let shows_graph = snapshot.supports.commands && snapshot.supports.markdown_hover;
        let argument = json!([{ "uri": params.text_document.uri }]).to_string();
        let graph = format!("command:{}?{}", commands::GRAPH, percent_encoded(&argument));
        let links = Links {
            target,
            graph: shows_graph.then_some(&graph),
        };
        Ok(
            hover::hover_with(&snapshot.analysis, file, offset, links).map(|found| {
                let (kind, value) = markup(found.markdown);
                Hover {
                    range: Some(convert.range(file, found.span)),
                    contents: HoverContents::Markup(MarkupContent { kind, value }),
                }
            }),
        )
    }
}
