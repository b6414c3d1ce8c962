//! Watching without the client's help, directory by directory: those that were looked through, and those
//! that the projects asked about.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use applyorder_analysis::workspace::{Asked, Asking, Workspace};
use camino::{Utf8Path, Utf8PathBuf};
use notify::event::{CreateKind, ModifyKind, RemoveKind};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use rustc_hash::FxHashSet;
use tower_lsp_server::ls_types::MessageType;

use crate::client::Client;
use crate::convert;
use crate::event::{Event, Events};
use crate::scan;
use crate::watch_list::ENDINGS;
use crate::watched::{Added, Watched};

/// The maximum number of watched directories; systems allow at least this many per user.
const MAX_DIRS: usize = 8_192;

/// The server's own watcher. Does nothing until it is first brought up to date. What takes long is done on other threads
/// ([`Shared`]); this is the owner's part.
#[derive(Default)]
pub(crate) struct Watcher {
    shared: Shared,
    failed: bool,
    /// The version of the workspace's questions and the folders that were looked at.
    looked_at: Option<(u64, Vec<Utf8PathBuf>)>,
    /// Whether a directory came or went since an update was begun.
    is_stale: bool,
}

/// The part of the watcher that threads share.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Watching>>);

/// An update that is to be made.
pub(crate) struct Update {
    shared: Shared,
    /// Whether the folders are those that were walked through.
    same_folders: bool,
}

/// Those of some paths at which something can matter.
pub(crate) struct Sorted {
    pub(crate) paths: Vec<Utf8PathBuf>,
    /// Whether directories came or went.
    pub(crate) directories: bool,
    /// What was put in order of what the projects asked.
    pub(crate) asked: Option<Asked>,
}

/// Directories that came, went or moved: what is watched of one may be another than the one of that name now.
type Replaced = Arc<Mutex<FxHashSet<Utf8PathBuf>>>;

#[derive(Default)]
struct Watching {
    inner: Option<RecommendedWatcher>,
    replaced: Replaced,
    failed: bool,
    /// What is watched.
    dirs: FxHashSet<Utf8PathBuf>,
    /// The directories of the workspace's folders, hidden and ignored ones aside.
    walked: BTreeSet<Utf8PathBuf>,
}

impl Watcher {
    /// Whether what is watched is what has to be.
    pub(crate) fn is_current(&self, workspace: &Workspace, folders: &[Utf8PathBuf]) -> bool {
        let looked_at = self.looked_at.as_ref();
        self.failed || looked_at.is_some_and(|(v, f)| *v == workspace.questions_version() && f == folders)
    }

    /// The part for other threads.
    pub(crate) fn watched(&self) -> Shared {
        self.shared.clone()
    }

    /// An update for some folders.
    pub(crate) fn asked(&mut self, folders: &[Utf8PathBuf]) -> Update {
        self.is_stale = false;
        Update {
            shared: self.shared.clone(),
            same_folders: self.looked_at.as_ref().is_some_and(|(_, f)| f == folders),
        }
    }

    /// Notes what an update did that was made for a version of the workspace's questions. Gives what was not watched
    /// before.
    pub(crate) fn updated(
        &mut self,
        version: u64,
        folders: Vec<Utf8PathBuf>,
        watched: Watched,
    ) -> Option<Added> {
        self.failed |= watched.failed;
        self.looked_at = (!self.is_stale).then_some((version, folders));
        watched.added
    }

    /// Walks the folders again at the next update: a directory came or went.
    pub(crate) fn directories_changed(&mut self) {
        self.looked_at = None;
        self.is_stale = true;
    }
}

impl Update {
    /// Watches what has to be watched: these places, and the directories of the folders.
    pub(crate) fn update(
        &self,
        client: &Client,
        places: &[Utf8PathBuf],
        folders: &[Utf8PathBuf],
        events: &Events,
    ) -> Watched {
        let mut watching = self.shared.lock();
        let added = watching.update(client, places, folders, events, self.same_folders);
        Watched {
            added,
            failed: watching.failed,
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watching> {
        locked(&self.0)
    }

    /// Those of some paths at which something can matter. Each has with it whether there may be something else now, or
    /// nothing.
    pub(crate) fn those_that_matter(&self, mut paths: Vec<(Utf8PathBuf, bool)>, asking: &Asking) -> Sorted {
        let (mut directories, mut asked) = (false, None);
        if !paths.is_empty() {
            let mut watching = self.lock();
            paths.retain(|(path, replaces)| {
                let is_directory = watching.is_directory(path);
                let was_asked = (path.extension().is_none() || !is_ours(path))
                    && asked.get_or_insert_with(|| asking.run()).concern(path);
                directories |= is_directory || was_asked && path.extension().is_none();
                // It may have been a directory that is read right now and asked about only then.
                let is_gone = || *replaces && path.symlink_metadata().is_err();
                is_ours(path) || is_directory || was_asked || is_gone()
            });
            directories |= watching.forget_replaced();
        }
        Sorted {
            paths: paths.into_iter().map(|(path, _)| path).collect(),
            directories,
            asked,
        }
    }

    /// Those of some directories that are in the folders and neither hidden nor ignored.
    pub(crate) fn walked_among(&self, dirs: &FxHashSet<Utf8PathBuf>) -> Vec<Utf8PathBuf> {
        let watching = self.lock();
        let walked = dirs.iter().filter(|dir| watching.walked.contains(*dir));
        walked.cloned().collect()
    }
}

impl Watching {
    fn update(
        &mut self,
        client: &Client,
        places: &[Utf8PathBuf],
        folders: &[Utf8PathBuf],
        events: &Events,
        same_folders: bool,
    ) -> Option<Added> {
        if self.failed {
            return None;
        }
        if self.inner.is_none() {
            self.start(client, events);
        }
        self.forget_replaced();
        if !same_folders {
            self.walked = scan::directories_below(folders).into_iter().collect();
        }
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

    fn start(&mut self, client: &Client, events: &Events) {
        let (events, replaced) = (events.clone(), self.replaced.clone());
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let (paths, lost, replaces) = match event {
                Ok(event) if event.kind.is_access() => return,
                Ok(event) => (event.paths.clone(), event.need_rescan(), replaces(event.kind)),
                Err(_) => (Vec::new(), true, false),
            };
            let paths = paths
                .into_iter()
                .filter_map(|p| Utf8PathBuf::from_path_buf(p).ok());
            let paths: Vec<Utf8PathBuf> = paths.collect();
            if replaces {
                let others = paths.iter().filter(|path| !is_ours(path)).cloned();
                locked(&replaced).extend(others);
            }
            events.send(Event::Disk {
                paths,
                replaces,
                lost,
            });
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
                refused = refused.or(Some(format!("more than {MAX_DIRS} directories")));
                break;
            }
            // A directory that was deleted and created again is watched again: the old watch belongs to the deleted
            // one.
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

    /// Forgets directories that came, went or moved, and those below, so that they are watched again. Returns whether there
    /// were any.
    fn forget_replaced(&mut self) -> bool {
        let replaced = std::mem::take(&mut *locked(&self.replaced));
        let count = self.dirs.len();
        if !replaced.is_empty() {
            let is_replaced = |dir: &Utf8PathBuf| dir.ancestors().any(|above| replaced.contains(above));
            self.dirs.retain(|dir| !is_replaced(dir));
        }
        self.dirs.len() != count
    }

    fn is_directory(&self, path: &Utf8Path) -> bool {
        path.is_dir() || self.dirs.contains(path)
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether there may be another directory, or none, after an event.
const fn replaces(kind: EventKind) -> bool {
    !matches!(
        kind,
        EventKind::Access(_)
            | EventKind::Create(CreateKind::File)
            | EventKind::Remove(RemoveKind::File)
            | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_))
    )
}

fn is_ours(path: &Utf8Path) -> bool {
    path.extension().is_some_and(|e| ENDINGS.contains(&e))
}

/// The directory, or the nearest one above it that exists.
fn existing(dir: &Utf8Path) -> Option<Utf8PathBuf> {
    dir.ancestors().find(|d| d.is_dir()).map(Utf8Path::to_owned)
}
