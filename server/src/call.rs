//! A pending request, and whether its answer is still needed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;
use tower_lsp_server::jsonrpc::Error;

/// What is answered to a request.
pub(crate) type Answer = Result<Value, Error>;

/// A request that has not been answered yet. Only the first answer is sent.
pub(crate) struct Call {
    cancelled: AtomicBool,
    reply: Mutex<Option<oneshot::Sender<Answer>>>,
}

impl Call {
    pub(crate) fn new(reply: oneshot::Sender<Answer>) -> Arc<Self> {
        Arc::new(Self {
            cancelled: AtomicBool::new(false),
            reply: Mutex::new(Some(reply)),
        })
    }

    /// The client has gone or has withdrawn the request: work on it may stop.
    pub(crate) fn abandon(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether no one needs the answer any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Answers, unless it was already answered.
    pub(crate) fn answer(&self, answer: Answer) {
        let reply = self.reply.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(reply) = reply {
            drop(reply.send(answer));
        }
    }

    /// Answers that the request was cancelled, as the client requested.
    pub(crate) fn cancel(&self) {
        self.abandon();
        self.answer(Err(Error::request_cancelled()));
    }
}

/// An error by its number in the protocol.
pub(crate) fn error(code: i64, message: impl Into<String>) -> Error {
    Error {
        code: code.into(),
        message: message.into().into(),
        data: None,
    }
}
