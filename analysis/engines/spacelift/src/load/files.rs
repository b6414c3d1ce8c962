//! The files of one directory that count.

use std::collections::BTreeSet;

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Cx;
use applyorder_core::files::{FileKind, ReadError};
use camino::{Utf8Path, Utf8PathBuf};

use crate::config::Flavor;
use crate::read::{is_config, is_vars};

/// A file of a module.
#[derive(Clone, Debug)]
pub(crate) struct LoadedFile {
    pub(crate) path: Utf8PathBuf,
    pub(crate) file: FileId,
    /// What it declares is merged into what other files declare.
    pub(crate) is_override: bool,
}

impl LoadedFile {
    /// Whether OpenTofu reads it and Terraform does not.
    pub(super) fn is_tofu(&self) -> bool {
        self.path.file_name().is_some_and(|name| parts(name).1)
    }
}

/// The names in a directory, without those of directories.
fn names(cx: &Cx<'_>, dir: &Utf8Path) -> Result<Vec<String>, ReadError> {
    let entries = cx.list(dir)?;
    let files = entries.iter().filter(|e| e.kind != FileKind::Directory);
    Ok(files.map(|e| e.name.clone()).collect())
}

/// The name without the ends that say how a file is read, whether it is OpenTofu's own, and whether it is JSON.
fn parts(name: &str) -> (&str, bool, bool) {
    let ends = [
        (".tofu.json", true, true),
        (".tf.json", false, true),
        (".tofu", true, false),
        (".tf", false, false),
    ];
    for (end, tofu, json) in ends {
        if let Some(base) = name.strip_suffix(end) {
            return (base, tofu, json);
        }
    }
    (name, false, false)
}

/// The files of a module in the order in which they are read.
///
/// Source: spec section 3: files that override others come last; of `x.tf` and `x.tofu` OpenTofu reads the second.
pub(crate) fn files_of(cx: &Cx<'_>, dir: &Utf8Path, flavor: Flavor) -> Result<Vec<LoadedFile>, ReadError> {
    let mut names = match names(cx, dir) {
        Err(error @ (ReadError::PermissionDenied | ReadError::Outside)) => return Err(error),
        names => names.unwrap_or_default(),
    };
    names.retain(|name| is_config(name));
    let is_tofu = match flavor {
        Flavor::Terraform => false,
        Flavor::OpenTofu => true,
        Flavor::Auto => names.iter().any(|n| parts(n).1),
    };
    let hiding: BTreeSet<(&str, bool)> = names
        .iter()
        .map(|n| parts(n))
        .filter(|(_, tofu, _)| *tofu)
        .map(|(base, _, json)| (base, json))
        .collect();
    let counts = |name: &&String| {
        let (base, tofu, json) = parts(name);
        if is_tofu {
            tofu || !hiding.contains(&(base, json))
        } else {
            !tofu
        }
    };
    let mut files: Vec<LoadedFile> = names
        .iter()
        .filter(counts)
        .map(|name| {
            let base = parts(name).0;
            LoadedFile {
                path: dir.join(name),
                file: FileId(0),
                is_override: base == "override" || base.ends_with("_override"),
            }
        })
        .collect();
    files.sort_by(|a, b| (a.is_override, &a.path).cmp(&(b.is_override, &b.path)));
    Ok(files)
}

/// The files of values that Terraform reads by itself, those whose values win last.
pub(super) fn automatic(cx: &Cx<'_>, root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let names = names(cx, root).unwrap_or_default();
    let fixed = ["terraform.tfvars", "terraform.tfvars.json"];
    let mut found: Vec<Utf8PathBuf> = fixed
        .iter()
        .filter(|name| names.iter().any(|n| n == *name))
        .map(|name| root.join(name))
        .collect();
    let is_automatic = |name: &&String| {
        is_vars(name) && (name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json"))
    };
    let mut automatic: Vec<&String> = names.iter().filter(is_automatic).collect();
    automatic.sort();
    found.extend(automatic.into_iter().map(|name| root.join(name)));
    found
}
