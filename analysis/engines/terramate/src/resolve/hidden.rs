//! Stacks where Terramate does not look: in directories with a dot, at or below a `.tmskip`, in JSON.

use camino::{Utf8Path, Utf8PathBuf};

use super::tree::Tree;
use crate::discover::is_config;
use crate::facts::{At, FileFacts};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Cx;
use applyorder_core::files::FileKind;

/// More directories than this are not looked into.
const MOST_DIRECTORIES: usize = 2_000;

/// Directories of tools, in which nobody looks for a stack of theirs.
const OF_TOOLS: [&str; 6] = [
    ".git",
    ".terraform",
    ".terragrunt-cache",
    ".tmtriggers",
    ".terragrunt-stack",
    "node_modules",
];

/// A file with a stack that is not loaded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hidden {
    pub(crate) file: FileId,
    pub(crate) path: Utf8PathBuf,
    /// The block's header, where the file has facts.
    pub(crate) header: Option<At>,
    pub(crate) why: String,
    /// The `.tmskip` because of which it is not loaded.
    pub(crate) skip: Option<Utf8PathBuf>,
}

/// Looks through what the tree leaves out.
pub(super) fn find(cx: &Cx<'_>, tree: &Tree) -> Vec<Hidden> {
    let mut found = Vec::new();
    let mut open: Vec<(Utf8PathBuf, String, Option<Utf8PathBuf>)> = Vec::new();
    for dir in &tree.dirs {
        for name in &dir.lookalikes {
            let path = dir.host.join(name);
            if declares_stack_in_json(cx, &path) {
                found.push(Hidden {
                    file: cx.file(&path),
                    path,
                    header: None,
                    why: "it does not read JSON".to_owned(),
                    skip: None,
                });
            }
        }
        let skip = dir.skipped.then(|| dir.host.join(".tmskip"));
        if skip.is_some() && dir.parent.is_some() {
            let why = format!("`{}` is left out, as it holds a `.tmskip`", dir.path);
            open.push((dir.host.clone(), why, skip));
            continue;
        }
        for (name, reason) in dir.left_out.iter().filter(|(_, r)| *r != super::tree::IS_LINK) {
            let base = dir.path.trim_end_matches('/');
            let why = format!("`{base}/{name}` is left out, as {reason}");
            open.push((dir.host.join(name), why, skip.clone()));
        }
    }
    open.reverse();
    let mut looked_into = 0;
    while let Some((dir, why, skip)) = open.pop() {
        let is_of_tool = dir.file_name().is_some_and(|n| OF_TOOLS.contains(&n));
        if is_of_tool || looked_into == MOST_DIRECTORIES {
            continue;
        }
        looked_into += 1;
        for entry in cx.list(&dir).unwrap_or_default().iter() {
            let path = dir.join(&entry.name);
            match entry.kind {
                FileKind::Directory => open.push((path, why.clone(), skip.clone())),
                FileKind::File if is_config(&entry.name) => {
                    if let Some((file, header)) = header(cx, &path) {
                        found.push(Hidden {
                            file,
                            path,
                            header: Some(header),
                            why: why.clone(),
                            skip: skip.clone(),
                        });
                    }
                }
                _ => {}
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Takes in what was edited.
pub(super) fn after_edits(cx: &Cx<'_>, hidden: &mut Vec<Hidden>, edited: &[FileId]) {
    hidden.retain_mut(|h| {
        if h.header.is_none() || !edited.contains(&h.file) {
            return true;
        }
        let header = header(cx, &h.path);
        h.header = header.map(|(_, at)| at);
        header.is_some()
    });
}

fn header(cx: &Cx<'_>, path: &Utf8Path) -> Option<(FileId, At)> {
    let (file, facts) = cx.facts::<FileFacts>(path).map(|r| (r.file, r.facts)).ok()?;
    Some((file, facts.shape.stacks.first()?.header))
}

fn declares_stack_in_json(cx: &Cx<'_>, path: &Utf8Path) -> bool {
    let Ok((_, source)) = cx.source(path) else {
        return false;
    };
    let value: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(&source.text);
    value.is_ok_and(|top| top.contains_key("stack"))
}
