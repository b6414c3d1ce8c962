//! What the client says at the start, and the settings it may change later.

use applyorder_analysis::engine::RunOptions;
use camino::Utf8PathBuf;
use serde::Deserialize;
use serde_json::Value;

use crate::capabilities::Supports;
use crate::convert;

/// What the client says in `initialize`, read leniently.
pub(crate) struct Start {
    pub(crate) folders: Vec<Utf8PathBuf>,
    pub(crate) supports: Supports,
    pub(crate) settings: Settings,
    /// Whether the client says that the user trusts the workspace.
    pub(crate) trusted: bool,
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
        Self {
            folders,
            supports: Supports::read(params.get("capabilities").unwrap_or(&Value::Null)),
            settings: Settings::read(params.get("initializationOptions").unwrap_or(&Value::Null)),
            trusted: params.pointer("/initializationOptions/trusted") == Some(&Value::Bool(true)),
            parent: params.get("processId").and_then(Value::as_u64),
        }
    }
}

/// The settings of the server: what the command line's flags of the same names mean.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Settings {
    environments: Vec<String>,
    tags: Vec<String>,
    no_tags: Vec<String>,
    namespace: Option<String>,
    into_namespace: Option<String>,
    map_namespaces: Vec<String>,
    agent: Option<String>,
    render: bool,
    inlay_hints: Option<bool>,
    code_lens: Option<bool>,
}

/// What the user wants to see besides what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shows {
    pub(crate) inlay_hints: bool,
    pub(crate) code_lens: bool,
}

impl Settings {
    /// Reads settings, alone or under the section `applyorder`; what can't be read is the default.
    pub(crate) fn read(value: &Value) -> Self {
        let section = value.get("applyorder").unwrap_or(value);
        serde_json::from_value(section.clone()).unwrap_or_default()
    }

    /// Whether the user agreed that commands of the configuration are run in workspaces that are trusted.
    pub(crate) fn render(&self) -> bool {
        self.render
    }

    /// What the user wants to see: everything, unless something is switched off.
    pub(crate) fn shows(&self) -> Shows {
        Shows {
            inlay_hints: self.inlay_hints.unwrap_or(true),
            code_lens: self.code_lens.unwrap_or(true),
        }
    }

    /// The options of every analysis.
    pub(crate) fn run_options(&self) -> RunOptions {
        RunOptions {
            environments: RunOptions::environments_named(self.environments.clone()),
            tags: self.tags.clone(),
            no_tags: self.no_tags.clone(),
            namespace: self.namespace.clone(),
            into_namespace: self.into_namespace.clone(),
            map_namespaces: self.map_namespaces.clone(),
            agent: self.agent.clone(),
            openable: true,
            ..RunOptions::default()
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

    #[test]
    fn settings_come_bare_or_in_their_section() {
        let expected = Settings {
            tags: vec!["a".to_owned()],
            ..Settings::default()
        };
        assert_eq!(Settings::read(&json!({"tags": ["a"], "other": 1})), expected);
        assert_eq!(Settings::read(&json!({"applyorder": {"tags": ["a"]}})), expected);
        assert_eq!(Settings::read(&Value::Null), Settings::default());
    }
}
