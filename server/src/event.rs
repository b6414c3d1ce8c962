//! What happens without the client: events of the disk, and the ends of what was begun on other threads.

use std::sync::Arc;

use applyorder_analysis::engine::{Hints, Render};
use applyorder_analysis::workspace::{Asked, Differences, HintTask, Seen, Sifted};
use camino::Utf8PathBuf;

use crate::watch_list::WatchList;

/// What a command of the configuration gave.
pub(crate) type Rendered = (Render, Result<Arc<str>, String>);

/// What a walk through folders found.
pub(crate) struct Walked {
    /// The files next to the way down to the folders.
    pub(crate) above: Vec<Utf8PathBuf>,
    /// Those of these and of all below the folders that are worth a look, in order.
    pub(crate) kept: Vec<Sifted>,
}

/// What was seen where something happened on the disk.
pub(crate) struct Looked {
    pub(crate) paths: Vec<Utf8PathBuf>,
    pub(crate) seen: Seen,
    /// What was found besides.
    pub(crate) found: Vec<Sifted>,
}

/// What the projects asked about.
pub(crate) struct AskedAbout {
    pub(crate) asked: Asked,
    /// The version of the questions, and the folders at that time.
    pub(crate) version: u64,
    pub(crate) folders: Vec<Utf8PathBuf>,
    pub(crate) places: Vec<Utf8PathBuf>,
    /// For a client that watches.
    pub(crate) wanted: Option<WatchList>,
}

/// Something that happened.
pub(crate) enum Event {
    /// Something was created, changed or deleted on the disk. `lost`: the system lost count, so that anything may
    /// have happened.
    Disk { paths: Vec<Utf8PathBuf>, lost: bool },
    /// Folders were walked through; `None`: that panicked.
    Walked(Option<Walked>),
    /// Some work on files and projects can be taken over.
    Worked,
    /// What was done in a lane has ended.
    Ended { lane: usize, panicked: bool },
    /// It was looked at where something happened on the disk.
    Looked(Box<Looked>),
    /// What the projects asked about was put in order.
    Asked(Box<AskedAbout>),
    /// A second look at the disk has ended.
    LookedAgain(Differences),
    /// Commands of the configuration have ended.
    Rendered(Vec<Rendered>),
    /// Searches for hints have ended.
    Hints(Vec<(HintTask, Hints)>),
    /// The client has replied to a request, by its number.
    Replied(i64),
}

/// The way to the owner for what happens without the client. Sending never waits, and nobody hears of it once the
/// session has ended.
#[derive(Clone)]
pub(crate) struct Events(Arc<dyn Fn(Event) + Send + Sync>);

impl Events {
    pub(crate) fn new(send: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self(Arc::new(send))
    }

    pub(crate) fn send(&self, event: Event) {
        (self.0)(event);
    }
}
