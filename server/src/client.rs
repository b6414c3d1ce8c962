//! What is said to the client.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::sink::{Drain, drain};
use serde::Serialize;
use tower_lsp_server::Loopback;
use tower_lsp_server::jsonrpc::{Request, Response};
use tower_lsp_server::ls_types::{LogMessageParams, MessageType};

/// The way to the client. Sending never waits; nobody waits for a reply.
#[derive(Clone)]
pub(crate) struct Client {
    messages: UnboundedSender<Request>,
    last_id: Arc<AtomicI64>,
}

impl Client {
    /// Sends a notification.
    pub(crate) fn notify(&self, method: &'static str, params: &impl Serialize) {
        if let Ok(params) = serde_json::to_value(params) {
            // An error says that the session has ended.
            drop(
                self.messages
                    .unbounded_send(Request::build(method).params(params).finish()),
            );
        }
    }

    /// Sends a request whose reply does not matter.
    pub(crate) fn ask(&self, method: &'static str, params: &impl Serialize) {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed);
        if let Ok(params) = serde_json::to_value(params) {
            let request = Request::build(method).id(id);
            let request = if params.is_null() {
                request
            } else {
                request.params(params)
            };
            drop(self.messages.unbounded_send(request.finish()));
        }
    }

    /// Writes to the client's log.
    pub(crate) fn log(&self, typ: MessageType, message: impl Into<String>) {
        let message = message.into();
        match typ {
            MessageType::ERROR => tracing::error!("{message}"),
            MessageType::WARNING => tracing::warn!("{message}"),
            _ => tracing::info!("{message}"),
        }
        self.notify("window/logMessage", &LogMessageParams { typ, message });
    }
}

/// The pump's end of the way to the client.
pub(crate) struct ClientEnd {
    messages: UnboundedReceiver<Request>,
}

impl Loopback for ClientEnd {
    type RequestStream = UnboundedReceiver<Request>;
    type ResponseSink = Drain<Response>;

    fn split(self) -> (Self::RequestStream, Self::ResponseSink) {
        (self.messages, drain())
    }
}

/// Both ends of the way to the client.
pub(crate) fn connect() -> (Client, ClientEnd) {
    let (sender, messages) = unbounded();
    let client = Client {
        messages: sender,
        last_id: Arc::default(),
    };
    (client, ClientEnd { messages })
}
