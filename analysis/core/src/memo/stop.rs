//! How work ends early that nobody needs any more.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Tells work that nobody waits for it any more. Who holds the work looks at it between its steps.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    requested: Arc<AtomicBool>,
    at: Option<Instant>,
}

/// What work that [`Stop::obey`] ended unwinds with.
#[derive(Clone, Copy, Debug)]
pub struct Stopped;

impl Stop {
    /// One that is requested by itself after some time.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self {
            requested: Arc::default(),
            at: Instant::now().checked_add(time),
        }
    }

    /// From now on [`Self::is_requested`].
    pub fn request(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// Whether the work should end; what it has found by then is not used.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed) || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// Ends the work where that is requested: unwinds with [`Stopped`] to whoever began it. What engines compute then
    /// need not handle half a result at each step. It is not a panic: nothing is printed.
    pub fn obey(&self) {
        if self.is_requested() {
            resume_unwind(Box::new(Stopped));
        }
    }
}
