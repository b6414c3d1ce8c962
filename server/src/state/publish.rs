//! What the client is told of findings.

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::workspace::{Analysis, Changes};
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tower_lsp_server::ls_types::Uri;
use tracing::debug_span;

use super::State;
use crate::convert::{self, Convert};
use crate::diagnostics::Diagnostics;

/// What the client has to be told as soon as the projects of the files are up to date.
#[derive(Default)]
pub(super) struct Untold {
    /// Documents that were edited: of these always.
    pub(super) edited: FxHashSet<Utf8PathBuf>,
    pub(super) changes: Changes,
    /// Whether some of it only waits for its turn.
    is_more: bool,
}

/// So long files are told of in one go.
const SLICE: Duration = Duration::from_millis(10);

/// So many are put in order in one go.
const MANY: usize = 512;

impl Untold {
    /// Whether there is no file to tell of.
    pub(super) fn is_empty(&self) -> bool {
        self.edited.is_empty() && self.changes.files.is_empty()
    }
}

impl State {
    /// Whether there is something to tell that is settled and only waits for its turn.
    pub(crate) fn has_more_to_tell(&self) -> bool {
        self.untold.is_more
    }

    /// Tells the client what reads otherwise now, as far as it is settled, for no longer than a slice of time: of edited
    /// documents always, then of other open ones, then of the rest.
    pub(crate) fn tell(&mut self) {
        self.untold.is_more = false;
        if self.untold.is_empty() {
            return;
        }
        let settled = self.settled();
        let analysis = &settled.analysis;
        let is_settled = |file: &FileId| settled.has(*file);
        let edited = self
            .untold
            .edited
            .extract_if(|path| settled.is_whole || analysis.file(path).is_some_and(|file| settled.has(file)));
        let edited: FxHashSet<Utf8PathBuf> = edited.collect();
        let files = self.untold.changes.files.extract_if(is_settled);
        let mut files: Vec<(bool, &Utf8Path, FileId)> = files
            .map(|file| (file, analysis.path(file)))
            .filter(|(_, path)| !edited.contains(*path))
            .map(|(file, path)| (!self.open.contains_key(path), path, file))
            .collect();
        if files.is_empty() && edited.is_empty() {
            return;
        }
        let (projects, orders) = (
            std::mem::take(&mut self.untold.changes.projects),
            std::mem::take(&mut self.untold.changes.orders),
        );
        // Events of the disk that change nothing do not keep anybody waiting.
        self.hints.put_off();
        let _span = debug_span!("tell").entered();
        let since = Instant::now();
        let mut told_otherwise = false;
        for path in &edited {
            if let Some(file) = analysis.file(path) {
                let is_other = self.tell_of(path, self.diagnostics_of(analysis, file), true);
                // A client asks again for what is typed in, not always for what a rename edits elsewhere.
                told_otherwise |= is_other && edited.len() > 1;
            }
        }
        let order = |file: &(bool, &Utf8Path, FileId)| (file.0, file.1.as_str().to_owned());
        let mut later = Vec::new();
        if files.len() > MANY {
            files.select_nth_unstable_by_key(MANY, order);
            later = files.split_off(MANY);
        }
        files.sort_by_cached_key(order);
        let mut files = files.into_iter();
        for (is_closed, path, file) in files.by_ref() {
            let is_other = self.tell_of(path, self.diagnostics_of(analysis, file), false);
            told_otherwise |= is_other && !is_closed;
            if since.elapsed() >= SLICE {
                break;
            }
        }
        later.extend(files);
        self.untold.is_more = !later.is_empty();
        self.untold
            .changes
            .files
            .extend(later.into_iter().map(|(_, _, file)| file));
        if told_otherwise && !self.pulled.is_empty() && self.supports.diagnostic_refresh {
            self.client.ask("workspace/diagnostic/refresh", &());
        }
        if self.shows_graph && (projects || orders) {
            self.client.notify("applyorder/graphChanged", &json!({}));
        }
        // Of the documents that are edited a client asks again by itself.
        let are_others_open = self.open.keys().any(|path| !edited.contains(path));
        if told_otherwise || projects || orders && are_others_open {
            self.refresh_shown();
        }
    }

    /// Tells the client of a file's diagnostics if they are others than it knows, or `always`. Gives
    /// whether they are others.
    fn tell_of(&mut self, path: &Utf8Path, found: Diagnostics, always: bool) -> bool {
        let before = self.published.get(path).copied();
        let now = (!found.is_empty).then_some(found.hash);
        if now == before && !always {
            return false;
        }
        match now {
            Some(hash) => self.published.insert(path.to_owned(), hash),
            None => self.published.remove(path),
        };
        if !self.pulled.contains(path) {
            self.publish(path, &found.json);
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
            self.publish(path, "[]");
        }
    }

    /// Who opens a document again has to ask for it again; of a closed one everything is sent.
    pub(crate) fn opened_or_closed(&mut self, path: &Utf8Path) {
        if self.pulled.remove(path) {
            self.published.remove(path);
        }
    }

    /// Takes back what the client was sent of a document under a URI that the document has no longer: the client's
    /// own when it is closed, ours when it is opened under another.
    pub(crate) fn take_back(&mut self, path: &Utf8Path, former: &str, now: &str) {
        if former == now || self.published.remove(path).is_none() {
            return;
        }
        if let Some(uri) = convert::uri(former) {
            self.send_diagnostics(&uri, "[]", None);
        }
    }

    /// Has the client ask again for what it shows in open documents: layers hang on other files too.
    pub(crate) fn refresh_shown(&self) {
        if self.supports.inlay_hint_refresh {
            self.client.ask("workspace/inlayHint/refresh", &());
        }
        if self.supports.code_lens_refresh {
            self.client.ask("workspace/codeLens/refresh", &());
        }
    }

    fn diagnostics_of(&self, analysis: &Analysis, file: FileId) -> Diagnostics {
        let convert = Convert {
            analysis,
            encoding: self.encoding(),
            open: &self.open,
        };
        Diagnostics::new(&convert, self.supports(), file)
    }

    /// Sends the diagnostics of a file, with the version of its text where it is open.
    fn publish(&self, path: &Utf8Path, diagnostics: &str) {
        let open = self.open.get(path);
        let uri = match open {
            Some(open) => convert::uri(&open.uri),
            None => convert::uri(&convert::uri_of(path)),
        };
        if let Some(uri) = uri {
            let version = open.and_then(|o| o.version).filter(|_| self.supports.versions);
            self.send_diagnostics(&uri, diagnostics, version);
        }
    }

    fn send_diagnostics(&self, uri: &Uri, diagnostics: &str, version: Option<i32>) {
        let uri = Value::from(uri.as_str()).to_string();
        let version = version.map_or_else(String::new, |version| format!(",\"version\":{version}"));
        let params = ["{\"uri\":", &uri, ",\"diagnostics\":", diagnostics, &version, "}"];
        self.client
            .notify_written("textDocument/publishDiagnostics", &params);
    }
}
