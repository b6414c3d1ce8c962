//! Which files the source of an import means.

use camino::{Utf8Path, Utf8PathBuf};

use super::Input;
use crate::load::pattern::matching;
use applyorder_core::files::{clean, join_clean};

/// Why a source does not mean files that can be imported.
#[derive(Clone, Debug)]
pub(crate) enum SourceError {
    /// Files next to the importing one.
    Beside,
    /// Files in a directory above it.
    Above,
    /// Files in a directory whose path is a string prefix of the importing file's path: the importing file's
    /// directory, and theirs.
    AboveAsText(String, String),
    Pattern,
    NoMatch,
}

/// The files that a source means.
///
/// # Errors
/// Why it does not mean any that can be imported.
pub(super) fn matches(
    input: &Input<'_>,
    from: &Utf8Path,
    source: &str,
) -> Result<Vec<Utf8PathBuf>, SourceError> {
    let (cx, tree, (dir, name)) = (input.cx, input.tree, split(source));
    let base = if dir.starts_with('/') {
        // It is cleaned by itself: what climbs ends at the root.
        join_clean(&tree.root, clean(dir).as_str())
    } else {
        join_clean(from, dir)
    };
    if base == from {
        return Err(SourceError::Beside);
    }
    if from.as_str().starts_with(base.as_str()) {
        return Err(if from.starts_with(&base) {
            SourceError::Above
        } else {
            let shown = |path| tree.project_path(path).unwrap_or_default();
            SourceError::AboveAsText(shown(from), shown(&base))
        });
    }
    let pattern = join_clean(&base, &name);
    let found = matching(cx, &tree.root, &pattern).ok_or(SourceError::Pattern)?;
    if found.is_empty() {
        return Err(SourceError::NoMatch);
    }
    Ok(found)
}

/// Directory and name of a source, as Go's `path.Dir` and `path.Base` give them.
fn split(source: &str) -> (&str, String) {
    let dir = match source.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((dir, _)) => dir,
        None => ".",
    };
    let trimmed = source.trim_end_matches('/');
    let name = match trimmed.rsplit('/').next() {
        _ if source.is_empty() => ".",
        Some(name) if !name.is_empty() => name,
        _ => "/",
    };
    (dir, name.to_owned())
}
