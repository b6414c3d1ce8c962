//! The analysis behind applyorder: pure functions from text to facts, order graph and diagnostics.
pub mod graph;
pub mod syntax;
