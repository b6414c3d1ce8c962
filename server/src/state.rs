//! The state of the server. Only the owner touches it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Weak};
use std::time::Duration;

use applyorder_analysis::config::{self, ConfigSource};
use applyorder_analysis::engine::{Engines, Hints, Offer};
use applyorder_analysis::files::DiskFiles;
use applyorder_analysis::syntax::text::Encoding;
use applyorder_analysis::workspace::{Changes, HintTask, Workspace};
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use tower_lsp_server::ls_types::MessageType;

use crate::capabilities::Supports;
use crate::client::Client;
use crate::diagnostics;
use crate::hints::HintSearcher;
use crate::owner::Task;
use crate::render::{Rendered, Renderer};
use crate::scan;
use crate::settings::{Settings, Start};
use crate::snapshot::{OpenDocuments, Snapshot};
use crate::watch::{by_client, own};

/// After so long without a task, what can wait is done: nobody types then.
const QUIET: Duration = Duration::from_millis(100);

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
    /// Directories outside the folders whose surroundings were offered, with the files that came by it.
    looked_around: FxHashMap<Utf8PathBuf, Vec<Utf8PathBuf>>,
    client_watcher: by_client::Watcher,
    pub(crate) own_watcher: own::Watcher,
    pub(crate) renderer: Renderer,
    hints: HintSearcher,
    trusted: bool,
    config: ConfigSource,
    /// The owner's queue, for what happens without the client.
    queue: Weak<Sender<Task>>,
}

fn new_workspace(engines: Engines, settings: &Settings) -> Workspace {
    Workspace::new(engines, Arc::new(DiskFiles::default()), settings.run_options())
}

impl State {
    pub(crate) fn new(
        engines: Engines,
        client: Client,
        config: ConfigSource,
        queue: Weak<Sender<Task>>,
    ) -> Self {
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
            looked_around: FxHashMap::default(),
            client_watcher: by_client::Watcher::default(),
            own_watcher: own::Watcher::default(),
            renderer: Renderer::default(),
            hints: HintSearcher::default(),
            trusted: false,
            config,
            queue,
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
        found.extend(scan::files_above(folders));
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

    /// Notes that something was created, changed or deleted on the disk.
    pub(crate) fn changed_on_disk(&mut self, path: &Utf8Path) {
        self.revision.fetch_add(1, Ordering::Relaxed);
        self.workspace.changed_on_disk(path);
        // Any TOML file may be one that a configuration extends.
        self.configs_changed |= path.extension() == Some("toml");
    }

    /// A document that lies in no folder of the workspace is seen with the files of its directory and of those
    /// above it in its repository, since its project's root may be there.
    pub(crate) fn look_around(&mut self, path: &Utf8Path) {
        let Some(dir) = path.parent().filter(|_| self.is_outside(path)) else {
            return;
        };
        let known = self.workspace.candidate_paths();
        let is_new = |path: &Utf8PathBuf| known.binary_search(path).is_err();
        let mut offered = Vec::new();
        if !self.looked_around.contains_key(dir) {
            offered = scan::files_around(dir);
            offered.retain(|p| p != path);
            self.workspace.offer(&offered, Offer::Found);
        }
        offered.push(path.to_owned());
        let came = self.looked_around.entry(dir.to_owned()).or_default();
        came.extend(offered.into_iter().filter(is_new));
    }

    /// Takes back what came with a document outside of the folders, when it was the last of its directory.
    pub(crate) fn look_away(&mut self, path: &Utf8Path) {
        let is_needed = self.open.keys().any(|open| open.parent() == path.parent());
        let is_known = path
            .parent()
            .is_some_and(|dir| self.looked_around.contains_key(dir));
        if is_needed || !is_known {
            return;
        }
        // Other directories may need some of it still.
        for came in std::mem::take(&mut self.looked_around).into_values().flatten() {
            if !self.open.contains_key(&came) && self.is_outside(&came) {
                self.workspace.withdraw(&came);
            }
        }
        let open: Vec<Utf8PathBuf> = self.open.keys().cloned().collect();
        for path in open {
            self.look_around(&path);
        }
    }

    fn is_outside(&self, path: &Utf8Path) -> bool {
        !self.folders.iter().any(|folder| path.starts_with(folder))
    }

    /// Offers files that may be new. Whether one is looked at at all, a walk has to tell: it may be hidden or
    /// ignored.
    pub(crate) fn look_for_new(&mut self, paths: &[Utf8PathBuf]) {
        let known = self.workspace.candidate_paths();
        let is_new = |path: &&Utf8PathBuf| path.exists() && known.binary_search(path).is_err();
        let new: Vec<&Utf8PathBuf> = paths.iter().filter(is_new).collect();
        let folders: Vec<Utf8PathBuf> = self
            .folders
            .iter()
            .filter(|folder| new.iter().any(|path| path.starts_with(folder)))
            .cloned()
            .collect();
        let mut found = scan::files_below(&folders);
        found.retain(|path| new.iter().any(|new| path.starts_with(new)));
        if !found.is_empty() {
            self.workspace.offer(&found, Offer::Found);
            self.configs_changed = true;
        }
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

    /// Tells the client what reads otherwise now, of the edited documents always.
    fn tell_changes(&mut self, edited: &FxHashSet<Utf8PathBuf>, changes: &Changes) {
        let analysis = self.workspace.analysis();
        let mut told_otherwise = false;
        for path in edited {
            if let Some(file) = analysis.file(path) {
                let is_other = self.tell(path, diagnostics::of_file(self, &analysis, file), true);
                // A client asks again for what is typed in, not always for what a rename edits elsewhere.
                told_otherwise |= is_other && edited.len() > 1;
            }
        }
        let mut others: Vec<_> = changes
            .files
            .iter()
            .map(|file| (analysis.path(*file), *file))
            .filter(|(path, _)| !edited.contains(*path))
            .collect();
        others.sort_unstable();
        for (path, file) in others {
            let is_other = self.tell(path, diagnostics::of_file(self, &analysis, file), false);
            told_otherwise |= is_other && self.open.contains_key(path);
        }
        if told_otherwise && !self.pulled.is_empty() && self.supports.diagnostic_refresh {
            self.client.ask("workspace/diagnostic/refresh", &());
        }
        if (told_otherwise || changes.projects) && self.supports.inlay_hint_refresh {
            self.client.ask("workspace/inlayHint/refresh", &());
        }
    }

    /// Tells the client of a file's diagnostics if they are others than it knows, or `always`. Gives
    /// whether they are others.
    fn tell(&mut self, path: &Utf8Path, found: diagnostics::Diagnostics, always: bool) -> bool {
        let before = self.published.get(path).copied();
        let now = (!found.items.is_empty()).then_some(found.hash);
        if now == before && !always {
            return false;
        }
        match now {
            Some(hash) => self.published.insert(path.to_owned(), hash),
            None => self.published.remove(path),
        };
        if !self.pulled.contains(path) {
            diagnostics::publish(self, path, found.items);
        }
        now != before
    }

    /// Notes that the client asks for the findings of a document, and takes back what it was sent of it.
    pub(crate) fn pulled(&mut self, path: &Utf8Path) {
        if self.supports.pull_diagnostics
            && self.open.contains_key(path)
            && self.pulled.insert(path.to_owned())
            && self.published.contains_key(path)
        {
            diagnostics::publish(self, path, Vec::new());
        }
    }

    /// Who opens a document anew has to ask for it anew; of a closed one everything is sent again.
    pub(crate) fn opened_or_closed(&mut self, path: &Utf8Path) {
        if self.pulled.remove(path) {
            self.published.remove(path);
        }
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

    /// After how long without a task something is to be done that waits for a moment in which nobody types.
    pub(crate) fn idle_after(&self) -> Option<Duration> {
        let hints = self.hints.due_in(&self.workspace).filter(|_| self.scanned);
        let others = self.has_idle_work().then_some(QUIET);
        hints.into_iter().chain(others).min()
    }

    /// Takes over what searches for hints found, unless something has changed meanwhile.
    pub(crate) fn hints_found(&mut self, found: Vec<(HintTask, Hints)>) {
        self.hints.ended();
        let mut changes = Changes::default();
        for (task, hints) in found {
            let own = self.workspace.set_hints(&task, hints);
            changes.files.extend(own.files);
        }
        if !changes.files.is_empty() {
            self.tell_changes(&FxHashSet::default(), &changes);
        }
    }

    fn has_idle_work(&self) -> bool {
        let (workspace, folders) = (&self.workspace, &self.folders);
        let is_watching = || {
            if self.supports.watching {
                self.client_watcher.is_current(workspace, folders)
            } else {
                self.own_watcher.is_current(workspace, folders)
            }
        };
        let is_rendered = || !self.renders() || self.renderer.is_current(&workspace.renders());
        self.scanned && !(is_watching() && is_rendered())
    }

    /// Whether commands of the configuration may be run.
    fn renders(&self) -> bool {
        self.trusted && self.settings.render()
    }

    /// Does what is due.
    pub(crate) fn idle(&mut self, pool: &rayon::ThreadPool) {
        if self.scanned {
            self.hints.update(&self.workspace, pool, &self.queue);
        }
        if !self.has_idle_work() {
            return;
        }
        if self.renders() {
            self.renderer.update(self.workspace.renders(), &self.queue);
        }
        let (client, workspace, folders) = (&self.client, &self.workspace, &self.folders);
        if self.supports.watching {
            self.client_watcher
                .update(client, workspace, folders, &self.supports);
        } else {
            self.own_watcher.update(client, workspace, folders, &self.queue);
        }
    }

    /// Takes what commands of the configuration printed. Where one fails, its sources are seen as they are.
    pub(crate) fn rendered(&mut self, outcome: Vec<Rendered>) {
        self.renderer.note_end();
        for (render, text) in outcome {
            match text {
                Ok(text) => self.workspace.set_text(&render.into, text),
                Err(why) => {
                    self.workspace.close(&render.into);
                    self.client.log(MessageType::WARNING, why);
                }
            }
        }
        self.revision.fetch_add(1, Ordering::Relaxed);
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
