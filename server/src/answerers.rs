//! Threads that answer requests.
//!
//! They are not a rayon pool: while a thread of such a pool waits for a part of its own work, it starts another
//! request, and if that request needs what the first one is computing, both wait for each other.
//!
//! The thread that became idle last is used next: each keeps memory of its own, and a sequence of requests then needs
//! the memory of only one thread.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Work = Box<dyn FnOnce() + Send>;

/// See the module documentation. The threads end when it is dropped.
pub(crate) struct Answerers(Arc<Mutex<Queue>>);

/// Work without a thread, or threads without work.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<Work>,
    /// Each takes one piece of work. The one that ended last is last.
    idle: Vec<Sender<Work>>,
    is_closed: bool,
}

impl Answerers {
    /// Starts threads; `None` if not a single one could be started.
    pub(crate) fn start(count: usize) -> Option<Self> {
        let queue = Arc::<Mutex<Queue>>::default();
        let start = |number: usize| {
            let queue = queue.clone();
            let thread = std::thread::Builder::new().name(format!("request-{number}"));
            thread
                .spawn(move || {
                    while let Some(work) = next(&queue) {
                        work()
                    }
                })
                .is_ok()
        };
        let started = (0..count).filter(|number| start(*number)).count();
        (started > 0).then_some(Self(queue))
    }

    /// Runs some work after earlier work was started.
    pub(crate) fn run(&self, work: impl FnOnce() + Send + 'static) {
        let guarded: Work = Box::new(move || drop(catch_unwind(AssertUnwindSafe(work))));
        let mut queue = lock(&self.0);
        let refused = match queue.idle.pop() {
            Some(thread) => thread.send(guarded).err().map(|error| error.0),
            None => Some(guarded),
        };
        queue.waiting.extend(refused);
    }
}

impl Drop for Answerers {
    fn drop(&mut self) {
        let mut queue = lock(&self.0);
        queue.is_closed = true;
        queue.idle.clear();
    }
}

/// The next piece of work, once there is one; `None` at the end.
fn next(queue: &Mutex<Queue>) -> Option<Work> {
    let mut queue = lock(queue);
    if let Some(work) = queue.waiting.pop_front() {
        return Some(work);
    }
    if queue.is_closed {
        return None;
    }
    let (idle, given) = channel();
    queue.idle.push(idle);
    drop(queue);
    given.recv().ok()
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, OnceLock, mpsc};
    use std::time::Duration;

    use super::Answerers;

    /// Several requests need a value that one of them computes in parts.
    #[test]
    fn who_makes_something_in_parts_begins_nothing_else_that_needs_it() {
        let answerers = Answerers::start(4).unwrap();
        let (done, answers) = mpsc::channel();
        for _ in 0..200 {
            let made: Arc<OnceLock<u32>> = Arc::default();
            for _ in 0..8 {
                let (made, done) = (made.clone(), done.clone());
                answerers.run(move || {
                    let part = || std::thread::sleep(Duration::from_micros(50));
                    made.get_or_init(|| {
                        rayon::join(part, part);
                        1
                    });
                    done.send(()).unwrap();
                });
            }
        }
        for number in 0..200 * 8 {
            let answer = answers.recv_timeout(Duration::from_secs(20));
            assert!(answer.is_ok(), "{number} answers, and no more");
        }
    }

    #[test]
    fn a_panic_ends_no_thread() {
        let answerers = Answerers::start(1).unwrap();
        let (done, answers) = mpsc::channel();
        answerers.run(|| panic!("as wanted"));
        answerers.run(move || done.send(()).unwrap());
        assert!(answers.recv_timeout(Duration::from_secs(20)).is_ok());
    }
}
