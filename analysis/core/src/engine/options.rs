//! The options of a run: one type for the command line, the server's settings and the conformance cases.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use super::EngineMeta;

/// Which option a value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OptionName {
    /// `-e, --env`.
    Env,
    /// `--tags`.
    Tags,
    /// `--no-tags`.
    NoTags,
    /// `--cwd`.
    Cwd,
    /// `--changed`.
    Changed,
    /// `--since`.
    Since,
    /// `--failed`.
    Failed,
    /// `--unchanged-output`.
    UnchangedOutputs,
    /// `--namespace`.
    Namespace,
    /// `--into-ns`.
    IntoNs,
    /// `--map-ns`.
    MapNs,
    /// `--agent`.
    Agent,
    /// `--var`, `--var-file`.
    Vars,
    /// `--state`.
    State,
    /// `--as`.
    As,
    /// `version` of the engine's configuration.
    EngineVersion,
}

impl OptionName {
    /// As it is written on the command line.
    #[must_use]
    pub const fn flag(self) -> &'static str {
        match self {
            Self::Env => "--env",
            Self::Tags => "--tags",
            Self::NoTags => "--no-tags",
            Self::Cwd => "--cwd",
            Self::Changed => "--changed",
            Self::Since => "--since",
            Self::Failed => "--failed",
            Self::UnchangedOutputs => "--unchanged-output",
            Self::Namespace => "--namespace",
            Self::IntoNs => "--into-ns",
            Self::MapNs => "--map-ns",
            Self::Agent => "--agent",
            Self::Vars => "--var",
            Self::State => "--state",
            Self::As => "--as",
            Self::EngineVersion => "version",
        }
    }
}

/// What a run is limited to and run with. Empty = the engine's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// The environments asked for; empty = none given, and each declared one.
    pub environments: Vec<String>,
    /// One entry per `--tags`, in the engine's own grammar.
    pub tags: Vec<String>,
    /// One entry per `--no-tags`.
    pub no_tags: Vec<String>,
    /// The directory the engine would be started in, absolute.
    pub cwd: Option<Utf8PathBuf>,
    /// Units taken as changed. `None`: not limited to changed ones.
    pub changed: Option<Vec<String>>,
    /// Files taken as changed, absolute, and no others. `None`: not limited to what changed. An engine
    /// knows which units they change; wins over [`Self::changed`].
    pub changed_files: Option<Vec<Utf8PathBuf>>,
    /// Units taken as failing.
    pub failed: Vec<String>,
    /// Outputs taken as unchanged.
    pub unchanged_outputs: Vec<String>,
    /// Default namespace.
    pub namespace: Option<String>,
    /// Namespace forced on everything.
    pub into_namespace: Option<String>,
    /// Namespaces put into others, `from=to`.
    pub map_namespaces: Vec<String>,
    /// The agent.
    pub agent: Option<String>,
    /// Variables.
    pub vars: BTreeMap<String, String>,
    /// Files of variables, absolute.
    pub var_files: Vec<Utf8PathBuf>,
    /// A snapshot of what is already applied, absolute.
    pub state: Option<Utf8PathBuf>,
    /// Which of the engine's commands `order` answers for, where there is a choice (`--as`).
    pub command: Option<String>,
    /// The engine's version, where the user fixed it.
    pub engine_version: Option<String>,
    /// Whether every place has to lie in a file that can be opened, as an editor needs it.
    pub openable: bool,
}

/// An option that an engine does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    /// The option.
    pub option: OptionName,
    /// The engine's title.
    pub engine: &'static str,
}

impl std::fmt::Display for OptionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} has no option {}", self.engine, self.option.flag())
    }
}

impl std::error::Error for OptionError {}

impl RunOptions {
    /// The environments that a user names, as [`Self::environments`] has them: `all` among them is each that
    /// there is, and none given.
    #[must_use]
    pub fn environments_named(names: Vec<String>) -> Vec<String> {
        if names.iter().any(|name| name == "all") {
            Vec::new()
        } else {
            names
        }
    }

    /// The options that have a value.
    #[must_use]
    pub fn given(&self) -> Vec<OptionName> {
        let table = [
            (!self.environments.is_empty(), OptionName::Env),
            (!self.tags.is_empty(), OptionName::Tags),
            (!self.no_tags.is_empty(), OptionName::NoTags),
            (self.cwd.is_some(), OptionName::Cwd),
            (self.changed.is_some(), OptionName::Changed),
            (self.changed_files.is_some(), OptionName::Since),
            (!self.failed.is_empty(), OptionName::Failed),
            (!self.unchanged_outputs.is_empty(), OptionName::UnchangedOutputs),
            (self.namespace.is_some(), OptionName::Namespace),
            (self.into_namespace.is_some(), OptionName::IntoNs),
            (!self.map_namespaces.is_empty(), OptionName::MapNs),
            (self.agent.is_some(), OptionName::Agent),
            (
                !self.vars.is_empty() || !self.var_files.is_empty(),
                OptionName::Vars,
            ),
            (self.state.is_some(), OptionName::State),
            (self.command.is_some(), OptionName::As),
            (self.engine_version.is_some(), OptionName::EngineVersion),
        ];
        table
            .into_iter()
            .filter_map(|(given, name)| given.then_some(name))
            .collect()
    }

    /// The same options without those that an engine does not know.
    #[must_use]
    pub fn only(&self, known: &[OptionName]) -> Self {
        let has = |name| known.contains(&name);
        let own = self.clone();
        Self {
            environments: if has(OptionName::Env) {
                own.environments
            } else {
                Vec::new()
            },
            tags: if has(OptionName::Tags) {
                own.tags
            } else {
                Vec::new()
            },
            no_tags: if has(OptionName::NoTags) {
                own.no_tags
            } else {
                Vec::new()
            },
            cwd: own.cwd.filter(|_| has(OptionName::Cwd)),
            changed: own.changed.filter(|_| has(OptionName::Changed)),
            changed_files: own.changed_files.filter(|_| has(OptionName::Since)),
            failed: if has(OptionName::Failed) {
                own.failed
            } else {
                Vec::new()
            },
            unchanged_outputs: if has(OptionName::UnchangedOutputs) {
                own.unchanged_outputs
            } else {
                Vec::new()
            },
            namespace: own.namespace.filter(|_| has(OptionName::Namespace)),
            into_namespace: own.into_namespace.filter(|_| has(OptionName::IntoNs)),
            map_namespaces: if has(OptionName::MapNs) {
                own.map_namespaces
            } else {
                Vec::new()
            },
            agent: own.agent.filter(|_| has(OptionName::Agent)),
            vars: if has(OptionName::Vars) {
                own.vars
            } else {
                BTreeMap::new()
            },
            var_files: if has(OptionName::Vars) {
                own.var_files
            } else {
                Vec::new()
            },
            state: own.state.filter(|_| has(OptionName::State)),
            command: own.command.filter(|_| has(OptionName::As)),
            engine_version: own.engine_version.filter(|_| has(OptionName::EngineVersion)),
            openable: own.openable,
        }
    }

    /// Refuses the first option that has a value and that the engine does not know.
    ///
    /// # Errors
    /// Names the option.
    pub fn check(&self, meta: &EngineMeta) -> Result<(), OptionError> {
        match self.given().into_iter().find(|o| !meta.options.contains(o)) {
            Some(option) => Err(OptionError {
                option,
                engine: meta.title,
            }),
            None => Ok(()),
        }
    }
}
