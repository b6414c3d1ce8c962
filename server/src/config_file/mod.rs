//! `applyorder.toml` in the editor. No engine reads it: what can be said of it is in the schema of the configuration.
//! What is wrong in it the analysis finds, as on the command line.

mod completion;
mod definition;
mod hover;
mod links;

use applyorder_analysis::config_file::{ConfigFile, is_config};
use serde_json::Value;

use crate::convert::path_of;
use crate::snapshot::Snapshot;

pub(crate) use completion::ConfigCompletions;
pub(crate) use definition::ConfigDefinitions;
pub(crate) use hover::ConfigHovers;
pub(crate) use links::ConfigLinks;

/// Whether a request is about a configuration file.
pub(crate) fn is_asked_about(params: &Value) -> bool {
    let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
    uri.and_then(path_of).is_some_and(|path| is_config(&path))
}

/// The configuration file that a request is about.
fn asked<'a>(snapshot: &'a Snapshot, uri: &str) -> Option<ConfigFile<'a>> {
    ConfigFile::of(&snapshot.analysis, snapshot.file(uri)?)
}
