//! Temporary directories that are independent of the directories above them.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A new directory, deleted when the value is dropped. Above it there is no repository, and nothing that we or an
/// engine read in parent directories: tests must not depend on the contents of the machine's temporary directory.
///
/// # Panics
/// When the machine has no such place.
pub(crate) fn temporary() -> tempfile::TempDir {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    tempfile::tempdir_in(PLACE.get_or_init(place)).unwrap()
}

fn place() -> PathBuf {
    let usual = std::env::temp_dir();
    let places = [usual, "/tmp".into(), "/var/tmp".into(), "/dev/shm".into()];
    let usable = |place: &PathBuf| {
        let place = place.canonicalize().ok()?;
        (is_clean(&place) && tempfile::tempdir_in(&place).is_ok()).then_some(place)
    };
    places.iter().find_map(usable).unwrap_or_else(|| {
        panic!("a repository, a configuration or a project lies above each of {places:?}: set TMPDIR")
    })
}

fn is_clean(place: &Path) -> bool {
    const READ_UPWARDS: [&str; 7] = [
        ".git",
        ".gitignore",
        ".ignore",
        ".tmskip",
        "applyorder.toml",
        ".applyorder.toml",
        "tazuna.yaml",
    ];
    let is_read =
        |name: &str| READ_UPWARDS.contains(&name) || name.ends_with(".tm") || name.ends_with(".tm.hcl");
    place.ancestors().all(|dir| {
        let mut entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        !entries.any(|entry| is_read(&entry.file_name().to_string_lossy()))
    })
}
