//! The progress of a first pass over everything.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counters that others may read while work is running.
#[derive(Debug, Default)]
pub struct Progress {
    looked_at: AtomicUsize,
    projects: AtomicUsize,
    resolved: AtomicUsize,
}

impl Progress {
    /// How many files were processed.
    #[must_use]
    pub fn looked_at(&self) -> usize {
        self.looked_at.load(Ordering::Relaxed)
    }

    /// How many projects were found, and how many of them are resolved.
    #[must_use]
    pub fn projects(&self) -> (usize, usize) {
        let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
        (count(&self.projects), count(&self.resolved))
    }

    pub(super) fn look_at_one(&self) {
        self.looked_at.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn find(&self, projects: usize) {
        self.projects.store(projects, Ordering::Relaxed);
    }

    pub(super) fn resolve_one(&self) {
        self.resolved.fetch_add(1, Ordering::Relaxed);
    }
}
