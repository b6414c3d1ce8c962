//! Looks up programs as a shell does.

use camino::{Utf8Path, Utf8PathBuf};

use super::Stop;
use crate::escape;

/// A program that was found.
#[derive(Debug)]
pub(super) struct Program {
    /// Its name in messages: `kapp`.
    pub(super) name: String,
    /// As the user wrote it.
    pub(super) given: String,
    /// Where it is.
    pub(super) path: Utf8PathBuf,
}

/// Finds a program in `PATH`, or by the path in its name.
pub(super) fn find(given: &str, name: &str, cwd: &Utf8Path) -> Result<Program, Stop> {
    let found = |path: Utf8PathBuf| Program {
        name: name.to_owned(),
        given: given.to_owned(),
        path,
    };
    if given.contains('/') || cfg!(windows) && given.contains('\\') {
        let path = cwd.join(given);
        return match kind(&path) {
            Kind::Program => Ok(found(path)),
            Kind::NotExecutable => Err(not_executable(&path)),
            Kind::Nothing => Err(Stop {
                because: format!("`{}` does not exist", escape::line(given)),
                code: Stop::NOT_FOUND,
            }),
        };
    }
    let variable = std::env::var("PATH").unwrap_or_default();
    let mut refused = None;
    for dir in std::env::split_paths(&variable) {
        let Ok(dir) = Utf8PathBuf::from_path_buf(dir) else {
            continue;
        };
        // An empty entry is the current directory.
        let dir = cwd.join(dir);
        let names = [given.to_owned(), format!("{given}.exe")];
        for name in names.iter().take(if cfg!(windows) { 2 } else { 1 }) {
            let path = dir.join(name);
            match kind(&path) {
                Kind::Program => return Ok(found(path)),
                Kind::NotExecutable => refused = refused.or(Some(path)),
                Kind::Nothing => {}
            }
        }
    }
    match refused {
        Some(path) => Err(not_executable(&path)),
        None => Err(Stop {
            because: format!(
                "`{}` was not found in the directories of PATH ({})",
                escape::line(given),
                escape::line(&variable)
            ),
            code: Stop::NOT_FOUND,
        }),
    }
}

enum Kind {
    Program,
    NotExecutable,
    Nothing,
}

fn kind(path: &Utf8Path) -> Kind {
    match path.as_std_path().metadata() {
        Ok(meta) if meta.is_file() && is_executable(&meta) => Kind::Program,
        Ok(_) => Kind::NotExecutable,
        Err(_) => Kind::Nothing,
    }
}

#[cfg(unix)]
fn is_executable(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    true
}

fn not_executable(path: &Utf8Path) -> Stop {
    Stop {
        because: format!("`{}` is not executable", escape::line(path.as_str())),
        code: Stop::NOT_EXECUTABLE,
    }
}
