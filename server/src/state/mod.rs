//! The state of the server. Only the owner touches it.

mod around;
mod configs;
mod disk;
mod first_walk;
mod idle;
mod leaving;
mod progress;
mod publish;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use applyorder_analysis::config::{self, ConfigSource};
use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::engine::{Engines, Offer};
use applyorder_analysis::files::DiskFiles;
use applyorder_analysis::syntax::text::Encoding;
use applyorder_analysis::workspace::{self, Analysis, Work, Workspace};
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
use first_walk::{FirstWalk, Untaken, is_seen_whole};
use leaving::Leaving;
use publish::{Untold, Writing};

/// Work that takes at most this long in total is done at once, without a noticeable delay.
const SHORT: Duration = Duration::from_millis(10);

/// The minimum time for which results of work are collected before they are taken over.
const GATHER: Duration = Duration::from_millis(20);

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
    /// Whether there is work to take over, and when that was done last.
    worked: bool,
    /// Whether there is more of what was taken over last.
    has_done: bool,
    /// Whether something was taken over that is analysed in a stretch of its own.
    is_unflushed: bool,
    taken_over: Option<Instant>,
    /// For how long results are gathered now.
    gather: Duration,
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

/// What is up to date at some moment.
pub(crate) struct Settled {
    /// Everything is.
    is_whole: bool,
    projects: workspace::Settled,
    /// Files of which something is known before all is up to date that concerns them.
    at_sight: FxHashSet<FileId>,
    is_walking: bool,
    analysis: Arc<Analysis>,
}

impl Settled {
    fn has(&self, file: FileId, workspace: &Workspace) -> bool {
        self.is_whole || workspace.is_settled_among(file, &self.projects) && self.sees(file)
    }

    /// Whether the client can be told about a file.
    fn tells(&self, file: FileId, workspace: &Workspace) -> bool {
        self.has(file, workspace) || self.at_sight.contains(&file) && self.sees(file)
    }

    /// Whether all that walks find and that concerns a file is found.
    fn sees(&self, file: FileId) -> bool {
        !self.is_walking || is_seen_whole(&self.analysis, file)
    }
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
            worked: false,
            has_done: false,
            is_unflushed: false,
            taken_over: None,
            gather: GATHER,
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

    /// Brings the projects up to date: at once what takes no time, the rest on other threads.
    fn work(&mut self) {
        let since = Instant::now();
        loop {
            let short = if self.recovering {
                Duration::MAX
            } else {
                SHORT.saturating_sub(since.elapsed())
            };
            let (changes, work) = self.workspace.begin(short);
            self.untold.changes.add(changes);
            match work {
                None => return,
                Some(work) if work.is_long() => self.work_elsewhere(work),
                Some(work) => {
                    // Others may have done much meanwhile: that is taken over in slices.
                    let (changes, is_more) = if self.recovering {
                        work.run(&|| {});
                        (self.workspace.take_over(), false)
                    } else {
                        work.run_here();
                        self.workspace.take_over_some()
                    };
                    self.has_done |= is_more;
                    self.untold.changes.add(changes);
                }
            }
        }
    }

    fn work_elsewhere(&mut self, work: Work) {
        let events = self.events.clone();
        self.lanes.run(&self.events, move || {
            work.run(&|| events.send(Event::Worked));
        });
    }

    /// After how long the results of work are to be taken over.
    fn take_over_due_in(&self) -> Option<Duration> {
        let last = self.taken_over.map_or(self.gather, |last| last.elapsed());
        self.worked.then(|| self.gather.saturating_sub(last))
    }

    /// Takes over what work on other threads has given.
    fn take_over(&mut self) {
        self.worked = false;
        let since = Instant::now();
        let (changes, is_more) = self.workspace.take_over_some();
        self.has_done = is_more;
        self.untold.changes.add(changes);
        self.is_unflushed = true;
        self.gather_after(since.elapsed());
    }

    /// Gathers results for a time, given how long it took to take over the last ones: where there are many projects,
    /// that must not be all that is done.
    fn gather_after(&mut self, took: Duration) {
        self.gather = GATHER.max(took * 4);
        self.taken_over = Some(Instant::now());
    }

    fn ended(&mut self, lane: usize, panicked: bool) {
        self.lanes.ended(lane, &self.events);
        if panicked {
            self.recover();
        } else {
            self.take_over();
        }
    }

    /// What is up to date now.
    pub(crate) fn settled(&mut self) -> Settled {
        let is_whole = self.workspace.is_settled() && !self.is_walking() && self.leaving.is_empty();
        Settled {
            is_whole,
            projects: self.workspace.settled(),
            at_sight: self.workspace.files_at_sight(),
            is_walking: self.is_walking(),
            analysis: self.workspace.analysis(),
        }
    }

    /// Whether a request on a document, or on everything, finds what it looks at up to date, and the client was told of
    /// it; `at_sight`, whether it finds something of a document.
    pub(crate) fn is_settled_for(
        &self,
        settled: &Settled,
        document: Option<&Utf8Path>,
        at_sight: bool,
    ) -> bool {
        let Some(path) = document else {
            return settled.is_whole && self.untold.is_empty() && !self.is_writing() && !self.is_looking();
        };
        let file = settled.analysis.file(path);
        let is_told = !self.untold.edited.contains(path)
            && !self.is_writing_of(path)
            && !file.is_some_and(|file| self.untold.changes.files.contains(&file));
        let is_seen = match file {
            Some(file) => !self.disk_may_concern(&settled.analysis, file),
            None => !self.is_looking(),
        };
        // A client that is told something early must be told the rest later.
        let at_sight = at_sight && self.supports.diagnostic_refresh;
        let workspace = &self.workspace;
        let has = |file| settled.has(file, workspace) || at_sight && settled.tells(file, workspace);
        is_told && is_seen && !self.is_leaving(path) && (settled.is_whole || file.is_some_and(has))
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
            Event::Worked if self.take_over_due_in().is_none() => {
                self.worked = true;
                if self.take_over_due_in() == Some(Duration::ZERO) {
                    self.take_over();
                }
            }
            Event::Worked => {}
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

    /// Starts again after a panic, which may have left the workspace half changed: first without the open
    /// documents, then with one after the other; a text that makes the analysis panic is left out.
    pub(crate) fn recover(&mut self) {
        self.client
            .log(MessageType::ERROR, "the analysis panicked; restarted");
        self.workspace = new_workspace(self.engines, &self.settings);
        self.renderer = Renderer::default();
        self.hints = HintSearcher::default();
        self.edited.clear();
        self.untold = Untold::default();
        self.writing = Writing::default();
        self.recovering = true;
        self.first_walk = FirstWalk::Done;
        self.walked.clear();
        self.leaving.clear();
        self.has_done = false;
        self.is_unflushed = false;
        self.disk = DiskEvents::default();
        self.is_asking = false;
        self.abandon_configs();
        let folders = self.folders.clone();
        self.attempt(|state| state.scan(&folders));
        let mut documents: Vec<Utf8PathBuf> = self.texts.keys().cloned().collect();
        documents.sort();
        for path in documents {
            let is_well = self.attempt(|state| {
                state.edited.insert(path.clone());
            });
            if !is_well {
                self.edited.clear();
                self.attempt(|state| state.workspace.close(&path));
            }
        }
        self.recovering = false;
    }

    /// Makes a change and brings everything up to date; false where that panics.
    fn attempt(&mut self, change: impl FnOnce(&mut Self)) -> bool {
        let done = catch_unwind(AssertUnwindSafe(|| {
            change(self);
            self.flush();
        }));
        if done.is_err() {
            self.workspace.abandon_work();
        }
        done.is_ok()
    }
}

fn is_config(path: &Utf8Path) -> bool {
    path.file_name()
        .is_some_and(|name| config::FILE_NAMES.contains(&name))
}
