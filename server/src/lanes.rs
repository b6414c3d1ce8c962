//! Threads for what may take long. Each piece of work has threads of its own, so that none waits for another to end, and
//! the system divides the processors among them. The first lane stays; the others end with their work, as each thread
//! keeps memory of its own.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::event::{Event, Events};

/// More pieces than this wait for one of the others.
const MOST: usize = 6;

type Piece = Box<dyn FnOnce() + Send>;

/// See the module.
#[derive(Default)]
pub(crate) struct Lanes {
    /// `None` where none is running.
    lanes: [Option<Lane>; MOST],
    waiting: VecDeque<Piece>,
}

struct Lane {
    pool: rayon::ThreadPool,
    is_free: bool,
}

impl Lanes {
    /// Does some work on other threads; the owner hears of its end, and must then call [`Self::ended`].
    pub(crate) fn run(&mut self, events: &Events, work: impl FnOnce() + Send + 'static) {
        self.waiting.push_back(Box::new(work));
        self.next(events);
    }

    /// Notes that what was done in a lane has ended.
    pub(crate) fn ended(&mut self, lane: usize, events: &Events) {
        if let Some(Some(free)) = self.lanes.get_mut(lane) {
            free.is_free = true;
        }
        self.next(events);
        let of_later = self.lanes.iter_mut().skip(1);
        for lane in of_later.filter(|lane| is_free(lane)) {
            *lane = None;
        }
    }

    fn next(&mut self, events: &Events) {
        while let Some(number) = self.free() {
            let Some(work) = self.waiting.pop_front() else {
                return;
            };
            let Some(Some(lane)) = self.lanes.get_mut(number) else {
                return;
            };
            lane.is_free = false;
            let events = events.clone();
            lane.pool.spawn(move || {
                let panicked = catch_unwind(AssertUnwindSafe(work)).is_err();
                events.send(Event::Ended {
                    lane: number,
                    panicked,
                });
            });
        }
        // Without a single thread it is done here.
        if self.lanes.iter().all(Option::is_none) {
            while let Some(work) = self.waiting.pop_front() {
                work();
            }
        }
    }

    fn free(&mut self) -> Option<usize> {
        if let Some(free) = self.lanes.iter().position(is_free) {
            return Some(free);
        }
        if self.waiting.is_empty() {
            return None;
        }
        let number = self.lanes.iter().position(Option::is_none)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .thread_name(move |i| format!("work-{number}-{i}"))
            .start_handler(|_| give_way())
            .build()
            .ok()?;
        *self.lanes.get_mut(number)? = Some(Lane { pool, is_free: true });
        Some(number)
    }
}

fn is_free(lane: &Option<Lane>) -> bool {
    lane.as_ref().is_some_and(|lane| lane.is_free)
}

/// Lowers the thread's priority a little, so that it yields to threads that answer the user. Only a little: on a
/// machine that compiles something, a thread that yields to everything gets a fiftieth of a processor, and it also
/// produces the findings that the user waits for. Only on Linux does a thread have a priority of its own.
fn give_way() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(4);
}
