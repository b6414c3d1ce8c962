//! Events of the disk: collected, and completed by what happened before anything was watched.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::workspace::{Analysis, Differences, Happened, Sieve};
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::debug;

use super::{State, is_config};
use crate::event::{Event, Looked};
use crate::scan::{self, Found};

/// A single save causes several events: they are collected until none has arrived for this long...
const QUIET: Duration = Duration::from_millis(30);
/// ... but at most for this long.
const PATIENCE: Duration = Duration::from_secs(1);

/// Up to this many files are taken over at once, without a noticeable delay.
const FEW: usize = 256;

/// Events of the disk that wait for those that come with them.
#[derive(Default)]
pub(super) struct DiskEvents {
    /// The paths, and who saw what happened there.
    paths: FxHashMap<Utf8PathBuf, SeenBy>,
    lost: bool,
    /// When the first came, and the last.
    came: Option<(Instant, Instant)>,
    /// The paths that are being looked at.
    looked_at: Happened,
    is_looking: bool,
}

/// Who saw that something happened at a path.
enum SeenBy {
    /// The client.
    Client,
    /// The server's own watcher, which sees more than can matter. `replaces`: as in [`Event::Disk`].
    OwnWatcher { replaces: bool },
}

impl DiskEvents {
    /// Notes events that the server's own watcher saw.
    pub(super) fn add_own(&mut self, paths: Vec<Utf8PathBuf>, replaces: bool, lost: bool) {
        self.lost |= lost;
        for path in paths {
            let seen = self.paths.entry(path).or_insert(SeenBy::OwnWatcher { replaces });
            if let SeenBy::OwnWatcher { replaces: before } = seen {
                *before |= replaces;
            }
        }
        self.note_time();
    }

    fn add(&mut self, paths: impl IntoIterator<Item = Utf8PathBuf>) {
        for path in paths {
            self.paths.insert(path, SeenBy::Client);
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
#[derive(Clone)]
pub(super) enum Look {
    Everywhere,
    /// In and below these directories: what was created there before they were watched may be deeper.
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
            Self::In(dirs) => path.ancestors().any(|above| dirs.contains(above)),
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
        let (mut own, mut told): (Vec<(Utf8PathBuf, bool)>, Vec<Utf8PathBuf>) = (Vec::new(), Vec::new());
        for (path, seen) in events {
            match seen {
                SeenBy::Client => told.push(path),
                SeenBy::OwnWatcher { replaces } => own.push((path, replaces)),
            }
        }
        if own.is_empty() && told.is_empty() {
            return;
        }
        if !told.is_empty() {
            self.revision.fetch_add(1, Ordering::Relaxed);
        }
        told.sort_unstable();
        let all = told.iter().chain(own.iter().map(|(path, _)| path));
        let all: Vec<Utf8PathBuf> = all.cloned().collect();
        self.disk.looked_at.add(&all);
        let mut look = self.workspace.look_at(all);
        let (folders, sieve) = (self.folders.clone(), self.workspace.sieve());
        let (watched, asking) = (self.own_watcher.watched(), self.workspace.asking());
        let run = move || {
            let sorted = watched.those_that_matter(own, &asking);
            let mut paths = told;
            paths.extend(sorted.paths);
            look.keep(&paths);
            let seen = look.run();
            let found = found_new(seen.came(), &folders, &sieve);
            Looked {
                paths,
                seen,
                found,
                directories: sorted.directories,
                asked: sorted.asked,
            }
        };
        // Also of a single path: it may be a directory with much in it.
        if !self.recovering {
            self.disk.is_looking = true;
            let events = self.events.clone();
            self.lanes
                .run(&self.events, move || events.send(Event::Looked(Box::new(run()))));
        } else {
            self.take_looked(run());
        }
    }

    /// Takes over what was seen where something happened on the disk.
    pub(super) fn looked(&mut self, looked: Looked) {
        if self.disk.is_looking {
            self.take_looked(looked);
            if !self.disk.is_looking {
                self.flush();
            }
        }
    }

    fn take_looked(&mut self, looked: Looked) {
        if let Some(asked) = &looked.asked {
            self.workspace.keep_asked(asked);
        }
        if looked.directories {
            self.own_watcher.directories_changed();
        }
        if looked.paths.is_empty() {
            self.look_ended();
            return;
        }
        self.revision.fetch_add(1, Ordering::Relaxed);
        self.workspace.take_seen(looked.seen);
        self.note_configs(&looked.paths);
        self.want_configs(&looked.paths, &looked.found);
        let found = looked.found.kept;
        if found.len() > FEW {
            self.disk.is_looking = true;
            self.take_in_slices(found);
        } else {
            self.workspace.offer_sifted(found);
            self.look_ended();
        }
    }

    /// Everything was taken over that was seen.
    pub(super) fn look_ended(&mut self) {
        self.disk.is_looking = false;
        self.disk.looked_at = Happened::default();
    }

    /// Whether something happened on the disk that may concern a file, and was not looked at.
    pub(super) fn disk_may_concern(&self, analysis: &Analysis, file: FileId) -> bool {
        self.disk.looked_at.may_concern(analysis, file)
    }

    /// Whether something happened on the disk that was not looked at.
    pub(super) fn is_looking(&self) -> bool {
        self.disk.is_looking
    }

    /// Looks which configurations hold for files that came.
    fn want_configs(&mut self, paths: &[Utf8PathBuf], found: &Found) {
        let configured = found.configured.iter();
        configured.for_each(|dir| self.saw_config_in(dir));
        let paths: FxHashSet<&str> = paths.iter().map(|path| path.as_str()).collect();
        let mut came: FxHashSet<Utf8PathBuf> = FxHashSet::default();
        for file in &found.kept {
            let mut above = file.path().ancestors().skip(1);
            match above.find(|dir| paths.contains(dir.as_str())) {
                // With a directory whatever is in it came.
                Some(dir) if !came.contains(dir) => drop(came.insert(dir.to_owned())),
                Some(_) => {}
                None => self.wants_config(file.path()),
            }
        }
        if !came.is_empty() {
            self.reload_configs_in(came);
        }
    }

    /// Reads the configurations again where one came, changed or went, or one that another extends.
    fn note_configs(&mut self, paths: &[Utf8PathBuf]) {
        let came = paths.iter().filter(|path| is_config(path));
        let mut changed: Vec<Utf8PathBuf> = came.cloned().collect();
        let dirs = changed.iter().filter_map(|file| file.parent());
        dirs.for_each(|dir| self.saw_config_in(dir));
        let happened: FxHashSet<&str> = paths.iter().map(|path| path.as_str()).collect();
        let known = self.workspace.config_files().iter();
        let known = known.filter(|file| file.ancestors().any(|path| happened.contains(path.as_str())));
        changed.extend(known.cloned());
        if changed.iter().any(|file| !is_config(file)) {
            self.reload_configs();
        } else if !changed.is_empty() {
            let dirs = changed.iter().filter_map(|file| file.parent());
            self.reload_configs_in(dirs.map(Utf8Path::to_owned));
        }
    }

    /// Compares the disk with what was read, on another thread.
    pub(super) fn look_again(&mut self) {
        let mut look = self.look.take();
        if !self.workspace.is_settled() {
            // What work that goes on has asked is not known yet.
            if let Some(look) = look.clone() {
                self.look_settled = Some(look.and(self.look_settled.take()));
            }
        } else if let Some(later) = self.look_settled.take() {
            look = Some(later.and(look));
        }
        let Some(look) = look else { return };
        let second = self.workspace.second_look();
        let (folders, watched, events) = (
            self.folders.clone(),
            self.own_watcher.watched(),
            self.events.clone(),
        );
        self.lanes.run(&self.events, move || {
            let found = match &look {
                Look::Everywhere => scan::files_below(&folders),
                Look::In(dirs) => scan::files_below(&watched.walked_among(dirs)),
            };
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
        let first = paths.clone().next();
        let (contents, answers, new) = (contents.len(), answers.len(), new.len());
        debug!(contents, answers, new, ?first, "the disk is not as it was read");
        self.note_disk_events(paths.cloned());
        self.take_disk_events();
        self.flush();
    }
}

/// What may be new and a walk finds: it may be hidden or ignored.
fn found_new(new: &[Utf8PathBuf], folders: &[Utf8PathBuf], sieve: &Sieve) -> Found {
    if new.is_empty() {
        return Found::default();
    }
    let new: Vec<&Utf8Path> = new.iter().map(Utf8PathBuf::as_path).collect();
    let found = scan::found_among(&new, folders);
    Found {
        configured: scan::configured_among(&found),
        kept: found.into_iter().filter_map(|path| sieve.sift(path)).collect(),
    }
}
