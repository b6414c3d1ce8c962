//! The meaning of a text in one engine's YAML library.

pub mod goyaml;
pub mod serdeyaml;
