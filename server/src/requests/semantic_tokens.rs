//! `textDocument/semanticTokens/full` and `textDocument/semanticTokens/range`

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::ide::tokens::{self, Meaning};
use applyorder_analysis::syntax::text::Span;
use serde_json::{Value, json};

use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::{InRange, OfDocument};
use crate::snapshot::Snapshot;

pub(crate) struct AllTokens;

impl RequestHandler for AllTokens {
    const METHOD: &'static str = "textDocument/semanticTokens/full";
    type Params = OfDocument;
    type Answer = Option<Value>;

    fn document(params: &OfDocument) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: OfDocument, _: &Call) -> Result<Option<Value>, String> {
        let file = wanted(snapshot, &params.text_document.uri);
        Ok(file.map(|file| encoded(snapshot, file, Span::new(0, u32::MAX))))
    }
}

pub(crate) struct TokensInRange;

impl RequestHandler for TokensInRange {
    const METHOD: &'static str = "textDocument/semanticTokens/range";
    type Params = InRange;
    type Answer = Option<Value>;

    fn document(params: &InRange) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: InRange, _: &Call) -> Result<Option<Value>, String> {
        let file = wanted(snapshot, &params.text_document.uri);
        let found = file.and_then(|file| Some((file, snapshot.convert().span(file, params.range)?)));
        Ok(found.map(|(file, span)| encoded(snapshot, file, span)))
    }
}

fn wanted(snapshot: &Snapshot, uri: &str) -> Option<FileId> {
    snapshot.file(uri).filter(|_| snapshot.shows.semantic_tokens)
}

/// Five numbers a word, each place relative to the one before.
fn encoded(snapshot: &Snapshot, file: FileId, range: Span) -> Value {
    let convert = snapshot.convert();
    let (mut line, mut column) = (0, 0);
    let mut data: Vec<u32> = Vec::new();
    for token in tokens::tokens(&snapshot.analysis, file, range) {
        let at = convert.range(file, token.span);
        // By their places in the legend.
        let (kind, modifiers) = match token.meaning {
            Meaning::Unit => (0, 0b01),
            Meaning::Reference => (0, 0),
            Meaning::Symbol => (1, 0),
            Meaning::Dangling => (2, 0b10),
        };
        let down = at.start.line.saturating_sub(line);
        let from = if down == 0 { column } else { 0 };
        data.extend([
            down,
            at.start.character.saturating_sub(from),
            at.end.character.saturating_sub(at.start.character),
            kind,
            modifiers,
        ]);
        (line, column) = (at.start.line, at.start.character);
    }
    json!({ "data": data })
}
