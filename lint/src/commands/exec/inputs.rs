//! Inputs that can be read only once: standard input and pipes. They are read completely, linted, and passed on as the
//! same bytes under the same name.

use std::io::Read;
use std::sync::Arc;

use applyorder_analysis::engine::invocation::Invocation;
use applyorder_analysis::files::{MAX_FILE_SIZE, ReadError};
use camino::{Utf8Path, Utf8PathBuf};

use super::Stop;
use crate::escape;
use crate::output::is_stdin;
use crate::start::absolute;

/// An input that has been consumed.
#[derive(Clone, Debug)]
pub(super) struct Buffered {
    /// The path under which it is linted, absolute and clean.
    pub(super) path: Utf8PathBuf,
    /// Its content.
    pub(super) text: Arc<str>,
    /// How the engine receives it.
    pub(super) way: Way,
}

/// How an engine receives a consumed input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// On its standard input.
    Stdin,
    /// Through the pipe that it inherits, filled again.
    Inherited(Utf8PathBuf),
    /// Through the named pipe, filled again once the engine opens it.
    Named(Utf8PathBuf),
}

/// Reads those inputs of a command that can be read only once.
pub(super) fn buffer(invocation: &Invocation) -> Result<Vec<Buffered>, Stop> {
    let mut buffered: Vec<Buffered> = Vec::new();
    for given in &invocation.inputs {
        let shown = escape::line(given.as_str()).into_owned();
        let path = absolute(&invocation.cwd, given);
        if is_stdin(given) {
            let text = read(&mut std::io::stdin().lock(), "standard input")?;
            buffered.push(Buffered {
                path,
                text,
                way: Way::Stdin,
            });
            continue;
        }
        let Ok(meta) = path.as_std_path().metadata() else {
            return Err(Stop::refused(format!("{shown}: no such file or directory")));
        };
        if meta.is_file() || meta.is_dir() {
            continue;
        }
        if !is_pipe(&meta) {
            return Err(Stop::refused(format!("{shown} is neither a file nor a pipe")));
        }
        if buffered.iter().any(|b| b.path == path) {
            return Err(Stop::refused(format!("{shown} is a pipe and is given twice")));
        }
        let mut pipe = std::fs::File::open(&path).map_err(|e| Stop::refused(format!("{shown}: {e}")))?;
        let text = read(&mut pipe, &shown)?;
        let way = if is_inherited(&path) {
            Way::Inherited(path.clone())
        } else {
            Way::Named(path.clone())
        };
        buffered.push(Buffered { path, text, way });
    }
    Ok(buffered)
}

/// Whether a path is one of our own open file descriptors, which the engine inherits.
fn is_inherited(path: &Utf8Path) -> bool {
    path == "/dev/stdin"
        || ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"]
            .iter()
            .any(|dir| path.starts_with(dir))
}

#[cfg(unix)]
fn is_pipe(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    meta.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &std::fs::Metadata) -> bool {
    false
}

fn read(from: &mut dyn Read, shown: &str) -> Result<Arc<str>, Stop> {
    let mut bytes = Vec::new();
    from.take(MAX_FILE_SIZE + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Stop::refused(format!("{shown}: {e}")))?;
    if bytes.len() as u64 > MAX_FILE_SIZE {
        let size = ReadError::TooLarge(bytes.len() as u64);
        return Err(Stop::refused(format!("{shown}: {size}")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(e) => {
            let at = ReadError::NotUtf8(e.utf8_error().valid_up_to());
            Err(Stop::refused(format!("{shown}: {at}")))
        }
    }
}
