//! What the pump calls with every message: sends it on, and hands back a future of the answer.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use rustc_hash::FxHashMap;
use serde_json::Value;
use tokio::sync::oneshot;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Id, Request, Response};

use crate::call::{Call, error};
use crate::capabilities;
use crate::dispatch;
use crate::handler::Job;
use crate::settings::Shows;
use crate::start::Start;
use crate::task::Task;
use crate::trace::Trace;
use crate::transport::{Closer, MALFORMED};

/// The requests under way, by their ids.
type Calls = Arc<Mutex<FxHashMap<Id, Arc<Call>>>>;

/// Held by the future of an answer: when the future goes, the request is no longer under way, and work on
/// it that still goes on stops.
struct Guard {
    id: Id,
    call: Arc<Call>,
    calls: Calls,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.call.abandon();
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.get(&self.id).is_some_and(|c| Arc::ptr_eq(c, &self.call)) {
            calls.remove(&self.id);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    ShutDown,
}

/// The service: one per session.
pub(crate) struct Service {
    phase: Phase,
    queue: Arc<Sender<Task>>,
    closer: Closer,
    calls: Calls,
    shut_down: Arc<AtomicBool>,
    trace: Trace,
}

type Answering = Pin<Box<dyn Future<Output = Result<Option<Response>, Infallible>> + Send>>;

impl Service {
    pub(crate) fn new(queue: Arc<Sender<Task>>, closer: Closer, trace: Trace) -> Self {
        Self {
            phase: Phase::New,
            queue,
            closer,
            calls: Calls::default(),
            shut_down: Arc::default(),
            trace,
        }
    }

    /// Tells, when the session is over, whether the client had asked for it.
    pub(crate) fn shut_down_flag(&self) -> Arc<AtomicBool> {
        self.shut_down.clone()
    }

    fn send(&self, task: Task) {
        // An error means that the owner has ended; nothing can be done for a client then.
        drop(self.queue.send(task));
    }

    fn notification(&mut self, method: &str, params: Value) {
        match method {
            "$/cancelRequest" => {
                let id = params.get("id").cloned().unwrap_or_default();
                let call = serde_json::from_value::<Id>(id).ok().and_then(|id| {
                    let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
                    calls.get(&id).cloned()
                });
                if let Some(call) = call {
                    call.cancel();
                }
            }
            "$/setTrace" if self.phase == Phase::Running => self.trace.set(params.get("value")),
            _ if self.phase == Phase::Running => {
                if let Some(task) = dispatch::notification(method, params) {
                    self.send(task);
                }
            }
            _ => {}
        }
    }

    fn request(&mut self, method: &str, id: Id, params: Value) -> Answering {
        let answer = match (method, self.phase) {
            (MALFORMED, _) => Err(Error {
                code: if id == Id::Null {
                    ErrorCode::ParseError
                } else {
                    ErrorCode::InvalidRequest
                },
                message: params
                    .get("why")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned()
                    .into(),
                data: None,
            }),
            ("initialize", Phase::New) => {
                let start = Start::read(&params);
                let shows = Shows::read(&start.settings);
                let result = capabilities::initialize_result(start.supports.encoding, shows);
                self.phase = Phase::Running;
                self.trace.set(params.get("trace"));
                if let Some(parent) = start.parent {
                    self.closer.clone().when_gone(parent);
                }
                self.send(Task::Start(Box::new(start)));
                Ok(result)
            }
            (_, Phase::New) => Err(error(-32002, "the server is not initialized")),
            ("initialize", _) => Err(error(-32600, "the server is initialized already")),
            (_, Phase::ShutDown) => Err(error(-32600, "the server is shut down")),
            ("shutdown", Phase::Running) => {
                self.phase = Phase::ShutDown;
                self.shut_down.store(true, Ordering::Relaxed);
                Ok(Value::Null)
            }
            (_, Phase::Running) => match dispatch::request(method, params) {
                Ok(job) => return self.ask(id, job),
                Err(e) => Err(e),
            },
        };
        Box::pin(std::future::ready(Ok(Some(Response::from_parts(id, answer)))))
    }

    fn ask(&mut self, id: Id, job: Job) -> Answering {
        let (reply, answer) = oneshot::channel();
        let call = Call::new(reply);
        let guard = Guard {
            id: id.clone(),
            call: call.clone(),
            calls: self.calls.clone(),
        };
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id.clone(), call.clone());
        self.send(Task::Ask { job, call });
        Box::pin(async move {
            let answer = answer.await.unwrap_or_else(|_| Err(Error::internal_error()));
            drop(guard);
            Ok(Some(Response::from_parts(id, answer)))
        })
    }
}

impl tower_service::Service<Request> for Service {
    type Response = Option<Response>;
    type Error = Infallible;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Request) -> Answering {
        let (method, id, params) = message.into_parts();
        let params = params.unwrap_or_default();
        match id {
            Some(id) => self.request(&method, id, params),
            None => {
                self.notification(&method, params);
                Box::pin(std::future::ready(Ok(None)))
            }
        }
    }
}
