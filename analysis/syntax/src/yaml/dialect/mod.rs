//! What the text means to one engine's YAML library.

pub mod goyaml;
pub mod serdeyaml;
