//! The directories of a project and the files that Terramate loads from them.
//!
//! Source: Terramate 0.17.2, "What is read".

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use crate::discover::is_config;
use crate::facts::FileFacts;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Cx;
use applyorder_core::files::{DirEntry, FileKind, ReadError};
use applyorder_core::rules::nearest;

use super::hidden::{self, Hidden};

/// Why a linked directory is left out.
pub(super) const IS_LINK: &str = "it is a symbolic link";

/// A file that belongs to a directory.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) file: FileId,
    pub(crate) path: Utf8PathBuf,
    pub(crate) facts: Result<Arc<FileFacts>, ReadError>,
}

/// A directory that Terramate knows.
#[derive(Clone)]
pub(crate) struct Dir {
    /// The project path: `/` for the root.
    pub(crate) path: Arc<str>,
    pub(crate) host: Utf8PathBuf,
    pub(crate) parent: Option<u32>,
    /// The number behind the last directory below this one: directories are numbered in the order
    /// of loading, so that all below stand together.
    pub(crate) end: u32,
    pub(crate) files: Vec<Loaded>,
    /// It holds a `.tmskip`.
    pub(crate) skipped: bool,
    /// Directories in it that are not loaded, and why.
    pub(crate) left_out: Vec<(String, &'static str)>,
    /// Names of files that look like configuration and are none.
    pub(crate) lookalikes: Vec<String>,
    /// Names of files with instances of bundles.
    pub(crate) instances: Vec<String>,
}

/// All directories, in the order of loading: depth first, in the byte order of names.
#[derive(Clone, Default)]
pub(crate) struct Tree {
    pub(crate) dirs: Vec<Arc<Dir>>,
    pub(crate) by_path: Arc<FxHashMap<Arc<str>, u32>>,
    /// Where a file is: directory and place in its list.
    pub(crate) of_file: Arc<FxHashMap<FileId, (u32, u32)>>,
    pub(crate) root: Utf8PathBuf,
    /// Files with a stack that is not loaded.
    pub(crate) hidden: Vec<Hidden>,
}

impl Dir {
    fn new(host: Utf8PathBuf, path: Arc<str>, parent: Option<u32>, index: u32) -> Self {
        Self {
            path,
            host,
            parent,
            end: index + 1,
            files: Vec::new(),
            skipped: false,
            left_out: Vec::new(),
            lookalikes: Vec::new(),
            instances: Vec::new(),
        }
    }

    /// One directory with its files, whether it is part of a tree or not.
    pub(super) fn alone(cx: &Cx<'_>, host: Utf8PathBuf, path: Arc<str>) -> Self {
        // As if it were a root: a `.tmskip` in it does not count.
        let mut dir = Self::new(host, path, None, 0);
        list(cx, &mut dir);
        dir.files.iter_mut().for_each(|loaded| loaded.read(cx));
        dir
    }
}

impl Loaded {
    fn read(&mut self, cx: &Cx<'_>) {
        match cx.facts::<FileFacts>(&self.path).map(|r| (r.file, r.facts)) {
            Ok((file, facts)) => (self.file, self.facts) = (file, Ok(facts)),
            Err(e) => (self.file, self.facts) = (cx.file(&self.path), Err(e)),
        }
    }
}

impl Tree {
    /// Lists everything below `root` and reads the facts of all configuration files.
    pub(crate) fn load(cx: &Cx<'_>, root: &Utf8Path) -> Self {
        let mut tree = Self {
            root: root.to_owned(),
            ..Self::default()
        };
        cx.prefetch_lists_below(root, is_skipped);
        let mut open: Vec<(Utf8PathBuf, Arc<str>, Option<u32>)> = vec![(root.to_owned(), "/".into(), None)];
        while let Some((host, path, parent)) = open.pop() {
            let index = u32::try_from(tree.dirs.len()).unwrap_or(u32::MAX);
            let mut dir = Dir::new(host, path.clone(), parent, index);
            let children = list(cx, &mut dir);
            for name in children.into_iter().rev() {
                let below = if &*path == "/" {
                    format!("/{name}")
                } else {
                    format!("{path}/{name}")
                };
                open.push((dir.host.join(&name), below.into(), Some(index)));
            }
            Arc::make_mut(&mut tree.by_path).insert(path, index);
            tree.dirs.push(Arc::new(dir));
        }
        tree.close();
        tree.read(cx);
        tree.hidden = hidden::find(cx, &tree);
        tree
    }

    fn close(&mut self) {
        for index in (0..self.dirs.len()).rev() {
            let Some((end, parent)) = self.dirs.get(index).map(|d| (d.end, d.parent)) else {
                continue;
            };
            if let Some(parent) = parent.and_then(|p| self.dirs.get_mut(p as usize)) {
                let parent = Arc::make_mut(parent);
                parent.end = parent.end.max(end);
            }
        }
    }

    fn read(&mut self, cx: &Cx<'_>) {
        let paths: Vec<Utf8PathBuf> = self
            .dirs
            .iter()
            .flat_map(|d| d.files.iter().map(|f| f.path.clone()))
            .collect();
        cx.prefetch(&paths);
        let of_file = Arc::make_mut(&mut self.of_file);
        for (index, dir) in (0u32..).zip(&mut self.dirs) {
            for (slot, loaded) in (0u32..).zip(&mut Arc::make_mut(dir).files) {
                loaded.read(cx);
                of_file.insert(loaded.file, (index, slot));
            }
        }
    }

    /// The same directories with the facts of some files read anew.
    pub(crate) fn with_edits(&self, cx: &Cx<'_>, edited: &[FileId]) -> Self {
        let mut tree = self.clone();
        hidden::after_edits(cx, &mut tree.hidden, edited);
        for file in edited {
            let Some((dir, slot)) = tree.of_file.get(file).copied() else {
                continue;
            };
            let dir = tree.dirs.get_mut(dir as usize).map(Arc::make_mut);
            if let Some(loaded) = dir.and_then(|d| d.files.get_mut(slot as usize)) {
                loaded.facts = cx.facts::<FileFacts>(&loaded.path).map(|r| r.facts);
            }
        }
        tree
    }

    /// The configuration files in the order of loading, with their directories.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Dir, &Loaded)> {
        let dirs = self.dirs.iter();
        dirs.flat_map(|d| d.files.iter().map(move |loaded| (&**d, loaded)))
    }

    /// The directory at a project path.
    pub(crate) fn at(&self, path: &str) -> Option<(u32, &Dir)> {
        let index = *self.by_path.get(path)?;
        Some((index, self.dirs.get(index as usize)?))
    }

    /// The existing directory whose path differs from another in names that are nearest to its own, name by name:
    /// `/net/vcp` may have been meant as `/net/vpc`. `None` where it exists, or nothing is near.
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

    /// The project path of a path of the file system, when it lies in the project.
    pub(crate) fn project_path(&self, host: &Utf8Path) -> Option<String> {
        let below = host.strip_prefix(&self.root).ok()?;
        Some(if below.as_str().is_empty() {
            "/".to_owned()
        } else {
            format!("/{below}")
        })
    }
}

fn is_skipped(entries: &[DirEntry]) -> bool {
    entries.iter().any(|e| e.name == ".tmskip")
}

/// Fills in a directory's files, and gives the names of the directories to descend into.
fn list(cx: &Cx<'_>, dir: &mut Dir) -> Vec<String> {
    let Ok(entries) = cx.list(&dir.host) else {
        return Vec::new();
    };
    dir.skipped = is_skipped(&entries);
    if dir.skipped && dir.parent.is_some() {
        return Vec::new();
    }
    let mut children = Vec::new();
    for entry in entries.iter() {
        let path = dir.host.join(&entry.name);
        if entry.name.starts_with('.') {
            if entry.kind == FileKind::Directory {
                dir.left_out
                    .push((entry.name.clone(), "its name begins with a dot"));
            }
            continue;
        }
        let kind = match entry.kind {
            FileKind::Symlink => match cx.kind(&path, true) {
                Some(FileKind::Directory) if !is_config(&entry.name) => {
                    dir.left_out.push((entry.name.clone(), IS_LINK));
                    continue;
                }
                // A link that leads nowhere, or to a directory under a configuration's name, is a fatal
                // read error: the reading says so.
                Some(FileKind::Directory) | None => FileKind::File,
                Some(kind) => kind,
            },
            kind => kind,
        };
        match kind {
            FileKind::Directory if dir.skipped => {
                dir.left_out
                    .push((entry.name.clone(), "the root holds a `.tmskip`"));
            }
            FileKind::Directory => children.push(entry.name.clone()),
            _ if is_config(&entry.name) => {
                dir.files.push(Loaded {
                    file: FileId(u32::MAX),
                    path,
                    facts: Err(ReadError::NotFound),
                });
            }
            _ if entry.name.ends_with(".tm.yml") || entry.name.ends_with(".tm.yaml") => {
                dir.instances.push(entry.name.clone());
            }
            _ if entry.name.ends_with(".tm.json") => dir.lookalikes.push(entry.name.clone()),
            _ => {}
        }
    }
    children
}
