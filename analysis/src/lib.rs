//! The analysis behind applyorder.
//!
//! Every dialect becomes the same small set of facts with spans; everything a user sees is computed
//! from those facts. Text becomes a tree ([`syntax`]), an engine reads facts out of it and makes a graph of
//! a project's facts ([`engines`], [`graph`]), rules find what is wrong ([`rules`]), and [`ide`] answers an
//! editor. [`workspace`] knows which files there are and what an edit makes stale.
//!
//! The crate is pure: it prints nothing, starts no process, and reads files only through
//! [`files::Files`]. Nothing in it fails as a whole: what is wrong is part of every result.

#[cfg(test)]
extern crate self as applyorder_analysis;

pub mod config;
pub mod diagnostic;
pub mod engines;
pub mod files;
pub mod graph;
pub mod ide;
pub mod rules;
pub mod syntax;
pub mod workspace;
