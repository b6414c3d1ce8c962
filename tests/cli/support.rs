//! Trees of files, and the real binary run in them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A directory with some files, deleted at the end of the test.
pub(crate) struct Tree {
    temp: tempfile::TempDir,
}

impl Tree {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self {
            temp: crate::temp::temporary(),
        };
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.temp.path().canonicalize().unwrap()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn run(&self, args: &[&str]) -> Answer {
        run_in(&self.root(), args, None, &[])
    }

    pub(crate) fn run_with(&self, args: &[&str], stdin: Option<&[u8]>, env: &[(&str, &str)]) -> Answer {
        run_in(&self.root(), args, stdin, env)
    }
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Answer {
    /// All human-readable output, for snapshots.
    pub(crate) fn shown(&self) -> String {
        format!(
            "{}--- stderr\n{}--- exit code {}\n",
            self.stdout, self.stderr, self.code
        )
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// The binary, with an environment that does not depend on the user who runs the tests.
pub(crate) fn command(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_applyorder"));
    command.current_dir(dir);
    for (name, _) in std::env::vars() {
        let is_ours = ["APPLYORDER_", "GITHUB_", "CI_"]
            .iter()
            .any(|p| name.starts_with(p));
        let looks = [
            "COLUMNS",
            "TERM",
            "LANG",
            "LC_ALL",
            "LC_CTYPE",
            "NO_COLOR",
            "FORCE_COLOR",
            "FORCE_HYPERLINK",
        ];
        if is_ours || looks.contains(&&*name) || name == "RUNNER_TEMP" {
            command.env_remove(name);
        }
    }
    command
}

pub(crate) fn run_in(dir: &Path, args: &[&str], stdin: Option<&[u8]>, env: &[(&str, &str)]) -> Answer {
    let mut child = command(dir)
        .args(args)
        .envs(env.iter().copied())
        .stdin(if stdin.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    if let (Some(mut pipe), Some(text)) = (child.stdin.take(), stdin) {
        // A program that does not read its input may have exited already.
        let _ = pipe.write_all(text);
    }
    let output = child.wait_with_output().unwrap();
    Answer {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The folder of examples in the repository.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}
