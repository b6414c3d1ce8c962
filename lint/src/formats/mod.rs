//! Output formats of findings, one file each.

pub mod concise;
pub mod human;
pub mod json;
mod snippets;
