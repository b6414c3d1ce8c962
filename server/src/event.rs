//! What happens without the client: events of the disk, and the ends of what was begun on other threads.

use std::sync::Arc;

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::engine::Render;
use applyorder_analysis::workspace::{Asked, Differences, FoundHints, LoadedConfigs, Seen};
use camino::Utf8PathBuf;

use crate::diagnostics::Diagnostics;
use crate::scan::Found;
use crate::watch_list::WatchList;
use crate::watched::Watched;

/// What a command of the configuration gave.
pub(crate) type Rendered = (Render, Result<Arc<str>, String>);

/// What a walk through folders found.
pub(crate) struct Walked {
    /// The files next to the way down to the folders.
    pub(crate) above: Vec<Utf8PathBuf>,
    /// What is worth a look of these and of all below the folders; the files in order.
    pub(crate) found: Found,
}

/// What was seen where something happened on the disk.
pub(crate) struct Looked {
    pub(crate) paths: Vec<Utf8PathBuf>,
    pub(crate) seen: Seen,
    /// What was found besides.
    pub(crate) found: Found,
    /// Whether directories came or went that the server watches itself.
    pub(crate) directories: bool,
    /// What was put in order of what the projects asked.
    pub(crate) asked: Option<Asked>,
}

/// The findings of a file, written for the client.
pub(crate) struct Written {
    pub(crate) number: u64,
    pub(crate) path: Utf8PathBuf,
    pub(crate) file: FileId,
    /// The URI and the version of the document, where it was open.
    pub(crate) open: Option<(Arc<str>, Option<i32>)>,
    pub(crate) found: Diagnostics,
    /// Whether the client is told though it knows them.
    pub(crate) always: bool,
    /// Whether the client may have to ask again for what it shows.
    pub(crate) refreshes: bool,
}

/// What the projects asked about.
pub(crate) struct AskedAbout {
    pub(crate) asked: Asked,
    /// The version of the questions, and the folders at that time.
    pub(crate) version: u64,
    pub(crate) folders: Vec<Utf8PathBuf>,
    /// For a client that watches.
    pub(crate) wanted: Option<WatchList>,
    /// What the server watches itself from now on.
    pub(crate) watched: Option<Watched>,
}

/// Something that happened.
pub(crate) enum Event {
    /// Something was created, changed or deleted on the disk. `replaces`: what is at the paths may be something else
    /// now, or nothing. `lost`: the system lost count, so that anything may have happened.
    Disk {
        paths: Vec<Utf8PathBuf>,
        replaces: bool,
        lost: bool,
    },
    /// Folders were walked through; `None`: that panicked.
    Walked(Option<Walked>),
    /// Results of work on files and projects are ready.
    Worked,
    /// What was done in a lane has ended.
    Ended { lane: usize, panicked: bool },
    /// Configurations were loaded, by a load of this number.
    Configs { number: u64, loaded: Box<LoadedConfigs> },
    /// The findings of a file were written.
    Written(Box<Written>),
    /// It was looked at where something happened on the disk.
    Looked(Box<Looked>),
    /// What the projects asked about was put in order.
    Asked(Box<AskedAbout>),
    /// A second look at the disk has ended.
    LookedAgain(Differences),
    /// Commands of the configuration have ended.
    Rendered(Vec<Rendered>),
    /// Searches for hints have ended.
    Hints(Vec<FoundHints>),
    /// The client has replied to a request, by its number.
    Replied(i64),
}

/// The channel to the owner for events without the client. Sending never blocks, and events are dropped once the
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
