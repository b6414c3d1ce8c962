//! The places in one file that name what stands at an offset.

use super::references::{self, Reference};
use crate::diagnostic::FileId;
use crate::workspace::Analysis;

/// The places, in order; declarations among them.
#[must_use]
pub fn highlights(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Reference> {
    let mut found = references::references(analysis, file, offset, true);
    found.retain(|r| r.at.file == file);
    found
}
