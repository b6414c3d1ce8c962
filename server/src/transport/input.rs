//! Standard input, read by a thread of its own: a client is never kept waiting while it writes.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

use super::frames::{self, Frames};

/// Notified when nothing more arrives from the client.
#[derive(Clone)]
pub(crate) struct Ending(std::sync::mpsc::Sender<Ended>);

/// What has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The input: by its end, by `exit`, or with the client's process.
    Input,
    /// The work on what came before.
    Work,
}

impl Ending {
    /// With the end at which it is heard.
    pub(crate) fn new() -> (Self, std::sync::mpsc::Receiver<Ended>) {
        let (sender, heard) = std::sync::mpsc::channel();
        (Self(sender), heard)
    }

    pub(crate) fn tell(&self, what: Ended) {
        // An error means that no one is waiting any more.
        let _ = self.0.send(what);
    }
}

/// The messages of standard input, as the bytes that the pump's codec reads.
pub(crate) struct Input {
    /// An empty one is the end.
    frames: mpsc::UnboundedReceiver<Vec<u8>>,
    closer: Closer,
    current: Vec<u8>,
    at: usize,
}

impl Input {
    /// Starts to read. `None` when no thread can be had.
    pub(crate) fn start(ending: Ending) -> Option<Self> {
        let (sender, frames) = mpsc::unbounded_channel();
        let closer = Closer {
            frames: sender.clone(),
            ending,
        };
        let last = closer.clone();
        let read = move || {
            let mut input = Frames::new(std::io::BufReader::with_capacity(64 * 1024, std::io::stdin()));
            while let Ok(Some(received)) = input.next() {
                let Some(frame) = frames::normalised(received) else {
                    continue;
                };
                let is_exit = frame.is_exit;
                if sender.send(frame.bytes).is_err() || is_exit {
                    break;
                }
            }
            last.close();
        };
        let thread = std::thread::Builder::new().name("input".to_owned());
        thread.spawn(read).ok()?;
        Some(Self {
            frames,
            closer,
            current: Vec::new(),
            at: 0,
        })
    }

    /// What ends the input before the client does.
    pub(crate) fn closer(&self) -> Closer {
        self.closer.clone()
    }
}

/// Ends the input.
#[derive(Clone)]
pub(crate) struct Closer {
    frames: mpsc::UnboundedSender<Vec<u8>>,
    ending: Ending,
}

impl Closer {
    fn close(&self) {
        // An error says that the pump has ended.
        drop(self.frames.send(Vec::new()));
        self.ending.tell(Ended::Input);
    }

    /// Ends the input when a process is gone, at once where it is not there any more. Where processes can't be asked
    /// for, only the end of standard input tells that the client is gone.
    pub(crate) fn when_gone(self, process: u64) {
        let path = std::path::PathBuf::from(format!("/proc/{process}"));
        if !path.exists() {
            // Started from outside its container, it can't see its parent, and the client's number means nothing here.
            if is_parent_seen() {
                self.close();
            }
            return;
        }
        let watch = move || {
            while path.exists() {
                std::thread::sleep(Duration::from_secs(2));
            }
            self.close();
        };
        drop(
            std::thread::Builder::new()
                .name("client-watch".to_owned())
                .spawn(watch),
        );
    }
}

/// Whether processes can be asked for, that which started this one among them.
fn is_parent_seen() -> bool {
    #[cfg(target_os = "linux")]
    {
        std::path::Path::new("/proc/self").exists() && rustix::process::getppid().is_some()
    }
    #[cfg(not(target_os = "linux"))]
    false
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
