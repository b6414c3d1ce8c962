//! Where the configuration comes from: the values of the flags of the same names, both on the command line and
//! for the language server.

use std::fmt;

use camino::Utf8PathBuf;

use super::exclusion::Exclusion;
use super::words::reworded;
use super::{Choice, Configs, Known};
use crate::files::{Files, ReadError};
use crate::store::Store;

/// What `--config`, `--isolated` and `--preview` say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigSource {
    /// The file that applies to everything, absolute; if it is set, no other is searched for.
    pub file: Option<Utf8PathBuf>,
    /// Whether no file is searched for.
    pub isolated: bool,
    /// Single settings, in order; they take precedence over every file.
    pub settings: Vec<(String, String)>,
    /// What is excluded, and what is read anyway.
    pub choice: Choice,
}

/// Why the flags give no configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceError {
    /// The file cannot be read.
    Unreadable(Utf8PathBuf, ReadError),
    /// The setting does not exist, or cannot have this value: the key, and why.
    Setting(String, String),
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, error) => write!(f, "{path}: {error}"),
            Self::Setting(key, message) => write!(f, "{key}: {message}"),
        }
    }
}

impl std::error::Error for SourceError {}

impl ConfigSource {
    /// The configurations that apply in `dirs` and below. A file with errors is reported in
    /// [`Configs::diagnostics`].
    ///
    /// # Errors
    /// When the file cannot be read, or a setting cannot be set.
    pub fn load(
        &self,
        dirs: &[Utf8PathBuf],
        files: &dyn Files,
        store: &Store,
        known: &Known,
    ) -> Result<Configs, SourceError> {
        let mut configs = match &self.file {
            Some(path) => {
                if let Err(error) = files.read(path) {
                    return Err(SourceError::Unreadable(path.clone(), error));
                }
                Configs::from_file(path, files, store, known)
            }
            None if self.isolated => Configs::new(),
            None => Configs::discover_for(&self.choice, dirs, files, store, known),
        };
        configs.exclusion = Exclusion::new(&self.choice);
        self.override_with(&mut configs, known)?;
        Ok(configs)
    }

    fn override_with(&self, configs: &mut Configs, known: &Known) -> Result<(), SourceError> {
        for (key, value) in &self.settings {
            configs.override_with(key, value, known).map_err(|e| {
                let names: Vec<&str> = key.split('.').collect();
                SourceError::Setting(key.clone(), reworded(e.message(), &names, None).0)
            })?;
        }
        // Paths in settings are relative to the directory in which they are given.
        if !self.settings.is_empty() {
            configs.place_fallback(&self.choice.dir);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;

    fn files() -> MemoryFiles {
        let mut files = MemoryFiles::new();
        files.insert("/w/applyorder.toml", "fail-on = \"info\"\n");
        files.insert("/w/other.toml", "fail-on = \"hint\"\n");
        files
    }

    #[test]
    fn settings_without_a_file_are_of_the_directory_where_they_are_given() {
        let source = |settings: Vec<(String, String)>| ConfigSource {
            isolated: true,
            settings,
            choice: Choice {
                dir: "/w".into(),
                ..Choice::default()
            },
            ..ConfigSource::default()
        };
        let dir = |source: ConfigSource| {
            let configs = source.load(&["/w".into()], &files(), &Store::default(), &Known::default());
            configs.unwrap().of("/w/x".into()).dir.clone()
        };
        assert_eq!(dir(source(Vec::new())), "");
        assert_eq!(dir(source(vec![("fail-on".into(), "\"info\"".into())])), "/w");
    }

    #[track_caller]
    fn fail_on(source: &ConfigSource) -> Option<&'static str> {
        let configs = source
            .load(&["/w".into()], &files(), &Store::default(), &Known::default())
            .unwrap();
        configs
            .of("/w/a".into())
            .fail_on
            .map(crate::diagnostic::Severity::as_str)
    }

    #[test]
    fn flags_win_over_files() {
        let found = ConfigSource::default();
        assert_eq!(fail_on(&found), Some("info"));
        let isolated = ConfigSource {
            isolated: true,
            ..ConfigSource::default()
        };
        assert_eq!(fail_on(&isolated), None);
        let named = ConfigSource {
            file: Some("/w/other.toml".into()),
            ..ConfigSource::default()
        };
        assert_eq!(fail_on(&named), Some("hint"));
        let set = ConfigSource {
            settings: vec![("fail-on".to_owned(), "warning".to_owned())],
            ..named
        };
        assert_eq!(fail_on(&set), Some("warning"));
    }

    #[test]
    fn impossible_values_are_reported() {
        let load = |source: ConfigSource| {
            source
                .load(&[], &files(), &Store::default(), &Known::default())
                .err()
        };
        let missing = ConfigSource {
            file: Some("/w/gone.toml".into()),
            ..ConfigSource::default()
        };
        assert!(matches!(load(missing), Some(SourceError::Unreadable(..))));
        let unknown = ConfigSource {
            settings: vec![("fial-on".to_owned(), "x".to_owned())],
            ..ConfigSource::default()
        };
        assert!(matches!(load(unknown), Some(SourceError::Setting(..))));
    }
}
