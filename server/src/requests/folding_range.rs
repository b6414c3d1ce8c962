//! `textDocument/foldingRange`

use applyorder_analysis::ide::folding;
use tower_lsp_server::ls_types::{FoldingRange, Position, Range};

use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::OfDocument;
use crate::snapshot::Snapshot;

pub(crate) struct FoldingRanges;

impl RequestHandler for FoldingRanges {
    const METHOD: &'static str = "textDocument/foldingRange";
    type Params = OfDocument;
    type Answer = Option<Vec<FoldingRange>>;

    fn document(params: &OfDocument) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(
        snapshot: &Snapshot,
        params: OfDocument,
        _: &Call,
    ) -> Result<Option<Vec<FoldingRange>>, String> {
        let file = snapshot
            .file(&params.text_document.uri)
            .filter(|_| snapshot.shows.folding);
        let Some(file) = file else {
            return Ok(None);
        };
        let convert = snapshot.convert();
        let range = |span| -> Option<FoldingRange> {
            let Range { start, end } = convert.range(file, span);
            // A range that ends at the start of a line ends with the line before.
            let end = match end {
                Position { line, character: 0 } => line.saturating_sub(1),
                Position { line, .. } => line,
            };
            (end > start.line).then(|| FoldingRange {
                start_line: start.line,
                end_line: end,
                ..FoldingRange::default()
            })
        };
        Ok(Some(
            folding::foldings(&snapshot.analysis, file)
                .into_iter()
                .filter_map(range)
                .collect(),
        ))
    }
}
