//! When the search for hints begins, and that an edit ends it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use applyorder_analysis::engine::Stop;
use applyorder_analysis::workspace::{FoundHints, Workspace};

use crate::event::{Event, Events};
use crate::lanes::Lanes;

/// Hints are searched after this long without an edit.
const QUIET: Duration = Duration::from_millis(300);

/// Searches hints when no edits are being made.
#[derive(Default)]
pub(crate) struct HintSearcher {
    /// When something changed last.
    changed: Option<Instant>,
    /// The searches that are under way.
    running: Option<Stop>,
}

impl HintSearcher {
    /// Something changed: what is under way is of no use, and the time counts from now.
    pub(crate) fn put_off(&mut self) {
        self.changed = Some(Instant::now());
        if let Some(running) = self.running.take() {
            running.request();
        }
    }

    /// How long until searches begin; `None` where none is due, or one is under way.
    pub(crate) fn due_in(&self, workspace: &Workspace) -> Option<Duration> {
        if self.running.is_some() || !workspace.has_hint_tasks() {
            return None;
        }
        let passed = self.changed.map_or(QUIET, |changed| changed.elapsed());
        Some(QUIET.saturating_sub(passed))
    }

    /// Begins the searches, if it is time.
    pub(crate) fn update(&mut self, workspace: &Workspace, lanes: &mut Lanes, events: &Events) {
        if self.due_in(workspace) != Some(Duration::ZERO) {
            return;
        }
        let stop = Stop::default();
        self.running = Some(stop.clone());
        let tasks = workspace.hint_tasks();
        let send = events.clone();
        lanes.run(events, move || {
            let mut found: Vec<FoundHints> = Vec::with_capacity(tasks.len());
            for task in tasks {
                // A search that panics finds nothing; it is not begun again on the same state.
                let hints = catch_unwind(AssertUnwindSafe(|| task.run(&stop)));
                if stop.is_requested() {
                    return;
                }
                found.push(hints.unwrap_or_else(|_| task.nothing()));
            }
            send.send(Event::Hints(found));
        });
    }

    /// The searches have ended.
    pub(crate) fn ended(&mut self) {
        self.running = None;
    }
}
