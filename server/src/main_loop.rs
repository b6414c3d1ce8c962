//! The one owner of the state: a thread that takes tasks out of a queue, in order.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use applyorder_analysis::config::ConfigSource;
use applyorder_analysis::engine::Engines;
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::MessageType;
use tracing::{Span, debug, debug_span};

use crate::answerers::Answerers;
use crate::call::Call;
use crate::client::Client;
use crate::event::{Event, Events};
use crate::handler::Job;
use crate::notifications;
use crate::state::State;
use crate::task::Task;

/// Consecutive changes are analyzed together, but delayed at most this long.
const PATIENCE: Duration = Duration::from_millis(100);

/// The owner should never block for this long.
const LONG: Duration = Duration::from_millis(20);

/// What the owner does between two looks at its queue.
struct Stretch {
    since: Instant,
    worked: Option<Duration>,
}

/// Starts the owner. It ends when every sender of its queue is gone. `None` when no thread can be had.
pub(crate) fn start(
    engines: Engines,
    client: Client,
    config: ConfigSource,
) -> Option<(Arc<Sender<Task>>, Events)> {
    let (sender, queue) = channel();
    let sender = Arc::new(sender);
    let weak = Arc::downgrade(&sender);
    let events = Events::new(move |event| {
        if let Some(sender) = weak.upgrade() {
            // An error says that the owner has ended.
            drop(sender.send(Task::Happened(event)));
        }
    });
    let state = State::new(engines, client, config, events.clone());
    let count = std::thread::available_parallelism().map_or(4, |n| n.get().clamp(4, 8));
    let answerers = Answerers::start(count)?;
    let owner = std::thread::Builder::new().name("owner".to_owned());
    owner
        .spawn(move || {
            let mut main_loop = MainLoop {
                state,
                answerers,
                changed: None,
                asked: Vec::new(),
            };
            main_loop.run(&queue);
        })
        .ok()?;
    Some((sender, events))
}

struct MainLoop {
    state: State,
    answerers: Answerers,
    /// Since when there are changes that are not analysed, and the message that the last came with.
    changed: Option<(Instant, Span)>,
    /// Requests whose projects are not up to date.
    asked: Vec<Asked>,
}

impl MainLoop {
    fn run(&mut self, queue: &Receiver<Task>) {
        let mut waiting: VecDeque<Task> = VecDeque::new();
        loop {
            waiting.extend(queue.try_iter());
            let more = matches!(
                waiting.front(),
                Some(Task::Change(_) | Task::Notify(..) | Task::Happened(Event::Disk { .. }))
            );
            if let Some((since, _)) = &self.changed
                && !(more && since.elapsed() < PATIENCE)
            {
                let _stretch = Stretch::begin();
                self.analyse();
                // A change without effect sends no event, so pending requests are checked here.
                self.answer();
            }
            if self.state.is_overdue() {
                let _stretch = Stretch::begin();
                self.guarded(|state, _| state.idle());
                self.answer();
            }
            waiting.extend(queue.try_iter());
            let task = match waiting.pop_front() {
                Some(task) => task,
                None if self.state.has_more() => {
                    let _stretch = Stretch::begin();
                    self.guarded(|state, _| state.go_on());
                    self.answer();
                    continue;
                }
                None => match self.state.idle_after() {
                    Some(quiet) => match queue.recv_timeout(quiet) {
                        Ok(task) => task,
                        Err(RecvTimeoutError::Timeout) => {
                            let _stretch = Stretch::begin();
                            self.guarded(|state, _| state.idle());
                            self.answer();
                            continue;
                        }
                        Err(RecvTimeoutError::Disconnected) => return,
                    },
                    None => match queue.recv() {
                        Ok(task) => task,
                        Err(_) => return,
                    },
                },
            };
            let _stretch = Stretch::begin();
            self.take(task);
        }
    }

    fn take(&mut self, task: Task) {
        match task {
            Task::Start(start) => self.guarded(|state, _| state.start(*start)),
            Task::Change(params) => {
                let span = debug_span!("notification", method = "textDocument/didChange");
                self.change(span, |state| notifications::did_change::handle(state, params));
            }
            Task::Notify(method, notification) => {
                let span = debug_span!("notification", method);
                self.change(span, |state| {
                    state.begin();
                    notification(state);
                });
            }
            Task::Happened(event) => self.guarded(|state, _| state.happened(event)),
            Task::Ask { mut job, call } => {
                self.analyse();
                job.name_document(&self.state.open);
                let span = debug_span!("request", method = job.method);
                self.guarded(|state, _| {
                    span.in_scope(|| {
                        state.begin();
                        state.take_disk_events();
                        state.flush();
                    });
                });
                let revision = job.depends_on.revision(&self.state.snapshot());
                let asked = Asked {
                    job,
                    call,
                    span,
                    revision,
                };
                self.asked.push(asked);
            }
        }
        self.answer();
    }

    /// Answers what was asked and finds its projects up to date.
    fn answer(&mut self) {
        let mut settled = None;
        for asked in std::mem::take(&mut self.asked) {
            let now = settled.get_or_insert_with(|| self.state.settled());
            let (document, at_sight) = (asked.job.document.as_deref(), asked.job.at_sight);
            if self.state.is_settled_for(now, document, at_sight) {
                if asked.job.note.is_some() {
                    settled = None;
                }
                self.guarded(|state, answerers| answer(state, answerers, asked));
            } else if !asked.call.is_cancelled() {
                self.asked.push(asked);
            }
        }
    }

    /// Makes a change that is analysed with those that come right behind it.
    fn change(&mut self, span: Span, change: impl FnOnce(&mut State)) {
        self.guarded(|state, _| span.in_scope(|| change(state)));
        let since = self.changed.take().map_or_else(Instant::now, |(since, _)| since);
        self.changed = Some((since, span));
    }

    fn analyse(&mut self) {
        if let Some((_, span)) = self.changed.take() {
            self.guarded(|state, _| span.in_scope(|| state.flush()));
        }
    }

    fn guarded(&mut self, work: impl FnOnce(&mut State, &Answerers)) {
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut self.state, &self.answerers)));
        if done.is_err() {
            self.state.recover();
        }
    }
}

impl Stretch {
    fn begin() -> Self {
        Self {
            since: Instant::now(),
            worked: processor_time(),
        }
    }
}

impl Drop for Stretch {
    fn drop(&mut self) {
        let took = self.since.elapsed();
        if took > LONG {
            // On a machine that does other things it takes longer than it works.
            let worked = processor_time()
                .zip(self.worked)
                .map(|(now, then)| now.saturating_sub(then));
            let worked = worked.unwrap_or(took);
            debug!(?took, ?worked, "the owner was busy for long");
        }
    }
}

/// How long this thread has been on a processor, where the system tells.
fn processor_time() -> Option<Duration> {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(time).ok()
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// A request at its place in the queue.
struct Asked {
    job: Job,
    call: Arc<Call>,
    span: Span,
    /// The revision of what it depends on when it came.
    revision: u64,
}

/// Gives a request its snapshot and lets another thread do the work.
fn answer(state: &mut State, answerers: &Answerers, asked: Asked) {
    let Asked {
        job,
        call,
        span,
        revision,
    } = asked;
    if call.is_cancelled() {
        return;
    }
    if let Some(note) = job.note {
        note(state);
    }
    let snapshot = state.snapshot();
    let client = state.client.clone();
    answerers.run(move || {
        if call.is_cancelled() {
            return;
        }
        if job.depends_on.revision(&snapshot) != revision {
            call.answer(Err(Error::content_modified()));
            return;
        }
        let done = span.in_scope(|| catch_unwind(AssertUnwindSafe(|| (job.run)(&snapshot, &call))));
        // What is told of a request comes before its answer.
        drop(span);
        match done {
            Ok(_) if job.depends_on.revision(&snapshot) != revision => {
                call.answer(Err(Error::content_modified()));
            }
            Ok(answer) => call.answer(answer),
            Err(_) => {
                client.log(MessageType::ERROR, "a request panicked; the server continues");
                call.answer(Err(Error::internal_error()));
            }
        }
    });
}
