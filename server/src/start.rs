//! What the client says at the start.

use camino::Utf8PathBuf;
use serde_json::Value;

use crate::capabilities::Supports;
use crate::convert;

/// What the client says in `initialize`, read leniently.
pub(crate) struct Start {
    pub(crate) folders: Vec<Utf8PathBuf>,
    pub(crate) supports: Supports,
    /// The settings, for [`crate::settings::Settings::read`].
    pub(crate) settings: Value,
    /// Whether the client says that the user trusts the workspace; `None` if it does not say.
    pub(crate) trusted: Option<bool>,
    /// The process that started the server; when it is gone, so is the client.
    pub(crate) parent: Option<u64>,
}

impl Start {
    pub(crate) fn read(params: &Value) -> Self {
        let uri = |v: &Value| v.get("uri")?.as_str().and_then(convert::path_of);
        let mut folders: Vec<Utf8PathBuf> = params
            .get("workspaceFolders")
            .and_then(Value::as_array)
            .map(|folders| folders.iter().filter_map(uri).collect())
            .unwrap_or_default();
        if folders.is_empty() {
            let root = params
                .get("rootUri")
                .and_then(Value::as_str)
                .and_then(convert::path_of);
            let path = || {
                let path = params.get("rootPath")?.as_str()?;
                path.starts_with('/')
                    .then(|| applyorder_analysis::files::clean(path))
            };
            folders.extend(root.or_else(path));
        }
        let mut supports = Supports::read(params.get("capabilities").unwrap_or(&Value::Null));
        supports.commands = params.pointer("/initializationOptions/commands") == Some(&Value::Bool(true));
        Self {
            folders,
            supports,
            settings: params.get("initializationOptions").cloned().unwrap_or_default(),
            trusted: params
                .pointer("/initializationOptions/trusted")
                .and_then(Value::as_bool),
            parent: params.get("processId").and_then(Value::as_u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn folders_are_found_wherever_the_client_names_them() {
        let folders = |v: Value| Start::read(&v).folders;
        assert_eq!(
            folders(json!({"workspaceFolders": [{"uri": "file:///a", "name": "a"}], "rootUri": "file:///b"})),
            ["/a"]
        );
        assert_eq!(
            folders(json!({"workspaceFolders": null, "rootUri": "file:///b"})),
            ["/b"]
        );
        assert_eq!(folders(json!({"rootUri": null, "rootPath": "/c/"})), ["/c"]);
        assert!(folders(Value::Null).is_empty());
    }
}
