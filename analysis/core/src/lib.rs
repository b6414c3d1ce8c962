//! What the engines share, and their interface.
//!
//! Every dialect becomes the same small set of facts with spans ([`store`]); an [`engine`] makes a [`graph`]
//! of a project's facts; problems become findings ([`diagnostic`]), of which the ones that several
//! engines have are built by the shared [`rules`].
//!
//! The crate is pure: it prints nothing, starts no process, and reads files only through
//! [`files::Files`]. Nothing in it fails as a whole: errors are part of every result.

mod background;
pub mod config;
pub mod declared;
pub mod diagnostic;
pub mod engine;
pub mod files;
pub mod graph;
pub mod layer;
pub mod markdown;
pub mod memo;
pub mod nearest;
pub mod rules;
pub mod store;

#[cfg(test)]
#[path = "../../../tests/support/temp.rs"]
mod temp;
