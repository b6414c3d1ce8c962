//! The settings, which the client gives at the start and may change later.

use applyorder_analysis::engine::{Engines, RunOptions};
use serde_json::Value;

/// The settings of the server: what the command line's flags of the same options mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    options: RunOptions,
    render: bool,
    shows: Shows,
}

/// What the user wants to see in addition to answers. What servers for YAML and Terraform do on the same files is off
/// unless it is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Shows {
    pub(crate) inlay_hints: bool,
    pub(crate) code_lens: Lenses,
    pub(crate) folding: bool,
    pub(crate) selection_ranges: bool,
    pub(crate) semantic_tokens: bool,
}

/// Where lines about the order are shown above the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lenses {
    /// One for the file.
    File,
    /// One for each unit; then its layer is not behind its name as well.
    Unit,
    /// Nowhere.
    Off,
}

impl Lenses {
    fn read(value: Option<&Value>) -> Self {
        match value {
            Some(Value::Bool(false)) => Self::Off,
            Some(Value::String(word)) if word == "off" => Self::Off,
            Some(Value::String(word)) if word == "unit" => Self::Unit,
            _ => Self::File,
        }
    }
}

impl Default for Shows {
    fn default() -> Self {
        Self::read(&Value::Null)
    }
}

impl Shows {
    /// Reads settings, alone or under the section `applyorder`.
    pub(crate) fn read(value: &Value) -> Self {
        let section = value.get("applyorder").unwrap_or(value);
        let is_on = |name, usual| section.get(name).and_then(Value::as_bool).unwrap_or(usual);
        Self {
            inlay_hints: is_on("inlayHints", true),
            code_lens: Lenses::read(section.get("codeLens")),
            folding: is_on("folding", false),
            selection_ranges: is_on("selectionRanges", false),
            semantic_tokens: is_on("semanticTokens", false),
        }
    }
}

impl Settings {
    /// Reads settings, alone or under the section `applyorder`; what can't be read is the default.
    pub(crate) fn read(engines: Engines, value: &Value) -> Self {
        let section = value.get("applyorder").unwrap_or(value);
        let mut options = RunOptions::default();
        for option in engines.options() {
            let value = option.setting.and_then(|name| section.get(name));
            options.set(option, value.map(texts).unwrap_or_default());
        }
        Self {
            options,
            render: section.get("render") == Some(&Value::Bool(true)),
            shows: Shows::read(value),
        }
    }

    /// Whether the user agreed that commands of the configuration are run in workspaces that are trusted.
    pub(crate) fn render(&self) -> bool {
        self.render
    }

    /// What the user wants to see.
    pub(crate) fn shows(&self) -> Shows {
        self.shows
    }

    /// Sets the options that are named, by the names of their settings, and leaves the others.
    pub(crate) fn select(&mut self, engines: Engines, chosen: &Value) {
        for option in engines.options() {
            let value = option.setting.and_then(|name| chosen.get(name));
            if let Some(value) = value {
                self.options.set(option, texts(value));
            }
        }
    }

    /// What runs are limited to, by the names of the settings.
    pub(crate) fn status(&self, engines: Engines) -> Value {
        let mut chosen = serde_json::Map::new();
        for option in engines.options() {
            let Some(name) = option.setting else { continue };
            if let Some(values) = self.options.values(option).filter(|values| !values.is_empty()) {
                chosen.insert(name.to_owned(), values.into());
            }
        }
        serde_json::json!({ "selection": chosen })
    }

    /// The options of every analysis.
    pub(crate) fn run_options(&self) -> RunOptions {
        RunOptions {
            openable: true,
            ..self.options.clone()
        }
    }
}

/// A string, or each string of a list.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().filter_map(|v| Some(v.as_str()?.to_owned())).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_come_bare_or_in_their_section() {
        let read = |value: &Value| Settings::read(Engines::new(&[]), value).render();
        assert!(read(&json!({"render": true, "other": 1})));
        assert!(read(&json!({"applyorder": {"render": true}})));
        assert!(!read(&json!({"render": "true"})));
        assert!(!read(&Value::Null));
        let shows = |value: &Value| Settings::read(Engines::new(&[]), value).shows();
        assert!(shows(&Value::Null).code_lens == Lenses::File && shows(&Value::Null).inlay_hints);
        assert_eq!(shows(&json!({"codeLens": "unit"})).code_lens, Lenses::Unit);
        assert_eq!(shows(&json!({"codeLens": "off"})).code_lens, Lenses::Off);
        let off = json!({"codeLens": false, "inlayHints": false});
        assert!(shows(&off).code_lens == Lenses::Off && !shows(&off).inlay_hints);
        assert!(!shows(&off).folding && !shows(&off).selection_ranges && !shows(&off).semantic_tokens);
        assert!(shows(&json!({"applyorder": {"folding": true}})).folding);
    }
}
