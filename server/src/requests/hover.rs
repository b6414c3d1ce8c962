//! `textDocument/hover`

use applyorder_analysis::ide::hover;
use applyorder_analysis::markdown;
use tower_lsp_server::ls_types::{Hover, HoverContents, MarkupContent, MarkupKind};

use super::place;
use crate::call::Call;
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
        Ok(hover::hover(&snapshot.analysis, file, offset).map(|found| {
            let (kind, value) = markup(found.markdown);
            Hover {
                range: Some(snapshot.convert().range(file, found.span)),
                contents: HoverContents::Markup(MarkupContent { kind, value }),
            }
        }))
    }
}
