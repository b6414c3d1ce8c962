//! The content of a manifest: the shape of its facts. Places are referred to only by numbers.

/// A text and the number of its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    /// The text.
    pub(crate) value: Box<str>,
    /// Its place.
    pub(crate) place: u32,
}

/// The kind of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum DocumentKind {
    /// A manifest.
    Manifest,
    /// The output of `ank get state`.
    State,
    /// Something else.
    #[default]
    Foreign,
}

/// The value of `apiVersion`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Version {
    /// It is missing.
    #[default]
    Missing,
    /// `v1`.
    V1,
    /// `v0.1`.
    V01,
    /// Anything else, as text.
    Other(Box<str>),
}

impl Version {
    /// Whether `ank apply` checks the manifest against its schema.
    pub(crate) fn has_schema(&self) -> bool {
        *self != Self::V01
    }

    /// Whether Ankaios reads manifests of this version.
    pub(crate) fn is_known(&self) -> bool {
        matches!(self, Self::V1 | Self::V01)
    }
}

/// The state that a dependency must reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// It runs.
    Running,
    /// It ended with exit code 0.
    Succeeded,
    /// It ended with another exit code.
    Failed,
}

impl Condition {
    /// All, with their spellings: upstream announced further ones.
    pub(crate) const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Running, "ADD_COND_RUNNING", "running"),
        (Self::Succeeded, "ADD_COND_SUCCEEDED", "succeeded"),
        (Self::Failed, "ADD_COND_FAILED", "failed"),
    ];

    /// The condition of a spelling.
    pub(crate) fn of(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, t, _)| *t == text).map(|(c, ..)| *c)
    }

    /// As it is written in manifests.
    #[must_use]
    pub fn spelling(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(c, ..)| *c == self)
            .map_or("", |(_, t, _)| t)
    }

    /// As it is shown on edges.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(c, ..)| *c == self)
            .map_or("", |(.., w)| w)
    }
}

/// When a workload is restarted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Restart {
    /// Never; also if it is missing or unknown.
    #[default]
    Never,
    /// When it failed.
    OnFailure,
    /// When it ended.
    Always,
}

impl Restart {
    pub(crate) const ALL: [(Self, &'static str); 3] = [
        (Self::Never, "NEVER"),
        (Self::OnFailure, "ON_FAILURE"),
        (Self::Always, "ALWAYS"),
    ];

    pub(crate) fn of(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, t)| *t == text).map(|(r, _)| *r)
    }

    pub(crate) fn spelling(self) -> &'static str {
        Self::ALL.iter().find(|(r, _)| *r == self).map_or("", |(_, t)| t)
    }
}

/// An entry of `dependencies`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The key.
    pub(crate) name: Text,
    /// The condition; `None` if it is not one of Ankaios'.
    pub(crate) condition: Option<Condition>,
    /// The place of the condition.
    pub(crate) value: u32,
}

/// An entry of a workload's `configs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigUse {
    /// The name in templates.
    pub(crate) alias: Text,
    /// The config.
    pub(crate) config: Text,
}

/// A field whose text may be a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Its text, as the server reads it.
    pub(crate) text: Text,
    /// The place of its key.
    pub(crate) key: u32,
    /// The variables and faults of its text, read as a template.
    pub(crate) template: super::template::Template,
}

/// An entry of `files`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileEntry {
    /// The whole entry.
    pub(crate) place: u32,
    /// Where it is mounted.
    pub(crate) mount: Option<Text>,
    /// `data`.
    pub(crate) data: Option<Field>,
    /// `binaryData`.
    pub(crate) binary: Option<Field>,
    /// Whether `binaryData` comes first of the two.
    pub(crate) is_binary_first: bool,
}

impl FileEntry {
    /// The content as the server reads it.
    pub(crate) fn content(&self) -> Option<&Field> {
        self.data.as_ref().or(self.binary.as_ref())
    }

    /// Whether `ank apply` uses `binaryData`: of both it uses the first.
    pub(crate) fn applies_binary(&self) -> bool {
        self.binary.is_some() && (self.is_binary_first || self.data.is_none())
    }

    /// The content as `ank apply` uses it.
    pub(crate) fn applied(&self) -> Option<&Field> {
        if self.applies_binary() {
            self.binary.as_ref()
        } else {
            self.data.as_ref()
        }
    }
}

/// A workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Workload {
    /// Its key.
    pub(crate) name: Text,
    /// Its body.
    pub(crate) body: u32,
    /// The agent, if it is a string to the server.
    pub(crate) agent: Option<Field>,
    /// The runtime.
    pub(crate) runtime: Option<Text>,
    /// The text for the runtime.
    pub(crate) runtime_config: Option<Field>,
    /// When it is restarted.
    pub(crate) restart: Restart,
    /// Where that is written.
    pub(crate) restart_place: Option<u32>,
    /// The dependencies in the order of the text.
    pub(crate) dependencies: Vec<Dependency>,
    /// The key `dependencies`.
    pub(crate) dependencies_key: Option<u32>,
    /// The configs it uses.
    pub(crate) configs: Vec<ConfigUse>,
    /// The files.
    pub(crate) files: Vec<FileEntry>,
    /// The key `files`, if it has entries.
    pub(crate) files_key: Option<u32>,
    /// The values of its tags, as `key=value`.
    pub(crate) tags: Vec<Box<str>>,
    /// The value of `tags`.
    pub(crate) tags_place: Option<u32>,
    /// The content of its access rules, a line each.
    pub(crate) access: Vec<Box<str>>,
    /// The fields that `ank apply` accepts and loses.
    pub(crate) lost: Vec<&'static str>,
    /// The fields that `ank apply` needs for dependencies, configs or files and that are not valid, so that
    /// nothing is known of their content.
    pub(crate) unread: Vec<&'static str>,
}

impl Manifest {
    /// Releases unused capacity.
    pub(super) fn shrink(&mut self) {
        self.faults.shrink_to_fit();
        self.workloads.shrink_to_fit();
        self.configs.shrink_to_fit();
        self.items.shrink_to_fit();
        self.updates.shrink_to_fit();
        for workload in &mut self.workloads {
            workload.dependencies.shrink_to_fit();
            workload.configs.shrink_to_fit();
            workload.files.shrink_to_fit();
            workload.tags.shrink_to_fit();
        }
    }
}

impl Workload {
    /// `ank apply` drops all of it.
    pub(crate) fn lose_all(&mut self) {
        let parts = [
            ("dependencies", self.dependencies.is_empty()),
            ("tags", self.tags.is_empty()),
            ("configs", self.configs.is_empty()),
            ("files", self.files.is_empty()),
            ("controlInterfaceAccess", self.access.is_empty()),
        ];
        self.lost = parts
            .iter()
            .filter(|(_, is_empty)| !is_empty)
            .map(|(field, _)| *field)
            .collect();
    }

    /// Whether `ank apply` drops a field.
    pub(crate) fn loses(&self, field: &str) -> bool {
        self.lost.contains(&field)
    }
}

/// An item of the configs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A string.
    Text(Box<str>),
    /// A list: the numbers of its items.
    List(Vec<u32>),
    /// A mapping: keys and numbers of items.
    Map(Vec<(Box<str>, u32)>),
    /// A number, a boolean, null.
    Leaf,
}

/// A config of the top level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// Its key.
    pub(crate) name: Text,
    /// Its value in [`Manifest::items`].
    pub(crate) item: u32,
}

/// The message of one of the two entry points, and its step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) stage: &'static str,
    /// Its text without the wrapper of the step.
    pub(crate) words: Box<str>,
}

/// A fault, as data: rules provide the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    /// The smallest place at fault.
    pub(crate) place: u32,
    /// Another relevant place.
    pub(crate) related: Option<u32>,
    /// The workload it is in.
    pub(crate) workload: Option<u32>,
    /// The message of the startup manifest's reader.
    pub(crate) startup: Option<Said>,
    /// The message of `ank apply`.
    pub(crate) apply: Option<Said>,
    /// The field that `ank apply` loses because of it.
    pub(crate) loses: Option<&'static str>,
    /// Whether it is in the agent, which `--agent` replaces after the schema check.
    pub(crate) is_of_agent: bool,
    /// For keys that `ank apply` rejects: its index in the text, in the order of `ank apply`.
    pub(crate) key_rank: u32,
}

/// The kind of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The text is not a single YAML document.
    Yaml(applyorder_syntax::yaml::dialect::serdeyaml::RefusalKind, Box<str>),
    /// `<<`.
    MergeKey,
    /// A `!tag` where none is allowed.
    LocalTag(Box<str>),
    VersionMissing,
    VersionInvalid(Box<str>),
    VersionDeprecated,
    NestedVersion(Box<str>),
    /// A key of the top level, and whether it has content.
    UnknownTopLevel {
        key: Box<str>,
        holds: bool,
    },
    /// A key where Ankaios knows others.
    UnknownField {
        key: Box<str>,
        of: &'static Known,
    },
    /// The document has nothing for Ankaios; possibly the intended key.
    NoWorkloads,
    MissingField {
        field: &'static str,
        of: &'static str,
    },
    WrongType {
        field: Box<str>,
        expected: &'static str,
        found: &'static str,
    },
    /// A string that is read as something else without quotes.
    Unquoted {
        what: &'static str,
        text: Box<str>,
        found: &'static str,
    },
    UnknownCondition(Box<str>),
    RestartPolicy(Box<str>),
    Name {
        what: &'static str,
        name: Box<str>,
        fault: NameFault,
    },
    KeyCharacters(Box<str>),
    /// An agent that the schema's pattern does not match.
    AgentForm(Box<str>),
    /// A list where a mapping belongs, or vice versa.
    TagsForm {
        wants_list: bool,
        found: &'static str,
    },
    ConfigLeaf(&'static str),
    FilterMaskAlias,
    AccessRule(AccessFault),
}

impl FaultKind {
    /// Whether the workload's fields are replaced by another kind of value, or missing.
    pub(crate) fn is_no_mapping(&self) -> bool {
        match self {
            Self::WrongType { expected, .. } => *expected == "mapping",
            Self::MissingField { of, .. } => *of == EMPTY_WORKLOAD,
            _ => false,
        }
    }
}

/// The description of a workload without content.
pub(crate) const EMPTY_WORKLOAD: &str = "empty workload";

/// The error in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameFault {
    Empty,
    Characters,
    Long(usize),
}

/// The error in an access rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AccessFault {
    Type(Box<str>),
    Operation(Box<str>),
    EmptyMask,
    Mask(Box<str>),
    Stars(Box<str>),
    WorkloadName(Box<str>),
    BothMasks,
}

/// The fields of a kind of mapping.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// Its name in sentences.
    pub(crate) of: &'static str,
    /// Its fields, each with its purpose.
    pub(crate) fields: &'static [(&'static str, &'static str)],
}

/// An entry of the top level's mappings, which is what `ank apply` updates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Update {
    pub(crate) top: Box<str>,
    pub(crate) name: Text,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) kind: DocumentKind,
    pub(crate) version: Version,
    pub(crate) version_place: Option<u32>,
    /// Whether parts of the text could not be read: what is missing may be there.
    pub(crate) is_broken: bool,
    /// Whether dependencies are written where they cannot be read.
    pub(crate) has_hidden_dependencies: bool,
    /// In the order in which the server finds them.
    pub(crate) faults: Vec<Fault>,
    pub(crate) workloads: Vec<Workload>,
    pub(crate) configs: Vec<Config>,
    /// The items of all configs.
    pub(crate) items: Vec<Item>,
    /// Whether `ank apply` loses all configs.
    pub(crate) loses_configs: bool,
    /// Whether a config is nested deeper than the server reads in a message of `ank apply`.
    pub(crate) has_deep_config: bool,
    pub(crate) updates: Vec<Update>,
    /// The values of keys `apiVersion` below the top level.
    pub(crate) nested_versions: Vec<Version>,
    /// Whether a workload has tags, so that the version that `ank apply` uses matters to them.
    pub(crate) has_tags: bool,
    /// The keys `filterMask` of access rules, which are valid in `v0.1`.
    pub(crate) old_masks: Vec<u32>,
    /// Whether `workloads` or `configs` is present as a mapping or empty.
    pub(crate) has_parts: bool,
}

impl Manifest {
    /// Whether the text has the typical content of manifests, whatever its file is called.
    pub(crate) fn has_what_manifests_have(&self) -> bool {
        let has_body =
            |w: &Workload| w.runtime.is_some() && (w.agent.is_some() || w.runtime_config.is_some());
        let holds = !self.workloads.is_empty() || self.has_parts;
        self.version.is_known() && holds || self.workloads.iter().any(has_body)
    }
}
