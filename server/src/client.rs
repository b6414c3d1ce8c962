//! What is said to the client.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::{Context, Poll};

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::{Sink, Stream};
use serde::Serialize;
use tower_lsp_server::Loopback;
use tower_lsp_server::jsonrpc::{Id, Request, Response};
use tower_lsp_server::ls_types::{LogMessageParams, MessageType};

use crate::event::{Event, Events};
use crate::shown;
use crate::transport;

/// Something that is said to the client.
enum Message {
    Call(Request),
    /// A whole message with its header.
    Written(Vec<u8>),
}

/// The channel to the client. Sending never blocks; no caller waits for a reply.
#[derive(Clone)]
pub(crate) struct Client {
    messages: UnboundedSender<Message>,
    last_id: Arc<AtomicI64>,
}

impl Client {
    /// Sends a notification.
    pub(crate) fn notify(&self, method: &'static str, params: &impl Serialize) {
        if let Ok(mut params) = serde_json::to_value(params) {
            shown::make_harmless(&mut params);
            self.call(Request::build(method).params(params).finish());
        }
    }

    /// Sends a notification whose parameters are JSON already, and harmless: what is large need not become a value first.
    pub(crate) fn notify_written(&self, method: &'static str, params: &[&str]) {
        let head = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":");
        let length = head.len() + params.iter().map(|part| part.len()).sum::<usize>() + 1;
        let mut message = Vec::with_capacity(length + 32);
        message.extend_from_slice(format!("Content-Length: {length}\r\n\r\n{head}").as_bytes());
        for part in params {
            message.extend_from_slice(part.as_bytes());
        }
        message.push(b'}');
        drop(self.messages.unbounded_send(Message::Written(message)));
    }

    fn call(&self, request: Request) {
        // An error says that the session has ended.
        drop(self.messages.unbounded_send(Message::Call(request)));
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
            self.call(request.finish());
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
    messages: Messages,
    events: Events,
}

impl Loopback for ClientEnd {
    type RequestStream = Messages;
    type ResponseSink = Replies;

    fn split(self) -> (Self::RequestStream, Self::ResponseSink) {
        (self.messages, Replies(self.events))
    }
}

/// What the pump writes. What is written already goes out here, in its turn among them.
pub(crate) struct Messages(UnboundedReceiver<Message>);

impl Stream for Messages {
    type Item = Request;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Request>> {
        loop {
            match Pin::new(&mut self.0).poll_next(cx) {
                Poll::Ready(Some(Message::Written(message))) => transport::write(&message),
                Poll::Ready(Some(Message::Call(request))) => return Poll::Ready(Some(request)),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
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
pub(crate) struct Said(UnboundedReceiver<Message>);

impl Said {
    /// The pump's end; of replies the events tell.
    pub(crate) fn with_replies(self, events: Events) -> ClientEnd {
        ClientEnd {
            messages: Messages(self.0),
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
