//! Which commands of a configuration the user allows to run without being asked each time. Stored in the user's own
//! configuration directory, never in the linted tree, and bound to the directory and the exact arguments, so that a
//! changed command is not run.

use std::env;

use applyorder_analysis::engine::Render;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::escape;
use crate::exit::Failure;
use crate::write::{self, Machine};

/// The commands that the user trusts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Trust {
    command: Vec<Trusted>,
    #[serde(skip)]
    file: Option<Utf8PathBuf>,
}

/// A command that the user trusts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trusted {
    /// The directory in which it runs, with symbolic links resolved.
    pub dir: Utf8PathBuf,
    /// The program and its arguments.
    pub argv: Vec<String>,
}

impl Trust {
    /// Reads the user's file. Without one, nothing is trusted.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn load() -> Result<Self, Failure> {
        Self::read(file(|name| env::var(name).ok()))
    }

    fn read(file: Option<Utf8PathBuf>) -> Result<Self, Failure> {
        let Some(path) = file.clone().filter(|path| path.exists()) else {
            return Ok(Self {
                file,
                ..Self::default()
            });
        };
        let failed =
            |e: &dyn std::fmt::Display| Failure::new(format!("{}: {e}", escape::line(path.as_str())));
        let (bytes, _) = write::read(&path).map_err(|e| failed(&e))?;
        let text = String::from_utf8(bytes).map_err(|e| failed(&e))?;
        let trust: Self = toml::from_str(&text).map_err(|e| failed(&e.message()))?;
        Ok(Self { file, ..trust })
    }

    /// Whether the user trusts a command.
    #[must_use]
    pub fn allows(&self, render: &Render) -> bool {
        let dir = real(&render.cwd);
        self.command
            .iter()
            .any(|known| known.dir == dir && known.argv == render.argv)
    }

    /// The commands that are trusted.
    #[must_use]
    pub fn commands(&self) -> &[Trusted] {
        &self.command
    }

    /// Trusts a command.
    pub fn add(&mut self, render: &Render) {
        if !self.allows(render) {
            self.command.push(Trusted {
                dir: real(&render.cwd),
                argv: render.argv.clone(),
            });
        }
    }

    /// Stops trusting the commands of a directory and its subdirectories, and returns them.
    pub fn revoke(&mut self, dir: &Utf8Path) -> Vec<Trusted> {
        let dir = real(dir);
        let (gone, kept) = std::mem::take(&mut self.command)
            .into_iter()
            .partition(|known| known.dir.starts_with(&dir));
        self.command = kept;
        gone
    }

    /// Writes the user's file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self) -> Result<(), Failure> {
        let Some(path) = &self.file else {
            return Err(Failure::new(
                "no configuration directory: neither XDG_CONFIG_HOME nor HOME is set",
            ));
        };
        let failed =
            |e: &dyn std::fmt::Display| Failure::new(format!("{}: {e}", escape::line(path.as_str())));
        let text = toml::to_string(self).map_err(|e| failed(&e))?;
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir).map_err(|e| failed(&e))?;
        }
        write::put(&Machine, path, text.as_bytes()).map_err(|e| failed(&e))
    }
}

/// Where the user's configuration is.
fn file(var: impl Fn(&str) -> Option<String>) -> Option<Utf8PathBuf> {
    let absolute = |name: &str| {
        let dir = var(name).map(Utf8PathBuf::from);
        dir.filter(|dir| dir.is_absolute())
    };
    let base = absolute("XDG_CONFIG_HOME")
        .or_else(|| absolute("APPDATA"))
        .or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(base.join("applyorder").join("trust.toml"))
}

fn real(dir: &Utf8Path) -> Utf8PathBuf {
    dir.canonicalize_utf8().unwrap_or_else(|_| dir.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(dir: &Utf8Path, argv: &[&str]) -> Render {
        Render {
            name: "app".to_owned(),
            argv: argv.iter().map(|a| (*a).to_owned()).collect(),
            cwd: dir.to_owned(),
            sources: Vec::new(),
            into: "/rendered:app".into(),
        }
    }

    #[test]
    fn exactly_one_command_in_one_directory_is_trusted_until_it_is_revoked() {
        let temp = crate::temp::temporary();
        let dir = Utf8Path::from_path(temp.path()).unwrap();
        let file = dir.join("config/applyorder/trust.toml");
        let read = || Trust::read(Some(file.clone())).unwrap();
        let command = render(dir, &["ytt", "-f", "config"]);
        let mut trust = read();
        assert!(!trust.allows(&command));
        trust.add(&command);
        trust.add(&command);
        trust.save().unwrap();
        let trust = read();
        assert_eq!(trust.commands().len(), 1);
        assert!(trust.allows(&command));
        assert!(!trust.allows(&render(dir, &["ytt", "-f", "config", "x"])));
        assert!(!trust.allows(&render(&dir.join("config"), &["ytt", "-f", "config"])));
        let mut trust = read();
        assert_eq!(trust.revoke(dir).len(), 1);
        trust.save().unwrap();
        assert_eq!(read().commands(), []);
    }

    #[test]
    fn the_file_is_the_users_own() {
        let of = |set: &'static [(&'static str, &'static str)]| {
            let var = |name: &str| {
                let found = set.iter().find(|(n, _)| *n == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            file(var).map(Utf8PathBuf::into_string)
        };
        assert_eq!(
            of(&[("HOME", "/u")]).as_deref(),
            Some("/u/.config/applyorder/trust.toml")
        );
        let both = [("HOME", "/u"), ("XDG_CONFIG_HOME", "/c")];
        assert_eq!(
            of(Box::leak(Box::new(both))).as_deref(),
            Some("/c/applyorder/trust.toml")
        );
        assert_eq!(of(&[("HOME", "relative")]), None);
    }
}
