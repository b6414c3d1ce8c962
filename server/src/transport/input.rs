//! Standard input, read by a thread of its own: a client is never kept waiting while it writes.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

use super::frames;

/// The messages of standard input, as the bytes that the pump's codec reads.
pub(crate) struct Input {
    /// An empty one is the end.
    frames: mpsc::UnboundedReceiver<Vec<u8>>,
    close: mpsc::UnboundedSender<Vec<u8>>,
    current: Vec<u8>,
    at: usize,
}

impl Input {
    /// Starts to read. `None` when no thread can be had.
    pub(crate) fn start() -> Option<Self> {
        let (sender, frames) = mpsc::unbounded_channel();
        let close = sender.clone();
        std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || {
                let mut stdin = std::io::BufReader::with_capacity(64 * 1024, std::io::stdin());
                while let Ok(Some(body)) = frames::read_body(&mut stdin) {
                    if let Some(frame) = frames::normalised(&body)
                        && sender.send(frame).is_err()
                    {
                        return;
                    }
                }
                drop(sender.send(Vec::new()));
            })
            .ok()?;
        Some(Self {
            frames,
            close,
            current: Vec::new(),
            at: 0,
        })
    }

    /// What ends the input before the client does.
    pub(crate) fn closer(&self) -> Closer {
        Closer(self.close.clone())
    }
}

/// Ends the input.
#[derive(Clone)]
pub(crate) struct Closer(mpsc::UnboundedSender<Vec<u8>>);

impl Closer {
    /// Ends the input when a process is gone. Where processes can't be asked for, only the end of standard
    /// input tells that the client is gone.
    pub(crate) fn when_gone(self, process: u64) {
        let path = std::path::PathBuf::from(format!("/proc/{process}"));
        // A client in another container may have a number that means nothing here.
        if !path.exists() {
            return;
        }
        let watch = move || {
            while path.exists() {
                std::thread::sleep(Duration::from_secs(2));
            }
            drop(self.0.send(Vec::new()));
        };
        drop(
            std::thread::Builder::new()
                .name("client-watch".to_owned())
                .spawn(watch),
        );
    }
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        if self.at >= self.current.len() {
            match ready!(self.frames.poll_recv(cx)) {
                Some(frame) if !frame.is_empty() => {
                    self.current = frame;
                    self.at = 0;
                }
                _ => return Poll::Ready(Ok(())),
            }
        }
        let rest = self.current.get(self.at..).unwrap_or_default();
        let part = rest.get(..rest.len().min(buf.remaining())).unwrap_or_default();
        buf.put_slice(part);
        let read = part.len();
        self.at += read;
        Poll::Ready(Ok(()))
    }
}
