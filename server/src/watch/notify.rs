//! Watching without the client's help, directory by directory: those that were looked through, and those
//! that the projects asked about.

use std::collections::BTreeSet;

use applyorder_analysis::workspace::Workspace;
use camino::{Utf8Path, Utf8PathBuf};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use rustc_hash::FxHashSet;
use tower_lsp_server::ls_types::MessageType;

use crate::client::Client;
use crate::convert;
use crate::event::{Event, Events};
use crate::scan;
use crate::watch::Added;
use crate::watch_list::ENDINGS;

/// The most directories that are watched; systems allow so many per user at least.
const MAX_DIRS: usize = 8_192;

/// The server's own watcher. Does nothing until it is first brought up to date.
#[derive(Default)]
pub(crate) struct Watcher {
    inner: Option<RecommendedWatcher>,
    failed: bool,
    /// What is watched.
    dirs: FxHashSet<Utf8PathBuf>,
    /// The directories of the workspace's folders, hidden and ignored ones aside.
    walked: BTreeSet<Utf8PathBuf>,
    /// The version of the workspace's questions and the folders that were looked at.
    looked_at: Option<(u64, Vec<Utf8PathBuf>)>,
}

impl Watcher {
    /// Whether what is watched is what has to be.
    pub(crate) fn is_current(&self, workspace: &Workspace, folders: &[Utf8PathBuf]) -> bool {
        let looked_at = self.looked_at.as_ref();
        self.failed || looked_at.is_some_and(|(v, f)| *v == workspace.questions_version() && f == folders)
    }

    /// Watches what has to be watched now: these places, in a version of the workspace's questions. Gives the directories that were not watched before: what happened in them
    /// gave no event.
    pub(crate) fn update(
        &mut self,
        client: &Client,
        version: u64,
        places: &[Utf8PathBuf],
        folders: &[Utf8PathBuf],
        events: &Events,
    ) -> Option<Added> {
        let same_folders = match &self.looked_at {
            Some((v, f)) if f == folders => {
                if *v == version {
                    return None;
                }
                true
            }
            _ => false,
        };
        if self.failed {
            return None;
        }
        if self.inner.is_none() {
            self.start(client, events);
        }
        if !same_folders {
            self.walked = scan::directories_below(folders).into_iter().collect();
        }
        self.looked_at = Some((version, folders.to_vec()));
        // Most of what is asked about shares a directory with something else.
        let saved = places.iter().filter(|p| !convert::is_untitled(p));
        let mut parents: Vec<&Utf8Path> = saved.filter_map(|p| p.parent()).collect();
        parents.sort_unstable();
        parents.dedup();
        let known = |dir: &&Utf8Path| self.dirs.contains(*dir);
        let mut wanted: Vec<Utf8PathBuf> = parents
            .iter()
            .filter_map(|dir| {
                if known(dir) {
                    Some(dir.to_path_buf())
                } else {
                    existing(dir)
                }
            })
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted.extend(self.walked.iter().cloned());
        let is_first = self.dirs.is_empty();
        let added = self.watch(client, wanted);
        if is_first {
            return Some(Added::All);
        }
        (!added.is_empty()).then(|| Added::Some(added.into_iter().collect()))
    }

    /// Walks the folders again at the next [`Self::update`]: a directory came or went.
    fn directories_changed(&mut self) {
        self.looked_at = None;
    }

    fn start(&mut self, client: &Client, events: &Events) {
        let events = events.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let (paths, lost) = match event {
                Ok(event) if event.kind.is_access() => return,
                Ok(event) => (event.paths.clone(), event.need_rescan()),
                Err(_) => (Vec::new(), true),
            };
            let paths = paths
                .into_iter()
                .filter_map(|p| Utf8PathBuf::from_path_buf(p).ok());
            let paths = paths.collect();
            events.send(Event::Disk { paths, lost });
        });
        match watcher {
            Ok(watcher) => self.inner = Some(watcher),
            Err(e) => self.give_up(client, &e.to_string()),
        }
    }

    fn give_up(&mut self, client: &Client, why: &str) {
        self.failed = true;
        client.log(
            MessageType::WARNING,
            format!("changes on the disk are not detected until the files are opened: {why}"),
        );
    }

    /// Watches these directories and no others. Gives those that were not watched before.
    fn watch(&mut self, client: &Client, wanted: Vec<Utf8PathBuf>) -> Vec<Utf8PathBuf> {
        let mut added = Vec::new();
        let Some(inner) = &mut self.inner else {
            return added;
        };
        let mut kept: FxHashSet<Utf8PathBuf> = FxHashSet::default();
        let mut refused = None;
        for dir in wanted {
            if kept.len() == MAX_DIRS {
                refused = refused.or(Some(format!("there are more than {MAX_DIRS} directories")));
                break;
            }
            // One that vanished and came back is watched anew: what was watched is the one that is gone.
            if self.dirs.contains(&dir) || kept.contains(&dir) {
                kept.insert(dir);
                continue;
            }
            match inner.watch(dir.as_std_path(), RecursiveMode::NonRecursive) {
                Ok(()) => {
                    added.push(dir.clone());
                    kept.insert(dir);
                }
                Err(e) if dir.is_dir() => refused = Some(e.to_string()),
                Err(_) => {}
            }
        }
        for gone in self.dirs.difference(&kept) {
            // It may be deleted, and is no longer watched then.
            drop(inner.unwatch(gone.as_std_path()));
        }
        self.dirs = kept;
        if let Some(why) = refused {
            client.log(
                MessageType::WARNING,
                format!("some changes on the disk are not detected: {why}"),
            );
        }
        added
    }

    /// Those of some paths at which something can matter. Notes what directories came or went.
    pub(crate) fn those_that_matter(
        &mut self,
        mut paths: Vec<Utf8PathBuf>,
        workspace: &mut Workspace,
    ) -> Vec<Utf8PathBuf> {
        let mut directories = false;
        paths.retain(|path| {
            let is_directory = self.is_directory(path);
            let asked = (path.extension().is_none() || !is_ours(path)) && workspace.was_asked_about(path);
            directories |= is_directory || asked && path.extension().is_none();
            is_ours(path) || is_directory || asked
        });
        if directories {
            let gone: FxHashSet<&Utf8Path> = paths
                .iter()
                .map(Utf8PathBuf::as_path)
                .filter(|path| !path.is_dir())
                .collect();
            // What is watched of a deleted directory does not see the next one of its name.
            self.dirs
                .retain(|dir| !dir.ancestors().any(|above| gone.contains(above)));
            self.directories_changed();
        }
        paths
    }

    /// Those of some directories that the folders hold, hidden and ignored ones aside.
    pub(crate) fn walked_among(&self, dirs: &FxHashSet<Utf8PathBuf>) -> Vec<Utf8PathBuf> {
        dirs.iter()
            .filter(|dir| self.walked.contains(*dir))
            .cloned()
            .collect()
    }

    fn is_directory(&self, path: &Utf8Path) -> bool {
        path.is_dir() || self.dirs.contains(path)
    }
}

fn is_ours(path: &Utf8Path) -> bool {
    path.extension().is_some_and(|e| ENDINGS.contains(&e))
}

/// The directory, or the nearest one above it that exists.
fn existing(dir: &Utf8Path) -> Option<Utf8PathBuf> {
    dir.ancestors().find(|d| d.is_dir()).map(Utf8Path::to_owned)
}
