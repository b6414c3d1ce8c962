//! Walks through folders of the workspace, on threads of their own: requests and edits do not wait for them. What is
//! around open documents is looked at before they end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::engine::Offer;
use applyorder_analysis::workspace::{Analysis, Sieve, Sifted};
use camino::{Utf8Path, Utf8PathBuf};
use tracing::debug_span;

use super::State;
use crate::event::{Event, Walked};
use crate::scan;

/// How long found files are taken over in one go.
const SLICE: Duration = Duration::from_millis(10);

/// How many files are taken over between two checks of the clock.
const MANY: usize = 128;

/// What was found and not taken over.
pub(super) struct Untaken {
    above: Vec<Utf8PathBuf>,
    kept: std::vec::IntoIter<Sifted>,
    /// Whether by a walk through folders; else by a look at what happened on the disk.
    is_walk: bool,
}

/// How far it is.
#[derive(Default)]
pub(super) enum FirstWalk {
    #[default]
    NotBegun,
    /// The number of walks that have not ended.
    UnderWay(usize),
    Done,
}

impl State {
    /// Starts the walk through the folders, once, when the client is ready to receive findings. Clients that forget to
    /// say so count as ready with their first request.
    pub(crate) fn begin(&mut self) {
        if !matches!(self.first_walk, FirstWalk::NotBegun) {
            return;
        }
        self.progress_begins();
        self.walk_through(self.folders.clone());
    }

    /// Searches for projects in some folders, and next to the path from the top of their repositories down to them: a
    /// project with its root above may contain them.
    pub(crate) fn walk_through(&mut self, folders: Vec<Utf8PathBuf>) {
        let others = self.walks_under_way();
        self.first_walk = FirstWalk::UnderWay(others + 1);
        self.note_searched();
        let (sieve, events) = (self.workspace.sieve(), self.events.clone());
        let below = folders.clone();
        let walk = move || {
            let walked = catch_unwind(AssertUnwindSafe(|| walk(&below, &sieve)));
            events.send(Event::Walked(walked.ok()));
        };
        let thread = std::thread::Builder::new().name("walk".to_owned());
        if thread.spawn(walk).is_err() {
            self.walk_ended();
            self.scan(&folders);
        }
    }

    fn walks_under_way(&self) -> usize {
        match self.first_walk {
            FirstWalk::UnderWay(walks) => walks,
            _ => 0,
        }
    }

    fn walk_ended(&mut self) {
        self.first_walk = match self.walks_under_way() {
            0 | 1 => FirstWalk::Done,
            more => FirstWalk::UnderWay(more - 1),
        };
        self.note_searched();
    }

    /// Tells the workspace in which folders all projects were looked for.
    pub(crate) fn note_searched(&mut self) {
        let searched = if self.is_walked() {
            self.folders.clone()
        } else {
            Vec::new()
        };
        self.workspace.set_searched(searched);
    }

    /// Whether all folders were walked through.
    pub(super) fn is_walked(&self) -> bool {
        matches!(self.first_walk, FirstWalk::Done)
    }

    /// Whether folders are being walked through for the first time.
    pub(super) fn is_walking(&self) -> bool {
        self.walks_under_way() > 0
    }

    /// While the folders are being walked through, a document is analyzed with the files in its directory and in the
    /// directories above it.
    pub(crate) fn look_early(&mut self, path: &Utf8Path) {
        if !self.is_walking() {
            return;
        }
        let (Some(dir), Some(folder)) = (path.parent(), folder_of(&self.folders, path)) else {
            return;
        };
        let around = scan::files_between(folder, dir);
        let around: Vec<&Utf8Path> = around.iter().map(Utf8PathBuf::as_path).collect();
        // The walk does not find hidden and ignored files.
        let found = scan::found_among(&around, &self.folders);
        self.workspace.offer(&found, Offer::Found);
        found.iter().for_each(|file| self.wants_config(file));
    }

    /// Takes over what a walk through folders found.
    pub(super) fn walked(&mut self, walked: Option<Walked>) {
        if !self.is_walking() {
            return;
        }
        let Some(Walked { above, found }) = walked else {
            self.walk_ended();
            self.recover();
            return;
        };
        let configured = found.configured.iter();
        configured.for_each(|dir| self.saw_config_in(dir));
        self.surroundings.keep(&above);
        self.walked.push_back(Untaken {
            above,
            kept: found.kept.into_iter(),
            is_walk: true,
        });
        self.take_walked();
    }

    /// Has taken over, in slices, what a look at the disk found; [`Self::look_ended`] is called then.
    pub(super) fn take_in_slices(&mut self, found: Vec<Sifted>) {
        self.walked.push_back(Untaken {
            above: Vec::new(),
            kept: found.into_iter(),
            is_walk: false,
        });
    }

    /// Whether there is something to take over of what walks found.
    pub(super) fn has_walked(&self) -> bool {
        !self.walked.is_empty()
    }

    /// Takes over what a walk found, for no longer than a slice of time.
    pub(super) fn take_walked(&mut self) {
        let Some(mut untaken) = self.walked.pop_front() else {
            return;
        };
        let _span = debug_span!("offer").entered();
        let since = Instant::now();
        while since.elapsed() < SLICE && !untaken.kept.as_slice().is_empty() {
            // Folders may have left the workspace meanwhile.
            let is_wanted = |file: &Sifted| {
                let folders = &self.folders;
                folders.iter().any(|folder| file.path().starts_with(folder))
                    || untaken.above.iter().any(|a| a == file.path())
            };
            let next: Vec<Sifted> = untaken.kept.by_ref().take(MANY).filter(is_wanted).collect();
            next.iter().for_each(|file| self.wants_config(file.path()));
            self.workspace.offer_sifted(next);
        }
        if !untaken.kept.as_slice().is_empty() {
            self.walked.push_front(untaken);
            return;
        }
        if !untaken.is_walk {
            self.look_ended();
            self.flush();
            return;
        }
        self.walk_ended();
        for folder in self.folders.clone() {
            self.wants_config_in(&folder);
        }
        self.flush();
    }
}

/// Whether what is known of a file stays when the walk comes to an end: what its projects consist of does not depend on
/// which other files there are.
pub(super) fn is_seen_whole(analysis: &Analysis, file: FileId) -> bool {
    let projects = analysis.projects_of(file);
    !projects.is_empty() && projects.iter().all(|(_, project)| !project.seed.inferred)
}

/// The innermost folder of the workspace that a file is in.
fn folder_of<'a>(folders: &'a [Utf8PathBuf], path: &Utf8Path) -> Option<&'a Utf8Path> {
    let around = folders.iter().filter(|folder| path.starts_with(folder));
    around
        .max_by_key(|folder| folder.as_str().len())
        .map(Utf8PathBuf::as_path)
}

fn walk(folders: &[Utf8PathBuf], sieve: &Sieve) -> Walked {
    let above = scan::files_above(folders);
    let mut found = scan::sifted_below(folders, sieve);
    let kept = &mut found.kept;
    kept.extend(above.iter().filter_map(|path| sieve.sift(path.clone())));
    // Numbers of files do not depend on which thread was first.
    kept.sort_unstable_by(|a, b| a.path().cmp(b.path()));
    Walked { above, found }
}
