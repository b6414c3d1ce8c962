//! Events of the disk: taken together, and what happened before anybody watched.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::workspace::{Analysis, Differences, Happened, Sieve, Sifted};
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::State;
use crate::event::{Event, Looked};
use crate::scan;

/// What is written in one go gives many events: they are taken together once there was none for so long...
const QUIET: Duration = Duration::from_millis(30);
/// ... but after so long at the latest.
const PATIENCE: Duration = Duration::from_secs(1);

/// So many paths are looked at at once: nobody notices that they wait.
const AT_ONCE: usize = 16;

/// Events of the disk that wait for those that come with them.
#[derive(Default)]
pub(super) struct DiskEvents {
    /// The paths, and whether the server's own watcher saw them, which sees more than can matter.
    paths: FxHashMap<Utf8PathBuf, bool>,
    lost: bool,
    /// When the first came, and the last.
    came: Option<(Instant, Instant)>,
    /// The paths that are being looked at.
    looked_at: Happened,
    is_looking: bool,
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
        let (first, last) = self.came.filter(|_| !self.is_looking)?;
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
        // One look after the other: what was seen last has to be taken over last.
        if self.disk.is_looking {
            return;
        }
        let events = std::mem::take(&mut self.disk.paths);
        self.disk.came = None;
        if std::mem::take(&mut self.disk.lost) {
            self.look = Some(Look::Everywhere);
        }
        let (own, told): (Vec<_>, Vec<_>) = events.into_iter().partition(|(_, is_own)| *is_own);
        let own = own.into_iter().map(|(path, _)| path).collect();
        let mut paths = self.own_watcher.those_that_matter(own, &mut self.workspace);
        paths.extend(told.into_iter().map(|(path, _)| path));
        if paths.is_empty() {
            return;
        }
        paths.sort_unstable();
        self.revision.fetch_add(1, Ordering::Relaxed);
        self.disk.looked_at.add(&paths);
        let is_much = paths.len() > AT_ONCE;
        let look = self.workspace.look_at(paths.clone());
        let (folders, sieve) = (self.folders.clone(), self.workspace.sieve());
        let run = move || {
            let seen = look.run();
            (paths, seen)
        };
        if is_much {
            self.disk.is_looking = true;
            let events = self.events.clone();
            self.lanes.run(&self.events, move || {
                let (paths, seen) = run();
                let found = found_new(seen.came(), &folders, &sieve);
                events.send(Event::Looked(Box::new(Looked { paths, seen, found })));
            });
        } else {
            let (paths, seen) = run();
            let found = found_new(seen.came(), &folders, &sieve);
            self.take_looked(Looked { paths, seen, found });
        }
    }

    /// Takes over what was seen where something happened on the disk.
    pub(super) fn looked(&mut self, looked: Looked) {
        if self.disk.is_looking {
            self.take_looked(looked);
            self.flush();
        }
    }

    fn take_looked(&mut self, looked: Looked) {
        let Looked { paths, seen, found } = looked;
        self.disk.is_looking = false;
        self.disk.looked_at = Happened::default();
        self.workspace.take_seen(seen);
        self.note_configs(&paths);
        if !found.is_empty() {
            self.workspace.offer_sifted(found);
            self.configs_changed = true;
        }
    }

    /// Whether something happened on the disk that may concern a file, and was not looked at.
    pub(super) fn disk_may_concern(&self, analysis: &Analysis, file: FileId) -> bool {
        self.disk.looked_at.may_concern(analysis, file)
    }

    /// Whether something happened on the disk that was not looked at.
    pub(super) fn is_looking(&self) -> bool {
        self.disk.is_looking
    }

    /// Any TOML file may be one that a configuration extends.
    fn note_configs(&mut self, paths: &[Utf8PathBuf]) {
        self.configs_changed |= paths.iter().any(|path| path.extension() == Some("toml"));
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
        let paths = contents.iter().chain(answers).chain(new);
        self.note_disk_events(paths.cloned());
        self.take_disk_events();
        self.flush();
    }
}

/// The files that may be new and that a walk finds: they may be hidden or ignored.
fn found_new(new: &[Utf8PathBuf], folders: &[Utf8PathBuf], sieve: &Sieve) -> Vec<Sifted> {
    if new.is_empty() {
        return Vec::new();
    }
    let new: Vec<&Utf8Path> = new.iter().map(Utf8PathBuf::as_path).collect();
    let found = scan::found_among(&new, folders);
    found.into_iter().filter_map(|path| sieve.sift(path)).collect()
}
