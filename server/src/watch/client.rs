//! What the client was asked to watch.

use applyorder_analysis::workspace::Workspace;
use camino::Utf8PathBuf;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use crate::client::Client;
use crate::watch_list::WatchList;
use crate::watched::Added;

/// What the client was asked to watch.
#[derive(Default)]
pub(crate) struct Watcher {
    /// The version of the workspace's questions that was looked at, and the number of folders.
    looked_at: Option<(u64, usize)>,
    /// The number of the registration that holds.
    registered: u64,
    patterns: Vec<Value>,
    folders: Vec<Utf8PathBuf>,
    /// The directories of the places that were asked about.
    dirs: FxHashSet<Utf8PathBuf>,
    /// The request for the last registration, and what is watched by it that was not watched before.
    awaited: Option<(i64, Added)>,
}

impl Watcher {
    /// Whether what is watched is what has to be.
    pub(crate) fn is_current(&self, workspace: &Workspace, folders: &[Utf8PathBuf]) -> bool {
        self.looked_at == Some((workspace.questions_version(), folders.len()))
    }

    /// Asks the client to watch other places, if there are others.
    pub(crate) fn update(&mut self, client: &Client, wanted: WatchList) {
        let WatchList {
            version,
            folders,
            patterns,
            dirs,
        } = wanted;
        self.looked_at = Some((version, folders.len()));
        if patterns == self.patterns && self.registered > 0 {
            return;
        }
        let id = |n: u64| format!("watched-files-{n}");
        let method = "workspace/didChangeWatchedFiles";
        let old = self.registered;
        self.registered += 1;
        let request = client.ask(
            "client/registerCapability",
            &json!({ "registrations": [{
                "id": id(self.registered),
                "method": method,
                "registerOptions": { "watchers": patterns },
            }]}),
        );
        let same_folders = self.folders == folders;
        self.folders = folders;
        let mut added = match self.awaited.take() {
            Some((_, Added::All)) => Added::All,
            _ if !same_folders => Added::All,
            Some((_, Added::Some(before))) => Added::Some(before),
            None => Added::Some(FxHashSet::default()),
        };
        if let Added::Some(added) = &mut added {
            added.extend(dirs.difference(&self.dirs).cloned());
        }
        self.awaited = Some((request, added));
        self.dirs = dirs;
        if old > 0 {
            client.ask(
                "client/unregisterCapability",
                // The protocol's own spelling.
                &json!({ "unregisterations": [{ "id": id(old), "method": method }] }),
            );
        }
        self.patterns = patterns;
    }

    /// What is watched from now on, when a reply of the client says so.
    pub(crate) fn replied(&mut self, id: i64) -> Option<Added> {
        let (_, added) = self.awaited.take_if(|(awaited, _)| *awaited == id)?;
        Some(added)
    }
}
