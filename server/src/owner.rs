//! The one owner of the state: a thread that takes tasks out of a queue, in order.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;

use applyorder_analysis::config::ConfigSource;
use applyorder_analysis::engine::{Engines, Hints};
use applyorder_analysis::workspace::HintTask;
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::MessageType;
use tracing::{Span, debug_span};

use crate::client::Client;
use crate::params::DidChange;
use crate::routes::{Job, Note};
use crate::service::Call;
use crate::settings::Start;
use crate::state::State;

/// What the service sends to the owner.
pub(crate) enum Task {
    /// The session begins.
    Start(Box<Start>),
    /// A document was edited. Apart from the other notifications, because edits that wait behind each other
    /// are analysed together.
    Change(DidChange),
    /// Any other notification: its method, or what else happened, and what is done then.
    Notify(&'static str, Note),
    /// Searches for hints have ended.
    Hints(Vec<(HintTask, Hints)>),
    /// A request.
    Ask {
        /// What is to be done for it.
        job: Job,
        /// Who waits for the answer.
        call: Arc<Call>,
    },
}

/// Starts the owner. It ends when every sender of its queue is gone. `None` when no thread can be had.
pub(crate) fn start(
    engines: Engines,
    client: Client,
    config: ConfigSource,
) -> Option<(JoinHandle<()>, Arc<Sender<Task>>)> {
    let (sender, queue) = channel();
    let sender = Arc::new(sender);
    let state = State::new(engines, client, config, Arc::downgrade(&sender));
    let pool = rayon::ThreadPoolBuilder::new()
        .thread_name(|i| format!("request-{i}"))
        .num_threads(std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 8)))
        .build()
        .ok()?;
    let owner = std::thread::Builder::new()
        .name("owner".to_owned())
        .spawn(move || run(&queue, state, &pool))
        .ok()?;
    Some((owner, sender))
}

fn run(queue: &Receiver<Task>, mut state: State, pool: &rayon::ThreadPool) {
    let mut waiting: VecDeque<Task> = VecDeque::new();
    loop {
        let task = match waiting.pop_front() {
            Some(task) => task,
            None => match state.idle_after() {
                Some(quiet) => match queue.recv_timeout(quiet) {
                    Ok(task) => task,
                    Err(RecvTimeoutError::Timeout) => {
                        state.idle(pool);
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
        waiting.extend(queue.try_iter());
        let more_edits = matches!(waiting.front(), Some(Task::Change(_)));
        let done = catch_unwind(AssertUnwindSafe(|| match task {
            Task::Start(start) => state.start(*start),
            Task::Change(params) => {
                let _span = debug_span!("notification", method = "textDocument/didChange").entered();
                crate::notifications::did_change::handle(&mut state, params);
                if !more_edits {
                    state.flush();
                }
            }
            Task::Notify(method, notification) => {
                let _span = debug_span!("notification", method).entered();
                state.begin();
                notification(&mut state);
                state.flush();
            }
            Task::Hints(found) => state.hints_found(found),
            Task::Ask { job, call } => {
                let span = debug_span!("request", method = job.method);
                span.in_scope(|| {
                    state.begin();
                    state.flush();
                });
                ask(&mut state, pool, job, call, span);
            }
        }));
        if done.is_err() {
            state.recover();
        }
    }
}

/// Gives a request its snapshot and lets the pool do the work.
fn ask(state: &mut State, pool: &rayon::ThreadPool, job: Job, call: Arc<Call>, span: Span) {
    if call.is_cancelled() {
        return;
    }
    if let Some(note) = job.note {
        note(state);
    }
    let snapshot = state.snapshot();
    let before = job.depends_on.revision(&snapshot);
    let client = state.client.clone();
    pool.spawn_fifo(move || {
        if call.is_cancelled() {
            return;
        }
        if job.depends_on.revision(&snapshot) != before {
            call.answer(Err(Error::content_modified()));
            return;
        }
        let done = span.in_scope(|| catch_unwind(AssertUnwindSafe(|| (job.run)(&snapshot, &call))));
        // What is told of a request comes before its answer.
        drop(span);
        match done {
            Ok(_) if job.depends_on.revision(&snapshot) != before => {
                call.answer(Err(Error::content_modified()));
            }
            Ok(answer) => call.answer(answer),
            Err(_) => {
                client.log(MessageType::ERROR, "a request made the server panic; it goes on");
                call.answer(Err(Error::internal_error()));
            }
        }
    });
}
