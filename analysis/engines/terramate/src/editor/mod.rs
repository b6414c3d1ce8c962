//! What editing asks: completion, what attributes are for, what hovers say of a stack's place in the run, and what a move rewrites.

pub(super) mod attributes;
pub(super) mod complete;
pub(super) mod hover;
mod list_at;
pub(super) mod path_rewrites;
pub(super) mod paths;
pub(super) mod why_selected;
