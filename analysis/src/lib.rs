//! The analysis behind applyorder: a [`workspace`] knows which files exist and what an edit makes stale, and
//! [`ide`] answers an editor. The list of engines is passed in; the crate itself knows none.
//!
//! The crate is pure: it prints nothing, starts no process, and reads files only through
//! [`files::Files`]. Nothing in it fails as a whole: errors are part of every result.

pub mod config_file;
#[cfg(any(test, feature = "fixture"))]
pub mod fixture;
pub mod ide;
pub mod workspace;

pub use applyorder_core::{
    config, diagnostic, engine, files, graph, layer, markdown, memo, nearest, rules, store,
};
pub use applyorder_syntax as syntax;
