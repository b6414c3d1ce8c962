//! What can be put in at an offset. Engines know; each that read the file is asked.

use crate::diagnostic::FileId;
use crate::engines::{self, Completion};
use crate::workspace::Analysis;

/// The proposals, each once, in the engines' own order.
#[must_use]
pub fn completions(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Completion> {
    let mut found: Vec<Completion> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for (index, engine) in (0u8..).zip(engines::all()) {
        if analysis.facts(file, index).is_none() {
            continue;
        }
        for completion in engine.complete(analysis, file, offset) {
            if seen.insert((completion.label.clone(), completion.span)) {
                found.push(completion);
            }
        }
    }
    found
}
