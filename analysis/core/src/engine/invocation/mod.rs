//! What a command line of an engine reads and does, so that it can be linted before the engine is started.
//!
//! Everything here comes from the argument vector and the variables that the engine itself reads. What cannot
//! be derived is a [`Refusal`]: nothing is guessed before a command that changes something.

mod flags;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::{Operation, RunOptions};
use crate::files::clean;

pub use flags::{
    Dialect, Effect, Flag, FlagTable, HELP, Parser, Word, is_on, is_on_in_kong, list, operates, reads,
    reads_nothing, refused, selects, switch, value,
};

/// A command line, as the user wrote it.
#[derive(Clone, Copy)]
pub struct CommandLine<'a> {
    /// The name of the program, without its directory: `kapp`.
    pub program: &'a str,
    /// The arguments after it.
    pub args: &'a [String],
    /// The directory it is started in, absolute.
    pub cwd: &'a Utf8Path,
    /// The value of an environment variable that is set.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// The environment variables whose names start with a prefix, with their values, sorted.
    pub env_from: &'a dyn Fn(&str) -> Vec<(String, String)>,
    /// A path with its links resolved, if it exists.
    pub canonical: &'a dyn Fn(&Utf8Path) -> Option<Utf8PathBuf>,
}

impl CommandLine<'_> {
    /// The absolute and clean path that a given one refers to, relative to a directory.
    ///
    /// # Errors
    /// When it goes through a link and back up: systems then go up from the link's target.
    pub fn path(&self, from: &Utf8Path, given: &str) -> Result<Utf8PathBuf, Refusal> {
        let whole = from.join(given);
        let clean = clean(whole.as_str());
        let goes_back = whole.components().any(|c| c == Utf8Component::ParentDir);
        if goes_back && (self.canonical)(&whole) != (self.canonical)(&clean) {
            return Err(Refusal::new(format!(
                "`{given}` follows a link and then `..`: write the path without `..`"
            )));
        }
        Ok(clean)
    }
}

/// The kind of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It creates and updates.
    Apply,
    /// It removes.
    Delete,
    /// It shows what it would do, or checks.
    Plan,
    /// It lists units.
    List,
}

impl Action {
    /// The displayed word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Apply => "apply",
            Self::Delete => "delete",
            Self::Plan => "plan",
            Self::List => "list",
        }
    }
}

/// A verdict that a command depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depends {
    /// As [`super::Verdict::command`] names it.
    pub command: &'static str,
    /// The stages that the command passes; `None` = all of them.
    pub stages: Option<&'static [&'static str]>,
}

impl Depends {
    /// On a verdict with all of its stages.
    #[must_use]
    pub const fn on(command: &'static str) -> Self {
        Self {
            command,
            stages: None,
        }
    }

    /// On some stages of a verdict.
    #[must_use]
    pub const fn on_stages(command: &'static str, stages: &'static [&'static str]) -> Self {
        Self {
            command,
            stages: Some(stages),
        }
    }
}

/// The base from which an engine itself asks git what has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Since {
    /// Since a named revision.
    Revision(String),
    /// Since the branch point from a branch of a remote; on that branch itself since the previous commit.
    Branch {
        /// The remote.
        remote: &'static str,
        /// Its branch.
        branch: &'static str,
    },
}

/// What a command line makes its engine read and do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// What it does.
    pub action: Action,
    /// The operation whose order it follows.
    pub operation: Operation,
    /// The verdicts that it depends on; all of them must accept.
    pub depends: Vec<Depends>,
    /// The directory that its paths are relative to, absolute.
    pub cwd: Utf8PathBuf,
    /// The files and directories that it reads, as given and in that order; `-` is standard input.
    pub inputs: Vec<Utf8PathBuf>,
    /// The name of what it acts on, if it reads no files.
    pub name: Option<String>,
    /// The selection and settings of the run.
    pub options: RunOptions,
    /// Set if it is limited to what git reports as changed.
    pub since: Option<Since>,
}

impl Invocation {
    /// An invocation that reads nothing yet.
    #[must_use]
    pub fn new(action: Action, command: &'static str, cwd: &Utf8Path) -> Self {
        Self {
            action,
            operation: match action {
                Action::Delete => Operation::Delete,
                Action::Apply | Action::Plan | Action::List => Operation::Apply,
            },
            depends: vec![Depends::on(command)],
            cwd: cwd.to_owned(),
            inputs: Vec::new(),
            name: None,
            options: RunOptions::default(),
            since: None,
        }
    }
}

/// Why a command line is not passed on: a sentence without its full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Refusal {
    /// With a sentence without its full stop.
    pub fn new(because: impl Into<String>) -> Self {
        Self(because.into())
    }

    /// For a command that orders nothing.
    #[must_use]
    pub fn nothing_to_lint(command: &str) -> Self {
        Self(format!(
            "`{command}` reads nothing that applyorder checks: run it without applyorder"
        ))
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// What is known of a version of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionFit {
    /// Verdicts are valid for it.
    Known,
    /// It is newer than the versions that verdicts are valid for: it may behave differently.
    Newer,
    /// It is known to behave differently: a sentence without its full stop.
    Other(String),
}

/// How a version compares with the range that an engine's verdicts are valid for. `differs`: versions before
/// which the behavior differed, each with a description; the first that is newer than `version` decides.
#[must_use]
pub fn fit(version: &str, newest: &str, differs: &[(&str, &str)]) -> VersionFit {
    let (Some(version), Some(newest)) = (numbers(version), numbers(newest)) else {
        return VersionFit::Newer;
    };
    let is_before = |since: &str| numbers(since).is_some_and(|since| version < since);
    match differs.iter().find(|(since, _)| is_before(since)) {
        Some((since, what)) => VersionFit::Other(format!("before {since} {what}")),
        None if version > newest => VersionFit::Newer,
        None => VersionFit::Known,
    }
}

/// The first three numbers of a version.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let end = version
        .bytes()
        .position(|b| !(b.is_ascii_digit() || b == b'.'))
        .unwrap_or(version.len());
    let mut parts = version.get(..end)?.split('.');
    let mut number = || parts.next().map_or(Some(0), |part| part.parse().ok());
    Some([number()?, number()?, number()?])
}

/// The first version in a program's output: `v0.60.0`, `1.0.1`.
#[must_use]
pub fn version_in(text: &str) -> Option<&str> {
    let word = |word: &&str| {
        let digits = word.strip_prefix('v').unwrap_or(word);
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains('.')
    };
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '"' | '\'' | '(' | ')'));
    let found = words.filter(|w| !w.is_empty()).find(word)?;
    Some(found.strip_prefix('v').unwrap_or(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_print() {
        for (text, version) in [
            ("kapp version 0.60.0\n\nSucceeded\n", Some("0.60.0")),
            ("Terraform v1.11.4\non linux_amd64\n", Some("1.11.4")),
            ("ank 1.0.1\n", Some("1.0.1")),
            ("0.17.2\n", Some("0.17.2")),
            ("dev", None),
            ("", None),
        ] {
            assert_eq!(version_in(text), version, "{text}");
        }
    }

    #[test]
    fn versions_are_compared_number_by_number() {
        let differs = [("0.14.0", "the order was depth-first")];
        assert_eq!(fit("0.17.2", "0.17.2", &differs), VersionFit::Known);
        assert_eq!(fit("v0.17.3-rc1", "0.17.2", &differs), VersionFit::Newer);
        assert_eq!(fit("1", "0.17.2", &differs), VersionFit::Newer);
        assert_eq!(
            fit("0.9.9", "0.17.2", &differs),
            VersionFit::Other("before 0.14.0 the order was depth-first".to_owned())
        );
        assert_eq!(fit("unknown", "0.17.2", &differs), VersionFit::Newer);
    }
}
