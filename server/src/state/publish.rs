//! What the client is told of findings.

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::workspace::{Analysis, Changes};
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tower_lsp_server::ls_types::Uri;
use tracing::debug_span;

use super::State;
use crate::convert::{self, Convert};
use crate::diagnostics::Diagnostics;
use crate::event::{Event, Written};

/// What the client has to be told as soon as the projects of the files are up to date.
#[derive(Default)]
pub(super) struct Untold {
    /// Documents that were edited: of these always.
    pub(super) edited: FxHashSet<Utf8PathBuf>,
    pub(super) changes: Changes,
    /// Whether some of it only waits for its turn.
    is_more: bool,
    /// Of how many files it is not known yet whether they are up to date, and at which the look at them goes on.
    unlooked: usize,
    at: usize,
}

/// The files whose findings are being written on another thread: there are many in them.
#[derive(Default)]
pub(super) struct Writing {
    /// By the number of the piece of work.
    paths: FxHashMap<Utf8PathBuf, u64>,
    pieces: u64,
}

/// Up to this many findings are written at once, without a noticeable delay.
const AT_ONCE: usize = 500;

/// How long files are reported in one go.
const SLICE: Duration = Duration::from_millis(5);

/// How many files are sorted in one go.
const MANY: usize = 512;

/// For how many files it is determined in one go whether they are up to date.
const LOOKED_AT: usize = 512;

impl Untold {
    /// Whether there is no file to tell of.
    pub(super) fn is_empty(&self) -> bool {
        self.edited.is_empty() && self.changes.files.is_empty()
    }
}

impl State {
    /// Whether there is something to do that only waits for its turn.
    pub(crate) fn has_more(&self) -> bool {
        self.untold.is_more
            || self.results.has_more
            || self.is_unflushed
            || self.has_walked()
            || self.has_leaving()
    }

    /// Does some of it.
    pub(crate) fn go_on(&mut self) {
        if self.has_leaving() {
            self.withdraw_some();
        } else if self.has_walked() {
            self.take_walked();
        } else if self.is_unflushed {
            let since = Instant::now();
            self.flush();
            self.results.collect_after(since.elapsed());
        } else if self.results.has_more {
            self.take_over();
        } else {
            self.tell_more();
        }
    }

    /// Whether findings are being written.
    pub(super) fn is_writing(&self) -> bool {
        !self.writing.paths.is_empty()
    }

    /// Whether those of a file are.
    pub(super) fn is_writing_of(&self, path: &Utf8Path) -> bool {
        self.writing.paths.contains_key(path)
    }

    /// Tells the client what reads otherwise now, as far as it is settled, for no longer than a slice of time: of edited
    /// documents always, then of other open ones, then of the rest.
    pub(crate) fn tell(&mut self) {
        self.untold.unlooked = self.untold.changes.files.len();
        self.tell_more();
    }

    /// The same with the files that are not looked at yet.
    fn tell_more(&mut self) {
        self.untold.is_more = false;
        if self.untold.is_empty() {
            return;
        }
        let settled = self.settled();
        let analysis = &settled.analysis;
        let writing = &self.writing.paths;
        let workspace = &self.workspace;
        let tells = |file: FileId| settled.tells(file, workspace);
        let is_settled = |file: &FileId| {
            (writing.is_empty() || !writing.contains_key(analysis.path(*file))) && tells(*file)
        };
        let edited = self.untold.edited.extract_if(|path| {
            !writing.contains_key(path) && (settled.is_whole || analysis.file(path).is_some_and(tells))
        });
        let edited: FxHashSet<Utf8PathBuf> = edited.collect();
        let untold = &mut self.untold.changes.files;
        let mut chosen: Vec<FileId> = Vec::new();
        if untold.len() > LOOKED_AT {
            let open = self.open.keys().filter_map(|path| analysis.file(path));
            let is_chosen = |file: &FileId| untold.contains(file) && is_settled(file) && untold.remove(file);
            chosen.extend(open.filter(is_chosen));
        }
        // On where the last look ended: those that wait for others must not hold up the rest.
        let (count, from) = (untold.len(), self.untold.at % untold.len().max(1));
        let mut nth = 0..count;
        chosen.extend(untold.extract_if(|file| {
            let after = nth.next().unwrap_or(count) + count - from;
            after % count < LOOKED_AT && is_settled(file)
        }));
        self.untold.at = from + LOOKED_AT;
        self.untold.unlooked = self.untold.unlooked.min(count).saturating_sub(LOOKED_AT);
        self.untold.is_more = self.untold.unlooked > 0;
        let mut files: Vec<(bool, &Utf8Path, FileId)> = chosen
            .into_iter()
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
        // Events of the disk that change nothing do not delay hints.
        self.hints.put_off();
        let _span = debug_span!("tell").entered();
        let since = Instant::now();
        let mut told_otherwise = false;
        for path in &edited {
            if let Some(file) = analysis.file(path) {
                // A client asks again for what is typed in, not always for what a rename edits elsewhere.
                let refreshes = edited.len() > 1;
                told_otherwise |= self.tell_of(analysis, path, file, [true, refreshes]);
            }
        }
        let order = |file: &(bool, &Utf8Path, FileId), other: &(bool, &Utf8Path, FileId)| {
            (file.0, file.1.as_str()).cmp(&(other.0, other.1.as_str()))
        };
        let mut later = Vec::new();
        if files.len() > MANY {
            files.select_nth_unstable_by(MANY, order);
            later = files.split_off(MANY);
        }
        files.sort_unstable_by(order);
        let mut files = files.into_iter();
        for (is_closed, path, file) in files.by_ref() {
            told_otherwise |= self.tell_of(analysis, path, file, [false, !is_closed]);
            if since.elapsed() >= SLICE {
                break;
            }
        }
        later.extend(files);
        let is_later = !later.is_empty();
        let later = later.into_iter().map(|(_, _, file)| file);
        self.untold.changes.files.extend(later);
        if is_later {
            self.untold.is_more = true;
            self.untold.unlooked = self.untold.changes.files.len();
        }
        if told_otherwise {
            self.refresh_diagnostics();
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

    fn refresh_diagnostics(&self) {
        if !self.pulled.is_empty() && self.supports.diagnostic_refresh {
            self.client.ask("workspace/diagnostic/refresh", &());
        }
    }

    /// Tells the client of a file's diagnostics if they are others than it knows, or `always`; many are written on
    /// another thread first. Gives whether the client has to ask again for what it shows: it `refreshes`, and they are
    /// others.
    fn tell_of(
        &mut self,
        analysis: &Arc<Analysis>,
        path: &Utf8Path,
        file: FileId,
        [always, refreshes]: [bool; 2],
    ) -> bool {
        if self.recovering || !analysis.has_more_findings_in(file, AT_ONCE) {
            let convert = Convert {
                analysis,
                encoding: self.encoding(),
                open: &self.open,
            };
            let found = Diagnostics::new(&convert, self.supports(), file);
            let version = self.open.get(path).and_then(|open| open.version);
            return self.tell_written(path, &found, version, always) && refreshes;
        }
        let number = self.writing.pieces;
        self.writing.pieces += 1;
        self.writing.paths.insert(path.to_owned(), number);
        let (analysis, open, supports) = (analysis.clone(), self.open.clone(), self.supports.clone());
        let (path, events) = (path.to_owned(), self.events.clone());
        self.lanes.run(&self.events, move || {
            let convert = Convert {
                analysis: &analysis,
                encoding: supports.encoding,
                open: &open,
            };
            let found = Diagnostics::new(&convert, &supports, file);
            let open = open.get(&path).map(|open| (open.uri.clone(), open.version));
            events.send(Event::Written(Box::new(Written {
                number,
                path,
                file,
                open,
                found,
                always,
                refreshes,
            })));
        });
        false
    }

    /// Tells the client of the findings of a file that were written on another thread.
    pub(super) fn written(&mut self, written: Written) {
        let path = &*written.path;
        if self.writing.paths.get(path) != Some(&written.number) {
            return;
        }
        self.writing.paths.remove(path);
        let now = self.open.get(path).map(|open| &open.uri);
        if now != written.open.as_ref().map(|(uri, _)| uri) {
            // It was opened or closed: it may have another name for the client.
            self.untold.changes.files.insert(written.file);
        } else {
            let version = written.open.as_ref().and_then(|(_, version)| *version);
            if self.tell_written(path, &written.found, version, written.always) && written.refreshes {
                self.refresh_diagnostics();
                self.refresh_shown();
            }
        }
        self.tell();
    }

    fn tell_written(
        &mut self,
        path: &Utf8Path,
        found: &Diagnostics,
        version: Option<i32>,
        always: bool,
    ) -> bool {
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
            self.publish(path, &found.json, version);
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
            let version = self.open.get(path).and_then(|open| open.version);
            self.publish(path, "[]", version);
        }
    }

    /// A client that opens a document again has to ask for it again; for a closed document, everything is sent.
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

    /// Has the client ask again for what it shows in open documents: layers depend on other files too.
    pub(crate) fn refresh_shown(&self) {
        if self.supports.inlay_hint_refresh {
            self.client.ask("workspace/inlayHint/refresh", &());
        }
        if self.supports.code_lens_refresh {
            self.client.ask("workspace/codeLens/refresh", &());
        }
    }

    /// Sends the diagnostics of a file, with the version of its text.
    fn publish(&self, path: &Utf8Path, diagnostics: &str, version: Option<i32>) {
        let open = self.open.get(path);
        let uri = match open {
            Some(open) => convert::uri(&open.uri),
            None => convert::uri(&convert::uri_of(path)),
        };
        if let Some(uri) = uri {
            let version = version.filter(|_| self.supports.versions);
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
