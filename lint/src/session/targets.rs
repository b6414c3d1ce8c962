//! The paths that the user named, and standard input.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;

use applyorder_analysis::config::Configs;
use applyorder_analysis::files::{FileKind, Files, MAX_FILE_SIZE, ReadError};
use camino::{Utf8Path, Utf8PathBuf};

use crate::escape;
use crate::exit::Failure;
use crate::output::is_stdin;
use crate::start::absolute;

/// The paths that the user named, absolute and clean.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets {
    pub(super) dirs: BTreeSet<Utf8PathBuf>,
    pub(super) files: BTreeSet<Utf8PathBuf>,
    pub(super) stdin: Option<Utf8PathBuf>,
    /// All of them in the given order, which is significant to some engines.
    pub(super) named: Vec<Utf8PathBuf>,
    /// What could not be read.
    pub(super) gone: Vec<Utf8PathBuf>,
}

impl Targets {
    pub(super) fn is_below(&self, path: &Utf8Path) -> bool {
        path.ancestors().any(|p| self.dirs.contains(p))
    }

    pub(super) fn has(&self, path: &Utf8Path) -> bool {
        self.files.contains(path) || self.stdin.as_deref() == Some(path) || self.is_below(path)
    }

    /// The directories whose configurations may apply to the named paths.
    pub(super) fn directories(&self, cwd: &Utf8Path) -> Vec<Utf8PathBuf> {
        let files = self.files.iter().chain(&self.stdin);
        let parents = files.filter_map(|file| file.parent()).map(Utf8Path::to_owned);
        let mut dirs: Vec<Utf8PathBuf> = self.dirs.iter().cloned().chain(parents).collect();
        dirs.push(cwd.to_owned());
        dirs
    }

    /// The named paths, under every name by which engines may read them.
    pub(super) fn named_anyhow(&self, disk: &dyn Files) -> Vec<Utf8PathBuf> {
        let named = self.files.iter().chain(&self.dirs).chain(&self.stdin);
        let canonical = named.clone().filter_map(|path| disk.canonical(path));
        let mut all: Vec<Utf8PathBuf> = named.cloned().chain(canonical).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Removes named paths that are excluded.
    pub(super) fn leave_out(&mut self, configs: &Configs) {
        let dirs = std::mem::take(&mut self.dirs);
        let is_out = |path: &Utf8PathBuf| match dirs.contains(path) {
            true => configs.is_excluded_dir(path),
            false => configs.is_excluded(path),
        };
        self.named.retain(|path| !is_out(path));
        self.files.retain(|path| !is_out(path));
        self.stdin.take_if(|path| is_out(path));
        self.dirs = dirs.iter().filter(|dir| !is_out(dir)).cloned().collect();
    }

    /// Engines may reach the named paths through links under other names.
    pub(super) fn add_canonical(&mut self, disk: &dyn Files) {
        for set in [&mut self.dirs, &mut self.files] {
            let other: Vec<_> = set.iter().filter_map(|p| disk.canonical(p)).collect();
            set.extend(other);
        }
    }
}

/// Determines the kind of each path; a path that cannot be read is reported as a sentence.
pub(super) fn targets(
    paths: &[Utf8PathBuf],
    stdin_name: Option<&Utf8Path>,
    cwd: &Utf8Path,
    disk: &dyn Files,
    mut problem: impl FnMut(String),
) -> Targets {
    let mut targets = Targets::default();
    for path in paths {
        if is_stdin(path) {
            let full = absolute(cwd, stdin_name.unwrap_or(Utf8Path::new("<stdin>")));
            targets.named.push(full.clone());
            targets.stdin = Some(full);
            continue;
        }
        let full = absolute(cwd, path);
        let is_locked = || matches!(disk.read(&full), Err(ReadError::PermissionDenied));
        match disk.kind(&full, true) {
            Some(FileKind::Other) if is_locked() => {
                problem(format!(
                    "{}: {}",
                    escape::line(path.as_str()),
                    ReadError::PermissionDenied
                ));
                targets.gone.push(full);
            }
            Some(FileKind::Directory) => {
                targets.named.push(full.clone());
                targets.dirs.insert(full);
            }
            Some(_) => {
                targets.named.push(full.clone());
                targets.files.insert(full);
            }
            None => {
                let error = disk.read(&full).err().unwrap_or(ReadError::NotFound);
                problem(format!("{}: {error}", escape::line(path.as_str())));
                targets.gone.push(full);
            }
        }
    }
    targets
}

/// The text of standard input.
///
/// # Errors
/// When it cannot be read, is too large or is not UTF-8.
pub(super) fn read_stdin() -> Result<Arc<str>, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_FILE_SIZE + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Failure::new(format!("standard input: {e}")))?;
    if bytes.len() as u64 > MAX_FILE_SIZE {
        return Err(Failure::new(format!(
            "standard input {}",
            ReadError::TooLarge(bytes.len() as u64)
        )));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(e) => Err(Failure::new(format!(
            "standard input {}",
            ReadError::NotUtf8(e.utf8_error().valid_up_to())
        ))),
    }
}
