//! Cancellation of obsolete work.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Signals that work is obsolete. The worker checks it between its steps.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    requested: Arc<AtomicBool>,
    at: Option<Instant>,
}

/// The payload with which [`Stop::obey`] unwinds work.
#[derive(Clone, Copy, Debug)]
pub struct Stopped;

impl Stop {
    /// One that is requested automatically after some time.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self {
            requested: Arc::default(),
            at: Instant::now().checked_add(time),
        }
    }

    /// Makes [`Self::is_requested`] true from now on.
    pub fn request(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// Whether the work should end; its results so far are not used.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed) || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// Ends the work if that is requested: unwinds with [`Stopped`] to its caller. The computations of engines
    /// then need not handle partial results at each step. It is not a panic: nothing is printed.
    pub fn obey(&self) {
        if self.is_requested() {
            resume_unwind(Box::new(Stopped));
        }
    }
}
