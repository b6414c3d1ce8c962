//! For tests: whether time grows with the size of a text, and no faster.

use std::time::{Duration, Instant};

/// How much longer one text may take than eight texts of an eighth of its size: 1 is linear, 8 is quadratic.
const GROWTH: u32 = 3;

/// What the clock and a busy machine are wrong by.
const GRAIN: Duration = Duration::from_millis(10);

/// Texts that a step of work is done on, and which of them take too long.
pub(super) struct Growth<F> {
    work: F,
    failed: Vec<String>,
}

impl<F: Fn(&str)> Growth<F> {
    pub(super) fn of(work: F) -> Self {
        Self {
            work,
            failed: Vec::new(),
        }
    }

    /// Compares eight texts for `n` with one for `8 * n`.
    pub(super) fn check(&mut self, name: &str, n: usize, text: impl Fn(usize) -> String) {
        let (small, large) = (text(n), text(8 * n));
        let (mut eight, mut one) = (Duration::ZERO, Duration::MAX);
        // What a busy machine adds to a time differs from try to try.
        for _ in 0..10 {
            eight = eight.max(self.time(&small, 8));
            one = one.min(self.time(&large, 1));
            if one < eight * GROWTH + GRAIN {
                return;
            }
        }
        self.failed.push(format!(
            "{name}: {eight:?} for eight texts, {one:?} for one of that size"
        ));
    }

    fn time(&self, text: &str, times: usize) -> Duration {
        let start = Clock::start();
        for _ in 0..times {
            (self.work)(text);
        }
        start.elapsed()
    }

    pub(super) fn finish(self) {
        assert!(self.failed.is_empty(), "{:#?}", self.failed);
    }
}

/// The processor time of this thread where the system tells it, else the time on the wall.
enum Clock {
    Processor(Duration),
    Wall(Instant),
}

impl Clock {
    fn start() -> Self {
        processor_time().map_or_else(|| Self::Wall(Instant::now()), Self::Processor)
    }

    fn elapsed(self) -> Duration {
        match self {
            Self::Processor(start) => processor_time().map_or(Duration::MAX, |now| now.saturating_sub(start)),
            Self::Wall(start) => start.elapsed(),
        }
    }
}

#[allow(clippy::disallowed_methods)]
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = stat.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
