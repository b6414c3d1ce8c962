//! What a file that overrides others may not have, and what of it overrides nothing.
//!
//! Source: `mergeFile` of Terraform 1.11 and OpenTofu 1.10, and how both decode the blocks of such a file.

use applyorder_syntax::hcl::Block;
use rustc_hash::FxHashSet;

use super::module::{Misdeclaration, Misdeclared, Source, Spot};

/// The blocks of such a file that cannot override anything. Terraform passes over `removed` there.
pub(super) fn misplaced(file: usize, source: &Source, is_tofu: bool) -> Vec<Misdeclared> {
    let mut found = Vec::new();
    for block in source.facts.tree.body().blocks() {
        let labels: Vec<&str> = block.labels().map(|label| label.text).collect();
        let name = labels.join(".");
        let mut tell = |address: &str, inner: Block<'_>, words: &[&'static str]| {
            let Some(&word) = words.iter().find(|word| **word == inner.kind()) else {
                return;
            };
            let dot = if address.is_empty() { "" } else { "." };
            found.push(Misdeclared {
                subject: format!("{address}{dot}{word}"),
                word,
                spot: Spot {
                    file,
                    at: source.facts.at(inner.header_span()),
                },
                why: Misdeclaration::NoOverride,
            });
        };
        match block.kind() {
            "moved" | "import" => tell("", block, &["moved", "import"]),
            "removed" if is_tofu => tell("", block, &["removed"]),
            "check" => tell("", block, &["check"]),
            "variable" | "output" => {
                let (address, word) = match block.kind() {
                    "variable" => (format!("var.{name}"), "validation"),
                    _ => (format!("output.{name}"), "precondition"),
                };
                for inner in block.body().blocks() {
                    tell(&address, inner, &[word]);
                }
            }
            "resource" | "data" => {
                let data = if block.kind() == "data" { "data." } else { "" };
                let address = format!("{data}{name}.lifecycle");
                for lifecycle in block.body().blocks().filter(|b| b.kind() == "lifecycle") {
                    for inner in lifecycle.body().blocks() {
                        tell(&address, inner, &["precondition", "postcondition"]);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// The configurations of providers with an alias that do not override another; the sources are those of one
/// module, each with its number and whether it overrides others.
pub(super) fn without_base<'s>(
    sources: impl Iterator<Item = (usize, &'s Source, bool)> + Clone,
) -> Vec<Misdeclared> {
    let mut found = Vec::new();
    let mut known: FxHashSet<(String, String)> = FxHashSet::default();
    // Whatever is overridden comes first.
    for (file, source, is_override) in sources {
        let blocks = source.facts.tree.body().blocks();
        for block in blocks.filter(|block| block.kind() == "provider") {
            let Some(alias) = block.body().attribute("alias") else {
                continue;
            };
            let (Some(name), Some(alias)) = (block.labels().next(), alias.value().as_text()) else {
                // It may be any.
                return Vec::new();
            };
            let config = (name.text.to_owned(), alias.to_owned());
            if !is_override {
                known.insert(config);
            } else if !known.contains(&config) {
                let at = source.facts.at(block.header_span());
                found.push(Misdeclared {
                    subject: format!("{}.{}", config.0, config.1),
                    word: "provider",
                    spot: Spot { file, at },
                    why: Misdeclaration::NoBase,
                });
            }
        }
    }
    found
}
