//! The keys of `applyorder.toml`.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::Known;
use super::expect::Expect;
use super::globs::{Glob, Globs};
use super::links::Hyperlinks;
use super::origin::{Origin, Origins};
use super::places::LastPlaces;
use super::required::RequiredVersion;
use super::section::{Section, Settings, Value};
use crate::diagnostic::Severity;
use applyorder_syntax::text::Span;

/// A configuration: the settings that belong to no engine, and a table for each engine.
#[derive(Clone, Debug, Default)]
pub struct Config {
    own: Own,
    /// The tables of the engines, by name.
    sections: BTreeMap<&'static str, Value>,
    /// Everything that is set, in the file and in those that it extends.
    table: toml::Table,
    origins: Origins,
    excluded: Globs,
    /// The paths of each of [`Own::overrides`].
    overridden: Vec<Globs>,
    /// The directory of the file: paths in it are relative to this.
    pub dir: Utf8PathBuf,
    /// The file; `None` for the defaults.
    pub file: Option<Utf8PathBuf>,
    places: LastPlaces,
}

/// What belongs to no engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct Own {
    /// A file written by `lint --write-baseline`, relative to this one: `lint` reports only findings that are not in it.
    #[schemars(extend("x-path" = true))]
    pub baseline: Option<String>,
    /// Whether `lint` writes annotations in a CI system that shows them: `auto` or `off`.
    pub ci: Ci,
    /// Paths to exclude from discovery and findings: patterns as in a `.gitignore`, relative to this file.
    pub exclude: Vec<Glob>,
    /// What the project expects of its own order: `applyorder check`.
    pub expect: Vec<Expect>,
    /// Another configuration file to start from, relative to this one.
    #[schemars(extend("x-path" = true))]
    pub extend: Option<String>,
    /// The lowest severity that makes `lint` fail.
    pub fail_on: Option<Severity>,
    /// Whether places and rules are links in a terminal: `auto`, `off`, the program that opens them (`file`, `vscode`,
    /// `idea` and others), or a URL with `{path}`, `{line}` and `{column}`.
    pub hyperlinks: Hyperlinks,
    /// Severities for some files. The last override that matches a file and a rule takes precedence.
    pub overrides: Vec<Override>,
    /// Whether preview rules are reported.
    pub preview: bool,
    /// The versions of applyorder that may use this file, in Cargo's syntax: `>=0.1, <0.3`.
    pub required_version: Option<RequiredVersion>,
    /// Severity of a rule: `error`, `warning`, `info`, `hint` or `off`. A key is a rule ID, `ENGINE/*` for all rules
    /// of one engine only, or `ENGINE` for everything in its projects; the most specific key takes precedence.
    pub rules: BTreeMap<String, RuleLevel>,
}

/// The keys of [`Own`].
pub(super) const OWN_KEYS: [&str; 11] = [
    "baseline",
    "ci",
    "exclude",
    "expect",
    "extend",
    "fail-on",
    "hyperlinks",
    "overrides",
    "preview",
    "required-version",
    "rules",
];

/// Severities for some files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// The files: patterns as in a `.gitignore`, relative to the configuration file.
    pub files: Vec<Glob>,
    /// The severities of rules in these files, as in `[rules]`.
    pub rules: BTreeMap<String, RuleLevel>,
}

/// Behavior in a CI system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ci {
    /// Annotations, if the system shows them.
    #[default]
    Auto,
    /// No annotations.
    Off,
}

/// The level a rule is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuleLevel {
    /// Not reported.
    Off,
    /// Reported as a hint.
    Hint,
    /// Reported as info.
    Info,
    /// Reported as a warning.
    Warning,
    /// Reported as an error.
    Error,
}

impl std::ops::Deref for Config {
    type Target = Own;

    fn deref(&self) -> &Own {
        &self.own
    }
}

impl std::ops::DerefMut for Config {
    fn deref_mut(&mut self) -> &mut Own {
        &mut self.own
    }
}

impl Config {
    /// Reads a table.
    ///
    /// # Errors
    /// When a key is unknown or a value has the wrong type.
    pub fn read(table: toml::Table, known: &Known) -> Result<Self, toml::de::Error> {
        let mut own = table.clone();
        let mut sections = BTreeMap::new();
        for section in &known.sections {
            let value = match own.remove(section.name()) {
                Some(toml::Value::Table(table)) => section.read(table)?,
                Some(_) => {
                    let message = format!("`{}` is not a table", section.name());
                    return Err(serde::de::Error::custom(message));
                }
                None => section.read(toml::Table::new())?,
            };
            sections.insert(section.name(), value);
        }
        if let Some(key) = own.keys().find(|key| !OWN_KEYS.contains(&key.as_str())) {
            return Err(serde::de::Error::custom(format!("unknown key `{key}`")));
        }
        let own: Own = own.try_into()?;
        Ok(Self {
            excluded: Globs::new(&own.exclude),
            overridden: own.overrides.iter().map(|o| Globs::new(&o.files)).collect(),
            own,
            sections,
            table,
            ..Self::default()
        })
    }

    /// The same configuration as if it were in a directory.
    #[must_use]
    pub fn at(mut self, dir: impl Into<Utf8PathBuf>) -> Self {
        self.dir = dir.into();
        self
    }

    /// Where the text of the file names a path in the list `[SECTION] LIST`, or with a name in `files` of the
    /// table `[[SECTION.LIST]]` with that name.
    #[must_use]
    pub fn place_of(&self, text: &Arc<str>, list: [&str; 2], name: Option<&str>, path: &str) -> Option<Span> {
        self.places.find((&self.dir, text), list, name, path)
    }

    /// The table of an engine; the default if it is missing.
    #[must_use]
    pub fn section<T: Settings>(&self) -> Arc<T> {
        let mut all = self.sections.values();
        all.find_map(|value| value.clone().downcast::<T>().ok())
            .unwrap_or_default()
    }

    /// The same configuration with the table of an engine.
    #[must_use]
    pub fn with<T: Settings>(mut self, section: &Section, value: T) -> Self {
        self.sections.insert(section.name(), Arc::new(value));
        self
    }

    /// Whether engines find the same projects under both configurations: both have the same settings for them,
    /// at the same places.
    pub(super) fn finds_as(&self, other: &Self, known: &Known) -> bool {
        let mut names = known.sections.iter().map(|section| section.name());
        let is_same_file = self.file == other.file;
        names.all(|name| {
            let said = self.table.get(name);
            said == other.table.get(name) && (said.is_none() || is_same_file)
        })
    }

    /// What the file excludes, relative to its directory.
    pub(super) fn excluded(&self) -> &Globs {
        &self.excluded
    }

    /// The overrides for a file, the last one first.
    pub(super) fn overrides_of<'a>(&'a self, path: &'a Utf8Path) -> impl Iterator<Item = &'a Override> {
        // Asked for each finding, and mostly the list is empty.
        let is_asked = !self.own.overrides.is_empty();
        let relative = is_asked.then(|| path.strip_prefix(&self.dir).ok()).flatten();
        let all = self.own.overrides.iter().zip(&self.overridden).rev();
        all.filter(move |(_, globs)| relative.is_some_and(|path| globs.matches_file(path)))
            .map(|(own, _)| own)
    }

    /// The path of the baseline.
    #[must_use]
    pub fn baseline_path(&self) -> Option<Utf8PathBuf> {
        let path = self.own.baseline.as_ref()?;
        Some(crate::files::clean(&self.dir.join(path).into_string()))
    }

    /// Where a value was set, by its keys from the outermost on; `None` for a default.
    #[must_use]
    pub fn origin(&self, key: &[String]) -> Option<&Origin> {
        self.origins.of(key)
    }

    /// See [`super::Configs::without_levels`]. Lists what is kept, so that a new key is not kept by accident.
    pub(super) fn without_levels(&self) -> Self {
        Self {
            own: Own {
                preview: true,
                ..Own::default()
            },
            sections: self.sections.clone(),
            dir: self.dir.clone(),
            file: self.file.clone(),
            ..Self::default()
        }
    }

    /// Applies a table over this one: tables are merged key by key, everything else is replaced.
    ///
    /// # Errors
    /// When a key is unknown or a value has the wrong type.
    pub(super) fn merged(
        &self,
        over: toml::Table,
        from: &Origin,
        known: &Known,
    ) -> Result<Self, toml::de::Error> {
        let mut origins = self.origins.clone();
        origins.set(&over, from);
        let mut table = self.table.clone();
        merge(&mut table, over);
        let mut merged = Self::read(table, known)?.at(self.dir.clone());
        merged.file.clone_from(&self.file);
        merged.origins = origins;
        Ok(merged)
    }

    /// One `KEY=VALUE` of the command line, as TOML: `tazuna.generation="G1"`. A value that is not TOML is
    /// a string.
    ///
    /// # Errors
    /// When the key is unknown or the value has the wrong type.
    pub fn with_override(&self, key: &str, value: &str, known: &Known) -> Result<Self, toml::de::Error> {
        let line = format!("{key} = {value}");
        let over: toml::Table = match line.parse() {
            Ok(table) => table,
            Err(_) => format!("{key} = {}", toml::Value::String(value.to_owned())).parse()?,
        };
        self.merged(over, &Origin::CommandLine, known)
    }

    /// Every key with its value, including defaults, as a TOML table.
    #[must_use]
    pub fn show(&self, known: &Known) -> toml::Table {
        let own = Own {
            fail_on: Some(self.own.fail_on.unwrap_or(Severity::Error)),
            ..self.own.clone()
        };
        let mut table = toml::Table::try_from(&own).unwrap_or_default();
        for section in &known.sections {
            let value = self.sections.get(section.name());
            if let Some(value) = value.and_then(|value| section.show(value)) {
                table.insert(section.name().to_owned(), value);
            }
        }
        table
    }
}

/// The JSON Schema of a configuration file.
#[must_use]
pub fn json_schema(known: &Known) -> Schema {
    let mut generator = SchemaGenerator::default();
    let sections: Vec<_> = known
        .sections
        .iter()
        .map(|section| (section.name(), section.schema(&mut generator)))
        .collect();
    let mut schema = generator.into_root_schema_for::<Own>();
    schema.insert("title".to_owned(), "Config".into());
    schema.insert("description".to_owned(), "A configuration file.".into());
    if let Some(properties) = schema.get_mut("properties").and_then(|p| p.as_object_mut()) {
        for (name, section) in sections {
            properties.insert(name.to_owned(), section.into());
        }
    }
    schema
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_levels_nothing_is_silenced() {
        let text = "fail-on = \"warning\"\nexclude = [\"*\"]\nbaseline = \"b\"\n[rules]\ncycle = \"off\"\n\
            [[overrides]]\nfiles = [\"*\"]\nrules = { cycle = \"off\" }\n";
        let known = Known {
            rules: vec!["cycle"],
            ..Known::default()
        };
        let config = Config::read(text.parse().unwrap(), &known).unwrap().at("/w");
        assert_eq!((config.rules.len(), config.overrides.len()), (1, 1));
        assert!(!config.excluded().is_empty() && config.baseline_path().is_some());
        let stripped = config.without_levels();
        assert!(stripped.rules.is_empty() && stripped.fail_on.is_none() && stripped.preview);
        assert!(stripped.overrides_of("/w/a".into()).next().is_none() && stripped.excluded().is_empty());
        assert!(stripped.baseline_path().is_none());
        assert_eq!(stripped.dir, "/w");
    }

    #[test]
    fn every_value_knows_where_it_was_set() {
        let known = Known::default();
        let file = |name: &str| Origin::File(name.into());
        let table = |text: &str| text.parse::<toml::Table>().unwrap();
        let base = table("preview = true\nexclude = [\"a\"]\n[rules]\ncycle = \"off\"\na = \"off\"\n");
        let over = table("exclude = [\"b\"]\n[rules]\ncycle = \"hint\"\n");
        let config = Config::default().merged(base, &file("base"), &known).unwrap();
        let config = config.merged(over, &file("own"), &known).unwrap();
        let config = config.with_override("rules.b", "info", &known).unwrap();
        let origin = |key: &[&str]| {
            let key: Vec<String> = key.iter().map(|k| (*k).to_owned()).collect();
            config.origin(&key).cloned()
        };
        assert_eq!(origin(&["preview"]), Some(file("base")));
        assert_eq!(origin(&["exclude"]), Some(file("own")));
        assert_eq!(origin(&["rules", "cycle"]), Some(file("own")));
        assert_eq!(origin(&["rules", "a"]), Some(file("base")));
        assert_eq!(origin(&["rules", "b"]), Some(Origin::CommandLine));
        assert_eq!(origin(&["ci"]), None);
    }

    #[test]
    fn the_keys_are_those_of_the_schema() {
        let schema = json_schema(&Known::default());
        let properties = schema.get("properties").and_then(|p| p.as_object()).unwrap();
        let keys: Vec<&str> = properties.keys().map(String::as_str).collect();
        assert_eq!(keys, OWN_KEYS);
        assert_eq!(schema.get("additionalProperties"), Some(&false.into()));
    }
}
