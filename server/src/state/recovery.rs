//! Starting again after a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use camino::Utf8PathBuf;
use tower_lsp_server::ls_types::MessageType;

use super::disk::DiskEvents;
use super::first_walk::FirstWalk;
use super::publish::{Untold, Writing};
use super::results::Results;
use super::{State, new_workspace};
use crate::hints::HintSearcher;
use crate::render::Renderer;

impl State {
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
        self.results = Results::default();
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
