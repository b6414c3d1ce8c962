//! Watching without the client's help, directory by directory: those that were looked through, and those
//! that the projects asked about.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Weak;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use applyorder_analysis::workspace::Workspace;
use camino::{Utf8Path, Utf8PathBuf};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use rustc_hash::FxHashSet;
use tower_lsp_server::ls_types::MessageType;

use crate::client::Client;
use crate::owner::Task;
use crate::scan;
use crate::state::State;
use crate::watch::ENDINGS;

/// The most directories that are watched; systems allow so many per user at least.
const MAX_DIRS: usize = 8_192;

/// What is written in one go gives many events: they are taken together once there was none for so long...
const QUIET: Duration = Duration::from_millis(40);
/// ... but after so long at the latest.
const PATIENCE: Duration = Duration::from_millis(400);

/// What happened on the disk.
struct Happened {
    paths: Vec<PathBuf>,
    /// Whether the system lost count, so that anything may have happened.
    lost: bool,
}

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

    /// Watches what has to be watched now.
    pub(crate) fn update(
        &mut self,
        client: &Client,
        workspace: &Workspace,
        folders: &[Utf8PathBuf],
        queue: &Weak<Sender<Task>>,
    ) {
        let version = workspace.questions_version();
        let same_folders = match &self.looked_at {
            Some((v, f)) if f == folders => {
                if *v == version {
                    return;
                }
                true
            }
            _ => false,
        };
        if self.failed {
            return;
        }
        if self.inner.is_none() {
            self.start(client, queue);
        }
        if !same_folders {
            self.walked = scan::directories_below(folders).into_iter().collect();
        }
        self.looked_at = Some((version, folders.to_vec()));
        // Most of what is asked about shares a directory with something else.
        let watched = workspace.watched();
        let mut parents: Vec<&Utf8Path> = watched.iter().filter_map(|p| p.parent()).collect();
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
        if !is_first && !added.is_empty() {
            // What came into them before they were watched gave no event.
            let task = Task::Notify(
                "watched anew",
                Box::new(move |state| looked_at_again(state, &added)),
            );
            if let Some(queue) = queue.upgrade() {
                drop(queue.send(task));
            }
        }
    }

    /// Looks through the folders anew at the next [`Self::update`]: a directory came or went.
    fn directories_changed(&mut self) {
        self.looked_at = None;
    }

    fn start(&mut self, client: &Client, queue: &Weak<Sender<Task>>) {
        let (sender, events) = channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let happened = match event {
                Ok(event) if event.kind.is_access() => return,
                Ok(event) => Happened {
                    lost: event.need_rescan(),
                    paths: event.paths,
                },
                Err(_) => Happened {
                    lost: true,
                    paths: Vec::new(),
                },
            };
            // An error says that the session has ended.
            drop(sender.send(happened));
        });
        let queue = queue.clone();
        let thread = std::thread::Builder::new()
            .name("watcher".to_owned())
            .spawn(move || collect(&events, &queue));
        match (watcher, thread) {
            (Ok(watcher), Ok(_)) => self.inner = Some(watcher),
            (Err(e), _) => self.give_up(client, &e.to_string()),
            (_, Err(e)) => self.give_up(client, &e.to_string()),
        }
    }

    fn give_up(&mut self, client: &Client, why: &str) {
        self.failed = true;
        client.log(
            MessageType::WARNING,
            format!("changes on the disk go unnoticed until the files are opened: {why}"),
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
                format!("some changes on the disk will go unnoticed: {why}"),
            );
        }
        added
    }

    /// Whether something at a path can matter.
    fn is_wanted(&self, path: &Utf8Path, asked: &[Utf8PathBuf]) -> bool {
        path.extension().is_some_and(|e| ENDINGS.contains(&e))
            || self.is_directory(path)
            || is_asked(path, asked)
    }

    fn is_directory(&self, path: &Utf8Path) -> bool {
        path.is_dir() || self.dirs.contains(path)
    }
}

/// The directory, or the nearest one above it that exists.
fn existing(dir: &Utf8Path) -> Option<Utf8PathBuf> {
    dir.ancestors().find(|d| d.is_dir()).map(Utf8Path::to_owned)
}

/// Whether a path, or one below it, is among those asked about, which are sorted.
fn is_asked(path: &Utf8Path, asked: &[Utf8PathBuf]) -> bool {
    let at = asked.partition_point(|a| a.as_path() < path);
    asked.get(at).is_some_and(|a| a.starts_with(path))
}

/// Hands what happened to the owner, several events at once.
fn collect(events: &Receiver<Happened>, queue: &Weak<Sender<Task>>) {
    while let Ok(first) = events.recv() {
        let begin = Instant::now();
        let mut lost = first.lost;
        let mut paths: BTreeSet<PathBuf> = first.paths.into_iter().collect();
        while begin.elapsed() < PATIENCE
            && let Ok(more) = events.recv_timeout(QUIET)
        {
            lost |= more.lost;
            paths.extend(more.paths);
        }
        let paths: Vec<Utf8PathBuf> = paths
            .into_iter()
            .filter_map(|p| Utf8PathBuf::from_path_buf(p).ok())
            .collect();
        let Some(queue) = queue.upgrade() else { return };
        let task = Task::Notify(
            "change on disk",
            Box::new(move |state| happened(state, paths, lost)),
        );
        drop(queue.send(task));
    }
}

fn happened(state: &mut State, mut paths: Vec<Utf8PathBuf>, lost: bool) {
    let asked = state.workspace.watched();
    paths.retain(|path| state.own_watcher.is_wanted(path, &asked));
    if lost {
        paths.extend(asked.iter().cloned());
        paths.extend(state.folders.iter().cloned());
        paths.sort_unstable();
        paths.dedup();
    }
    let asked_below = |path: &Utf8Path| path.extension().is_none() && is_asked(path, &asked);
    if paths
        .iter()
        .any(|p| state.own_watcher.is_directory(p) || asked_below(p))
    {
        let gone: Vec<&Utf8PathBuf> = paths.iter().filter(|p| !p.is_dir()).collect();
        // What is watched of a deleted directory does not see the next one of its name.
        state
            .own_watcher
            .dirs
            .retain(|dir| !gone.iter().any(|g| dir.starts_with(g)));
        state.own_watcher.directories_changed();
    }
    for path in &paths {
        state.changed_on_disk(path);
    }
    state.look_for_new(&paths);
}

fn looked_at_again(state: &mut State, dirs: &[Utf8PathBuf]) {
    for dir in dirs {
        state.changed_on_disk(dir);
    }
    let walked: Vec<Utf8PathBuf> = dirs
        .iter()
        .filter(|dir| state.own_watcher.walked.contains(*dir))
        .cloned()
        .collect();
    if !walked.is_empty() {
        // There may be directories inside.
        state.own_watcher.directories_changed();
        state.look_for_new(&walked);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_below_is_asked_about_too() {
        let asked = ["/a-b/x", "/a/b/c", "/a/d"].map(Utf8PathBuf::from);
        let mut sorted = asked.to_vec();
        sorted.sort();
        for (path, expected) in [
            ("/a", true),
            ("/a/b", true),
            ("/a/b/c", true),
            ("/a/c", false),
            ("/b", false),
        ] {
            assert_eq!(is_asked(path.into(), &sorted), expected, "{path}");
        }
    }
}
