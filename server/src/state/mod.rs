//! The state of the server. Only the owner touches it.

mod around;
mod disk;
mod idle;
mod publish;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use applyorder_analysis::config::{self, ConfigSource};
use applyorder_analysis::engine::{Engines, Offer};
use applyorder_analysis::files::DiskFiles;
use applyorder_analysis::syntax::text::Encoding;
use applyorder_analysis::workspace::Workspace;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use tower_lsp_server::ls_types::MessageType;

use crate::capabilities::Supports;
use crate::client::Client;
use crate::documents::OpenDocuments;
use crate::event::{Event, Events};
use crate::hints::HintSearcher;
use crate::render::Renderer;
use crate::scan;
use crate::settings::{Settings, Start};
use crate::snapshot::Snapshot;
use crate::watch::{by_client, own};
use around::Surroundings;
use disk::{DiskEvents, Look};

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
    /// What the client was told of each file, as a hash; files without findings are absent.
    published: FxHashMap<Utf8PathBuf, u64>,
    revision: Arc<AtomicU64>,
    /// The directories in and above which configuration files were looked for.
    config_dirs: FxHashSet<Utf8PathBuf>,
    configs_changed: bool,
    scanned: bool,
    surroundings: Surroundings,
    disk: DiskEvents,
    /// Where the disk has to be compared with what was read.
    look: Option<Look>,
    /// Since when something waits for a moment in which nobody types.
    waiting: Option<Instant>,
    client_watcher: by_client::Watcher,
    own_watcher: own::Watcher,
    pub(crate) renderer: Renderer,
    hints: HintSearcher,
    trusted: bool,
    config: ConfigSource,
    events: Events,
}

fn new_workspace(engines: Engines, settings: &Settings) -> Workspace {
    Workspace::new(engines, Arc::new(DiskFiles::default()), settings.run_options())
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
            published: FxHashMap::default(),
            revision: Arc::default(),
            config_dirs: FxHashSet::default(),
            configs_changed: false,
            scanned: false,
            surroundings: Surroundings::default(),
            disk: DiskEvents::default(),
            look: None,
            waiting: None,
            client_watcher: by_client::Watcher::default(),
            own_watcher: own::Watcher::default(),
            renderer: Renderer::default(),
            hints: HintSearcher::default(),
            trusted: false,
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
    }

    /// Scans the folders, once, when the client is ready to be told of findings. Clients that forget to say
    /// so are taken to be ready with the first thing they want.
    pub(crate) fn begin(&mut self) {
        if !self.scanned {
            self.scanned = true;
            self.scan(&self.folders.clone());
        }
    }

    /// Looks for projects in some folders, and next to the way from the top of their repositories down to
    /// them: a project whose root lies above may hold them.
    pub(crate) fn scan(&mut self, folders: &[Utf8PathBuf]) {
        let mut found = scan::files_below(folders);
        let above = scan::files_above(folders);
        self.surroundings.keep(&above);
        found.extend(above);
        self.workspace.offer(&found, Offer::Found);
        self.configs_changed = true;
    }

    /// Withdraws the files below some folders that are in no folder of the workspace any more and not open.
    pub(crate) fn withdraw_outside(&mut self, removed: &[Utf8PathBuf]) {
        for path in self.workspace.candidate_paths() {
            let is_removed = removed.iter().any(|f| path.starts_with(f));
            let is_kept = self.folders.iter().any(|f| path.starts_with(f));
            if is_removed && !is_kept && !self.open.contains_key(&path) {
                self.workspace.withdraw(&path);
            }
        }
        self.configs_changed = true;
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

    /// Notes that a document has another text now.
    pub(crate) fn edited(&mut self, path: &Utf8Path) {
        self.revision.fetch_add(1, Ordering::Relaxed);
        self.touched(path);
    }

    fn touched(&mut self, path: &Utf8Path) {
        if let Some(open) = self.open.get(path) {
            open.revision.fetch_add(1, Ordering::Relaxed);
        }
        self.edited.insert(path.to_owned());
        self.configs_changed |= is_config(path);
    }

    /// Reads the configuration files anew at the next [`Self::flush`].
    pub(crate) fn reload_configs(&mut self) {
        self.configs_changed = true;
    }

    /// Brings the workspace up to date with the documents, and tells the client what reads otherwise now.
    pub(crate) fn flush(&mut self) {
        let edited = std::mem::take(&mut self.edited);
        for path in &edited {
            if let Some(text) = self.texts.get(path) {
                self.workspace.set_text(path, text.as_str().into());
            }
            let dir = path.parent().unwrap_or(path);
            self.configs_changed |= !self.config_dirs.contains(dir);
        }
        if std::mem::take(&mut self.configs_changed) {
            self.load_configs();
        }
        let changes = self.workspace.refresh();
        if changes.files.is_empty() && edited.is_empty() {
            return;
        }
        // Events of the disk that change nothing do not keep anybody waiting.
        self.hints.put_off();
        self.tell_changes(&edited, &changes);
    }

    fn load_configs(&mut self) {
        let candidates = self.workspace.candidate_paths();
        let files = candidates.iter().chain(self.texts.keys());
        self.config_dirs = files
            .filter_map(|path| path.parent())
            .map(Utf8Path::to_owned)
            .chain(self.folders.iter().cloned())
            .collect();
        let mut dirs: Vec<Utf8PathBuf> = self.config_dirs.iter().cloned().collect();
        dirs.sort();
        if let Err(e) = self.workspace.load_configs(&self.config, &dirs) {
            let text = format!("the configuration is as it was before: {e}");
            self.client.log(MessageType::WARNING, text);
        }
    }

    /// A picture for a request.
    pub(crate) fn snapshot(&mut self) -> Snapshot {
        Snapshot {
            analysis: self.workspace.analysis(),
            open: self.open.clone(),
            supports: self.supports.clone(),
            revision: self.revision.clone(),
        }
    }

    /// Takes notice of what happened without the client.
    pub(crate) fn happened(&mut self, event: Event) {
        match event {
            Event::Disk { paths, lost } => self.disk.add_own(paths, lost),
            Event::LookedAgain(differences) => self.looked_again(&differences),
            Event::Rendered(outcome) => self.rendered(outcome),
            Event::Hints(found) => self.hints_found(found),
            Event::Replied(id) => self.replied(id),
        }
    }

    /// Starts anew after a panic, which may have left the workspace half changed: first without the open
    /// documents, then with one after the other; a text that makes the analysis panic is left out.
    pub(crate) fn recover(&mut self) {
        self.client
            .log(MessageType::ERROR, "the analysis panicked; it starts anew");
        self.workspace = new_workspace(self.engines, &self.settings);
        self.renderer = Renderer::default();
        self.hints = HintSearcher::default();
        self.edited.clear();
        let folders = self.folders.clone();
        drop(catch_unwind(AssertUnwindSafe(|| {
            self.scan(&folders);
            self.flush();
        })));
        let mut documents: Vec<Utf8PathBuf> = self.texts.keys().cloned().collect();
        documents.sort();
        for path in documents {
            let alone = catch_unwind(AssertUnwindSafe(|| {
                self.edited.insert(path.clone());
                self.flush();
            }));
            if alone.is_err() {
                self.edited.clear();
                drop(catch_unwind(AssertUnwindSafe(|| {
                    self.workspace.close(&path);
                    self.flush();
                })));
            }
        }
    }
}

fn is_config(path: &Utf8Path) -> bool {
    path.file_name()
        .is_some_and(|name| config::FILE_NAMES.contains(&name))
}
