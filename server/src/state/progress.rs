//! What the client is told while a workspace is read for the first time.

use std::time::{Duration, Instant};

use serde_json::json;

use super::State;

/// How often progress is reported.
const EVERY: Duration = Duration::from_millis(250);

/// Shorter work is not reported.
const PATIENCE: Duration = Duration::from_millis(300);

/// How far the client was told.
#[derive(Default)]
pub(super) enum Progress {
    /// Nothing is being read, or the client does not want progress.
    #[default]
    None,
    /// Something is read since then, and the client was told nothing.
    Silent(Instant),
    /// The client was told last at that time.
    Told(Instant),
}

const TOKEN: &str = "applyorder/reading";

impl State {
    /// The first reading begins.
    pub(super) fn progress_begins(&mut self) {
        if self.supports.progress {
            self.progress = Progress::Silent(Instant::now());
        }
    }

    /// After how long the client is to be told again.
    pub(super) fn progress_due_in(&self) -> Option<Duration> {
        match self.progress {
            Progress::None => None,
            Progress::Silent(since) => Some(PATIENCE.saturating_sub(since.elapsed())),
            Progress::Told(last) => Some(EVERY.saturating_sub(last.elapsed())),
        }
    }

    /// Tells the client how far the reading is, or that it has ended.
    pub(super) fn tell_progress(&mut self) {
        let is_done = self.is_walked() && self.workspace.is_settled();
        let is_due = self.progress_due_in() == Some(Duration::ZERO);
        match self.progress {
            Progress::None => return,
            Progress::Silent(_) if is_done => {
                self.progress = Progress::None;
                return;
            }
            _ if !is_done && !is_due => return,
            Progress::Silent(_) => {
                self.client
                    .ask("window/workDoneProgress/create", &json!({ "token": TOKEN }));
                self.say(&json!({ "kind": "begin", "title": "applyorder", "cancellable": false }));
            }
            Progress::Told(_) => {}
        }
        if is_done {
            let projects = self.workspace.analysis().projects().count();
            let files = self.workspace.files_read();
            let projects = match projects {
                1 => "1 project".to_owned(),
                n => format!("{n} projects"),
            };
            self.say(&json!({ "kind": "end", "message": format!("{files} files in {projects}") }));
            self.progress = Progress::None;
            return;
        }
        self.progress = Progress::Told(Instant::now());
        // The number of files is not known yet.
        if self.is_walking() {
            return;
        }
        let (read, all) = (self.workspace.files_read(), self.workspace.candidate_count());
        let all = all.max(read);
        let percentage = (read * 100).checked_div(all).unwrap_or(0);
        self.say(&json!({
            "kind": "report",
            "message": format!("{read} of {all} files"),
            "percentage": percentage,
        }));
    }

    fn say(&self, value: &serde_json::Value) {
        self.client
            .notify("$/progress", &json!({ "token": TOKEN, "value": value }));
    }
}
