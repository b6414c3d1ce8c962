//! Local places: numbers of what is read, which get their final value when a project is resolved.

use applyorder_core::diagnostic::{Anchor, At, FileId, Place};
use applyorder_core::engine::EngineIx;
use applyorder_syntax::template::SourceMap;
use applyorder_syntax::text::Span;

/// A local place shifted by `base` entries of the file's table.
pub(crate) fn rebased(place: Place, base: u32) -> Place {
    match place.at {
        At::Anchor(anchor) => Place {
            file: place.file,
            at: At::Anchor(Anchor {
                engine: anchor.engine,
                index: anchor.index.saturating_add(base),
            }),
        },
        At::File | At::Span(_) => place,
    }
}

/// The places of an ordinary manifest.
const PLACES: usize = 16;

/// Assigns local places while something is read.
pub(crate) struct Pen<'a> {
    file: FileId,
    engine: EngineIx,
    map: &'a SourceMap,
    /// Subtracted from every offset, so that an item's table does not change when it moves.
    base: u32,
    spans: Vec<Span>,
}

impl<'a> Pen<'a> {
    pub(crate) fn new(file: FileId, engine: EngineIx, map: &'a SourceMap, base: u32) -> Self {
        Self {
            file,
            engine,
            map,
            base,
            spans: Vec::with_capacity(PLACES),
        }
    }

    /// A new entry of the table for a span of the rendered text.
    pub(crate) fn place(&mut self, span: Span) -> Place {
        let source = self.map.source(span).span;
        let index = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
        self.spans.push(Span::new(
            source.start.wrapping_sub(self.base),
            source.end.wrapping_sub(self.base),
        ));
        Place::anchor(self.file, self.engine, index)
    }

    /// The table.
    pub(crate) fn finish(self) -> Box<[Span]> {
        self.spans.into()
    }
}
