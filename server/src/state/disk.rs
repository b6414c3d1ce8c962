//! Events of the disk: taken together, and what happened before anybody watched.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use applyorder_analysis::engine::Offer;
use applyorder_analysis::workspace::Differences;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::State;
use crate::event::Event;
use crate::scan;

/// What is written in one go gives many events: they are taken together once there was none for so long...
const QUIET: Duration = Duration::from_millis(30);
/// ... but after so long at the latest.
const PATIENCE: Duration = Duration::from_secs(1);

/// Events of the disk that wait for those that come with them.
#[derive(Default)]
pub(super) struct DiskEvents {
    /// The paths, and whether the server's own watcher saw them, which sees more than can matter.
    paths: FxHashMap<Utf8PathBuf, bool>,
    lost: bool,
    /// When the first came, and the last.
    came: Option<(Instant, Instant)>,
}

impl DiskEvents {
    /// Notes events that the server's own watcher saw.
    pub(super) fn add_own(&mut self, paths: Vec<Utf8PathBuf>, lost: bool) {
        self.lost |= lost;
        for path in paths {
            self.paths.entry(path).or_insert(true);
        }
        self.note_time();
    }

    fn add(&mut self, paths: impl IntoIterator<Item = Utf8PathBuf>) {
        for path in paths {
            self.paths.insert(path, false);
        }
        self.note_time();
    }

    fn note_time(&mut self) {
        let now = Instant::now();
        let first = self.came.map_or(now, |(first, _)| first);
        self.came = Some((first, now));
    }

    /// How long until they are looked at.
    pub(super) fn due_in(&self) -> Option<Duration> {
        let (first, last) = self.came?;
        let quiet = QUIET.saturating_sub(last.elapsed());
        Some(quiet.min(PATIENCE.saturating_sub(first.elapsed())))
    }
}

/// Where the disk has to be compared with what was read.
pub(super) enum Look {
    Everywhere,
    /// In these directories.
    In(FxHashSet<Utf8PathBuf>),
}

impl Look {
    /// Both.
    pub(super) fn and(self, other: Option<Self>) -> Self {
        match (self, other) {
            (Self::In(mut dirs), Some(Self::In(others))) => {
                dirs.extend(others);
                Self::In(dirs)
            }
            (Self::Everywhere, _) | (_, Some(Self::Everywhere)) => Self::Everywhere,
            (look, None) => look,
        }
    }

    fn is_in(&self, path: &Utf8Path) -> bool {
        match self {
            Self::Everywhere => true,
            Self::In(dirs) => dirs.contains(path) || path.parent().is_some_and(|dir| dirs.contains(dir)),
        }
    }
}

impl State {
    /// Notes that something was created, changed or deleted on the disk. It is looked at with what comes right behind.
    pub(crate) fn note_disk_events(&mut self, paths: impl IntoIterator<Item = Utf8PathBuf>) {
        self.disk.add(paths);
    }

    /// Looks at what happened on the disk.
    pub(crate) fn take_disk_events(&mut self) {
        let events = std::mem::take(&mut self.disk);
        if events.lost {
            self.look = Some(Look::Everywhere);
        }
        let (own, told): (Vec<_>, Vec<_>) = events.paths.into_iter().partition(|(_, is_own)| *is_own);
        let own = own.into_iter().map(|(path, _)| path).collect();
        let mut paths = self.own_watcher.those_that_matter(own, &mut self.workspace);
        paths.extend(told.into_iter().map(|(path, _)| path));
        if paths.is_empty() {
            return;
        }
        paths.sort_unstable();
        self.revision.fetch_add(1, Ordering::Relaxed);
        self.workspace.changed_on_disk(&paths);
        self.note_configs(&paths);
        self.look_for_new(&paths);
    }

    /// Any TOML file may be one that a configuration extends.
    fn note_configs(&mut self, paths: &[Utf8PathBuf]) {
        self.configs_changed |= paths.iter().any(|path| path.extension() == Some("toml"));
    }

    /// Offers files that may be new. Whether one is looked at at all, a walk has to tell: it may be hidden or
    /// ignored.
    fn look_for_new(&mut self, paths: &[Utf8PathBuf]) {
        let new: Vec<&Utf8Path> = paths
            .iter()
            .map(Utf8PathBuf::as_path)
            .filter(|path| self.workspace.may_be_new(path) && path.exists())
            .collect();
        if new.is_empty() {
            return;
        }
        let found = scan::found_among(&new, &self.folders);
        if !found.is_empty() {
            self.workspace.offer(&found, Offer::Found);
            self.configs_changed = true;
        }
    }

    /// Compares the disk with what was read, on another thread.
    pub(super) fn look_again(&mut self) {
        let Some(look) = self.look.take() else { return };
        let second = self.workspace.second_look();
        let folders = match &look {
            Look::Everywhere => self.folders.clone(),
            Look::In(dirs) => self.own_watcher.walked_among(dirs),
        };
        let events = self.events.clone();
        self.lanes.run(&self.events, move || {
            let found = scan::files_below(&folders);
            events.send(Event::LookedAgain(second.run(&found, |path| look.is_in(path))));
        });
    }

    /// Takes over what is on the disk otherwise than it was read.
    pub(super) fn looked_again(&mut self, differences: &Differences) {
        let Differences {
            contents,
            answers,
            new,
        } = differences;
        if contents.is_empty() && answers.is_empty() && new.is_empty() {
            return;
        }
        self.revision.fetch_add(1, Ordering::Relaxed);
        self.workspace.take_notice(differences);
        self.note_configs(contents);
        self.note_configs(answers);
        self.configs_changed |= !new.is_empty();
        self.flush();
    }
}
