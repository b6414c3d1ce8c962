//! Findings without positions: made when a file is read, placed when a project is resolved.

use crate::judge::Stage;
use applyorder_core::diagnostic::{Anchor, At, Diagnostic, FileId, Place};
use applyorder_core::engine::EngineIx;
use applyorder_syntax::template::SourceMap;
use applyorder_syntax::text::Span;

/// Stands in Tazuna's words on a template for the file, which has another path for each root.
pub(super) const NAMELESS: &str = "{file}";

/// Tazuna's words on the template of a file, with the path that it has for a root.
pub(crate) fn with_path(words: &str, path: &str) -> String {
    words.replacen(NAMELESS, path, 1)
}

/// A finding in one file whose places are local: entry `i` of the item or head it was found in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    /// The finding; its severity and enforcement are settled when the file's role is known.
    pub(crate) diagnostic: Diagnostic,
    /// The stage at which Tazuna rejects it, where the file is a root.
    pub(crate) stage: Option<Stage>,
    /// Further keys of the engine's error.
    pub(crate) details: Vec<(&'static str, String)>,
}

impl Draft {
    /// A finding of which Tazuna says nothing.
    pub(crate) fn lint(diagnostic: Diagnostic) -> Self {
        Self {
            diagnostic,
            stage: None,
            details: Vec::new(),
        }
    }

    /// A finding that Tazuna rejects at a stage, with its own words.
    pub(crate) fn rejected(stage: Stage, diagnostic: Diagnostic, message: impl Into<String>) -> Self {
        Self {
            diagnostic: diagnostic.engine_message(message),
            stage: Some(stage),
            details: Vec::new(),
        }
    }

    /// With a further key of the engine's error.
    pub(crate) fn detail(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.details.push((key, value.into()));
        self
    }
}

/// A local place moved behind `base` other entries of the file's table.
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

/// A finding with every place moved.
pub(crate) fn placed(diagnostic: &Diagnostic, base: u32) -> Diagnostic {
    let mut d = diagnostic.clone();
    d.place = rebased(d.place, base);
    for related in &mut d.related {
        related.place = rebased(related.place, base);
    }
    for step in d.fixes.iter_mut().flat_map(|f| &mut f.steps) {
        step.map_places(|place| rebased(place, base));
    }
    d
}

/// The places of an ordinary manifest.
const PLACES: usize = 16;

/// Hands out local places while something is read.
pub(crate) struct Pen<'a> {
    file: FileId,
    engine: EngineIx,
    map: &'a SourceMap,
    /// What is taken off every offset, so that an item's table does not change when it moves.
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
