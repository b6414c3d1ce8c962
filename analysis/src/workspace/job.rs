//! Pieces of work, done on any thread.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use tracing::{Span, debug_span};

use super::passes::{PassedOver, Passing};
use super::search::{Searched, Searching};
use super::sight::Looking;
use super::{PassGround, Progress, readers};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{EngineIx, Engines, Findings, Stop, Stopped};
use applyorder_core::store::{File, ShapeChange};

/// Some work, ready to be done on any thread.
pub struct Work {
    pub(super) shared: Arc<Shared>,
    pub(super) is_long: bool,
}

/// The inputs of the work, and its progress.
pub(super) struct Shared {
    pub(super) engines: Engines,
    pub(super) only: Option<EngineIx>,
    pub(super) ground: Arc<PassGround>,
    pub(super) progress: Arc<Progress>,
    pub(super) span: Span,
    pub(super) waiting: Mutex<VecDeque<(Job, Stop)>>,
    pub(super) done: Mutex<Vec<(Subject, Outcome)>>,
}

/// The subject of a piece of work. No two running pieces have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    File(FileId),
    Engine(EngineIx),
    /// By its number.
    Project(u64),
    /// A file of a project.
    Look(FileId, u64),
}

/// A piece of work.
pub(super) enum Job {
    /// Reads what engines know of a file whose text changed, and compares it with what they knew.
    Read(FileId, Arc<File>),
    Search(Searching),
    Pass(Passing),
    Look(Looking),
}

/// The result of a job.
pub(super) enum Outcome {
    Read(ShapeChange),
    Searched(Searched),
    Passed(Box<PassedOver>),
    Looked(Findings),
    /// A search or a look that was stopped.
    Stopped,
}

impl Subject {
    /// The number of the project that it is about.
    pub(super) const fn project(self) -> Option<u64> {
        match self {
            Self::Project(number) | Self::Look(_, number) => Some(number),
            Self::File(_) | Self::Engine(_) => None,
        }
    }
}

impl Job {
    pub(super) fn subject(&self) -> Subject {
        match self {
            Self::Read(file, _) => Subject::File(*file),
            Self::Search(searching) => Subject::Engine(searching.engine),
            Self::Pass(passing) => Subject::Project(passing.project.number),
            Self::Look(looking) => Subject::Look(looking.file, looking.project.number),
        }
    }
}

impl Work {
    /// Whether it may take so long that it should be done elsewhere.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.is_long
    }

    /// Runs it on this thread: on others it may wait for other work.
    pub fn run_here(&self) {
        while self.next().is_some() {}
    }

    /// Runs it. `tell` is called whenever there is a result to apply before the end; at the end there is.
    pub fn run(&self, tell: &(dyn Fn() + Sync)) {
        let left = AtomicUsize::new(self.shared.waiting().len());
        let next = || {
            let Some(done) = self.next() else { return false };
            if left.fetch_sub(1, Ordering::Relaxed) > 1 && done == 1 {
                tell();
            }
            true
        };
        let jobs = {
            let waiting = self.shared.waiting();
            // Engines read their candidates on all processors.
            let in_turn = waiting.len() == 1 || waiting.iter().any(|(job, _)| matches!(job, Job::Search(_)));
            (!in_turn).then_some(waiting.len())
        };
        match jobs {
            None => while next() {},
            Some(jobs) => (0..jobs).into_par_iter().for_each(|_| {
                next();
            }),
        }
    }

    /// Runs the next piece, and returns how many are done and not applied.
    fn next(&self) -> Option<usize> {
        let (job, stop) = self.shared.waiting().pop_front()?;
        let subject = job.subject();
        let outcome = self.shared.span.in_scope(|| self.shared.outcome(job, &stop));
        let mut done = self.shared.done();
        done.push((subject, outcome));
        Some(done.len())
    }

    #[cfg(test)]
    pub(super) fn subjects(&self) -> Vec<Subject> {
        self.shared
            .waiting()
            .iter()
            .map(|(job, _)| job.subject())
            .collect()
    }
}

impl Shared {
    pub(super) fn waiting(&self) -> MutexGuard<'_, VecDeque<(Job, Stop)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn done(&self) -> MutexGuard<'_, Vec<(Subject, Outcome)>> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outcome(&self, job: Job, stop: &Stop) -> Outcome {
        let ground = &self.ground;
        match job {
            Job::Read(file, before) => {
                let compare = || {
                    let readers = readers(self.engines);
                    ground.store.compare(file, &before, readers, &ground.files)
                };
                Outcome::Read(debug_span!("read").in_scope(compare))
            }
            Job::Search(searching) => {
                let found = stopped(|| self.search(&searching, stop));
                found.map_or(Outcome::Stopped, Outcome::Searched)
            }
            Job::Pass(passing) => Outcome::Passed(Box::new(self.pass(&passing, stop))),
            Job::Look(looking) => {
                let look = || self.look(&looking, stop);
                let found = debug_span!("look").in_scope(look);
                found.map_or(Outcome::Stopped, Outcome::Looked)
            }
        }
    }
}

/// The result of some work; `None` if it was stopped.
pub(super) fn stopped<T>(work: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(made) => Some(made),
        Err(why) if why.is::<Stopped>() => None,
        Err(why) => resume_unwind(why),
    }
}

/// How long some work took.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let since = Instant::now();
    let made = work();
    (made, since.elapsed())
}
