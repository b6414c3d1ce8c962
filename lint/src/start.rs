//! The directory in which the command was started, and paths relative to it.

use applyorder_analysis::files;
use camino::{Utf8Path, Utf8PathBuf};

use crate::exit::Failure;

/// The directory the command was started in.
///
/// # Errors
/// When it is gone, or its name is not UTF-8.
pub fn current_dir() -> Result<Utf8PathBuf, Failure> {
    let dir = std::env::current_dir().map_err(|e| Failure::new(format!("the current directory: {e}")))?;
    Utf8PathBuf::from_path_buf(dir)
        .map_err(|d| Failure::new(format!("{}: the directory's name is not UTF-8", d.display())))
}

/// Makes a path that the user gave absolute and clean.
#[must_use]
pub fn absolute(cwd: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    files::clean(cwd.join(path).as_str())
}
