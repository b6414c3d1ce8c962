//! Folders that leave the workspace: their files are withdrawn in slices.

use std::time::{Duration, Instant};

use applyorder_analysis::diagnostic::FileId;
use camino::{Utf8Path, Utf8PathBuf};
use tracing::debug_span;

use super::State;

/// How long files are withdrawn in one go.
const SLICE: Duration = Duration::from_millis(10);

/// How many files are withdrawn between two checks of the clock.
const MANY: usize = 256;

/// Folders that left together, and the files that were not looked at since.
pub(super) struct Leaving {
    folders: Vec<Utf8PathBuf>,
    files: Vec<FileId>,
}

impl State {
    /// Withdraws the files below some folders that are in no folder of the workspace any more and not open.
    pub(crate) fn withdraw_outside(&mut self, removed: Vec<Utf8PathBuf>) {
        if removed.is_empty() {
            return;
        }
        self.leaving.push_back(Leaving {
            folders: removed,
            files: self.workspace.kept(),
        });
        self.withdraw_some();
    }

    /// Whether a file is in a folder that is leaving.
    pub(super) fn is_leaving(&self, path: &Utf8Path) -> bool {
        let mut folders = self.leaving.iter().flat_map(|leaving| &leaving.folders);
        folders.any(|folder| path.starts_with(folder))
    }

    /// Whether files are being withdrawn.
    pub(super) fn has_leaving(&self) -> bool {
        !self.leaving.is_empty()
    }

    /// Withdraws some, for no longer than a slice of time.
    pub(super) fn withdraw_some(&mut self) {
        let Some(mut leaving) = self.leaving.pop_front() else {
            return;
        };
        let _span = debug_span!("withdraw").entered();
        let since = Instant::now();
        let (folders, open) = (&self.folders, &self.open);
        while since.elapsed() < SLICE && !leaving.files.is_empty() {
            let next = leaving.files.split_off(leaving.files.len().saturating_sub(MANY));
            self.workspace.withdraw_where(&next, |path| {
                let is_removed = leaving.folders.iter().any(|f| path.starts_with(f));
                let is_kept = || folders.iter().any(|f| path.starts_with(f));
                is_removed && !is_kept() && !open.contains_key(path)
            });
        }
        if leaving.files.is_empty() {
            self.reload_configs_in(leaving.folders);
            self.is_unflushed = true;
        } else {
            self.leaving.push_front(leaving);
        }
    }
}
