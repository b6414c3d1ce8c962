//! The directories of a project and the files that Terramate loads from them.
//!
//! Source: Terramate 0.17.2, "What is read".

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use crate::discover::{GENERATED, is_config};
use crate::read::FileFacts;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Cx;
use applyorder_core::files::{DirEntries, DirEntry, FileKind};
use applyorder_core::rules::nearest;

use super::foreign::Foreign;
use super::instances::Instance;
use super::skipped_stacks::{self, SkippedStack};

/// Why a linked directory is skipped.
pub(super) const IS_LINK: &str = "symbolic link";

/// A file of this name excludes its directory.
const SKIP: &str = ".tmskip";

/// A file that belongs to a directory.
pub(crate) struct ConfigFile {
    pub(crate) file: FileId,
    pub(crate) path: Arc<Utf8Path>,
}

/// A directory that Terramate knows.
pub(crate) struct Dir {
    /// The project path: `/` for the root.
    pub(crate) path: Arc<str>,
    pub(crate) host: Utf8PathBuf,
    pub(crate) parent: Option<u32>,
    /// The number after the last directory below this one: directories are numbered in the order of loading, so
    /// that all below are adjacent.
    pub(crate) end: u32,
    pub(crate) files: Vec<ConfigFile>,
    /// The number of the first of them among all of the project.
    pub(crate) first: u32,
    /// The `.tmskip` file that it contains.
    pub(crate) skip: Option<FileId>,
    /// Directories in it that are not loaded, and why.
    pub(crate) left_out: Vec<(String, &'static str)>,
    /// Names of files that look like configuration but are not.
    pub(crate) lookalikes: Vec<String>,
    /// Names of files that are generated from, if that experiment is enabled.
    pub(crate) generated: Vec<String>,
}

/// What the listing of a directory gives besides its files.
#[derive(Default)]
struct Listed {
    entries: DirEntries,
    /// The directories to descend into, by their numbers among the entries.
    children: Vec<usize>,
    /// Instances of bundles.
    instances: Vec<Instance>,
    /// What has a name that is not UTF-8.
    foreign: Vec<Foreign>,
}

/// The entries of a directory on which it depends what Terramate loads from it.
struct Relevant(Vec<DirEntry>);

impl Relevant {
    fn among(entries: &[DirEntry]) -> Self {
        let is_relevant = |name: &str| is_config(name) || name.ends_with(GENERATED) || name == SKIP;
        let relevant = entries.iter().filter(|entry| is_relevant(&entry.name));
        Self(relevant.cloned().collect())
    }
}

/// All directories, in the order of loading: depth first, in the byte order of names.
#[derive(Default)]
pub(crate) struct Tree {
    pub(crate) dirs: Vec<Dir>,
    pub(crate) by_path: FxHashMap<Arc<str>, u32>,
    /// Where a file is: directory and place in its list.
    pub(crate) of_file: FxHashMap<FileId, (u32, u32)>,
    pub(crate) root: Utf8PathBuf,
    /// Files that are not loaded, and may declare a stack.
    pub(crate) skipped_stacks: Vec<SkippedStack>,
    /// Instances of bundles, in the order in which Terramate reads them.
    pub(crate) instances: Vec<Instance>,
    /// What has a name that is not UTF-8, in the same order.
    pub(crate) foreign: Vec<Foreign>,
}

impl Dir {
    fn new(mut host: Utf8PathBuf, path: Arc<str>, parent: Option<u32>, index: u32) -> Self {
        host.shrink_to_fit();
        Self {
            path,
            host,
            parent,
            end: index + 1,
            files: Vec::new(),
            first: 0,
            skip: None,
            left_out: Vec::new(),
            lookalikes: Vec::new(),
            generated: Vec::new(),
        }
    }

    /// Whether it contains a file that Terramate reads.
    pub(crate) const fn has_configuration(&self) -> bool {
        !self.files.is_empty() || !self.generated.is_empty()
    }

    /// One directory with what Terramate loads from it, whether it is part of a tree or not.
    pub(super) fn alone(cx: &Cx<'_>, host: Utf8PathBuf, path: Arc<str>) -> Self {
        // As for a root: a `.tmskip` in it does not count.
        let mut dir = Self::new(host, path, None, 0);
        let root = dir.host.clone();
        if let Ok(entries) = cx.list_with_foreign(&root) {
            // Thousands of projects may be in this directory.
            let relevant = entries.derived(Relevant::among);
            fill(cx, &root, &mut dir, &relevant.0);
        }
        dir
    }
}

impl Tree {
    /// Lists everything below `root`.
    pub(crate) fn load(cx: &Cx<'_>, root: &Utf8Path) -> Self {
        cx.prefetch_lists_below(root, is_skipped);
        let mut tree = Self::walk(cx, root, |_| true);
        let (hidden, mut instances, mut foreign) = skipped_stacks::find(cx, &tree);
        tree.skipped_stacks = hidden;
        tree.instances.append(&mut instances);
        tree.instances.sort_by(|a, b| a.path.cmp(&b.path));
        tree.foreign.append(&mut foreign);
        tree.foreign.sort_by(|a, b| a.path.cmp(&b.path));
        tree
    }

    /// Lists `root` and the requested directories below it; a directory is requested only if its parents are.
    pub(super) fn walk(cx: &Cx<'_>, root: &Utf8Path, is_wanted: impl Fn(&Utf8Path) -> bool) -> Self {
        let mut tree = Self {
            root: root.to_owned(),
            ..Self::default()
        };
        let mut open: Vec<(Utf8PathBuf, Arc<str>, Option<u32>)> = vec![(root.to_owned(), "/".into(), None)];
        let mut count = 0u32;
        while let Some((host, path, parent)) = open.pop() {
            let index = u32::try_from(tree.dirs.len()).unwrap_or(u32::MAX);
            let mut dir = Dir::new(host, path.clone(), parent, index);
            let mut listed = list(cx, root, &mut dir);
            tree.instances.append(&mut listed.instances);
            tree.foreign.append(&mut listed.foreign);
            let children = listed.children.iter().rev();
            for entry in children.filter_map(|child| listed.entries.get(*child)) {
                let name = &entry.name;
                let host = dir.host.join(name);
                if !is_wanted(&host) {
                    continue;
                }
                let below = if &*path == "/" {
                    format!("/{name}")
                } else {
                    format!("{path}/{name}")
                };
                open.push((host, below.into(), Some(index)));
            }
            tree.by_path.insert(path, index);
            dir.files.shrink_to_fit();
            dir.first = count;
            count += u32::try_from(dir.files.len()).unwrap_or(u32::MAX);
            tree.dirs.push(dir);
        }
        tree.dirs.shrink_to_fit();
        tree.close();
        tree
    }

    fn close(&mut self) {
        for index in (0..self.dirs.len()).rev() {
            let Some((end, parent)) = self.dirs.get(index).map(|d| (d.end, d.parent)) else {
                continue;
            };
            if let Some(parent) = parent.and_then(|p| self.dirs.get_mut(p as usize)) {
                parent.end = parent.end.max(end);
            }
        }
    }

    /// Reads the facts of all files, so that asking for them by their numbers is cheap, and notes where each file is.
    pub(super) fn read(&mut self, cx: &Cx<'_>) {
        let files = || self.dirs.iter().flat_map(|d| &d.files);
        cx.prefetch(&files().map(|f| f.path.to_path_buf()).collect::<Vec<_>>());
        for file in files() {
            // A failure is reported to a caller that reads the file itself.
            drop(cx.facts::<FileFacts>(&file.path));
        }
        for (index, dir) in (0u32..).zip(&self.dirs) {
            let files = (0u32..).zip(&dir.files);
            self.of_file
                .extend(files.map(|(slot, f)| (f.file, (index, slot))));
        }
    }

    /// The configuration files in the order of loading, with their directories.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Dir, &ConfigFile)> {
        let dirs = self.dirs.iter();
        dirs.flat_map(|d| d.files.iter().map(move |file| (d, file)))
    }

    /// The directory at a project path.
    pub(crate) fn at(&self, path: &str) -> Option<(u32, &Dir)> {
        let index = *self.by_path.get(path)?;
        Some((index, self.dirs.get(index as usize)?))
    }

    /// The existing directory that is nearest to a path, compared name by name: `/net/vcp` may have been
    /// meant as `/net/vpc`. `None` if the path exists, or nothing is near.
    pub(crate) fn nearest(&self, path: &str) -> Option<&str> {
        let mut at = 0u32;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let child = |index: &u32| {
                self.dirs
                    .get(*index as usize)
                    .and_then(|d| d.path.rsplit('/').next())
            };
            let same = self.children(at).find(|c| child(c) == Some(name));
            at = match same {
                Some(child) => child,
                None => {
                    let near = nearest(name, self.children(at).filter_map(|c| child(&c)))?;
                    self.children(at).find(|c| child(c) == Some(near))?
                }
            };
        }
        let found = &*self.dirs.get(at as usize)?.path;
        (found != path).then_some(found)
    }

    /// The directories right below one.
    pub(crate) fn children(&self, dir: u32) -> impl Iterator<Item = u32> {
        let end = self.dirs.get(dir as usize).map_or(dir, |d| d.end);
        let next = move |child: &u32| self.dirs.get(*child as usize).map(|d| d.end);
        std::iter::successors(Some(dir.saturating_add(1)), next).take_while(move |child| *child < end)
    }

    /// The project path of a path of the file system, if it is in the project.
    pub(crate) fn project_path(&self, host: &Utf8Path) -> Option<String> {
        let below = host.strip_prefix(&self.root).ok()?;
        Some(if below.as_str().is_empty() {
            "/".to_owned()
        } else {
            format!("/{below}")
        })
    }
}

/// The path of a file in the project.
pub(crate) fn project_file(dir: &Dir, path: &Utf8Path) -> String {
    let name = path.file_name().unwrap_or_default();
    if &*dir.path == "/" {
        format!("/{name}")
    } else {
        format!("{}/{name}", dir.path)
    }
}

fn is_skipped(entries: &[DirEntry]) -> bool {
    entries.iter().any(|e| e.name == SKIP)
}

/// Fills in a directory's files, and gives the rest.
fn list(cx: &Cx<'_>, root: &Utf8Path, dir: &mut Dir) -> Listed {
    let Ok(entries) = cx.list_with_foreign(&dir.host) else {
        return Listed::default();
    };
    let mut listed = fill(cx, root, dir, &entries);
    listed.entries = entries;
    listed
}

fn fill(cx: &Cx<'_>, root: &Utf8Path, dir: &mut Dir, entries: &[DirEntry]) -> Listed {
    let mut listed = Listed::default();
    dir.skip = is_skipped(entries).then(|| cx.file(&dir.host.join(SKIP)));
    if dir.skip.is_some() && dir.parent.is_some() {
        return listed;
    }
    for (at, entry) in entries.iter().enumerate() {
        if entry.foreign_name().is_some() {
            listed.foreign.extend(Foreign::of(root, &dir.host, entry, true));
            continue;
        }
        listed
            .instances
            .extend(Instance::of(cx, root, &dir.host, entry).map(|instance| Instance {
                is_loaded: true,
                ..instance
            }));
        if entry.name.starts_with('.') {
            if entry.kind == FileKind::Directory {
                dir.left_out.push((entry.name.clone(), "hidden"));
            }
            continue;
        }
        let kind = match entry.kind {
            FileKind::Symlink => match cx.kind(&dir.host.join(&entry.name), true) {
                Some(FileKind::Directory) if !is_config(&entry.name) => {
                    dir.left_out.push((entry.name.clone(), IS_LINK));
                    continue;
                }
                // A broken link, or a link to a directory with the name of a configuration file, is a fatal
                // read error: the reading reports it.
                Some(FileKind::Directory) | None => FileKind::File,
                Some(kind) => kind,
            },
            kind => kind,
        };
        match kind {
            FileKind::Directory if dir.skip.is_some() => {
                dir.left_out
                    .push((entry.name.clone(), "the root contains `.tmskip`"));
            }
            FileKind::Directory => listed.children.push(at),
            _ if is_config(&entry.name) => {
                let file = cx.file(&dir.host.join(&entry.name));
                dir.files.push(ConfigFile {
                    file,
                    path: cx.path(file),
                });
            }
            // With a `.tmskip` in the root, only its own configuration is loaded.
            _ if entry.name.ends_with(GENERATED) && dir.skip.is_none() => {
                dir.generated.push(entry.name.clone());
            }
            _ if entry.name.ends_with(".tm.json") => dir.lookalikes.push(entry.name.clone()),
            _ => {}
        }
    }
    listed
}
