//! The options of a run: one type for the command line, the server's settings and the conformance cases.
//!
//! An engine declares the options that it has ([`EngineMeta::options`]): flags, settings and keys in JSON are
//! generated from these declarations, and an option that no engine declares does not exist. Options that
//! several engines share are declared here, once.

use camino::Utf8PathBuf;

use super::EngineMeta;

/// An option of a run, as an engine declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOption {
    /// The name of its flag without the dashes, and its key in JSON.
    pub name: &'static str,
    /// The letter of its flag.
    pub short: Option<char>,
    /// Its name among the settings of the server, if it is one.
    pub setting: Option<&'static str>,
    /// What is given, as help shows it: `NAME`.
    pub value: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// How many values, and of which kind.
    pub takes: Takes,
    /// Whether it is a flag of all commands that take a selection; otherwise of single commands, or of none.
    pub flag: bool,
    /// The field of [`RunOptions`] that holds it.
    pub field: Field,
}

/// How many values an option takes, and of which kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// One value.
    One,
    /// One value each time it is given.
    Many,
    /// Several values, separated by commas; may be given several times.
    List,
    /// The path of a file.
    File,
    /// The path of a directory.
    Directory,
    /// Paths of files; may be given several times.
    Files,
    /// `KEY=VALUE`; may be given several times. The values may be secrets and are not printed.
    Pairs,
}

impl Takes {
    /// Whether there is at most one value.
    #[must_use]
    pub const fn is_single(self) -> bool {
        matches!(self, Self::One | Self::File | Self::Directory)
    }

    /// Whether values are paths.
    #[must_use]
    pub const fn is_path(self) -> bool {
        matches!(self, Self::File | Self::Directory | Self::Files)
    }
}

/// The field of [`RunOptions`] that holds the values of an option.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Environments,
    Tags,
    NoTags,
    Cwd,
    Changed,
    ChangedFiles,
    Failed,
    State,
    Command,
    EngineVersion,
    /// Among the options that only one engine has.
    Own,
}

impl RunOption {
    /// An option that only one engine has: a flag of every command that takes a selection.
    #[must_use]
    pub const fn own(name: &'static str, takes: Takes, value: &'static str, help: &'static str) -> Self {
        Self {
            name,
            short: None,
            setting: None,
            value,
            help,
            takes,
            flag: true,
            field: Field::Own,
        }
    }

    /// The same, which is also a setting of the server.
    #[must_use]
    pub const fn with_setting(mut self, setting: &'static str) -> Self {
        self.setting = Some(setting);
        self
    }

    const fn shared(mut self, field: Field) -> Self {
        self.field = field;
        self
    }

    const fn with_short(mut self, short: char) -> Self {
        self.short = Some(short);
        self
    }

    const fn without_flag(mut self) -> Self {
        self.flag = false;
        self
    }
}

/// `--env`
pub static ENV: RunOption = RunOption::own("env", Takes::List, "NAME", "Environment, or `all`")
    .with_setting("environments")
    .with_short('e')
    .shared(Field::Environments);
/// `--tags`
pub static TAGS: RunOption = RunOption::own("tags", Takes::Many, "TAGS", "Select by tag (engine syntax)")
    .with_setting("tags")
    .shared(Field::Tags);
/// `--no-tags`
pub static NO_TAGS: RunOption =
    RunOption::own("no-tags", Takes::Many, "TAGS", "Exclude by tag (engine syntax)")
        .with_setting("noTags")
        .shared(Field::NoTags);
/// `--cwd`
pub static CWD: RunOption =
    RunOption::own("cwd", Takes::Directory, "DIR", "Directory to run the engine in").shared(Field::Cwd);
/// `--changed`
pub static CHANGED: RunOption = RunOption::own(
    "changed",
    Takes::List,
    "UNITS",
    "Treat only these units as changed",
)
.shared(Field::Changed);
/// `--changed-since`: a flag of single commands, which ask git.
pub static SINCE: RunOption = RunOption::own(
    "changed-since",
    Takes::Files,
    "REV",
    "Files changed since a revision",
)
.shared(Field::ChangedFiles)
.without_flag();
/// `--failed`: a flag of `simulate`.
pub static FAILED: RunOption = RunOption::own("failed", Takes::List, "UNITS", "Treat these units as failed")
    .shared(Field::Failed)
    .without_flag();
/// `--state`
pub static STATE: RunOption = RunOption::own(
    "state",
    Takes::File,
    "FILE",
    "Snapshot of what is already applied",
)
.shared(Field::State);
/// `--as`
pub static AS: RunOption =
    RunOption::own("as", Takes::One, "COMMAND", "Engine command to predict").shared(Field::Command);
/// `version` of the engine's configuration.
pub static ENGINE_VERSION: RunOption =
    RunOption::own("version", Takes::One, "VERSION", "Version of the engine")
        .shared(Field::EngineVersion)
        .without_flag();

/// The options declared here.
static SHARED: [&RunOption; 10] = [
    &ENV,
    &TAGS,
    &NO_TAGS,
    &CWD,
    &CHANGED,
    &SINCE,
    &FAILED,
    &STATE,
    &AS,
    &ENGINE_VERSION,
];

/// What a run is limited to and run with. Empty means the engine's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// The requested environments; empty means none given, and each declared one.
    pub environments: Vec<String>,
    /// One entry per `--tags`, in the engine's own grammar.
    pub tags: Vec<String>,
    /// One entry per `--no-tags`.
    pub no_tags: Vec<String>,
    /// The directory the engine would be started in, absolute.
    pub cwd: Option<Utf8PathBuf>,
    /// Units treated as changed. `None`: not limited to changed ones.
    pub changed: Option<Vec<String>>,
    /// Files treated as changed, absolute, and no others. `None`: not limited to changes. An engine knows which
    /// units they change; takes precedence over [`Self::changed`].
    pub changed_files: Option<Vec<Utf8PathBuf>>,
    /// Units treated as failed.
    pub failed: Vec<String>,
    /// A snapshot of what is already applied, absolute.
    pub state: Option<Utf8PathBuf>,
    /// Which of the engine's commands `order` answers for, if there is a choice (`--as`).
    pub command: Option<String>,
    /// The engine's version, if the user fixed it.
    pub engine_version: Option<String>,
    /// Whether every place must be in a file that can be opened, as an editor requires.
    pub openable: bool,
    /// The options that only one engine has, sorted by name, none without a value: [`Self::set`] keeps them so.
    pub own: Vec<(&'static RunOption, Vec<String>)>,
}

/// An option that an engine does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    /// The option.
    pub option: &'static RunOption,
    /// The engine's title.
    pub engine: &'static str,
}

impl std::fmt::Display for OptionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} has no option --{}", self.engine, self.option.name)
    }
}

impl std::error::Error for OptionError {}

impl RunOptions {
    /// Whether they limit the run: then it may cover only a part.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        let whole = Self {
            openable: self.openable,
            ..Self::default()
        };
        *self != whole
    }

    /// The environments that a user names, as [`Self::environments`] has them: `all` among them means each
    /// declared one, and none given.
    #[must_use]
    pub fn environments_named(names: Vec<String>) -> Vec<String> {
        if names.iter().any(|name| name == "all") {
            Vec::new()
        } else {
            names
        }
    }

    /// The same options with one of them set. Paths are absolute.
    #[must_use]
    pub fn with(
        mut self,
        option: &'static RunOption,
        values: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.set(option, values.into_iter().map(Into::into).collect());
        self
    }

    /// Sets an option; without values it is unset. Paths are absolute.
    pub fn set(&mut self, option: &'static RunOption, values: Vec<String>) {
        let given = !values.is_empty();
        let one = || values.last().cloned();
        match option.field {
            Field::Environments => self.environments = Self::environments_named(values),
            Field::Tags => self.tags = values,
            Field::NoTags => self.no_tags = values,
            Field::Cwd => self.cwd = one().map(Utf8PathBuf::from),
            Field::Changed => self.changed = given.then_some(values),
            Field::ChangedFiles => {
                let paths = values.into_iter().map(Utf8PathBuf::from);
                self.changed_files = given.then(|| paths.collect());
            }
            Field::Failed => self.failed = values,
            Field::State => self.state = one().map(Utf8PathBuf::from),
            Field::Command => self.command = one(),
            Field::EngineVersion => self.engine_version = one(),
            Field::Own => match self.own.binary_search_by_key(&option.name, |(o, _)| o.name) {
                Ok(at) if given => {
                    if let Some((_, old)) = self.own.get_mut(at) {
                        *old = values;
                    }
                }
                Ok(at) => drop(self.own.remove(at)),
                Err(at) if given => self.own.insert(at, (option, values)),
                Err(_) => {}
            },
        }
    }

    /// The values of an option; `None` if it was not given.
    #[must_use]
    pub fn values(&self, option: &RunOption) -> Option<Vec<String>> {
        let some = |values: &Vec<String>| (!values.is_empty()).then(|| values.clone());
        let path = |path: &Option<Utf8PathBuf>| path.as_ref().map(|p| vec![p.to_string()]);
        let one = |text: &Option<String>| text.as_ref().map(|t| vec![t.clone()]);
        match option.field {
            Field::Environments => some(&self.environments),
            Field::Tags => some(&self.tags),
            Field::NoTags => some(&self.no_tags),
            Field::Cwd => path(&self.cwd),
            Field::Changed => self.changed.clone(),
            Field::ChangedFiles => {
                let files = self.changed_files.as_ref()?;
                Some(files.iter().map(Utf8PathBuf::to_string).collect())
            }
            Field::Failed => some(&self.failed),
            Field::State => path(&self.state),
            Field::Command => one(&self.command),
            Field::EngineVersion => one(&self.engine_version),
            Field::Own => Some(self.all(option).to_vec()).filter(|v| !v.is_empty()),
        }
    }

    /// The values of an option that only one engine has; empty if it was not given.
    #[must_use]
    pub fn all(&self, option: &RunOption) -> &[String] {
        let found = self.own.binary_search_by_key(&option.name, |(o, _)| o.name);
        found
            .ok()
            .and_then(|at| self.own.get(at))
            .map_or(&[], |(_, values)| values)
    }

    /// The value of an option that only one engine has, and that takes one value.
    #[must_use]
    pub fn one(&self, option: &RunOption) -> Option<&str> {
        self.all(option).last().map(String::as_str)
    }

    /// The options that have a value.
    #[must_use]
    pub fn given(&self) -> Vec<&'static RunOption> {
        let shared = SHARED.into_iter().filter(|option| self.values(option).is_some());
        shared.chain(self.own.iter().map(|(option, _)| *option)).collect()
    }

    /// The same options without those that an engine does not have.
    #[must_use]
    pub fn only(&self, known: &[&RunOption]) -> Self {
        let mut own = self.clone();
        for option in self.given() {
            if !known.iter().any(|k| k.name == option.name) {
                own.set(option, Vec::new());
            }
        }
        own
    }

    /// Rejects the first option that has a value and that the engine does not have.
    ///
    /// # Errors
    /// Names the option.
    pub fn check(&self, meta: &EngineMeta) -> Result<(), OptionError> {
        match self
            .given()
            .into_iter()
            .find(|option| !meta.has_option(option.name))
        {
            Some(option) => Err(OptionError {
                option,
                engine: meta.title,
            }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NAMESPACE: RunOption = RunOption::own("namespace", Takes::One, "NAME", "");

    #[test]
    fn what_is_set_is_given_until_it_is_taken_back() {
        for option in SHARED.into_iter().chain([&NAMESPACE]) {
            let mut options = RunOptions::default();
            assert_eq!(options.values(option), None, "{}", option.name);
            options.set(option, vec!["/x".to_owned()]);
            assert_eq!(
                options.values(option),
                Some(vec!["/x".to_owned()]),
                "{}",
                option.name
            );
            assert_eq!(options.given(), [option]);
            assert_eq!(options.only(&[option]), options);
            assert_eq!(options.only(&[]), RunOptions::default(), "{}", option.name);
        }
    }

    #[test]
    fn all_environments_are_none_named() {
        let options = RunOptions::default().with(&ENV, ["a", "all"]);
        assert_eq!(options, RunOptions::default());
    }
}
