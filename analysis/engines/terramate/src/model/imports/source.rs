//! Which files the source of an import means.

use camino::{Utf8Path, Utf8PathBuf};

use super::Input;
use crate::load::pattern::matching;
use applyorder_core::files::join_clean;

/// The files that a source means; or what is wrong with it, in our words and in Terramate's.
pub(super) fn matches(
    input: &Input<'_>,
    from: &Utf8Path,
    source: &str,
) -> Result<Vec<Utf8PathBuf>, (String, String)> {
    let (cx, tree, (dir, name)) = (input.cx, input.tree, split(source));
    let base = if dir.starts_with('/') {
        join_clean(&tree.root, dir)
    } else {
        join_clean(from, dir)
    };
    if base == from {
        return Err((
            "files in the same directory cannot be imported".to_owned(),
            "importing files in the same directory is not permitted".to_owned(),
        ));
    }
    if from.as_str().starts_with(base.as_str()) {
        let message = if from.starts_with(&base) {
            "files in a parent directory cannot be imported".to_owned()
        } else {
            let shown = |path| tree.project_path(path).unwrap_or_default();
            let (own, other) = (shown(from), shown(&base));
            format!(
                "nothing in `{other}` can be imported here: Terramate compares paths as text, and `{own}` starts with `{other}`"
            )
        };
        return Err((
            message,
            "importing files in the same tree is not permitted".to_owned(),
        ));
    }
    let pattern = join_clean(&base, &name);
    let found = matching(cx, &tree.root, &pattern).ok_or_else(|| {
        (
            "invalid pattern".to_owned(),
            "failed to evaluate import.source".to_owned(),
        )
    })?;
    if found.is_empty() {
        return Err((
            format!("`{source}` matches no file"),
            format!("import path \"{source}\" returned no matches"),
        ));
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
