//! Work on projects: at once or on other threads, and taking over its results in slices.

use std::time::{Duration, Instant};

use applyorder_analysis::workspace::Work;

use super::State;
use crate::event::Event;

/// Work that takes at most this long in total is done at once, without a noticeable delay.
const SHORT: Duration = Duration::from_millis(10);

/// The minimum time for which results of work are collected before they are taken over.
const COLLECT: Duration = Duration::from_millis(20);

/// The results of work on other threads that are to be taken over.
pub(super) struct Results {
    /// Whether there are some since the last time.
    has_new: bool,
    /// Whether there are more of those that were taken over last.
    pub(super) has_more: bool,
    /// When some were taken over last.
    taken_over: Option<Instant>,
    /// For how long they are collected now.
    collect: Duration,
}

impl Default for Results {
    fn default() -> Self {
        Self {
            has_new: false,
            has_more: false,
            taken_over: None,
            collect: COLLECT,
        }
    }
}

impl Results {
    /// After how long they are to be taken over.
    pub(super) fn due_in(&self) -> Option<Duration> {
        let last = self.taken_over.map_or(self.collect, |last| last.elapsed());
        self.has_new.then(|| self.collect.saturating_sub(last))
    }

    /// Collects the next ones for a time, given how long it took to take over the last ones: where there are many
    /// projects, that must not be all that is done.
    pub(super) fn collect_after(&mut self, took: Duration) {
        self.collect = COLLECT.max(took * 4);
        self.taken_over = Some(Instant::now());
    }
}

impl State {
    /// Brings the projects up to date: at once what takes no time, the rest on other threads.
    pub(super) fn work(&mut self) {
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
                    self.results.has_more |= is_more;
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

    /// Notes that work has given something.
    pub(super) fn worked(&mut self) {
        if self.results.due_in().is_none() {
            self.results.has_new = true;
            if self.results.due_in() == Some(Duration::ZERO) {
                self.take_over();
            }
        }
    }

    /// Takes over what work on other threads has given.
    pub(super) fn take_over(&mut self) {
        self.results.has_new = false;
        let since = Instant::now();
        let (changes, is_more) = self.workspace.take_over_some();
        self.results.has_more = is_more;
        self.untold.changes.add(changes);
        self.is_unflushed = true;
        self.results.collect_after(since.elapsed());
    }

    /// Notes that a piece of work ended.
    pub(super) fn ended(&mut self, lane: usize, panicked: bool) {
        self.lanes.ended(lane, &self.events);
        if panicked {
            self.recover();
        } else {
            self.take_over();
        }
    }
}
