//! Text, spans and the two syntaxes. Knows no engine.

pub mod hcl;
pub mod template;
pub mod text;
pub mod yaml;
