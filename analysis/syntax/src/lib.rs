//! Text, spans and syntaxes: YAML with its dialects, HCL, Go templates and regular expressions. Independent of
//! engines.

pub mod go;
pub mod goregexp;
#[cfg(test)]
mod growth;
pub mod hcl;
pub mod template;
pub mod text;
pub mod yaml;

use camino::Utf8Path;

/// The syntax a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// YAML, and JSON as its subset.
    Yaml,
    /// HCL native syntax.
    Hcl,
}

impl Language {
    /// The language that a path's extension indicates.
    #[must_use]
    pub fn of(path: &Utf8Path) -> Option<Self> {
        match path.extension()? {
            "yaml" | "yml" | "json" => Some(Self::Yaml),
            "tm" | "hcl" | "tf" | "tofu" => Some(Self::Hcl),
            _ => None,
        }
    }
}
