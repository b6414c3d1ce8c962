//! How the text at a cursor continues, if it is a sentence of several words.

use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Signature;

/// The sentence that is being typed; of the first engine that knows one.
#[must_use]
pub fn signature(analysis: &Analysis, file: FileId, offset: u32) -> Option<Signature> {
    let mut engines = analysis.engines().iter();
    engines.find_map(|(index, engine)| {
        analysis.facts(file, index)?;
        engine.signature(analysis, index, file, offset)
    })
}
