//! `applyorder.toml` in the editor. No engine reads it: what can be said of it is in the schema of the configuration.
//! What is wrong in it the analysis finds, as on the command line.

mod completion;
mod hover;
mod links;
mod outline;
mod paths;
mod schema;

use applyorder_analysis::config;
use applyorder_analysis::diagnostic::{FileId, Rule};
use applyorder_analysis::engine::Engines;
use serde_json::Value;

use crate::convert::path_of;
use crate::snapshot::Snapshot;
use outline::{NodeIx, Outline, Step};
use schema::ConfigSchema;

pub(crate) use completion::ConfigCompletions;
pub(crate) use hover::ConfigHovers;
pub(crate) use links::ConfigLinks;
pub(crate) use paths::moved;

/// Whether a request is about a configuration file.
pub(crate) fn is_asked_about(params: &Value) -> bool {
    let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
    let path = uri.and_then(path_of);
    path.is_some_and(|path| {
        path.file_name()
            .is_some_and(|name| config::FILE_NAMES.contains(&name))
    })
}

/// A configuration file that is looked at.
struct ConfigFile<'a> {
    file: FileId,
    text: &'a str,
    outline: Outline,
    schema: ConfigSchema,
    engines: Engines,
}

impl<'a> ConfigFile<'a> {
    fn of(snapshot: &'a Snapshot, uri: &str) -> Option<Self> {
        Self::with(snapshot, snapshot.file(uri)?)
    }

    fn with(snapshot: &'a Snapshot, file: FileId) -> Option<Self> {
        let text = &*snapshot.analysis.source(file)?.text;
        let engines = snapshot.analysis.engines();
        Some(Self {
            file,
            text,
            outline: Outline::of(text),
            schema: ConfigSchema::new(&engines.known()),
            engines,
        })
    }

    /// Whether the keys of a table name rules.
    fn names_rules(&self, table: NodeIx) -> bool {
        let path = self.outline.path(table);
        let is_rules = matches!(path.last(), Some(Step::Key(key)) if key == "rules");
        is_rules && self.schema.at(path).is_map()
    }

    /// The rules that a configuration can name.
    fn rules(&self) -> Vec<&'static Rule> {
        self.engines.rules()
    }
}
