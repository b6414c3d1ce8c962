//! Threads that answer requests.
//!
//! They are no pool of rayon's: a thread of such a pool that waits for a part of what it makes begins another request
//! meanwhile, and where that one needs what the first is making, both wait for each other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

type Work = Box<dyn FnOnce() + Send>;

/// See the module. The threads end when it goes.
pub(crate) struct Answerers(Sender<Work>);

impl Answerers {
    /// Starts threads; `None` when not one can be had.
    pub(crate) fn start(count: usize) -> Option<Self> {
        let (sender, queue) = channel::<Work>();
        let queue = Arc::new(Mutex::new(queue));
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
        (started > 0).then_some(Self(sender))
    }

    /// Does some work, after what was given before was begun.
    pub(crate) fn run(&self, work: impl FnOnce() + Send + 'static) {
        let guarded = move || drop(catch_unwind(AssertUnwindSafe(work)));
        // An error says that no thread is left, and there is none that could end.
        drop(self.0.send(Box::new(guarded)));
    }
}

fn next(queue: &Mutex<Receiver<Work>>) -> Option<Work> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, OnceLock, mpsc};
    use std::time::Duration;

    use super::Answerers;

    /// What several requests need and one of them makes, in parts.
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
