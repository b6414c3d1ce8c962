//! What is said to the client.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::{Context, Poll};

use futures::Sink;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use serde::Serialize;
use tower_lsp_server::Loopback;
use tower_lsp_server::jsonrpc::{Id, Request, Response};
use tower_lsp_server::ls_types::{LogMessageParams, MessageType};

use crate::event::{Event, Events};
use crate::shown;

/// The way to the client. Sending never waits; nobody waits for a reply.
#[derive(Clone)]
pub(crate) struct Client {
    messages: UnboundedSender<Request>,
    last_id: Arc<AtomicI64>,
}

impl Client {
    /// Sends a notification.
    pub(crate) fn notify(&self, method: &'static str, params: &impl Serialize) {
        if let Ok(mut params) = serde_json::to_value(params) {
            shown::make_harmless(&mut params);
            // An error says that the session has ended.
            drop(
                self.messages
                    .unbounded_send(Request::build(method).params(params).finish()),
            );
        }
    }

    /// Sends a request, and gives its number. Of the reply only that it came is heard ([`Event::Replied`]).
    pub(crate) fn ask(&self, method: &'static str, params: &impl Serialize) -> i64 {
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
        id
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
    events: Events,
}

impl Loopback for ClientEnd {
    type RequestStream = UnboundedReceiver<Request>;
    type ResponseSink = Replies;

    fn split(self) -> (Self::RequestStream, Self::ResponseSink) {
        (self.messages, Replies(self.events))
    }
}

/// Takes what the client replies.
pub(crate) struct Replies(Events);

impl Sink<Response> for Replies {
    type Error = Infallible;

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn start_send(self: Pin<&mut Self>, reply: Response) -> Result<(), Infallible> {
        if let Id::Number(id) = reply.id() {
            self.0.send(Event::Replied(*id));
        }
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }
}

/// What is said to the client before the pump takes it.
pub(crate) struct Said(UnboundedReceiver<Request>);

impl Said {
    /// The pump's end; of replies the events tell.
    pub(crate) fn with_replies(self, events: Events) -> ClientEnd {
        ClientEnd {
            messages: self.0,
            events,
        }
    }
}

/// Both ends of the way to the client.
pub(crate) fn connect() -> (Client, Said) {
    let (sender, messages) = unbounded();
    let client = Client {
        messages: sender,
        last_id: Arc::default(),
    };
    (client, Said(messages))
}
