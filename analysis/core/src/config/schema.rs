//! The keys of `applyorder.toml`.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Severity;

/// A configuration file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// Another configuration file to start from, relative to this one.
    pub extend: Option<String>,
    /// The least severity that makes `lint` fail.
    pub fail_on: Option<Severity>,
    /// Whether rules that are still in preview are reported.
    pub preview: bool,
    /// Severity of a rule: `error`, `warning`, `info`, `hint` or `off`. A key is a rule's id, or `ENGINE/*`
    /// for all rules that only one engine knows.
    pub rules: BTreeMap<String, RuleLevel>,
    /// Tazuna.
    pub tazuna: TazunaConfig,
    /// Terramate.
    pub terramate: TerramateConfig,
    /// kapp.
    pub kapp: KappConfig,
    /// Ankaios.
    pub ankaios: AnkaiosConfig,
    /// Spacelift.
    pub spacelift: SpaceliftConfig,
    /// The directory of the file: paths in it are relative to this.
    #[serde(skip)]
    pub dir: Utf8PathBuf,
    /// The file; `None` for the defaults.
    #[serde(skip)]
    pub file: Option<Utf8PathBuf>,
}

/// The level a rule is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuleLevel {
    /// Not reported.
    Off,
    /// Reported as a hint.
    Hint,
    /// Reported as an info.
    Info,
    /// Reported as a warning.
    Warning,
    /// Reported as an error.
    Error,
}

/// `[tazuna]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TazunaConfig {
    /// Which generation of Tazuna's behaviour: `G1` to `G5`, the newest without it.
    pub generation: Option<TazunaGeneration>,
    /// The version of Tazuna in use, for `spec.minimumSupportedTazunaVersion`.
    pub version: Option<String>,
    /// Files that are roots although another file includes them, or whatever their name is.
    pub roots: Vec<String>,
}

/// A generation of Tazuna's behaviour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs)]
pub enum TazunaGeneration {
    G1,
    G2,
    G3,
    G4,
    #[default]
    G5,
}

/// `[terramate]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TerramateConfig {
    /// The version of Terramate in use.
    pub version: Option<String>,
    /// The directory of this file is the root of a project, whatever git says: it is a repository of its
    /// own elsewhere.
    pub root: bool,
}

/// `[kapp]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KappConfig {
    /// The version of kapp in use.
    pub version: Option<String>,
    /// Scope of kinds that are neither built in nor defined here: `"apiVersion/Kind" = "cluster"` or
    /// `"namespaced"`.
    pub scopes: BTreeMap<String, KappScope>,
    /// How many steps it may take to find out which optional edges kapp drops [default: 400000000, about a
    /// second]. Past it there are no layers.
    pub optional_steps: Option<u64>,
    /// The apps.
    pub app: Vec<KappApp>,
}

/// Whether the objects of a kind have a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KappScope {
    /// They have none.
    Cluster,
    /// They have one.
    Namespaced,
}

/// `[[kapp.app]]`: the files that one `kapp deploy` is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KappApp {
    /// The app's name, as in `kapp deploy -a`.
    pub name: String,
    /// Files and directories in the order of the `-f` flags.
    pub files: Vec<String>,
    /// The default namespace, as in `-n`.
    pub namespace: Option<String>,
    /// As in `--into-ns`.
    pub into_ns: Option<String>,
    /// As in `--map-ns`: `from=to`. Every namespace has to be mapped then.
    pub map_ns: Vec<String>,
    /// A command that prints the rendered manifests: program and arguments, no shell.
    pub render: Vec<String>,
}

/// `[ankaios]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AnkaiosConfig {
    /// The version of Ankaios in use.
    pub version: Option<String>,
    /// The manifests that one `ank apply` is given.
    pub apply: Vec<AnkaiosApply>,
}

/// `[[ankaios.apply]]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AnkaiosApply {
    /// A name for reports.
    pub name: String,
    /// The manifests.
    pub files: Vec<String>,
    /// The agent, as in `--agent`.
    pub agent: Option<String>,
}

/// `[spacelift]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SpaceliftConfig {
    /// `terraform` or `opentofu`.
    pub flavor: Option<String>,
    /// Files of variables.
    pub var_files: Vec<String>,
}

impl Config {
    /// This file's table over the configuration it extends: tables are merged key by key, all else is
    /// replaced.
    ///
    /// # Errors
    /// When a key is unknown or a value has the wrong type.
    pub fn merged(base: &Config, own: toml::Table) -> Result<Config, toml::de::Error> {
        let mut table = toml::Table::try_from(base).unwrap_or_default();
        merge(&mut table, own);
        table.try_into()
    }

    /// One `KEY=VALUE` of the command line, as TOML: `tazuna.generation="G1"`. A value that is not TOML is
    /// a string.
    ///
    /// # Errors
    /// When the key is unknown or the value has the wrong type.
    pub fn with_override(&self, key: &str, value: &str) -> Result<Config, toml::de::Error> {
        let line = format!("{key} = {value}");
        let own: toml::Table = match line.parse() {
            Ok(table) => table,
            Err(_) => format!("{key} = {}", toml::Value::String(value.to_owned())).parse()?,
        };
        let merged = Self::merged(self, own)?;
        Ok(Config {
            dir: self.dir.clone(),
            file: self.file.clone(),
            ..merged
        })
    }
}

fn merge(into: &mut toml::Table, from: toml::Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => merge(old, new),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}
