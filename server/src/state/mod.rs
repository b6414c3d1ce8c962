//! The state of the server. Only the owner touches it.

mod around;
mod configs;
mod disk;
mod first_walk;
mod idle;
mod leaving;
mod progress;
mod publish;
mod recovery;
mod results;
mod settled;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use applyorder_analysis::config::{self, ConfigSource};
use applyorder_analysis::engine::{Engines, Offer};
use applyorder_analysis::files::DiskFiles;
use applyorder_analysis::syntax::text::Encoding;
use applyorder_analysis::workspace::Workspace;
use applyorder_lint::exit::Failure;
use applyorder_lint::trust::Trust;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use tower_lsp_server::ls_types::MessageType;

use crate::capabilities::Supports;
use crate::client::Client;
use crate::convert;
use crate::documents::OpenDocuments;
use crate::event::{Event, Events};
use crate::hints::HintSearcher;
use crate::lanes::Lanes;
use crate::render::Renderer;
use crate::scan;
use crate::settings::Settings;
use crate::snapshot::Snapshot;
use crate::start::Start;
use crate::watch;
use around::Surroundings;
use configs::ConfigWork;
use disk::{DiskEvents, Look};
use first_walk::{FirstWalk, Untaken};
use leaving::Leaving;
use publish::{Untold, Writing};
use results::Results;

/// Everything that can change.
pub(crate) struct State {
    pub(crate) engines: Engines,
    pub(crate) client: Client,
    pub(crate) workspace: Workspace,
    pub(crate) folders: Vec<Utf8PathBuf>,
    /// The texts of the open documents; what else is known of them is in `open`.
    pub(crate) texts: FxHashMap<Utf8PathBuf, String>,
    pub(crate) open: Arc<OpenDocuments>,
    pub(crate) settings: Settings,
    /// The open documents whose findings the client asked for, so that it must not be sent them as well. Some
    /// clients say that they ask and never do, and some only ask for documents they show; so everything is
    /// sent until it is asked for.
    pulled: FxHashSet<Utf8PathBuf>,
    supports: Arc<Supports>,
    /// Documents whose text is newer than the workspace's.
    edited: FxHashSet<Utf8PathBuf>,
    /// Whether a panic is being recovered from: work is done at once then, so that it shows what panics.
    recovering: bool,
    /// What the client has to be told as soon as it is settled.
    untold: Untold,
    /// What is being written for it.
    writing: Writing,
    /// Where work is done that may take long.
    lanes: Lanes,
    /// What it has given.
    results: Results,
    /// Whether something was taken over that is analyzed in a stretch of its own.
    is_unflushed: bool,
    /// What the client was told of each file, as a hash; files without findings are absent.
    published: FxHashMap<Utf8PathBuf, u64>,
    revision: Arc<AtomicU64>,
    configs: ConfigWork,
    first_walk: FirstWalk,
    /// What walks found.
    walked: VecDeque<Untaken>,
    /// The folders that left the workspace and whose files are being withdrawn.
    leaving: VecDeque<Leaving>,
    surroundings: Surroundings,
    disk: DiskEvents,
    /// Where the disk has to be compared with what was read.
    look: Option<Look>,
    /// Where it was compared while work went on, and has to be again when everything is up to date.
    look_settled: Option<Look>,
    /// Since when something waits for a moment without typing.
    waiting: Option<Instant>,
    /// Whether what to watch is being put in order.
    is_asking: bool,
    client_watcher: watch::client::Watcher,
    own_watcher: watch::notify::Watcher,
    pub(crate) renderer: Renderer,
    hints: HintSearcher,
    trusted: Option<bool>,
    /// The commands that the user allowed, by hand.
    trust: Trust,
    /// Whether the client has asked for a picture and must be notified when it may have changed.
    shows_graph: bool,
    progress: progress::Progress,
    config: ConfigSource,
    events: Events,
}

fn new_workspace(engines: Engines, settings: &Settings) -> Workspace {
    let disk = DiskFiles::default().keeping_large_lists();
    let mut workspace = Workspace::new(engines, Arc::new(disk), settings.run_options());
    workspace.let_rest();
    workspace.follow_links();
    workspace.set_nowhere(Utf8Path::new(convert::NOWHERE));
    workspace
}

impl State {
    pub(crate) fn new(engines: Engines, client: Client, config: ConfigSource, events: Events) -> Self {
        let settings = Settings::default();
        Self {
            engines,
            workspace: new_workspace(engines, &settings),
            client,
            folders: Vec::new(),
            texts: FxHashMap::default(),
            open: Arc::default(),
            settings,
            pulled: FxHashSet::default(),
            supports: Arc::new(Supports::read(&Value::Null)),
            edited: FxHashSet::default(),
            recovering: false,
            untold: Untold::default(),
            writing: Writing::default(),
            lanes: Lanes::default(),
            results: Results::default(),
            is_unflushed: false,
            published: FxHashMap::default(),
            revision: Arc::default(),
            configs: ConfigWork::new(),
            first_walk: FirstWalk::default(),
            walked: VecDeque::new(),
            leaving: VecDeque::new(),
            surroundings: Surroundings::default(),
            disk: DiskEvents::default(),
            look: None,
            look_settled: None,
            waiting: None,
            is_asking: false,
            client_watcher: watch::client::Watcher::default(),
            own_watcher: watch::notify::Watcher::default(),
            renderer: Renderer::default(),
            hints: HintSearcher::default(),
            trusted: None,
            trust: Trust::default(),
            shows_graph: false,
            progress: progress::Progress::default(),
            config,
            events,
        }
    }

    /// Takes what the client says in `initialize`.
    pub(crate) fn start(&mut self, start: Start) {
        self.folders = start.folders;
        self.trusted = start.trusted;
        self.supports = Arc::new(start.supports);
        self.settings = Settings::read(self.engines, &start.settings);
        self.workspace.set_options(self.settings.run_options());
        self.load_trust();
    }

    /// Reads what the user trusts. Where that can't be read, it is nothing.
    fn load_trust(&mut self) {
        self.trust = Trust::load().unwrap_or_else(|e| {
            if let Failure::Message(text) = e {
                self.client.log(MessageType::WARNING, text);
            }
            Trust::default()
        });
    }

    /// Searches for projects in some folders, and next to the path from the top of their repositories down to them: a
    /// project with its root above may contain them.
    fn scan(&mut self, folders: &[Utf8PathBuf]) {
        let mut found = scan::files_below(folders);
        let above = scan::files_above(folders);
        self.surroundings.keep(&above);
        found.extend(above);
        self.workspace.offer(&found, Offer::Found);
        self.reload_configs();
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.supports.encoding
    }

    pub(crate) fn supports(&self) -> &Supports {
        &self.supports
    }

    /// Notes that a document was opened. Answers that look at other files stay right where the text is what
    /// was known of the file.
    pub(crate) fn opened(&mut self, path: &Utf8Path) {
        let analysis = self.workspace.analysis();
        let known = analysis.file(path).and_then(|file| analysis.source(file));
        let text = self.texts.get(path).map(|text| text.as_str());
        if known.map(|source| &*source.text) != text {
            self.revision.fetch_add(1, Ordering::Relaxed);
        }
        self.touched(path);
    }

    /// Notes that a document has another text now, or is closed.
    pub(crate) fn edited(&mut self, path: &Utf8Path) {
        self.revision.fetch_add(1, Ordering::Relaxed);
        self.touched(path);
    }

    fn touched(&mut self, path: &Utf8Path) {
        if let Some(open) = self.open.get(path) {
            open.revision.fetch_add(1, Ordering::Relaxed);
        }
        self.edited.insert(path.to_owned());
        if is_config(path) {
            self.reload_configs_in(path.parent().map(Utf8Path::to_owned));
        }
    }

    /// Brings the workspace up to date with the documents, and tells the client what reads otherwise now.
    pub(crate) fn flush(&mut self) {
        self.is_unflushed = false;
        let edited = std::mem::take(&mut self.edited);
        let closed = edited.iter().filter(|path| !self.texts.contains_key(*path));
        self.workspace.close_all(closed.map(|path| &**path));
        for path in &edited {
            if let Some(text) = self.texts.get(path) {
                self.workspace.set_text(path, text.as_str().into());
            }
            self.wants_config(path);
        }
        self.load_configs();
        self.untold.edited.extend(edited);
        self.work();
        self.tell();
        self.tell_progress();
    }

    /// The engines that there are.
    pub(crate) const fn engines(&self) -> Engines {
        self.engines
    }

    /// Limits runs to what the user chose in the editor, until the settings change.
    pub(crate) fn select(&mut self, chosen: &Value) {
        let before = self.settings.run_options();
        self.settings.select(self.engines, chosen);
        if self.settings.run_options() != before {
            self.workspace.set_options(self.settings.run_options());
            self.revision.fetch_add(1, Ordering::Relaxed);
            self.reload_configs();
            self.flush();
            self.refresh_shown();
            self.tell_status();
        }
    }

    /// Tells the client what runs are limited to.
    pub(crate) fn tell_status(&self) {
        self.client
            .notify("applyorder/status", &self.settings.status(self.engines));
    }

    /// Notes that the client shows a picture of an order.
    pub(crate) fn graph_asked(&mut self) {
        self.shows_graph = true;
    }

    /// A picture for a request.
    pub(crate) fn snapshot(&mut self) -> Snapshot {
        Snapshot {
            analysis: self.workspace.analysis(),
            open: self.open.clone(),
            supports: self.supports.clone(),
            shows: self.settings.shows(),
            revision: self.revision.clone(),
        }
    }

    /// Takes notice of what happened without the client.
    pub(crate) fn happened(&mut self, event: Event) {
        match event {
            Event::Disk {
                paths,
                replaces,
                lost,
            } => self.disk.add_own(paths, replaces, lost),
            Event::Walked(walked) => self.walked(walked),
            Event::Worked => self.worked(),
            Event::Configs { number, loaded } => self.configs_loaded(number, *loaded),
            Event::Written(written) => self.written(*written),
            Event::Ended { lane, panicked } => self.ended(lane, panicked),
            Event::Asked(about) => self.watch(*about),
            Event::Looked(looked) => self.looked(*looked),
            Event::LookedAgain(differences) => self.looked_again(&differences),
            Event::Rendered(outcome) => self.rendered(outcome),
            Event::Hints(found) => self.hints_found(found),
            Event::Replied(id) => self.replied(id),
        }
    }
}

fn is_config(path: &Utf8Path) -> bool {
    path.file_name()
        .is_some_and(|name| config::FILE_NAMES.contains(&name))
}
