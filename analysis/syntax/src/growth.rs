//! For tests: checks that time grows at most linearly with the size of a text.

use std::time::{Duration, Instant};

/// The number of texts of an eighth of the size that are read for comparison with the whole one.
const PARTS: u32 = 8;

/// The factor by which one text may take longer than eight texts of an eighth of its size: 1 is linear, 8 is
/// quadratic.
const GROWTH: u32 = 3;

/// The measurement error of the clock and a busy machine.
const GRAIN: Duration = Duration::from_millis(10);

/// The work to measure, and the texts that take too long.
pub(super) struct Growth<F> {
    work: F,
    failed: Vec<String>,
}

impl<T, F: Fn(&str) -> T> Growth<F> {
    pub(super) fn of(work: F) -> Self {
        Self {
            work,
            failed: Vec::new(),
        }
    }

    /// Compares eight texts for `n` with one for `8 * n`.
    pub(super) fn check(&mut self, name: &str, n: usize, text: impl Fn(usize) -> String) {
        let (small, large) = (text(n), text(PARTS as usize * n));
        let (mut eight, mut one) = (Duration::ZERO, Duration::MAX);
        // The time that a busy machine adds differs between attempts.
        for _ in 0..10 {
            let parts = self.time(&small, PARTS);
            let whole = self.time(&large, 1);
            eight = eight.max(parts.wall).max(parts.processor);
            one = one.min(whole.wall).min(whole.processor);
            if one < eight * GROWTH + GRAIN {
                return;
            }
        }
        self.failed.push(format!(
            "{name}: {eight:?} for eight texts, {one:?} for one of that size"
        ));
    }

    fn time(&self, text: &str, times: u32) -> Time {
        let start = Clock::start();
        // Kept until the end: otherwise eight texts would reuse the same memory, which one large text cannot.
        let made: Vec<T> = (0..times).map(|_| (self.work)(text)).collect();
        drop(made);
        start.elapsed()
    }

    pub(super) fn finish(self) {
        assert!(self.failed.is_empty(), "{:#?}", self.failed);
    }
}

/// Two clocks: a busy machine adds to the wall clock, and the processor clock may not advance between two ticks
/// of the system.
struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

struct Time {
    wall: Duration,
    processor: Duration,
}

impl Clock {
    fn start() -> Self {
        Self {
            wall: Instant::now(),
            processor: processor_time(),
        }
    }

    fn elapsed(self) -> Time {
        let wall = self.wall.elapsed();
        let processor = self.processor.zip(processor_time());
        Time {
            wall,
            processor: processor.map_or(wall, |(start, now)| now.saturating_sub(start)),
        }
    }
}

/// The processor time of this thread, if the system reports it.
#[allow(clippy::disallowed_methods)]
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = stat.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
