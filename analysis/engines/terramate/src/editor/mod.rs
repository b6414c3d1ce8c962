//! Functions for editing: completion, explanations of attributes, hover text on a stack's place in the run, and
//! rewrites after a move.

pub(super) mod attributes;
pub(super) mod complete;
pub(super) mod hover;
mod list_at;
pub(super) mod path_rewrites;
pub(super) mod paths;
pub(super) mod why_selected;
