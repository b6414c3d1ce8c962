//! Files that Terramate ignores: in directories with a dot, at or below a `.tmskip`, in JSON.

use camino::Utf8PathBuf;

use super::foreign::Foreign;
use super::instances::Instance;
use super::tree::{IS_LINK, Tree};
use crate::discover::is_config;
use crate::read::FileFacts;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Cx;
use applyorder_core::files::FileKind;

/// The maximum number of directories that are searched; as many of tools are searched besides.
const MOST_DIRECTORIES: usize = 2_000;

/// Too large, and changed by git alone.
const OF_GIT: &str = ".git";

/// Directories of tools, which contain no stacks of a user.
const OF_TOOLS: [&str; 5] = [
    ".terraform",
    ".terragrunt-cache",
    ".tmtriggers",
    ".terragrunt-stack",
    "node_modules",
];

/// A file that is not loaded, and may declare a stack.
pub(crate) struct SkippedStack {
    pub(crate) file: FileId,
    pub(crate) path: Utf8PathBuf,
    /// It is JSON.
    pub(crate) is_json: bool,
    pub(crate) why: String,
    /// The `.tmskip` file because of which it is not loaded.
    pub(crate) skip: Option<FileId>,
}

/// Searches what the tree skips, also for instances of bundles and for names that are not UTF-8.
pub(super) fn find(cx: &Cx<'_>, tree: &Tree) -> (Vec<SkippedStack>, Vec<Instance>, Vec<Foreign>) {
    let (mut found, mut instances, mut foreign) = (Vec::new(), Vec::new(), Vec::new());
    let mut open: Vec<(Utf8PathBuf, String, Option<FileId>)> = Vec::new();
    for dir in &tree.dirs {
        for name in &dir.lookalikes {
            let path = dir.host.join(name);
            found.push(SkippedStack {
                file: cx.file(&path),
                path,
                is_json: true,
                why: "Terramate does not read JSON".to_owned(),
                skip: None,
            });
        }
        if dir.skip.is_some() && dir.parent.is_some() {
            let why = format!("`{}` contains `.tmskip`", dir.path);
            open.push((dir.host.clone(), why, dir.skip));
            continue;
        }
        for (name, reason) in dir.left_out.iter().filter(|(_, r)| *r != IS_LINK) {
            let base = dir.path.trim_end_matches('/');
            let why = format!("`{base}/{name}` is skipped: {reason}");
            open.push((dir.host.join(name), why, dir.skip));
        }
    }
    open.reverse();
    // Below directories of tools, only what makes Terramate's search fail is of interest: they come last.
    let mut of_tools: Vec<Utf8PathBuf> = Vec::new();
    let mut looked_into = 0;
    while let Some((dir, why, skip)) = open.pop() {
        match dir.file_name() {
            Some(OF_GIT) => continue,
            Some(name) if OF_TOOLS.contains(&name) => {
                of_tools.push(dir);
                continue;
            }
            _ if looked_into == MOST_DIRECTORIES => continue,
            _ => looked_into += 1,
        }
        // The directory with the `.tmskip` is known, and only empty.
        let is_loaded = tree
            .project_path(&dir)
            .is_some_and(|path| tree.at(&path).is_some());
        for entry in cx.list_with_foreign(&dir).unwrap_or_default().iter() {
            if entry.foreign_name().is_some() {
                foreign.extend(Foreign::of(&tree.root, &dir, entry, false));
                continue;
            }
            instances.extend(
                Instance::of(cx, &tree.root, &dir, entry).map(|instance| Instance {
                    is_loaded,
                    ..instance
                }),
            );
            let path = dir.join(&entry.name);
            match entry.kind {
                FileKind::Directory => open.push((path, why.clone(), skip)),
                FileKind::File if is_config(&entry.name) => {
                    // Its contents are read by its number, pass by pass.
                    drop(cx.facts::<FileFacts>(&path));
                    found.push(SkippedStack {
                        file: cx.file(&path),
                        path,
                        is_json: false,
                        why: why.clone(),
                        skip,
                    });
                }
                _ => {}
            }
        }
    }
    of_tools.reverse();
    for _ in 0..MOST_DIRECTORIES {
        let Some(dir) = of_tools.pop() else { break };
        for entry in cx.list_with_foreign(&dir).unwrap_or_default().iter() {
            if entry.foreign_name().is_some() {
                foreign.extend(Foreign::of(&tree.root, &dir, entry, false));
                continue;
            }
            instances.extend(Instance::of(cx, &tree.root, &dir, entry));
            if entry.kind == FileKind::Directory && entry.name != OF_GIT {
                of_tools.push(dir.join(&entry.name));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    (found, instances, foreign)
}
